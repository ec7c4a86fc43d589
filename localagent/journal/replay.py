"""A session step by step: what the model saw anew, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from localagent.events import Event, MessageAdded, RequestSent
from localagent.journal.sessions import Saved, apply, events_of
from localagent.messages import Message

if TYPE_CHECKING:
    from gateway.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Step:
    """One request: the messages that the model had not seen before, and the events until the next request."""

    step: int
    model: str
    saw: tuple[Message, ...]
    events: tuple[Event, ...]


def steps(ledger: Ledger, session: str) -> list[Step]:
    """One step for every request that went to a model."""
    saved = Saved(session)
    found: list[Step] = []
    open_step: tuple[RequestSent, tuple[Message, ...]] | None = None
    events: list[Event] = []
    seen = 0

    def shut() -> None:
        if open_step is not None:
            sent, saw = open_step
            found.append(Step(sent.step, sent.model, saw, tuple(events)))

    for event in events_of(ledger.rows(session=session)):
        if isinstance(event, RequestSent):
            shut()
            open_step, events = (event, tuple(saved.messages[seen:])), []
            seen = len(saved.messages)
        elif open_step is not None and not isinstance(event, MessageAdded):
            events.append(event)
        apply(saved, event)
    shut()
    return found
