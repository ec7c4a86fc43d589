"""The embedded model in a real terminal: it answers with its figures, and Escape stops it."""

from __future__ import annotations

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
