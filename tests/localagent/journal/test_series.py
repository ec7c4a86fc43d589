"""The journal's figures over time."""

from __future__ import annotations

from pathlib import Path

from gateway.ledger import Ledger
from localagent.events import Replied, RunFinished, RunResult, ToolFinished
from localagent.journal.series import DAYS, Series, series
from localagent.journal.store import RunJournal
from localagent.messages import Message, ToolResult, Usage

DAY = 86_400.0


def told(ledger: Ledger, now: float) -> dict[str, Series]:
    return {one.name: one for one in series(ledger, now)}


def test_an_empty_ledger_has_series_without_values(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        found = told(ledger, 1_790_000_000.0)
    assert len(found["runs"].labels) == DAYS
    assert not any(any(one.values) for one in found.values())


def test_what_happened_today_stands_last(tmp_path: Path) -> None:
    import time

    with Ledger(tmp_path / "ledger.db") as ledger:
        journal = RunJournal(ledger, "s1", "r1")
        for speed in (10.0, 30.0):
            reply = Message("assistant", "hi")
            journal.record(Replied(reply, "small", Usage(100, 20, 25), "stop", 1.0, 0.5, speed, 0.25))
        journal.record(ToolFinished(ToolResult("c1", "read_file", "x", False), 0.1, "failed"))
        journal.record(RunFinished(RunResult("done", "hi", "s1", "r1", "small", 2, Usage(200, 40, 50))))
        now = time.time()
        found, later = told(ledger, now), told(ledger, now + DAYS * DAY)
    last = {name: one.values[-1] for name, one in found.items() if one.daily}
    assert last == {"runs": 1, "tokens": 40, "speed": 20, "first": 0.5, "reused": 75, "cost": 0.5}
    assert (found["outcomes"].labels, found["models"].values) == (("done",), (2,))
    assert (found["tools"].labels, found["failed"].labels) == (("read_file",), ("read_file",))
    assert not any(later["runs"].values)
