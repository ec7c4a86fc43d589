"""The sessions of a ledger as rows for people, and one session as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from localagent.errors import ResumeError
from localagent.events import (
    Condensed,
    Event,
    FellBack,
    MessageAdded,
    Notice,
    Replied,
    ReplyRejected,
    RunFinished,
    RunStarted,
    ToolFinished,
)
from localagent.journal.search import forget
from localagent.journal.sessions import events_of

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
    """The session whose id begins with the text. Raises ResumeError for none or several."""
    sql = "SELECT session FROM sessions WHERE substr(session, 1, ?) = ? LIMIT 3"
    found = [row[0] for row in ledger.connection.execute(sql, (len(text), text))]
    if len(found) != 1:
        what = "no session" if not found else "more than one session"
        raise ResumeError(f"{what} begins with {text!r}; `localagent sessions list` shows them")
    return str(found[0])


def rename(ledger: Ledger, session: str, title: str) -> None:
    """Gives a session another title; the event keeps it."""
    ledger.append("renamed", {"title": title}, session=session)
    with ledger.transaction() as connection:
        connection.execute("UPDATE sessions SET title = ? WHERE session = ?", (title, session))


def delete(ledger: Ledger, session: str) -> int:
    """Erases what a session said and did, out of the index too; the chain still verifies. Returns the rows."""
    rows = ledger.erase(session, reason="the person deleted the session")
    forget(ledger, session)
    return rows


def markdown(events: Iterable[Event]) -> Iterator[str]:
    """A session as Markdown blocks, in the order in which things happened."""
    for event in events:
        block = _block(event)
        if block:
            yield block


def _block(event: Event) -> str:
    match event:
        case RunStarted(model=model, workspace=workspace):
            return f"---\n*{model} in `{workspace}`*"
        case MessageAdded(message=message, source=source):
            return f"## {'You' if source == 'person' else 'Note'}\n\n{message.content}"
        case Replied(message=message):
            calls = "".join(f"\n\n```json\n{c.name} {c.arguments}\n```" for c in message.calls)
            return f"## {event.model}\n\n{message.content}{calls}"
        case ReplyRejected():
            return f"> a reply could not be read ({event.kind}, attempt {event.attempt})"
        case ToolFinished(result=result):
            return f"### {result.name}: {'ok' if result.ok else 'failed'}\n\n```\n{event.full or result.content}\n```"
        case FellBack():
            return f"> {event.failed} failed: {event.reason}; went on with {event.to}"
        case Condensed():
            return f"> condensed:\n\n{event.summary}"
        case Notice():
            return f"> {event.text}"
        case RunFinished(result=result):
            return f"*{result.outcome}, {result.steps} steps*"
    return ""


def as_markdown(ledger: Ledger, session: str) -> str:
    """One session as a Markdown document."""
    return "\n\n".join(markdown(events_of(ledger.rows(session=session)))) + "\n"
