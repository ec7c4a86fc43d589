"""list_dir and read_file: pages, names that come near, and nothing outside."""

import os

import pytest

from tests.fakes.tools import Bench


async def test_list_dir_shows_folders_first_and_sizes(bench: Bench) -> None:
    bench.write("b.txt", "x" * 1500)
    bench.write("z/inner.txt", "")
    outcome = await bench.run("list_dir")
    assert outcome.content == "z/\nb.txt  1.5 KB"


async def test_list_dir_goes_deeper_but_not_into_what_git_ignores(bench: Bench) -> None:
    bench.write(".gitignore", "build/\n")
    bench.write("build/out.o", "")
    bench.write("src/a.py", "")
    outcome = await bench.run("list_dir", depth=2)
    assert "  a.py" in outcome.content
    assert "build/" in outcome.content
    assert "out.o" not in outcome.content


async def test_list_dir_of_many_entries_says_how_many_are_missing(bench: Bench) -> None:
    for number in range(230):
        bench.write(f"f{number:03}", "")
    outcome = await bench.run("list_dir")
    assert "[30 more entries" in outcome.content
    assert len(outcome.content.splitlines()) == 201


async def test_reading_numbers_lines(bench: Bench) -> None:
    bench.write("a.txt", "one\ntwo\n")
    outcome = await bench.run("read_file", path="a.txt")
    assert outcome.content == "1\tone\n2\ttwo"
    assert outcome.sources == ("a.txt",)


async def test_pages_follow_each_other_without_gap_or_overlap(bench: Bench) -> None:
    bench.result_chars = 1000
    lines = [f"line {n} " + "x" * (n % 60) for n in range(1, 200)]
    bench.write("long.txt", "\n".join(lines) + "\n")
    seen: list[str] = []
    start = 1
    while True:
        outcome = await bench.run("read_file", path="long.txt", start=start)
        assert len(outcome.content) <= 1000
        *rows, note = outcome.content.split("\n")
        seen += [row.split("\t", 1)[1] for row in rows]
        if "the end" in note:
            break
        start = int(note.rsplit("start=", 1)[1].rstrip("]"))
    assert seen == lines


async def test_a_line_longer_than_the_window_is_cut_and_says_so(bench: Bench) -> None:
    bench.write("min.js", "x" * 100_000)
    outcome = await bench.run("read_file", path="min.js")
    assert len(outcome.content) < 3000
    assert "more characters in this line" in outcome.content


async def test_negative_start_counts_from_the_end(bench: Bench) -> None:
    bench.write("a.txt", "1\n2\n3\n4\n")
    outcome = await bench.run("read_file", path="a.txt", start=-2)
    assert outcome.content.startswith("3\t3\n4\t4\n")


@pytest.mark.parametrize(
    ("path", "kind", "part"),
    [
        ("reed.md", "not_found", "readme.md"),
        ("docs/nothing/at/all.txt", "not_found", "docs"),
        ("../outside.txt", "denied", "outside"),
        ("/etc/passwd", "denied", "outside"),
        ("bin.dat", "invalid", "binary"),
        ("pipe", "invalid", "pipe"),
        ("a\0b", "invalid", "path"),
        ("~/x", "denied", "outside"),
    ],
)
async def test_what_cannot_be_read_says_the_next_step(bench: Bench, path: str, kind: str, part: str) -> None:
    bench.write("readme.md", "hello")
    bench.write("docs/a.txt", "")
    bench.write("bin.dat", b"\x00\x01\x02")
    os.mkfifo(bench.workspace / "pipe")
    (bench.workspace.parent / "outside.txt").write_text("secret")
    outcome = await bench.run("read_file", path=path)
    assert outcome.failure == kind
    assert part in outcome.content
    assert "secret" not in outcome.content


async def test_a_file_whose_folder_was_left_out_is_named(bench: Bench) -> None:
    bench.write("letter.txt", "")
    bench.write("notes/Todo.txt", "milk")
    bench.write("hidden/todo.txt", "")
    bench.write(".gitignore", "hidden/")
    outcome = await bench.run("read_file", path="todo.txt")
    assert outcome.failure == "not_found"
    assert "Nearest names: notes/Todo.txt, letter.txt" in outcome.content
    assert "hidden" not in outcome.content


@pytest.mark.parametrize("name", ["link", "folder/secret.txt", "chain"])
async def test_links_do_not_lead_outside(bench: Bench, name: str) -> None:
    outside = bench.workspace.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (bench.workspace / "link").symlink_to(outside / "secret.txt")
    (bench.workspace / "folder").symlink_to(outside)
    (bench.workspace / "chain").symlink_to("link")
    outcome = await bench.run("read_file", path=name)
    assert outcome.failure == "denied"
    assert "secret\n" not in outcome.content + "\n"


async def test_reading_a_folder_lists_it(bench: Bench) -> None:
    bench.write("docs/a.txt", "")
    assert (await bench.run("read_file", path="docs")).content == "a.txt  0 B"


async def test_a_link_inside_the_workspace_is_followed(bench: Bench) -> None:
    bench.write("a.txt", "here")
    (bench.workspace / "b.txt").symlink_to("a.txt")
    assert (await bench.run("read_file", path="b.txt")).content == "1\there"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
async def test_russian_in_the_usual_encodings(bench: Bench, encoding: str) -> None:
    text = "Договор № 5 от первого марта, стороны: Иванов и Петров.\nПодписано.\n"
    bench.write("a.txt", text.encode(encoding))
    outcome = await bench.run("read_file", path="a.txt")
    assert "стороны: Иванов и Петров" in outcome.content


async def test_a_link_to_itself_is_listed_and_hides_nothing(bench: Bench) -> None:
    (bench.workspace / "loop").symlink_to("loop")
    bench.write("beside.txt", "x")
    outcome = await bench.run("list_dir")
    assert outcome.content == "beside.txt  1 B\nloop -> loop"
