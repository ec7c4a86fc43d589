"""write_file and edit_file: exact, refused where two places are meant, true to encoding and line ends."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.tools.text import decode
from tests.fakes.tools import Bench


async def test_one_exact_replacement(bench: Bench) -> None:
    path = bench.write("a.py", "x = 1\ny = 2\n")
    outcome = await bench.run("edit_file", path="a.py", old="y = 2", new="y = 3")
    assert outcome.content == "Changed a.py (2 lines now)."
    assert path.read_text() == "x = 1\ny = 3\n"


async def test_two_places_are_refused_with_their_lines(bench: Bench) -> None:
    path = bench.write("a.py", "x\ny\nx\n")
    outcome = await bench.run("edit_file", path="a.py", old="x", new="z")
    assert outcome.failure == "invalid"
    assert "lines 1, 3" in outcome.content
    assert path.read_text() == "x\ny\nx\n"
    await bench.run("edit_file", path="a.py", old="x", new="z", all=True)
    assert path.read_text() == "z\ny\nz\n"


async def test_nothing_alike_is_told_with_the_nearest_lines(bench: Bench) -> None:
    bench.write("a.py", "def total(items):\n    return sum(items)\n")
    outcome = await bench.run("edit_file", path="a.py", old="def totals(item):", new="x")
    assert outcome.failure == "not_found"
    assert "1\tdef total(items):" in outcome.content


async def test_several_edits_happen_together_or_not_at_all(bench: Bench) -> None:
    path = bench.write("a.txt", "one\ntwo\nthree\n")
    edits = [{"old": "one", "new": "1"}, {"old": "three", "new": "3"}]
    assert (await bench.run("edit_file", path="a.txt", edits=edits)).ok
    assert path.read_text() == "1\ntwo\n3\n"
    edits = [{"old": "two", "new": "2"}, {"old": "missing", "new": ""}]
    assert (await bench.run("edit_file", path="a.txt", edits=edits)).failure == "not_found"
    assert path.read_text() == "1\ntwo\n3\n"


async def test_indentation_may_differ_where_the_place_is_the_only_one(bench: Bench) -> None:
    path = bench.write("a.py", "class A:\n    def f(self):\n        return 1\n")
    outcome = await bench.run(
        "edit_file", path="a.py", old="def f(self):\n    return 1", new="def f(self):\n    return 2"
    )
    assert outcome.ok
    assert path.read_text() == "class A:\n    def f(self):\n        return 2\n"


async def test_loose_matching_never_chooses_between_places(bench: Bench) -> None:
    text = "  if a:\n    go()\nif b:\n  go()\n"
    path = bench.write("a.py", text)
    outcome = await bench.run("edit_file", path="a.py", old="go() ", new="stop()")
    assert outcome.failure == "not_found"
    assert path.read_text() == text


async def test_loose_matching_keeps_what_indentation_means(bench: Bench) -> None:
    text = "a:\n    b\n  c\n"
    path = bench.write("a.yaml", text)
    outcome = await bench.run("edit_file", path="a.yaml", old="b\nc", new="d\ne")
    assert outcome.failure == "not_found"
    assert path.read_text() == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16", "cp1251", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_an_edit_changes_only_what_it_says(bench: Bench, encoding: str, newline: str) -> None:
    words = "café crème à la carte" if encoding == "latin-1" else "Привет, дорогой мир"
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    old = newline.join(["first", words, "last", ""])
    path = bench.write("a.txt", mark + old.encode(encoding))
    outcome = await bench.run("edit_file", path="a.txt", old=f"first\n{words}", new=f"1st\n{words}")
    assert outcome.ok
    assert path.read_bytes() == mark + old.replace("first", "1st").encode(encoding)


async def test_mixed_line_ends_stay_as_they_are(bench: Bench) -> None:
    path = bench.write("a.txt", b"a\r\nb\nc\r\n")
    assert (await bench.run("edit_file", path="a.txt", old="b", new="B")).ok
    assert path.read_bytes() == b"a\r\nB\nc\r\n"


async def test_what_the_encoding_cannot_hold_is_refused(bench: Bench) -> None:
    content = "Привет всем, друзья\n".encode("cp1251")
    path = bench.write("a.txt", content)
    outcome = await bench.run("edit_file", path="a.txt", old="всем", new="☃")
    assert outcome.failure == "invalid"
    assert "cp1251" in outcome.content
    assert path.read_bytes() == content


async def test_a_replaced_file_keeps_its_line_ends(bench: Bench) -> None:
    path = bench.write("a.bat", b"one\r\ntwo\r\n")
    await bench.run("write_file", path="a.bat", content="three\nfour\n")
    assert path.read_bytes() == b"three\r\nfour\r\n"


async def test_writing_makes_folders_and_says_what_it_did(bench: Bench) -> None:
    assert (await bench.run("write_file", path="a/b/c.txt", content="x\ny")).content == "Created a/b/c.txt (2 lines)."
    assert (await bench.run("write_file", path="a/b/c.txt", content="x\ny")).content.startswith("a/b/c.txt already has")
    assert (await bench.run("write_file", path="a/b", content="")).failure == "invalid"
    assert (await bench.run("write_file", path="../x", content="")).failure == "denied"


async def test_lone_surrogates_of_a_model_do_not_break_writing(bench: Bench) -> None:
    assert (await bench.run("write_file", path="a.txt", content="a\ud800b")).ok


async def test_binary_files_and_documents_are_not_edited(bench: Bench) -> None:
    bench.write("a.bin", b"\x00old")
    bench.write("a.pdf", b"%PDF-1.7 old")
    for name in ("a.bin", "a.pdf"):
        assert (await bench.run("edit_file", path=name, old="old", new="new")).failure == "invalid"


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_decoding_and_encoding_again_loses_nothing(content: bytes) -> None:
    form = decode(content)
    assert form.encode(form.text) == content


async def test_a_large_file_with_the_text_on_every_line_is_refused_all_the_same(bench: Bench) -> None:
    bench.write("many.txt", "".join(f"line {number} foo\n" for number in range(200_000)))
    outcome = await bench.run("edit_file", path="many.txt", old="foo", new="bar")
    assert "200000" in outcome.content
    assert "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10" in outcome.content
    loose = await bench.run("edit_file", path="many.txt", old="foo \nline", new="bar")
    assert loose.failure == "not_found"


async def test_what_a_killed_process_left_blocks_nobody(bench: Bench) -> None:
    """In a container every process may have the same number."""
    secret = bench.workspace.parent / "secret"
    secret.write_text("mine")
    (bench.workspace / f".a.txt.{os.getpid()}.part").symlink_to(secret)
    assert (await bench.run("write_file", path="a.txt", content="x")).ok
    assert [path.name for path in bench.workspace.iterdir()] == ["a.txt"]
    assert secret.read_text() == "mine"
