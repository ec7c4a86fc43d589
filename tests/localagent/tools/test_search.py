"""search_text: lines by pattern, files by glob, without what git ignores."""

import subprocess

import pytest

from tests.fakes.tools import Bench


@pytest.fixture
def tree(bench: Bench) -> Bench:
    bench.write(".gitignore", "*.log\n!keep.log\n/dist/\n")
    bench.write("src/.gitignore", "local.py\n")
    for name in ("src/app.py", "src/local.py", "src/deep/x.py", "dist/app.py", "a.log", "keep.log", "src/dist/b.py"):
        bench.write(name, "first\nNeedle here\n")
    return bench


async def test_the_same_files_as_git(tree: Bench) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tree.workspace, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=tree.workspace, capture_output=True, text=True, check=True
    )
    outcome = await tree.run("search_text", glob="*")
    assert sorted(outcome.content.split("\n")) == sorted(listed.stdout.split())


async def test_lines_with_their_place(tree: Bench) -> None:
    outcome = await tree.run("search_text", pattern="needle", path="src", glob="*.py")
    assert outcome.content.split("\n") == [
        "src/app.py:2: Needle here",
        "src/deep/x.py:2: Needle here",
        "src/dist/b.py:2: Needle here",
    ]
    assert outcome.sources == ("src/app.py", "src/deep/x.py", "src/dist/b.py")


@pytest.mark.parametrize(
    ("glob", "names"),
    [
        ("src/*.py", ["src/app.py", "src/deep/x.py", "src/dist/b.py"]),
        ("**/app.py", ["src/app.py"]),
        ("./src/**/x.py", ["src/deep/x.py"]),
        ("app.*", ["src/app.py"]),
    ],
)
async def test_files_by_glob(tree: Bench, glob: str, names: list[str]) -> None:
    assert (await tree.run("search_text", glob=glob)).content.split("\n") == names


async def test_case_counts_only_where_the_pattern_has_capitals(tree: Bench) -> None:
    assert (await tree.run("search_text", pattern="NEEDLE")).content.startswith("Nothing matches")
    assert "app.py" in (await tree.run("search_text", pattern="Needle")).content


async def test_a_broken_pattern_is_taken_as_words(bench: Bench) -> None:
    bench.write("a.txt", "call(x[\n")
    assert (await bench.run("search_text", pattern="call(x[")).content == "a.txt:1: call(x["


async def test_many_hits_stop_and_say_so(bench: Bench) -> None:
    bench.write("a.txt", "x\n" * 5000)
    outcome = await bench.run("search_text", pattern="x")
    assert "stopped after 100 hits" in outcome.content


async def test_a_long_line_is_shown_around_the_hit(bench: Bench) -> None:
    bench.write("a.txt", "a" * 5000 + "needle" + "b" * 5000)
    outcome = await bench.run("search_text", pattern="needle")
    assert "needle" in outcome.content
    assert len(outcome.content) < 300


async def test_nothing_to_look_for_is_an_error_with_an_example(bench: Bench) -> None:
    outcome = await bench.run("search_text")
    assert outcome.failure == "invalid"
    assert "glob" in outcome.content


async def test_links_out_of_the_workspace_are_not_searched(bench: Bench) -> None:
    (bench.workspace.parent / "secret.txt").write_text("needle")
    (bench.workspace / "link.txt").symlink_to(bench.workspace.parent / "secret.txt")
    assert (await bench.run("search_text", pattern="needle")).content.startswith("Nothing matches")


async def test_a_pattern_that_never_ends_is_stopped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("localagent.tools.search.SECONDS", 1.5)
    bench.write("a.txt", "a" * 60 + "!\n")
    outcome = await bench.run("search_text", pattern="(a|aa)+$")
    assert (outcome.failure, "was stopped" in outcome.content) == ("invalid", True)
