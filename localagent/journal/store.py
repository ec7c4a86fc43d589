"""Events of a run into the ledger, and the row of their session with them in the same transaction."""

from __future__ import annotations

import sqlite3
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from localagent.events import DURABLE, Event, Forked, HandedOff, RunFinished, RunStarted, kind_of, to_json

if TYPE_CHECKING:
    from gateway.ledger import Ledger

TITLE_CHARS = 80


def new_id(prefix: str = "") -> str:
    """An id that sorts by time: milliseconds in hexadecimal, then 40 random bits."""
    return f"{prefix}{int(time.time() * 1000):011x}{uuid.uuid4().hex[:10]}"


@dataclass(frozen=True, slots=True)
class RunJournal:
    """Writes the events of one run; when `record` returns they are durable."""

    ledger: Ledger
    session: str
    run: str
    _waiting: list[Event] = field(default_factory=list)

    def later(self, event: Event) -> None:
        """Writes the event with the next ones: for what has no effect of its own, such as a look or a local request."""
        self._waiting.append(event)

    def record(self, *events: Event) -> None:
        """Makes the durable ones among the events durable, in one transaction."""
        durable = [e for e in (*self._waiting, *events) if kind_of(e) in DURABLE]
        self._waiting.clear()
        if not durable:
            return
        heads = [e for e in durable if isinstance(e, RunStarted | RunFinished | Forked | HandedOff)]

        def derive(connection: sqlite3.Connection, last: int) -> None:
            for event in heads:
                _derive(connection, self.session, event)

        self.ledger.append_all(
            [(kind_of(e), to_json(e)) for e in durable],
            session=self.session,
            run=self.run,
            also=derive if heads else None,
        )


def _derive(connection: sqlite3.Connection, session: str, event: Event) -> None:
    now = time.time()
    if isinstance(event, Forked):
        connection.execute(
            "INSERT INTO sessions SELECT ?, title, ?, ?, workspace, model, 0, 0, '', 0, 0, 0, session FROM sessions"
            " WHERE session = ?",
            (session, now, now, event.parent),
        )
    if isinstance(event, HandedOff):
        connection.execute("UPDATE sessions SET outcome = 'handed_off' WHERE session = ?", (session,))
    if isinstance(event, RunStarted) and not event.resumed:
        connection.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, 1, 0, '', 0, 0, 0, '') ON CONFLICT (session) DO UPDATE"
            " SET updated = excluded.updated, model = excluded.model, runs = runs + 1, outcome = ''",
            (session, title_of(event.task), now, now, event.workspace, event.model),
        )
    elif isinstance(event, RunFinished):
        result = event.result
        connection.execute(
            "UPDATE sessions SET updated = ?, outcome = ?, steps = steps + ?, input_tokens = input_tokens + ?,"
            " output_tokens = output_tokens + ?, cost_usd = cost_usd + ? WHERE session = ?",
            (
                now, result.outcome, result.steps, result.usage.input_tokens or 0, result.usage.output_tokens or 0,
                result.cost_usd, session,
            ),
        )  # fmt: skip


def title_of(task: str) -> str:
    """A session's title is the first line of its first task: no call to a model is made for it."""
    line = next((line.strip() for line in task.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
