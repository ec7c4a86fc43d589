"""The embedded model in a real terminal: it answers with its figures, and Escape stops it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.stories.terminal import change_model_and_leave, localagent

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("tmux") is None, reason="stories need tmux")]


def test_a_newcomer_gets_an_answer(tmp_path: Path) -> None:
    """No Ollama, no configuration, 80 by 24: type, read the answer, stop the next one."""
    pytest.importorskip("llama_cpp")
    with localagent(tmp_path) as screen:
        assert "Say what you want done" in screen.wait_for("offline")
        screen.type("What is the capital of France?")
        screen.press("Enter")
        screen.wait_for("Paris", 120)
        assert "offline" in screen.wait_for("tok/s")
        screen.type("Sum up: " + "The quick brown fox jumps over the lazy dog. " * 40)  # takes seconds to read
        screen.press("Enter")
        screen.wait_for("esc stops")
        screen.press("Escape")
        screen.wait_for("Stopped by you.", 10)
        screen.press("C-q")
        screen.wait_for("exit 0")


def test_escape_frees_the_model_while_it_loads_and_while_it_reads(tmp_path: Path) -> None:
    """Nothing computes any more a moment later, and the next question is answered."""
    pytest.importorskip("llama_cpp")
    (tmp_path / "long.txt").write_text("The quick brown fox jumps over the lazy dog. " * 500)
    with localagent(tmp_path) as screen:
        screen.wait_for("offline")
        screen.type("Say hello.")
        screen.press("Enter")
        screen.wait_for("loading")
        screen.press("Escape")
        screen.wait_for("Stopped by you.", 20)
        screen.wait_idle()
        screen.type("Sum up @long.txt")
        screen.press("Enter")
        screen.wait_for("reading ", 60)
        screen.press("Escape")
        screen.wait_gone("esc stops", 20)
        screen.wait_idle()
        screen.type("/new")
        screen.press("Enter")
        screen.wait_for("Say what you want done")
        screen.type("What is the capital of France?")
        screen.press("Enter")
        screen.wait_for("tok/s", 60)
        screen.wait_gone("esc stops", 120)
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
    with localagent(tmp_path) as screen:
        screen.wait_for("offline")
        screen.type("Create a file called todo.txt with the text: buy milk")
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
        change_model_and_leave(screen)
    with localagent(tmp_path, "--continue") as screen:
        screen.wait_for("The second answers.")
