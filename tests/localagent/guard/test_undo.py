"""Changes are taken back exactly, also after a restart, and never over somebody's later work."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.errors import LocalAgentError
from localagent.guard.undo import UndoConflictError, UndoLogError, UndoStore
from localagent.ports import Change
from tests.fakes.tools import Bench


@pytest.fixture
def edited(bench: Bench) -> Bench:
    bench.mode = "edit"
    return bench


def again(bench: Bench) -> UndoStore:
    """The store as another process sees it."""
    return UndoStore(bench.home / "undo", "s")


async def test_step_by_step_backwards(edited: Bench) -> None:
    path = edited.write("a.txt", "1")
    for old, new in (("1", "2"), ("2", "3")):
        await edited.call("edit_file", path="a.txt", old=old, new=new)
    again(edited).undo()
    assert path.read_text() == "2"
    again(edited).undo()
    assert path.read_text() == "1"
    with pytest.raises(LocalAgentError, match="nothing"):
        again(edited).undo()


async def test_all_at_once_with_created_and_deleted_files(edited: Bench) -> None:
    kept = edited.write("kept.txt", "old")
    gone = edited.write("sub/gone.txt", "bye\n")
    await edited.call("write_file", path="new/made.txt", content="x")
    await edited.call("write_file", path="kept.txt", content="new")
    await edited.call("apply_patch", patch="--- a/sub/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n")
    assert not gone.exists()
    done = again(edited).undo(everything=True)
    assert [change.path.name for change in done] == ["gone.txt", "kept.txt", "made.txt"]
    assert kept.read_text() == "old"
    assert gone.read_text() == "bye\n"
    assert not (edited.workspace / "new/made.txt").exists()


async def test_later_work_of_the_person_is_not_lost(edited: Bench) -> None:
    path, other = edited.write("a.txt", "1"), edited.write("b.txt", "1")
    await edited.call("write_file", path="a.txt", content="2")
    await edited.call("write_file", path="b.txt", content="2")
    path.write_text("mine")
    with pytest.raises(UndoConflictError, match="--force") as caught:
        again(edited).undo(everything=True)
    assert list(caught.value.left) == [path.resolve()]
    assert other.read_text() == "2"
    again(edited).undo(everything=True, force=True)
    assert (path.read_text(), other.read_text()) == ("1", "1")


async def test_one_call_in_the_middle_can_be_taken_back(edited: Bench) -> None:
    edited.write("a.txt", "1")
    await edited.call("write_file", path="a.txt", content="2")
    await edited.call("write_file", path="b.txt", content="x")
    again(edited).undo("call_1")
    assert (edited.workspace / "a.txt").read_text() == "1"
    assert (edited.workspace / "b.txt").exists()


async def test_modes_and_bytes_come_back(edited: Bench) -> None:
    path = edited.write("run.sh", b"\xff\r\n#!/bin/sh\r\n")
    path.chmod(0o750)
    await edited.call("apply_patch", patch="nonsense")
    await edited.call("write_file", path="run.sh", content="new")
    os.unlink(path)
    again(edited).undo(force=True)
    assert path.read_bytes() == b"\xff\r\n#!/bin/sh\r\n"
    assert path.stat().st_mode & 0o777 == 0o750


def test_a_torn_last_line_is_no_step(tmp_path: Path) -> None:
    store = UndoStore(tmp_path / "undo", "s")
    store.remember("1", Change(tmp_path / "a", None, b"x"))
    with (tmp_path / "undo/s.jsonl").open("ab") as file:
        file.write(b'{"call_id": "2", "pa')
    assert [step.call_id for step in store.steps()] == ["1"]
    store.remember("3", Change(tmp_path / "b", None, b"x"))
    assert [step.call_id for step in store.steps()] == ["1", "3"]


async def test_what_happened_is_read_from_the_files(edited: Bench) -> None:
    await edited.call("write_file", path="a.txt", content="x")
    store = again(edited)
    assert store.happened("call_1") is True
    (edited.workspace / "a.txt").unlink()
    assert store.happened("call_1") is False
    (edited.workspace / "a.txt").write_text("else")
    assert store.happened("call_1") is None
    assert store.happened("call_2") is False


async def test_reading_and_failing_leave_nothing(edited: Bench) -> None:
    edited.write("a.txt", "x")
    await edited.call("read_file", path="a.txt")
    await edited.call("edit_file", path="a.txt", old="missing", new="y")
    await edited.call("write_file", path="a.txt", content="x")
    assert edited.undo.steps() == []


def changed(store: UndoStore, call: str, path: Path, content: bytes | None) -> None:
    """What a tool does inside its layer."""
    store.remember(call, Change(path, path.read_bytes() if path.exists() else None, content))
    path.parent.mkdir(exist_ok=True)
    path.unlink() if content is None else path.write_bytes(content)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below, links not followed."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.is_symlink()}


def in_the_way(kind: str, path: Path) -> None:
    """The person puts something else where the agent's file was."""
    outside = path.parents[2] / "outside"
    outside.mkdir()
    (outside / path.name).write_bytes(path.read_bytes())
    path.unlink()
    match kind:
        case "folder":
            path.mkdir()
            (path / "mine").write_text("mine")
        case "link":
            path.symlink_to(outside / path.name)
        case "pipe":
            os.mkfifo(path)
        case "parent is a link":
            path.parent.rmdir()
            path.parent.symlink_to(outside)
        case "parent is a file":
            path.parent.rmdir()
            path.parent.write_text("mine")


KINDS = ("folder", "link", "pipe", "parent is a link", "parent is a file")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("old", [None, b"old"])
def test_what_is_in_the_way_stays_and_the_rest_comes_back_by_force(
    tmp_path: Path, kind: str, old: bytes | None
) -> None:
    work = tmp_path / "work"
    store, path, other = UndoStore(tmp_path / "undo", "s"), work / "sub/a", work / "b"
    path.parent.mkdir(parents=True)
    if old is not None:
        path.write_bytes(old)
    other.write_bytes(b"old")
    changed(store, "1", other, b"new")
    changed(store, "2", path, b"new")
    in_the_way(kind, path)
    mine = tree(tmp_path)
    with pytest.raises(UndoConflictError, match=r"sub/a: .*nothing") as caught:
        store.undo(everything=True)
    assert list(caught.value.left) == [path]
    assert tree(tmp_path) == mine
    with pytest.raises(UndoConflictError, match=r"Taken back: .*/b$"):
        store.undo(everything=True, force=True)
    later = tree(tmp_path)
    assert later.pop("work/b") == b"old"
    assert {name: later[name] for name in mine if not name.startswith(("undo", "work/b"))} == {
        name: mine[name] for name in mine if not name.startswith(("undo", "work/b"))
    }
    assert not list(tmp_path.rglob("*.part"))
    assert [step.path for step in store.steps()] == [str(path)]


def test_a_content_that_is_lost_or_spoilt_is_said_and_the_rest_comes_back(tmp_path: Path) -> None:
    store = UndoStore(tmp_path / "undo", "s")
    for name in "abc":
        (tmp_path / name).write_text(f"old {name}")
        changed(store, "1", tmp_path / name, b"new")
    lost, spoilt = (store.steps()[at].before or "" for at in (0, 1))
    (tmp_path / "undo" / lost[:2] / lost).unlink()
    (tmp_path / "undo" / spoilt[:2] / spoilt).write_bytes(b"other")
    with pytest.raises(UndoConflictError, match="lost") as caught:
        store.undo()
    assert (list(caught.value.left), caught.value.done) == ([tmp_path / "b", tmp_path / "a"], ())
    assert store.changes("1") == ()
    with pytest.raises(UndoConflictError) as forced:
        store.undo(force=True)
    assert [change.path.name for change in forced.value.done] == ["c"]
    assert (tmp_path / "c").read_text() == "old c"


@pytest.mark.parametrize(
    "line", [b"null", b"[1]", b"{}", b'{"call_id":"x","path":"p","before":null,"after":null,"new":1}']
)
def test_a_log_of_another_version_is_said_in_a_sentence(tmp_path: Path, line: bytes) -> None:
    store = UndoStore(tmp_path / "undo", "s")
    changed(store, "1", tmp_path / "a", b"x")
    with (tmp_path / "undo/s.jsonl").open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(UndoLogError, match="another version"):
        store.undo()
    assert store.happened("1") is None
    assert store.changes("1") == ()
    assert (tmp_path / "a").read_bytes() == b"x"
    store.forget()
    assert not [path for path in (tmp_path / "undo").rglob("*") if path.is_file()]


def test_what_was_taken_back_by_force_is_kept(tmp_path: Path) -> None:
    store, path = UndoStore(tmp_path / "undo", "s"), tmp_path / "a"
    changed(store, "1", path, b"new")
    path.write_bytes(b"mine")
    store.undo(force=True)
    assert not path.exists()
    assert b"mine" in tree(tmp_path / "undo").values()


def test_it_is_known_which_calls_were_taken_back(tmp_path: Path) -> None:
    store = UndoStore(tmp_path / "undo", "s")
    assert store.undone() == frozenset()
    for call in ("1", "2", "3"):
        changed(store, call, tmp_path / call, b"new")
    store.undo()
    store.undo()
    assert UndoStore(tmp_path / "undo", "s").undone() == {"2", "3"}
    (tmp_path / "undo" / "s.jsonl").write_text('{"version": 99}\n')
    assert store.undone() == frozenset()


def test_an_undo_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    store, path = UndoStore(tmp_path / "undo", "s"), tmp_path / "a"
    for call, content in (("1", b"1"), ("2", b"2"), ("3", b"3")):
        changed(store, call, path, content)
    path.unlink()  # taken back, and killed before that was written down
    store.undo(everything=True)
    assert (path.exists(), store.steps()) == (False, [])


_edits = st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.binary(max_size=4)), max_size=8)


@given(_edits, st.integers(0, 8))
@settings(max_examples=60, deadline=None)
def test_any_changes_come_back(tmp_path_factory: pytest.TempPathFactory, edits: list, steps: int) -> None:  # type: ignore[type-arg]
    folder = tmp_path_factory.mktemp("undo")
    store = UndoStore(folder / "undo", "s")
    states = [{}]
    for number, (name, content) in enumerate(edits):
        path = folder / name
        before = path.read_bytes() if path.exists() else None
        if content == before:
            continue
        store.remember(str(number), Change(path, before, content))
        path.unlink(missing_ok=True) if content is None else path.write_bytes(content)
        states.append({p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()})
    for _ in range(min(steps, len(states) - 1)):
        store.undo()
        states.pop()
        assert {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()} == states[-1]
