"""The command-line parser against the shell itself: nothing runs that it did not name."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from localagent.guard.command_line import Segment, UnclearError, parse, segments


def words(line: str) -> list[list[str]]:
    return [[word.text for word in segment.words] for segment in parse(line)]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git status", [["git", "status"]]),
        ("git status; rm -rf .", [["git", "status"], ["rm", "-rf", "."]]),
        ("a && b || c | d & e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a\nb\n\nc", [["a"], ["b"], ["c"]]),
        ("a |& b", [["a"], ["b"]]),
        ("(cd x; ls)", [["cd", "x"], ["ls"]]),
        ("((a) | b)", None),
        ("echo 'a b'\"c d\"\\ e", [["echo", "a bc d e"]]),
        ("'git' st\"at\"us", [["git", "status"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("echo a#b", [["echo", "a#b"]]),
        ("git\\\n status", [["git", "status"]]),
        ("a 2>&1 >/dev/null", [["a"]]),
        ("a ;", [["a"]]),
        ("grep -r 'x; rm' .", [["grep", "-r", "x; rm", "."]]),
    ],
)
def test_commands_of_a_line(line: str, commands: list[list[str]] | None) -> None:
    if commands is None:
        with pytest.raises(UnclearError):
            parse(line)
    else:
        assert words(line) == commands


@pytest.mark.parametrize(
    ("line", "inner"),
    [
        ("echo $(rm x)", ["rm", "x"]),
        ('echo "$(rm x)"', ["rm", "x"]),
        ("echo `rm x`", ["rm", "x"]),
        ('echo "a `rm x` b"', ["rm", "x"]),
        ("diff <(rm x) b", ["rm", "x"]),
        ("tee >(rm x)", ["rm", "x"]),
        ("echo $(echo $(rm x))", ["rm", "x"]),
        ("echo `echo \\`rm x\\``", ["rm", "x"]),
        ("X=$(rm x) a", ["rm", "x"]),
        ("a > $(rm x)", ["rm", "x"]),
        ("true && (a | (b; rm x))", ["rm", "x"]),
    ],
)
def test_what_runs_inside_is_named(line: str, inner: list[str]) -> None:
    assert inner in words(line)


@pytest.mark.parametrize(
    "line",
    [
        "", "  ", "# only", "'", '"', "a\\", "`", "$(", "(", ")", "a )", "a (b)", "f() { x; }",
        "if a; then b; fi",
        "for x in *; do rm $x; done", "while a; do b; done", "{ a; }", "! a", "time a", "[[ a ]]",
        "a;;b", "a &&", "| a",
        "case a in b) c;; esac", "a && && b", "cat <<E\nx\nE", "cat <<< x", "echo $((1))", "echo ${x@P}",
        "echo ${x:-$(rm)}",
        "echo $'x'", "echo $[1]", "a=(b c)", "(a) b", "a > ", "a\0b", "$()", "coproc a",
        "echo " + "$(" * 50 + "a" + ")" * 50,
    ],
)  # fmt: skip
def test_what_is_not_understood_is_unclear(line: str) -> None:
    with pytest.raises(UnclearError):
        parse(line)
    assert segments(line) == (line,)


def test_redirections_and_assignments_are_told() -> None:
    (one,) = parse("X=1 a < in >> 'o ut' 2> err 3>&1 &> all")
    assert one.assigns
    assert [file.text for file in one.files] == ["in", "o ut", "err", "all"]
    assert [w.text for w in one.words] == ["a"]


@pytest.mark.parametrize("word", ["*.py", "$X", "${X}", "~/x", "{a,b}", "a?", "[ab]", "$(a)", "`a`"])
def test_what_only_the_shell_knows_is_not_known(word: str) -> None:
    assert not parse(f"echo {word}")[-1].words[1].known


TOKENS = [
    "aa", "bb", "cc", " ", " ", " ", ";", "&&", "||", "|", "&", "\n", "(", ")", "$(", "`", "'", '"', "\\", "<", ">",
    "#", "{", "}", "!", "X=", "$X", "${X}", "$", "*", "=", "2>", "&>", "<(", "\\\n", "if", "|&", ">|", "<>", "\r", "\t",
    ">>", "-",
]  # fmt: skip
HANDLER = "command_not_found_handle() { printf '%s\\0' \"$@\" $'\\1' >&9; }\n"


def ran(line: str, folder: Path) -> list[list[str]]:
    """The commands that bash really tried to run; none of them exists, so that its handler hears of all."""
    read, write = os.pipe()
    bash = shutil.which("bash")
    assert bash
    argv = [bash, "--noprofile", "--norc", "-c", f"exec 9>&{write} {write}>&-\n{HANDLER}{line}"]
    env = {"PATH": "/nowhere", "X": "aa"}
    process = subprocess.Popen(
        argv, cwd=folder, env=env, pass_fds=[write], stdin=subprocess.DEVNULL, stdout=-3, stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        heard = pipe.read().decode("utf-8", "surrogateescape")
    process.wait()
    return [call.split("\0")[:-1] for call in heard.split("\1\0") if call]


def test_the_judge_hears_everything(tmp_path: Path) -> None:
    kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(12)]
    heard = ran("aa x; bb | cc $(dd) & wait", tmp_path)
    assert sorted(heard) == [["aa", "x"], ["bb"], ["cc"], ["dd"]]
    for fd in kept:
        os.close(fd)


def named(argv: Sequence[str], found: Sequence[Segment]) -> bool:
    return any(_same(argv, segment) for segment in found)


def _same(argv: Sequence[str], segment: Segment) -> bool:
    if all(word.known for word in segment.words):
        return [word.text for word in segment.words] == list(argv)
    first = segment.words[0]
    return (not first.known or first.text == argv[0]) and all(w.text in argv for w in segment.words if w.known)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is the judge")
@given(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=12).map("".join))
@settings(max_examples=400, deadline=None)
@example('aa "$\\\n(bb)"')
@example("aa $\\\n(bb)")
@example("aa\\\n;bb")
@example("aa 2\\\n>x bb")
@example("X\\\n=1 aa")
@example("aa <&-bb")
@example("aa > \\\n bb cc")
@example("aa \\\n# bb; cc")
def test_bash_runs_nothing_that_was_not_named(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    try:
        found = parse(line)
    except UnclearError:
        return
    if any("\n" in word.text for segment in found for word in segment.words):
        return  # bash writes such words in pieces, which mix with those of its neighbours
    folder = tmp_path_factory.mktemp("shell")
    assert [argv for argv in ran(line, folder) if not named(argv, found)] == []
