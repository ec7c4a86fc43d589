"""The index follows the files: what is new, changed, touched, ignored, gone, foreign to it or damaged."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from localagent.memory.index import embed, refresh
from localagent.memory.search import search
from localagent.memory.store import NO_READER, UNSETTLED, Store, Taken, store_file
from tests.fakes.embedder import GroupEmbedder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "leave.md").write_text("# Vacation\n\nTwenty-eight days a year.\n", encoding="utf-8")
    (folder / "sub" / "car.txt").write_text("The parking is behind the house.\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, workspace: Path) -> Store:
    return Store(store_file(tmp_path / "data", workspace))


def paths(store: Store) -> set[str]:
    return {row[0] for row in store.connection.execute("SELECT path FROM files WHERE skipped = ''")}


async def first(store: Store, question: str) -> str:
    found = await search(store, question)
    return found[0].path if found else ""


async def test_the_index_follows_the_files(store: Store, workspace: Path) -> None:
    done = refresh(store, workspace)
    assert (done.seen, done.changed, done.removed) == (2, 2, 0)
    assert await first(store, "parking") == "sub/car.txt"
    again = refresh(store, workspace)
    assert (again.seen, again.changed, again.removed, again.passages) == (2, 0, 0, 0)
    (workspace / "leave.md").write_text("Bicycles are welcome.\n", encoding="utf-8")
    (workspace / "sub" / "car.txt").unlink()
    (workspace / "new.txt").write_text("Umbrellas too.\n", encoding="utf-8")
    changed = refresh(store, workspace)
    assert (changed.changed, changed.removed) == (2, 1)
    assert [await first(store, word) for word in ("bicycle", "umbrella", "parking", "vacation")] == [
        "leave.md", "new.txt", "", "",
    ]  # fmt: skip


def test_a_touched_file_is_not_taken_in_again(store: Store, workspace: Path) -> None:
    refresh(store, workspace)
    os.utime(workspace / "leave.md", (1, 1))
    assert refresh(store, workspace).changed == 0
    time.sleep(0.03)
    assert refresh(store, workspace).changed == 0
    info = (workspace / "leave.md").stat()
    assert store.stamps()["leave.md"] == (info.st_mtime_ns, info.st_ctime_ns, info.st_size)


def test_a_file_that_changed_just_now_is_looked_at_again(store: Store, workspace: Path) -> None:
    (workspace / "leave.md").write_text("changed in this tick of the clock\n", encoding="utf-8")
    refresh(store, workspace)
    assert store.stamps()["leave.md"][:2] == (UNSETTLED, UNSETTLED)
    assert store.walked() == ("", {})


@pytest.mark.parametrize("mtime", [1_000_000_000, 4_000_000_000])
async def test_a_change_that_keeps_size_and_time_is_seen(store: Store, workspace: Path, mtime: int) -> None:
    file = workspace / "kept.md"
    file.write_text("the lease ends in March")
    os.utime(file, (mtime, mtime))
    time.sleep(0.03)
    refresh(store, workspace)
    assert refresh(store, workspace).changed == 0
    info = file.stat()
    file.write_text("the lease ends in April")
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert refresh(store, workspace).changed == 1
    assert [found.path for found in await search(store, "april")] == ["kept.md"]


async def test_a_time_beyond_64_bits_is_one_too(store: Store, workspace: Path) -> None:
    os.utime(workspace / "leave.md", ns=(10**19, 10**19))
    if (workspace / "leave.md").stat().st_mtime_ns < 2**63:
        pytest.skip("this file system has no such times")
    refresh(store, workspace)
    assert refresh(store, workspace).changed == 0
    assert await first(store, "vacation") == "leave.md"


def test_an_unchanged_folder_is_known_by_one_digest(store: Store, workspace: Path) -> None:
    (workspace / ".gitignore").write_text("sub/\n", encoding="utf-8")
    time.sleep(0.03)
    refresh(store, workspace)
    digest, folders = store.walked()
    assert (bool(digest), folders) == (True, {"sub": True})
    store.touch("leave.md", (1, 1, 1))
    assert store.walked() == ("", {})


def test_what_gitignore_hides_is_left_out_until_it_no_longer_does(store: Store, workspace: Path) -> None:
    (workspace / ".gitignore").write_text("sub/\n*.log\n", encoding="utf-8")
    (workspace / "a.log").write_text("secret words\n", encoding="utf-8")
    refresh(store, workspace)
    assert paths(store) == {".gitignore", "leave.md"}
    (workspace / ".gitignore").write_text("*.tmp\n", encoding="utf-8")
    refresh(store, workspace)
    assert paths(store) == {".gitignore", "leave.md", "sub/car.txt", "a.log"}
    (workspace / ".gitignore").write_text("*.md\n", encoding="utf-8")
    refresh(store, workspace)
    assert "leave.md" not in paths(store)
    (workspace / ".gitignore").unlink()
    refresh(store, workspace)
    assert paths(store) == {"leave.md", "sub/car.txt", "a.log"}


def test_what_is_no_text_is_told_and_left_out(store: Store, workspace: Path) -> None:
    (workspace / "a.bin").write_bytes(b"\0\1\2")
    (workspace / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    (workspace / "c.svg").write_text("<svg/>", encoding="utf-8")
    (workspace / "link.md").symlink_to(workspace / "leave.md")
    (workspace / "old.txt").write_bytes("Платёж по договору".encode("cp1251"))
    os.mkfifo(workspace / "pipe")
    refresh(store, workspace)
    assert paths(store) == {"leave.md", "sub/car.txt", "old.txt"}
    assert store.skipped() == {"binary": 1, "damaged": 1, "no document": 1}


async def test_a_document_is_cited_by_the_lines_that_read_file_shows(store: Store, workspace: Path) -> None:
    (workspace / "page.html").write_text(
        "<h1>Trip</h1><p>Hotels</p><h2>Train</h2><p>Second class.</p>", encoding="utf-8"
    )
    refresh(store, workspace)
    found = (await search(store, "second class"))[0]
    assert (found.path, found.line, found.title) == ("page.html", 5, "Train")


async def test_a_document_that_nothing_could_read_is_read_once_something_can(store: Store, workspace: Path) -> None:
    (workspace / "page.html").write_text("<p>Second class.</p>", encoding="utf-8")
    time.sleep(0.03)
    refresh(store, workspace)
    with store.transaction():
        stamp = store.stamps()["page.html"]
        store.put([Taken("page.html", stamp, skipped=NO_READER)], known={"page.html"})
    assert refresh(store, workspace).changed == 0
    store.use_readers("")
    assert refresh(store, workspace).changed == 1
    assert await first(store, "second class") == "page.html"


async def test_only_passages_that_changed_get_new_vectors(store: Store, workspace: Path) -> None:
    embedder = GroupEmbedder()
    (workspace / "long.md").write_text(
        "\n\n".join(f"# {n}\n\n" + f"printer {n} " * 60 for n in range(5)), encoding="utf-8"
    )
    refresh(store, workspace)
    assert await embed(store, embedder) == 0
    before = embedder.texts
    text = (workspace / "long.md").read_text(encoding="utf-8").replace("printer 3", "copier 3")
    (workspace / "long.md").write_text(text, encoding="utf-8")
    refresh(store, workspace)
    assert await embed(store, embedder) == 0
    assert embedder.texts - before < 5
    other = GroupEmbedder("another")
    assert await embed(store, other) == 0
    assert other.texts == store.counts()["passages"]


@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0" + b"x" * 5000])
async def test_a_damaged_index_is_built_anew_and_said_so(store: Store, workspace: Path, damage: bytes) -> None:
    refresh(store, workspace)
    store.close()
    store.path.write_bytes(damage)
    again = Store(store.path)
    refresh(again, workspace)
    assert again.rebuilt
    assert await first(again, "parking") == "sub/car.txt"


def test_damage_inside_is_found_while_refreshing(store: Store, workspace: Path) -> None:
    refresh(store, workspace)
    store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(store.path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    store.close()
    store.path.write_bytes(content)
    again = Store(store.path)
    refresh(again, workspace)
    assert again.rebuilt
    assert paths(again) == {"leave.md", "sub/car.txt"}


def test_two_processes_share_one_index(store: Store, workspace: Path) -> None:
    other = Store(store.path)
    refresh(store, workspace)
    assert refresh(other, workspace).changed == 0
    (workspace / "leave.md").write_text("changed\n", encoding="utf-8")
    assert (refresh(other, workspace).changed, refresh(store, workspace).changed) == (1, 0)


def test_another_process_may_take_in_the_same_files_meanwhile(store: Store, workspace: Path) -> None:
    for n in range(1200):
        (workspace / f"n{n}.txt").write_text(f"number {n}\n", encoding="utf-8")
    other = Store(store.path)

    def meanwhile(*_: object) -> None:
        refresh(other, workspace)

    refresh(store, workspace, meanwhile)
    assert (store.rebuilt, other.rebuilt) == ("", "")
    assert store.counts()["passages"] == store._last_passage() == 1202
    assert refresh(store, workspace).changed == 0


def test_who_finds_damage_second_uses_what_the_first_began_anew(store: Store, workspace: Path) -> None:
    other = Store(store.path)
    other.reset("damaged")
    refresh(other, workspace)
    store.reset("damaged")
    assert store.counts() == other.counts() != {"files": 0, "passages": 0, "vectors": 0}


async def test_a_passage_that_became_another_one_gets_no_vector_of_the_old(store: Store, workspace: Path) -> None:
    (workspace / "only.txt").write_text("the printer\n", encoding="utf-8")
    refresh(store, workspace)
    waiting = store.without_vectors(0, 9)
    for name in ("only.txt", "leave.md", "sub/car.txt"):
        (workspace / name).write_text("the umbrella\n", encoding="utf-8")
    refresh(Store(store.path), workspace)
    store.put_vectors([(id_, text, b"\0\0") for id_, _, text in waiting])
    assert store.counts()["vectors"] == 0


def test_a_folder_that_became_a_link_meanwhile_is_not_followed(store: Store, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "car.txt").write_text("the person's own\n", encoding="utf-8")
    for n in range(1000):
        (workspace / f"n{n}.txt").write_text(f"number {n}\n", encoding="utf-8")

    def swap(*_: object) -> None:
        if not (workspace / "sub").is_symlink():
            (workspace / "sub").rename(workspace / "was")
            (workspace / "sub").symlink_to(tmp_path / "outside")

    refresh(store, workspace, swap)
    assert store.skipped() == {"unreadable": 1}


def test_a_refresh_whose_time_is_up_goes_on_with_the_next(store: Store, workspace: Path) -> None:
    for n in range(1200):
        (workspace / f"n{n}.txt").write_text(f"number {n}\n", encoding="utf-8")
    first = refresh(store, workspace, seconds=0.0)
    assert (first.changed, first.waiting) == (1000, 202)
    second = refresh(store, workspace, seconds=0.0)
    assert (second.changed, second.waiting) == (202, 0)
