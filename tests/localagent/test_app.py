"""`localagent` without a command: what is said before the screen opens, and after it has closed."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from localagent.app import open_session
from localagent.events import MessageAdded, RunStarted
from localagent.house import close
from localagent.journal.store import RunJournal
from localagent.messages import Message
from tests.fakes.two_models import write_models


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a folder, with a screen that nobody sees."""
    env = {**os.environ, "LOCALAGENT_HOME": str(folder / "home"), "TEXTUAL_DRIVER": "textual.drivers.headless_driver"}
    command = [sys.executable, "-m", "localagent.cli", *arguments]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("command", [(), ("--plain",), ("--continue",)])
def test_a_model_that_is_not_there_is_said_before_the_screen_opens(tmp_path: Path, command: tuple[str, ...]) -> None:
    write_models(tmp_path)
    done = started(tmp_path, *command, "--model", "secnd")
    assert (done.returncode, done.stdout) == (2, "")
    for part in ("there is no model", "secnd", "second", "script"):
        assert part in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("chosen", "answers"), [("", "script"), ("second", "second")])
async def test_the_model_that_is_named_answers_in_a_session_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: str, answers: str
) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    write_models(tmp_path, {"content": "Yes."})
    args = argparse.Namespace(models=str(tmp_path / "models.toml"), model="", resume="")
    first = await asyncio.to_thread(open_session, args, tmp_path)
    said = RunStarted("go", "script", str(tmp_path), "ask"), MessageAdded(Message("user", "go"))
    RunJournal(first.house.ledger, first.session, "r1").record(*said)
    await close(first.house)
    args.model, args.resume = chosen, first.session
    later = await asyncio.to_thread(open_session, args, tmp_path)
    assert later.model == answers
    await close(later.house)
