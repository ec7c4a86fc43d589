"""Rules: deny first, every segment allowed, never by prefix of text."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.errors import ConfigError
from localagent.guard.command_line import UnclearError, parse
from localagent.guard.rules import Rule, Rules, Touch, exact_rules, load_rules

WORK = Path("/home/a/work")


def touch(line: str = "", *, tool: str = "run_command", paths: tuple[str, ...] = (), url: str = "") -> Touch:
    try:
        found = parse(line) if line else ()
    except UnclearError:
        found = None
    return Touch(tool, tuple(map(Path, paths)), WORK, line, found, url)


def allow(*commands: str) -> Rules:
    return Rules([Rule("run_command", command=command) for command in commands])


@pytest.mark.parametrize("line", ["git status", "git  status", "'git' status", "git status && git status"])
def test_an_allowed_command(line: str) -> None:
    assert allow("git status").verdict(touch(line)) == "allow"


@pytest.mark.parametrize(
    "line",
    [
        "git status; rm -rf .", "git status && rm x", "git status | sh", "git status\nrm x", "git status & rm x",
        "git status $(rm x)", "git status `rm x`", "git status > ~/.bashrc", "git status 2> x", "X=1 git status",
        "git statusx", "git status -s", "git", "gitstatus", "(git status; rm x)", "git $X", "$X status", "git st*",
        "sh -c 'git status'", "sudo git status", "./git status", "git status < /etc/shadow", "git status #\nrm x",
        "if git status; then rm x; fi",
    ],
)  # fmt: skip
def test_what_git_status_does_not_allow(line: str) -> None:
    assert allow("git status").verdict(touch(line)) == ""


@pytest.mark.parametrize(
    ("pattern", "line", "allowed"),
    [
        ("git log *", "git log -n 3", True),
        ("git log *", "git log", True),
        ("git log *", "git log $X *.py", True),
        ("git log *", "git log; rm x", False),
        ("git log *", "git log $(rm x)", False),
        ("npm run *", "npm install", False),
        ("ls *.py", "ls a.py", True),
        ("ls *.py", "ls a.py b.py", False),
        ("ls *.py", "ls *.py", False),
        ("sh *", "sh -c 'rm x'", False),
        ("find *", "find . -delete", False),
        ("find . -name x", "find . -name x", True),
        ("env *", "env rm x", False),
        ("echo 'a b'", "echo a\\ b", True),
    ],
)
def test_patterns(pattern: str, line: str, allowed: bool) -> None:
    assert (allow(pattern).verdict(touch(line)) == "allow") is allowed


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("rm x", "deny"), ("/bin/rm x", "deny"), ("a; rm x", "deny"), ("sudo -n rm x", "deny"),
        ("env X=1 rm x", "deny"), ("xargs -n1 rm", "deny"), ("sh -c 'a; rm x'", "deny"), ("a $(rm x)", "deny"),
        ("bash -c \"sh -c 'rm x'\"", "deny"), ("timeout 5 bash -c 'rm x'", "deny"), ("nohup sh -c 'rm x' &", "deny"),
        ("xargs -n1 sh -c 'rm x'", "deny"), ("find . -exec sh -c 'rm {}' \\;", "deny"), ("trap 'rm x' EXIT", "deny"),
        ("script -c 'rm x' log", "deny"), ("flock f -c 'rm x'", "deny"), ("tcsh -c 'rm x'", "deny"),
        ("runuser -u me rm x", "deny"), ("tmux new -d 'rm x'", "deny"), ("nice bash -c \"$X\"", "unsure"),
        ("echo rm x | sh", "unsure"), ("curl x | bash -s", "unsure"),
        ("find . -name '*.py'", "allow"), ("timeout 5 git log", "allow"), ("npx eslint .", "allow"),
        ("find . -exec rm {} +", "deny"), ("timeout 5 rm x", "deny"), ("r\\m x", "deny"), ("'rm' x", "deny"),
        ("$X x", "unsure"), ("sh -c \"$X\"", "unsure"), ("for f in *; do rm $f; done", "unsure"), ("eval $X", "unsure"),
        ("ls x", "allow"), ("echo rm", "allow"), ("rmdir x", "allow"),
        ("eval r''m x", "deny"), ("eval rm $X", "deny"), ("eval 'r'm $X", "deny"),
        ("docker run box rm x", "unsure"), ("uv run rm x", "unsure"), ("choom -n 1 /bin/rm x", "unsure"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/rm x", "unsure"), ("git submodule foreach 'rm x'", "unsure"),
        ("tar --to-command='rm x' -xf a", "unsure"), ("git -c alias.x='!rm x' x", "unsure"),
        ("alias q=rm; q x", "unsure"),
        ("grep -rn rm .", "allow"), ("cat rm", "allow"), ("make all X=$X", "allow"),
        ("git commit -m 'rmdir is told'", "allow"),
    ],
)  # fmt: skip
def test_deny_sees_through_wrappers_and_comes_first(line: str, verdict: str) -> None:
    rules = Rules([Rule("run_command")], [Rule("run_command", command="rm")])
    assert rules.verdict(touch(line)) == verdict


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("git push", "deny"), ("git -C . push", "deny"), ("git -c x=y -C .. push origin", "deny"),
        ("git --no-pager push", "deny"), ("sudo git -p push", "deny"),
        ("git -C $X push", "deny"), ("git $X push", "unsure"),
        ("git log push", "allow"), ("git -C . log push", "allow"), ("git stash push", "allow"),
    ],
)  # fmt: skip
def test_a_denied_subcommand_is_found_behind_options_of_the_program(line: str, verdict: str) -> None:
    rules = Rules([Rule("run_command")], [Rule("run_command", command="git push *")])
    assert rules.verdict(touch(line)) == verdict


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        (".env", "/home/a/work/.env", True),
        (".env", "/home/a/work/sub/.env", True),
        (".env", "/home/a/work/.env/x", True),
        (".env", "/home/a/work/x.env", False),
        ("work", "/home/a/work/x", False),
        ("secrets/**", "/home/a/work/secrets/a/b", True),
        ("secrets/**", "/home/a/work/secrets", True),
        ("docs/*.md", "/home/a/work/docs/a.md", True),
        ("docs/*.md", "/home/a/work/other/docs/a.md", False),
        ("/etc", "/etc/passwd", True),
        ("/etc", "/etcetera", False),
        ("*.pem", "/home/a/work/k.pem", True),
    ],
)
def test_paths(pattern: str, path: str, matches: bool) -> None:
    rules = Rules(deny=[Rule(path=pattern)])
    assert (rules.verdict(touch(tool="read_file", paths=(path,))) == "deny") is matches


@pytest.mark.parametrize("line", ["cat .env", "cat ./.env", "cat sub/../.env", "x --file=.env", "a > .env"])
def test_a_denied_path_is_denied_to_commands_that_name_it(line: str) -> None:
    assert Rules([Rule("*")], [Rule(path=".env")]).verdict(touch(line)) == "deny"


def test_a_tool_rule_opens_only_the_workspace() -> None:
    rules = Rules([Rule("write_file")])
    assert rules.verdict(touch(tool="write_file", paths=("/home/a/work/x",))) == "allow"
    assert rules.verdict(touch(tool="write_file", paths=("/home/a/x",))) == ""
    assert rules.verdict(touch(tool="edit_file", paths=("/home/a/work/x",))) == ""


def test_every_path_of_a_call_must_be_allowed() -> None:
    rules = Rules([Rule("apply_patch", path="docs/**")])
    assert rules.verdict(touch(tool="apply_patch", paths=("/home/a/work/docs/a",))) == "allow"
    assert rules.verdict(touch(tool="apply_patch", paths=("/home/a/work/docs/a", "/home/a/work/b"))) == ""


def test_addresses() -> None:
    rules = Rules([Rule("http_get", url="https://example.org/*")])
    assert rules.verdict(touch(tool="http_get", url="https://example.org/a")) == "allow"
    assert rules.verdict(touch(tool="http_get", url="https://example.org.evil.net/a")) == ""


_words = st.lists(st.text("ab *?[]'\"$\\;|&\x7fЖ", min_size=1, max_size=6), min_size=1, max_size=4)


@given(_words, _words)
@settings(max_examples=200, deadline=None)
def test_always_means_this_command_and_no_other(first: list[str], second: list[str]) -> None:
    import shlex

    line, other = shlex.join(["run", *first]), shlex.join(["run", *second])
    rules = Rules(exact_rules(touch(line)))
    assert rules.verdict(touch(line)) == "allow"
    assert (rules.verdict(touch(other)) == "allow") == (first == second)


@given(_words)
@settings(max_examples=100, deadline=None)
def test_what_is_remembered_for_good_is_read_again(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    import shlex

    file = tmp_path_factory.mktemp("rules") / "approvals.toml"
    line = shlex.join(["run", *words])
    rules = load_rules(file)
    rules.remember(exact_rules(touch(line)), always=True)
    assert load_rules(file).allow == rules.allow


def test_remembering_keeps_the_persons_own_lines(tmp_path: Path) -> None:
    file = tmp_path / "approvals.toml"
    file.write_text('# mine\n[[deny]]\ncommand = "rm"\n')
    rules = load_rules(file)
    rules.remember([Rule("run_command", command="ls")], always=True)
    rules.remember([Rule("run_command", command="ls")], always=True)
    assert file.read_text().startswith("# mine\n")
    assert load_rules(file).allow == [Rule("run_command", command="ls")]
    assert load_rules(file).deny == [Rule(command="rm")]


def test_for_the_session_is_not_written(tmp_path: Path) -> None:
    rules = load_rules(tmp_path / "approvals.toml")
    rules.remember([Rule("x")], always=False)
    assert not (tmp_path / "approvals.toml").exists()


@pytest.mark.parametrize(
    "text", ["[[deny]\n", '[[permit]]\ntool="x"\n', '[[deny]]\ncomand = "rm"\n', "[[deny]]\ntool = 1\n"]
)
def test_a_wrong_file_is_never_taken_for_no_rules(tmp_path: Path, text: str) -> None:
    file = tmp_path / "approvals.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"approvals\.toml"):
        load_rules(file)


@pytest.mark.parametrize("line", ["a > x", "X=1 a", "a $X", "a *", "if a; then b; fi", "a $(b)"])
def test_what_cannot_be_told_exactly_is_not_remembered(line: str) -> None:
    assert exact_rules(touch(line)) == []
