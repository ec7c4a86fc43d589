"""Whoever ends the app from outside finds the run ended and the terminal as it was; nobody waits for a closed one."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.ledger import Ledger
from localagent.journal.listing import sessions
from tests.fakes.two_models import write_models
from tests.stories.terminal import Terminal, localagent

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="stories need tmux")
STATES: dict[str, tuple[dict[str, Any], str]] = {
    "answering": ({"content": "word " * 400, "delay": 0.1, "chunk": 5}, "word word"),
    "asking": ({"tool_calls": [{"name": "run_command", "arguments": {"command": "make"}}]}, "May this run?"),
}


def app_of(screen: Terminal) -> int:
    """The process of the app; its exit is written by the shell that started it."""
    (pid,) = (
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdecimal() and _parent(path) == screen.shell() and "localagent.cli" in _line(path)
    )
    return pid


def _parent(path: Path) -> int:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _line(path: Path) -> str:
    try:
        return (path / "cmdline").read_text()
    except OSError:
        return ""


def outcome(folder: Path) -> str:
    with Ledger(folder / "home" / "ledger.db") as ledger:
        (row,) = sessions(ledger)
        return row.outcome


def begin(screen: Terminal, shown: str) -> int:
    screen.wait_for("offline")
    screen.type("go")
    screen.press("Enter")
    screen.wait_for(shown)
    return app_of(screen)


@pytest.mark.parametrize("state", STATES)
def test_a_signal_ends_the_run_and_gives_the_terminal_back(tmp_path: Path, state: str) -> None:
    reply, shown = STATES[state]
    write_models(tmp_path, reply)
    with localagent(tmp_path) as screen:
        os.kill(begin(screen, shown), signal.SIGTERM)
        text = screen.wait_for("exit 143")
        assert text.strip() == "exit 143", "the other screen is left"
    assert outcome(tmp_path) == "cancelled"


@pytest.mark.parametrize("state", STATES)
def test_nobody_waits_for_a_terminal_that_is_closed(tmp_path: Path, state: str) -> None:
    reply, shown = STATES[state]
    write_models(tmp_path, reply)
    with localagent(tmp_path) as screen:
        pid = begin(screen, shown)
    until = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < until, "it waits for ever"
        time.sleep(0.1)
    assert outcome(tmp_path) == "cancelled"
