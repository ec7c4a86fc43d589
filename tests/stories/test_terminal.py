"""The app in a real terminal, driven as a person would: from the command line to the resumed session."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.stories.terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="stories need tmux")

MODELS = """
default = "script"
[models.script]
backend = "scripted"
file = "replies.jsonl"
[models.second]
backend = "scripted"
file = "second.jsonl"
"""
REPLIES = [
    {"content": "I read it first.", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]},
    {"tool_calls": [{"name": "edit_file", "arguments": {"path": "notes.txt", "old": "world", "new": "there"}}]},
    {"content": "Now it says **there**.", "delay": 0.02, "chunk": 4},
]
COMMAND = [sys.executable, "-m", "localagent.cli"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models.toml").write_text(MODELS)
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in REPLIES))
    (tmp_path / "second.jsonl").write_text(json.dumps({"content": "The second answers."}) + "\n")
    (tmp_path / "notes.txt").write_text("hello\nworld\n")
    return tmp_path


def terminal(folder: Path, *arguments: str, size: str = "80x24") -> Terminal:
    env = {"LOCALAGENT_HOME": str(folder / "home"), "LANG": "en_US.UTF-8", "TERM": "xterm-256color"}
    return Terminal([*COMMAND, *arguments], folder, env, size)


def test_ask_approve_undo_swap_quit_resume(folder: Path) -> None:
    with terminal(folder) as screen:
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
        screen.press("F2")
        screen.wait_for("Enter chooses")
        screen.type("second")
        screen.press("Enter")
        screen.wait_for("Now second answers.")
        screen.type("and you?")
        screen.press("Enter")
        screen.wait_for("The second answers.")
        screen.press("C-q")
        screen.wait_for("exit 0")
    with terminal(folder, "--continue") as screen:
        shown = screen.wait_for("The second answers.")
        assert "Now it says there." in shown


def test_a_refusal_changes_nothing(folder: Path) -> None:
    with terminal(folder) as screen:
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
    settings = {"LOCALAGENT_HOME": str(folder / "home"), "LANG": "en_US.UTF-8", "TERM": "xterm-256color", name: value}
    with Terminal(COMMAND, folder, settings, "60x16") as screen:
        assert "script " in screen.wait_for("offline")


def test_lines_instead_of_a_screen(folder: Path) -> None:
    with terminal(folder, "--plain") as screen:
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
