"""Events of a run into the ledger, and the rows that follow from them in the same transaction."""

from __future__ import annotations

import sqlite3
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from localagent.events import Event, is_durable, kind_of
from localagent.events_json import to_json
from localagent.journal.derive import HEADS, derive

if TYPE_CHECKING:
    from gateway.ledger import Ledger


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
        durable = [e for e in (*self._waiting, *events) if is_durable(e)]
        self._waiting.clear()
        if not durable:
            return
        heads = [e for e in durable if isinstance(e, HEADS)]

        def also(connection: sqlite3.Connection, last: int) -> None:
            for event in heads:
                derive(connection, self.session, self.run, event, last - len(durable) + 1)

        self.ledger.append_all(
            [(kind_of(e), to_json(e)) for e in durable],
            session=self.session,
            run=self.run,
            also=also if heads else None,
        )
