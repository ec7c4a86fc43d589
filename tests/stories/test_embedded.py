"""The embedded model in a real terminal: it answers with its figures, and Escape stops it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.stories.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("tmux") is None, reason="stories need tmux")]
COMMAND = [sys.executable, "-m", "localagent.cli"]


def test_a_newcomer_gets_an_answer(tmp_path: Path) -> None:
    """No Ollama, no configuration, 80 by 24: type, read the answer, stop the next one."""
    pytest.importorskip("llama_cpp")
    env = {"LOCALAGENT_HOME": str(tmp_path / "home"), "LANG": "en_US.UTF-8", "TERM": "xterm-256color"}
    with Terminal(COMMAND, tmp_path, env, "80x24") as screen:
        assert "Say what you want done" in screen.wait_for("offline")
        screen.type("Say hello.")
        screen.press("Enter")
        assert "offline" in screen.wait_for("tok/s", 120)
        screen.type("Count from one to five hundred in words.")
        screen.press("Enter")
        screen.wait_for("esc stops")
        screen.press("Escape")
        screen.wait_for("Stopped by you.", 10)
        screen.press("C-q")
        screen.wait_for("exit 0")


def test_a_day_with_the_embedded_model(tmp_path: Path) -> None:
    """Start, ask, see the diff, approve, undo, swap the model, quit, resume."""
    pytest.importorskip("llama_cpp")
    shipped = (Path(__file__).parents[2] / "models.toml").read_text(encoding="utf-8")
    second = '\n[models.second]\nbackend = "scripted"\nfile = "second.jsonl"\n'
    (tmp_path / "models.toml").write_text(shipped + second, encoding="utf-8")
    (tmp_path / "second.jsonl").write_text(json.dumps({"content": "The second answers."}) + "\n", encoding="utf-8")
    note = tmp_path / "todo.txt"
    note.write_text("buy bread\n", encoding="utf-8")
    env = {"LOCALAGENT_HOME": str(tmp_path / "home"), "LANG": "en_US.UTF-8", "TERM": "xterm-256color"}
    with Terminal(COMMAND, tmp_path, env, "80x24") as screen:
        screen.wait_for("offline")
        screen.type("Create a file todo.txt with the text: buy milk")
        screen.press("Enter")
        shown = screen.wait_for("- buy bread", 120)
        assert "milk" in shown
        assert note.read_text(encoding="utf-8") == "buy bread\n"
        screen.press("y")
        screen.wait_for("✓ write_file", 60)
        screen.wait_gone("esc stops", 120)
        assert "milk" in note.read_text(encoding="utf-8")
        screen.type("/undo")
        screen.press("Enter")
        screen.wait_for("Taken back: todo.txt")
        assert note.read_text(encoding="utf-8") == "buy bread\n"
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
    with Terminal([*COMMAND, "--continue"], tmp_path, env, "80x24") as screen:
        screen.wait_for("The second answers.")
