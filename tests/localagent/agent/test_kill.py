"""Real processes killed at random moments: no step is lost, no effect happens twice, the end is the same.

The tools count their effects in files. `put` can tell whether it happened, `send` cannot.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.ledger import Ledger
from localagent.agent.loop import run
from localagent.journal.sessions import Saved, load
from localagent.messages import Message, ToolCall
from localagent.ports import Outcome
from tests.fakes.agent import ToyTool, World, call

STEPS = 6


def replies(last: str) -> list[dict[str, Any]]:
    steps = [
        {"tool_calls": [{"name": "look", "arguments": {"a": n}}, {"name": last, "arguments": {"a": n}}]}
        for n in range(STEPS)
    ]
    return [*steps, call("look", a="end"), {"content": "all is done"}]


def tools(folder: Path) -> list[ToyTool]:
    def append(name: str, arguments: dict[str, Any]) -> Outcome:
        with (folder / f"{name}.{arguments['a']}").open("ab", buffering=0) as file:
            file.write(b"x")
        return Outcome(f"{name} {arguments['a']}")

    async def put(arguments: dict[str, Any]) -> Outcome:
        return append("put", arguments)

    async def send(arguments: dict[str, Any]) -> Outcome:
        return append("send", arguments)

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"saw {arguments['a']}")

    return [ToyTool("put", put, "write"), ToyTool("send", send, "send"), ToyTool("look", look)]


def work(folder: Path, last: str) -> None:
    """What a process does: begins the session, or goes on with what the ledger holds."""
    world = World(folder, replies(last), tools(folder))
    begun = any(True for _ in world.ledger.rows(session="s1"))
    agent = world.agent()

    def happened(call: ToolCall) -> bool | None:
        if call.name != "put":
            return None
        path = folder / f"put.{call.arguments['a']}"
        return path.exists() and path.stat().st_size > 0

    agent.happened = happened

    async def go() -> None:
        agent.outbox = asyncio.Queue()
        async for _ in run(agent, None if begun else "count to six"):
            pass

    asyncio.run(go())


def child(folder: Path, last: str) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work(folder, last)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return pid


def finished(folder: Path) -> bool:
    if not (folder / "ledger.db").exists():
        return False
    with Ledger(folder / "ledger.db") as ledger:
        assert ledger.verify().ok
        return any(row.kind == "run_finished" for row in ledger.rows())


def killed_until_done(folder: Path, last: str, dice: random.Random, span: float) -> int:
    """Kills processes at random moments until one comes to the end; returns the kills."""
    kills = 0
    while not finished(folder):
        pid = child(folder, last)
        time.sleep(dice.random() * span)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        kills += os.WIFSIGNALED(status)
    return kills


def span_of(folder: Path, last: str) -> float:
    """Seconds that an unbroken run takes, and a little more."""
    folder.mkdir()
    began = time.monotonic()
    os.waitpid(child(folder, last), 0)
    return (time.monotonic() - began) * 1.1


def ends_as(folder: Path) -> tuple[Saved, Any]:
    with Ledger(folder / "ledger.db") as ledger:
        rows = list(ledger.rows())
        results = [row.data["result"] for row in rows if row.kind == "run_finished" and row.data]
        return load(ledger, "s1"), results[-1]


def shape(message: Message) -> tuple[Any, ...]:
    """A message without the words of results: an effect that was found in place is told in other words."""
    return message.role, message.content, message.calls, [(r.call_id, r.name, r.ok) for r in message.results]


@pytest.mark.parametrize("wanted", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_a_killed_run_ends_as_the_unbroken_one(tmp_path: Path, wanted: int) -> None:
    whole = tmp_path / "whole"
    span = span_of(whole, "put")
    expected, result = ends_as(whole)
    assert result["outcome"] == "answered"
    dice, kills, number = random.Random(7), 0, 0
    while kills < wanted:
        folder = tmp_path / f"k{number}"
        folder.mkdir()
        number += 1
        kills += killed_until_done(folder, "put", dice, span)
        saved, ended = ends_as(folder)
        assert list(map(shape, saved.messages)) == list(map(shape, expected.messages))
        assert (ended["outcome"], ended["output"]) == (result["outcome"], result["output"])
        counts = {path.name: path.stat().st_size for path in folder.glob("put.*")}
        assert counts == {f"put.{n}": 1 for n in range(STEPS)}
        assert not saved.pending


@pytest.mark.parametrize("seed", range(4))
def test_what_cannot_be_known_is_never_done_twice(tmp_path: Path, seed: int) -> None:
    span = span_of(tmp_path / "whole", "send")
    folder = tmp_path / "killed"
    folder.mkdir()
    kills = killed_until_done(folder, "send", random.Random(seed), span)
    saved, ended = ends_as(folder)
    assert ended["outcome"] == "answered"
    sizes = [path.stat().st_size for path in folder.glob("send.*")]
    assert set(sizes) == {1}
    unknown = [r for m in saved.messages for r in m.results if "unknown" in r.content]
    assert len(sizes) + len(unknown) >= STEPS
    assert len(unknown) <= kills
