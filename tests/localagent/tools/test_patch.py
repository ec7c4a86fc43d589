"""apply_patch: diffs as git and as models write them, all files or none."""

import difflib

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from localagent.tools.patch import apply_file_patch, parse_patch
from localagent.tools.tool import ToolFailure
from tests.fakes.tools import Bench

GIT = """diff --git a/a.txt b/a.txt
index 123..456 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@ heading
 one
-two
+zwei
 three
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+hello
+world
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
"""


async def test_change_create_and_delete_in_one_patch(bench: Bench) -> None:
    a, gone = bench.write("a.txt", "one\ntwo\nthree\n"), bench.write("gone.txt", "bye\n")
    outcome = await bench.run("apply_patch", patch=GIT)
    assert outcome.ok, outcome.content
    assert a.read_text() == "one\nzwei\nthree\n"
    assert (bench.workspace / "new.txt").read_text() == "hello\nworld\n"
    assert not gone.exists()


async def test_one_bad_hunk_changes_nothing(bench: Bench) -> None:
    a = bench.write("a.txt", "one\ntwo\nthree\n")
    bench.write("gone.txt", "something else\n")
    outcome = await bench.run("apply_patch", patch=GIT)
    assert outcome.failure == "not_found"
    assert a.read_text() == "one\ntwo\nthree\n"
    assert not (bench.workspace / "new.txt").exists()


async def test_a_head_for_every_hunk_loses_none(bench: Bench) -> None:
    a = bench.write("a.txt", "one\ntwo\nthree\n")
    hunks = [
        f"--- a/a.txt\n+++ b/a.txt\n@@ -{n} +{n} @@\n-{old}\n+{new}\n"
        for n, old, new in ((1, "one", "I"), (3, "three", "III"))
    ]
    outcome = await bench.run("apply_patch", patch="".join(hunks))
    assert outcome.ok, outcome.content
    assert a.read_text() == "I\ntwo\nIII\n"


async def test_a_file_under_two_names_is_refused(bench: Bench) -> None:
    bench.write("a.txt", "one\n")
    (bench.workspace / "link").symlink_to("a.txt")
    for name in ("a.txt", "link"):
        patch = f"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+I\n--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
        assert (await bench.run("apply_patch", patch=patch)).failure == "invalid"
    twice = "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+x\n" * 2
    assert (await bench.run("apply_patch", patch=twice)).failure == "invalid"
    assert sorted(path.name for path in bench.workspace.iterdir()) == ["a.txt", "link"]


def test_wrong_line_numbers_do_not_matter_but_two_places_do() -> None:
    patch = "--- a/x\n+++ b/x\n@@ -90,1 +90,1 @@\n-b\n+B\n"
    assert apply_file_patch("a\nb\n", parse_patch(patch)[0]) == "a\nB\n"
    bare = "--- a/x\n+++ b/x\n@@ @@\n-b\n+B\n"
    assert apply_file_patch("a\nb\n", parse_patch(bare)[0]) == "a\nB\n"
    with pytest.raises(ToolFailure):
        apply_file_patch("b\na\nb\n", parse_patch(bare)[0])


@pytest.mark.parametrize("text", ["", "hello", "--- a/x\n+++ b/x\n", "@@ -1 +1 @@\n-a\n+b\n"])
async def test_what_is_no_diff_is_told_its_form(bench: Bench, text: str) -> None:
    outcome = await bench.run("apply_patch", patch=text)
    assert outcome.failure == "invalid"
    assert "+++ b/path" in outcome.content


_line = st.text("abc -+@", max_size=4)


@given(st.lists(_line, min_size=1, max_size=12), st.lists(_line, max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_diff_of_difflib_applies(old: list[str], new: list[str]) -> None:
    before, after = [f"{line}\n" for line in old], [f"{line}\n" for line in new]
    assume(before != after and new)
    patch = "".join(difflib.unified_diff(before, after, "a/f", "b/f"))
    assert apply_file_patch("".join(before), parse_patch(patch)[0]) == "".join(after)


_LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "é", "- d", "++ e", "\\ f", "@@ g"]), min_size=1, max_size=8)


@given(_LINES, _LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans(), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_what_diff_writes_is_applied_to_the_byte(
    old: list[str], new: list[str], end: str, old_ends: bool, new_ends: bool, context: int
) -> None:
    """Also where only one of the two ends with a newline, which the patch says in a line of its own."""
    before, after = (end.join(lines) + end * ends for lines, ends in ((old, old_ends), (new, new_ends)))
    if before == after or not before or not after:
        return
    rows = [text.replace("\r\n", "\n").splitlines(keepends=True) for text in (before, after)]
    told = difflib.unified_diff(*rows, "a/f", "b/f", n=context)
    patch = "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in told)
    (part,) = parse_patch(patch)
    assert apply_file_patch("".join(rows[0]), part) == "".join(rows[1])
