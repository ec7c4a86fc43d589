"""Events back into a session: its history, and what a killed run left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from localagent.errors import ResumeError
from localagent.events import (
    Condensed,
    Delegated,
    Event,
    FellBack,
    FileChanged,
    Forked,
    HandedOff,
    MessageAdded,
    Notice,
    Replied,
    ReplyRejected,
    RequestSent,
    RunFinished,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from localagent.events_json import from_json
from localagent.messages import Message, ToolCall, ToolResult

if TYPE_CHECKING:
    from gateway.ledger import Ledger, Row


@dataclass(frozen=True, slots=True)
class Pending:
    """A call without a result; `started` says that its effect may have happened."""

    call: ToolCall
    started: bool
    key: str = ""


@dataclass(slots=True)
class Saved:
    """A session as its events tell it.

    `replies` counts what each model was asked and has answered, understood or not, also with a failure. `unfinished`
    is the task of a run that has no end.
    """

    session: str
    messages: list[Message] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    replies: Counter[str] = field(default_factory=Counter)
    asked: str = ""  # the model that was asked last
    waiting: bool = False  # for its reply
    calls: int = 0  # the highest number of a call, so that none is used twice after the history was condensed
    steps: int = 0
    model: str = ""
    workspace: str = ""
    unfinished: str | None = None
    schema: dict[str, Any] | None = None  # of the result of the last run
    run: str = ""
    taint: str = ""
    output: Any = None  # of a finish call whose run has no end
    outcome: str = ""  # of the last run that has an end
    files: dict[str, str | None] = field(default_factory=dict)  # what the model knows of: hash, None for not there
    results: dict[str, ToolResult] = field(default_factory=dict)  # of the batch that is being answered


def check_known(ledger: Ledger, session: str) -> None:
    """For a name from outside, before a file is called by it. Raises ResumeError where there is no such session."""
    if not any(True for _ in ledger.rows(session=session)):
        raise ResumeError(f"there is no session {session!r}; `localagent sessions list` shows them")


def load(ledger: Ledger, session: str) -> Saved:
    """Reads a session from the ledger. Raises ResumeError where it is not there or was erased."""
    check_known(ledger, session)
    rows = list(ledger.rows(session=session))
    if any(row.data is None for row in rows):
        raise ResumeError(f"session {session!r} was erased; its text is gone")
    return rebuild(session, rows)


def last_session(ledger: Ledger, workspace: str | None = None) -> str:
    """The session that was used last, in this workspace where one is given. Raises ResumeError where none is."""
    sql = "SELECT session FROM sessions WHERE ? IS NULL OR workspace = ? ORDER BY updated DESC LIMIT 1"
    row = ledger.connection.execute(sql, (workspace, workspace)).fetchone()
    if row is None:
        raise ResumeError("there is no session to continue here; `localagent sessions list` shows all")
    return str(row[0])


def rebuild(session: str, rows: Iterable[Row]) -> Saved:
    """A pure function of the rows; kinds that this version does not know are passed over."""
    saved = Saved(session)
    for event in events_of(rows, saved):
        apply(saved, event)
    return saved


def events_of(rows: Iterable[Row], saved: Saved | None = None) -> Iterable[Event]:
    """The rows' events; `saved.run` follows the run of each row."""
    for row in rows:
        if row.data is None:
            continue
        try:
            event = from_json(row.kind, row.data)
        except KeyError:
            continue
        if saved is not None:
            saved.run = row.run or saved.run
        yield event


def apply(saved: Saved, event: Event) -> None:
    """Takes one more event into the session."""
    _count(saved, event.event if isinstance(event, Delegated) else event)
    match event:
        case RunStarted():
            saved.model, saved.workspace, saved.unfinished = event.model, event.workspace, event.task
            saved.schema = event.schema
        case MessageAdded():
            saved.messages.append(_said(event))
            saved.files.update((path, digest or None) for path, digest in event.files)
        case Replied():
            saved.messages.append(event.message)
            saved.steps += 1
            saved.pending = [Pending(call, False) for call in event.message.calls]
            saved.results = {}
        case ToolStarted():
            saved.pending = [
                Pending(p.call, True, event.key) if p.call.id == event.call.id else p for p in saved.pending
            ]
        case ToolFinished():
            saved.taint = event.taint or saved.taint
            saved.output = event.output if event.result.ok else saved.output
            saved.files.update(event.files)
            _answer(saved, event.result)
        case FileChanged(path=path, after=after):
            saved.files[path] = after
        case Condensed():
            saved.messages[:] = condensed(saved.messages, event.summary, event.kept)
        case RunFinished():
            saved.unfinished = saved.output = None
            saved.outcome = event.result.outcome
        case HandedOff():
            saved.outcome = "handed_off"
        case Forked():
            saved.model, saved.workspace = event.model, event.workspace


def _count(saved: Saved, event: Event) -> None:
    """What tells that a model has had its turn. A request whose answer never came is asked again, and is none."""
    if isinstance(event, Replied | MessageAdded):
        numbers = (call.id.rpartition("_")[2] for call in event.message.calls)
        saved.calls = max(saved.calls, *(int(number) for number in numbers if number.isdecimal()), 0)
    match event:
        case RequestSent(model=model):
            saved.asked, saved.waiting = model, True
            return
        case Replied(model=model) | ReplyRejected(model=model):
            saved.replies[model] += 1
        case MessageAdded(message=message) if message.role == "assistant":  # of a fork: it was said before
            saved.replies[saved.model] += 1
        case FellBack(failed=failed) if saved.waiting:
            saved.replies[failed] += 1
        case Condensed() | Notice(kind="condense_failed"):  # the summary, and the overflow before it
            saved.replies[saved.asked or saved.model] += 1 + saved.waiting
        case Notice(kind="condense_refused") if saved.waiting:
            saved.replies[saved.asked] += 1
        case RunFinished(result=result):
            saved.replies[saved.asked] += saved.waiting and result.outcome == "failed"
        case _:
            return
    saved.waiting = False


def _answer(saved: Saved, result: ToolResult) -> None:
    """Results enter the history together, in the order of the calls, once the last one is there."""
    saved.results[result.call_id] = result
    saved.pending = [p for p in saved.pending if p.call.id != result.call_id]
    if not saved.pending:
        calls = next((m.calls for m in reversed(saved.messages) if m.role == "assistant"), ())
        results = tuple(saved.results[c.id] for c in calls if c.id in saved.results)
        saved.messages.append(Message("tool", results=results))
        saved.results = {}


def _said(event: MessageAdded) -> Message:
    """The message with who wrote it, which older ledgers tell beside it alone."""
    if event.message.role == "user" and event.source in ("house", "condense"):
        return replace(event.message, by=event.source)
    return event.message


def condensed(messages: Sequence[Message], summary: str, kept: int) -> list[Message]:
    """What stays after condensing: the summary as one user message, then the last `kept` messages."""
    return [Message("user", summary, by="condense"), *(messages[len(messages) - kept :] if kept else ())]
