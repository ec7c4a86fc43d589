"""The app in a real terminal, driven as a person would: from the command line to the resumed session."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.two_models import write_models
from tests.stories.terminal import change_model_and_leave, localagent

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="stories need tmux")

REPLIES: list[dict[str, Any]] = [
    {"content": "I read it first.", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]},
    {"tool_calls": [{"name": "edit_file", "arguments": {"path": "notes.txt", "old": "world", "new": "there"}}]},
    {"content": "Now it says **there**.", "delay": 0.02, "chunk": 4},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path, *REPLIES)
    (tmp_path / "notes.txt").write_text("hello\nworld\n")
    return tmp_path


def test_ask_approve_undo_swap_quit_resume(folder: Path) -> None:
    with localagent(folder) as screen:
        screen.wait_for("offline")
        screen.type("change world to there")
        screen.press("Enter")
        shown = screen.wait_for("+ there")
        assert "- world" in shown
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"
        screen.press("y")
        screen.wait_for("Now it says there.")
        assert (folder / "notes.txt").read_text() == "hello\nthere\n"
        screen.type("/undo")
        screen.press("Enter")
        screen.wait_for("Taken back: notes.txt")
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"
        change_model_and_leave(screen)
        assert "Go on with: localagent --continue" in screen.text()
    with localagent(folder, "--continue") as screen:
        shown = screen.wait_for("The second answers.")
        assert "Now it says there." in shown


def test_what_was_quit_in_the_middle_of_goes_on(tmp_path: Path) -> None:
    write_models(tmp_path, {"content": "word " * 400, "delay": 0.1, "chunk": 5})
    with localagent(tmp_path) as screen:
        screen.wait_for("offline")
        screen.press("C-q")
        assert screen.wait_for("exit 0").strip() == "exit 0"  # there is no session to go on with
    with localagent(tmp_path) as screen:
        screen.wait_for("offline")
        screen.type("count")
        screen.press("Enter")
        screen.wait_for("word word")
        screen.press("C-q")
        shown = screen.wait_for("exit 0")
    session = re.search(r"localagent --resume\s+(\w+)", shown)
    assert session
    for arguments in (("--continue",), ("--resume", session[1])):
        with localagent(tmp_path, *arguments) as screen:
            screen.wait_for("Enter goes on with it")
            if arguments[0] == "--resume":
                screen.press("Enter")
                screen.wait_for("word word")


def test_what_a_model_writes_is_no_command_to_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b]2;owned\x1b\\ and\x1b[3J so on"
    write_models(tmp_path, {"tool_calls": [{"name": "read_file", "arguments": {"path": evil}}]}, {"content": evil})
    with localagent(tmp_path) as screen:
        screen.wait_for("offline")
        screen.type("go")
        screen.press("Enter")
        screen.wait_for("so on")
        screen.wait_gone("esc stops")
        assert "owned" not in screen.title()
        assert "Ask, or / for commands" in screen.text()


def test_a_refusal_changes_nothing(folder: Path) -> None:
    with localagent(folder) as screen:
        screen.wait_for("offline")
        screen.type("change it")
        screen.press("Enter")
        screen.wait_for("+ there")
        screen.press("n")
        screen.wait_for("Why not?")
        screen.type("leave it")
        screen.press("Enter")
        screen.wait_for("refused")
        screen.wait_for("Now it says there.")
    assert (folder / "notes.txt").read_text() == "hello\nworld\n"


@pytest.mark.parametrize("env", ["NO_COLOR=1", "TERM=screen", "TERM=linux"])
def test_it_stands_in_poor_terminals(folder: Path, env: str) -> None:
    name, _, value = env.partition("=")
    with localagent(folder, size="60x16", **{name: value}) as screen:
        assert "script " in screen.wait_for("offline")


@pytest.mark.parametrize(("arguments", "term"), [(("--plain",), "xterm-256color"), ((), "dumb")])
def test_lines_instead_of_a_screen(folder: Path, arguments: tuple[str, ...], term: str) -> None:
    with localagent(folder, *arguments, TERM=term) as screen:
        screen.wait_for("You:")
        screen.type("change it")
        screen.press("Enter")
        screen.wait_for("Allow?")
        screen.type("y")
        screen.press("Enter")
        screen.wait_for("Answered.")
        screen.type("/quit")
        screen.press("Enter")
        screen.wait_for("exit 0")
    assert (folder / "notes.txt").read_text() == "hello\nthere\n"
