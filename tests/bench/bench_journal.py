"""What the journal costs beside other sessions: each piece of work in an empty ledger and in one of 100,000 events.

    python -m tests.bench.bench_journal [events]

Prints the ratio of the two medians; `stats` is compared with one SQL scan of the events. Goals: 1.5 and 3.
"""

from __future__ import annotations

import asyncio
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gateway.ledger import Ledger
from localagent.agent.limits import Limits
from localagent.agent.loop import run
from localagent.events import (
    Event,
    MessageAdded,
    Replied,
    RequestSent,
    RunFinished,
    RunResult,
    RunStarted,
    ToolFinished,
    ToolStarted,
    ToolUse,
)
from localagent.journal.listing import resolve, sessions
from localagent.journal.search import search
from localagent.journal.sessions import last_session, load
from localagent.journal.stats import stats
from localagent.journal.store import RunJournal, new_id
from localagent.messages import Message, ToolCall, ToolResult, Usage
from localagent.ports import Outcome
from tests.fakes.agent import ToyTool, World, call

STEPS = 24
ROUNDS = 15
WORDS = [
    "the",
    "a",
    "of",
    "and",
    "file",
    "folder",
    "invoice",
    "rent",
    "paid",
    "total",
    "page",
    "line",
    "found",
    "total",
    "report",
    "letter",
    "table",
    "value",
    "name",
    "date",
]
TOOLS = ("read_file", "search_text", "list_dir", "edit_file", "run_command")


def prose(dice: random.Random, words: int) -> str:
    return " ".join(
        dice.choice(WORDS) + (f"-{dice.randrange(10**6)}" if dice.random() < 0.1 else "") for _ in range(words)
    )


def one_run(dice: random.Random, session: str, run_id: str) -> list[Event]:
    """A run of about a hundred events."""
    task = f"Look into {prose(dice, 12)}"
    events: list[Event] = [
        RunStarted(task, "small", "/elsewhere", "ask", system="You are an assistant.", tools=TOOLS, dialect="react"),
        MessageAdded(Message("user", task)),
    ]
    uses = []
    for step in range(STEPS):
        wanted = ToolCall(f"call_{step}", dice.choice(TOOLS), {"path": f"{prose(dice, 1)}.txt"})
        message = Message("assistant", prose(dice, 20), calls=(wanted,))
        result = ToolResult(wanted.id, wanted.name, prose(dice, 120), dice.random() > 0.1)
        usage = Usage(2000 + step * 200, 40, 240)
        events += [
            RequestSent(step + 1, "small", 2 * step + 1, 2000),
            Replied(message, "small", usage, "tool_calls", 1.0),
            ToolStarted(wanted, "read"),
            ToolFinished(result, 0.01),
        ]
        uses.append(ToolUse(wanted.name, wanted.arguments, result.ok, 0.01))
    outcome: Any = dice.choice(("answered", "answered", "answered", "limit", "stalled", "failed"))
    usage = Usage(60_000, 960, 6000)
    events.append(
        RunFinished(RunResult(outcome, prose(dice, 30), session, run_id, "small", STEPS, usage, tools=tuple(uses)))
    )
    return events


def fill(ledger: Ledger, events: int) -> None:
    """Other people's sessions; written quickly, since this is not what is measured."""
    dice = random.Random(7)
    ledger.connection.execute("PRAGMA synchronous = OFF")
    written = 0
    while written < events:
        session, run_id = new_id(), new_id("r")
        made = one_run(dice, session, run_id)
        RunJournal(ledger, session, run_id).record(*made)
        written += len(made)
    ledger.connection.execute("PRAGMA synchronous = FULL")


def own(ledger: Ledger) -> str:
    """The one session that is worked with."""
    dice = random.Random(8)
    events = one_run(dice, "mine", "rmine")
    RunJournal(ledger, "mine", "rmine").record(
        *events, MessageAdded(Message("user", "Where does the quetzalcoatl live?"))
    )
    return "mine"


class Steps:
    """A run of 20 steps over the ledger, by the real loop."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        async def look(arguments: dict[str, Any]) -> Outcome:
            return Outcome(f"saw {arguments['a']}")

        replies = [*(call("look", a=n) for n in range(19)), {"content": "done"}]
        self.world = World(folder, replies, [ToyTool("look", look)])
        self.world.ledger.close()
        self.world.ledger = ledger
        self.count = 0

    def __call__(self) -> None:
        self.count += 1
        agent = self.world.agent(f"step-{self.count}-{new_id()}", limits=Limits(max_steps=None))

        async def go() -> None:
            agent.outbox = asyncio.Queue()
            async for _ in run(agent, "go"):
                pass

        asyncio.run(go())


def pieces(folder: Path, ledger: Ledger) -> dict[str, Callable[[], object]]:
    folder.mkdir()
    return {
        "resume": lambda: load(ledger, resolve(ledger, last_session(ledger, "/elsewhere") and "mine")),
        "search, rare word": lambda: search(ledger, "quetzalcoatl"),
        "search, common word": lambda: search(ledger, "invoice"),
        "list": lambda: sessions(ledger, limit=50),
        "20 steps": Steps(folder, ledger),
    }


def median_pair(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of both, measured in turns so that a busy machine weighs on both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for work in (one, other):
        work()
    for _ in range(ROUNDS):
        for work, kept in zip((one, other), times, strict=True):
            gc.collect()
            began = time.perf_counter()
            work()
            kept.append(time.perf_counter() - began)
    return statistics.median(times[0]), statistics.median(times[1])


def scan(ledger: Ledger) -> None:
    ledger.connection.execute("SELECT count(*), sum(length(data)) FROM events").fetchone()


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        empty, full = Ledger(folder / "empty.db"), Ledger(folder / "full.db")
        for _ in range(60):  # a list of fifty has fifty rows in both
            session, run_id = new_id(), new_id("r")
            RunJournal(empty, session, run_id).record(*one_run(random.Random(9), session, run_id)[:2])
        fill(full, events)
        own(empty)
        own(full)
        began = time.perf_counter()
        search(full, "x")
        print(f"the index of {events} events is made once, in {time.perf_counter() - began:.1f} s")
        search(empty, "x")
        both = zip(pieces(folder / "a", empty).items(), pieces(folder / "b", full).values(), strict=True)
        for (title, small), large in both:
            a, b = median_pair(small, large)
            print(f"{title:22} {a * 1000:8.2f} ms in an empty ledger, {b * 1000:8.2f} ms in a full one: {b / a:.2f}")
        a, b = median_pair(lambda: scan(full), lambda: stats(full))
        print(f"{'stats':22} {a * 1000:8.2f} ms for one scan of the table, {b * 1000:8.2f} ms: {b / a:.2f}")


if __name__ == "__main__":
    main()
