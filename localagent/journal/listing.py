"""The sessions of a ledger as rows for people, and one session as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from localagent.errors import ResumeError
from localagent.events import (
    CloudConsent,
    CloudRequest,
    Condensed,
    Event,
    FellBack,
    Forked,
    HandedOff,
    MessageAdded,
    Notice,
    Replied,
    ReplyRejected,
    RunFinished,
    RunStarted,
    ToolFinished,
)
from localagent.journal.charts import count
from localagent.journal.sessions import events_of
from localagent.messages import Message, ToolResult

if TYPE_CHECKING:
    from gateway.ledger import Ledger


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in the list; times are seconds since the epoch, `outcome` is "" while a run is open or was cut off."""

    session: str
    title: str
    started: float
    updated: float
    workspace: str
    model: str
    runs: int
    steps: int
    outcome: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    parent: str


def sessions(ledger: Ledger, *, limit: int = 50, workspace: str | None = None) -> list[SessionRow]:
    """The newest sessions first."""
    sql = "SELECT * FROM sessions WHERE ? IS NULL OR workspace = ? ORDER BY updated DESC LIMIT ?"
    return [SessionRow(*row) for row in ledger.connection.execute(sql, (workspace, workspace, limit))]


def resolve(ledger: Ledger, text: str) -> str:
    """The session whose id begins with the text. Raises ResumeError for none or several, and for no text."""
    if not text:
        raise ResumeError("no session is named; `localagent sessions list` shows them")
    sql = "SELECT session FROM sessions WHERE session >= ? AND session < ? LIMIT 3"
    found = [row[0] for row in ledger.connection.execute(sql, (text, text + "\U0010ffff"))]
    found = [text] if text in found else found
    if len(found) != 1:
        what = "no session" if not found else "more than one session"
        raise ResumeError(f"{what} begins with {text!r}; `localagent sessions list` shows them")
    return str(found[0])


def rename(ledger: Ledger, session: str, title: str) -> None:
    """Gives a session another title; the event keeps it."""
    ledger.append("renamed", {"title": title}, session=session)
    with ledger.transaction() as connection:
        connection.execute("UPDATE sessions SET title = ? WHERE session = ?", (title, session))


def markdown(events: Iterable[Event]) -> Iterator[str]:
    """A session as Markdown blocks, in the order in which things happened."""
    number = 0  # of the message, as `sessions fork --at` takes it; the results of one reply are one message
    open_calls: set[str] = set()
    for event in events:
        number += isinstance(event, MessageAdded | Replied)
        if isinstance(event, Replied):
            open_calls = {call.id for call in event.message.calls}
        block = _block(event, number + isinstance(event, ToolFinished))
        if block:
            yield block
        if isinstance(event, ToolFinished):
            open_calls.discard(event.result.call_id)
            number += not open_calls


def _block(event: Event, number: int) -> str:
    match event:
        case RunStarted(model=model, workspace=workspace):
            return f"---\n*{model} in `{workspace}`*"
        case MessageAdded(message=message, source=source):
            return _message(message, "You" if source == "person" else "Note", number)
        case Replied(message=message):
            return _message(message, event.model, number)
        case ReplyRejected():
            return f"> a reply could not be read ({event.kind}, attempt {event.attempt})"
        case ToolFinished(result=result):
            return _result(result, event.full or result.content, number)
        case FellBack():
            return f"> {event.failed} failed: {event.reason}; went on with {event.to}"
        case CloudConsent():
            answer = "allowed" if event.allowed else "kept in the house"
            return f"> {event.host} ({event.model}): {answer}, by {event.by}"
        case CloudRequest():
            return f"> masked → {event.host} ({event.model}): {event.bytes} bytes, {_counts(event.masked)}"
        case Condensed():
            return f"> condensed:\n\n{event.summary}"
        case Notice():
            return f"> {event.text}"
        case RunFinished(result=result):
            return f"*{result.outcome}, {count(result.steps, 'step')}*"
        case Forked(parent=parent, at=at):
            return f"*goes on from the first {at} messages of session {parent}*"
        case HandedOff(ended=ended):
            return f"*handed off after {ended}*"
    return ""


def _message(message: Message, speaker: str, number: int) -> str:
    """A message under its speaker's head; the messages of a fork are of any role."""
    if message.role == "tool":
        return "\n\n".join(_result(result, result.content, number) for result in message.results)
    head = speaker if message.role == "user" or speaker != "Note" else "Assistant"
    calls = (
        json.dumps({"name": c.name, "arguments": c.arguments}, ensure_ascii=False, indent=2) for c in message.calls
    )
    parts = [f"## {head} · {number}", message.content.strip(), *(fenced(call, "json") for call in calls)]
    return "\n\n".join(part for part in parts if part)


def _result(result: ToolResult, text: str, number: int) -> str:
    return f"### {result.name} · {number}: {'ok' if result.ok else 'failed'}\n\n{fenced(text)}"


def fenced(text: str, language: str = "") -> str:
    """The text in a fence that nothing in it can close."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _counts(masked: dict[str, int]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in masked.items()) or "nothing to mask"


def as_markdown(ledger: Ledger, session: str) -> str:
    """One session as a Markdown document."""
    return "\n\n".join(markdown(events_of(ledger.rows(session=session)))) + "\n"
