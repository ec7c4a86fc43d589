"""What a person or another agent needs to take a run over: one Markdown text, made from the ledger alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from localagent.config import prompts
from localagent.errors import ResumeError
from localagent.events import (
    Event,
    FileChanged,
    HandedOff,
    MessageAdded,
    PlanChanged,
    Replied,
    RunFinished,
    RunStarted,
    ToolFinished,
)
from localagent.journal.derive import title_of
from localagent.journal.sessions import events_of
from localagent.journal.store import RunJournal
from localagent.messages import ToolCall

if TYPE_CHECKING:
    from gateway.ledger import Ledger, Row

OPEN = ("limit", "stalled", "failed", "cancelled")  # outcomes after which somebody else may take over
SAID, FOUND, TRIED = 6, 12, 40  # how many of the newest are told
EXCERPT = 300


@dataclass(slots=True)
class Story:
    """A run as its events tell it; `outcome` is "" while it has no end."""

    session: str
    run: str = ""
    model: str = ""
    workspace: str = ""
    began: float = 0.0
    outcome: str = ""
    why: str = ""
    asked: list[str] = field(default_factory=list)  # by the person, in the whole session
    said: list[str] = field(default_factory=list)  # by the model
    calls: dict[str, ToolCall] = field(default_factory=dict)
    answers: dict[str, ToolFinished] = field(default_factory=dict)
    changed: dict[str, None] = field(default_factory=dict)
    plan: tuple[tuple[str, bool], ...] = ()


def hand_off(ledger: Ledger, session: str) -> str:
    """The text for the newest run of a session; a run that had not come to its end is recorded as handed off.

    Raises ResumeError where the session holds no run.
    """
    story = read(session, ledger.rows(session=session))
    text = written(story)
    if story.outcome in OPEN:
        RunJournal(ledger, session, story.run).record(HandedOff(story.run, story.outcome))
    return text


def read(session: str, rows: Iterable[Row]) -> Story:
    """The newest run of the session. Raises ResumeError where there is none."""
    story = Story(session)
    for row in rows:
        for event in events_of([row]):
            if isinstance(event, RunStarted) and row.run != story.run:
                story = Story(session, row.run, event.model, event.workspace, row.at, asked=story.asked)
            _take(story, event)
    if not story.run:
        raise ResumeError(f"session {session} holds no run to hand off")
    return story


def _take(story: Story, event: Event) -> None:
    match event:
        case MessageAdded(message=message, source="person") if message.role == "user":
            story.asked.append(message.content)
        case Replied(message=message):
            story.calls.update({call.id: call for call in message.calls})
            story.said += [message.content.strip()] if message.content.strip() else []
        case ToolFinished(result=result):
            story.answers[result.call_id] = event
        case FileChanged(path=path):
            story.changed[path] = None
        case PlanChanged(items=items):
            story.plan = items
        case RunFinished(result=result):
            story.outcome = result.outcome
            story.why = (result.error or {}).get("message", "")
        case HandedOff(ended=ended):
            story.outcome = ended


def written(story: Story) -> str:
    """The story as Markdown, under the heads of prompts/handoff.md."""
    return prompts.read("handoff.md").format(
        title=title_of(story.asked[0]) if story.asked else story.session,
        run=story.run,
        session=story.session,
        workspace=story.workspace,
        model=story.model,
        when=datetime.fromtimestamp(story.began).strftime("%Y-%m-%d %H:%M"),
        outcome=story.outcome or "unfinished",
        why=story.why or ("nothing went wrong" if story.outcome else "it was cut off, or still runs"),
        task="\n\n".join(_quoted(text) for text in story.asked) or "(none)",
        found=_found(story),
        tried=_tried(story),
        files=_bullets(f"`{path}`" for path in story.changed),
        stopped=_stopped(story),
    )


def _found(story: Story) -> str:
    """What the model said, and the beginning of what its calls gave it."""
    good = [a for a in story.answers.values() if a.result.ok and a.result.content.strip() and a.result.name != "plan"]
    lines = [
        f"{_call(story, a.result.call_id, a.result.name)}: {_short(a.result.content)}"
        for a in _newest(good, FOUND, by=lambda a: a.result.content)
    ]
    said = [_short(text, EXCERPT * 3) for text in _newest(story.said, SAID, by=str)]
    return _bullets([*said, *lines])


def _tried(story: Story) -> str:
    lines = []
    for call in list(story.calls.values())[-TRIED:]:
        answer = story.answers.get(call.id)
        end = (
            "no result" if answer is None else "ok" if answer.result.ok else f"failed: {_short(answer.result.content)}"
        )
        lines.append(f"{_call(story, call.id, call.name)}: {end}")
    missing = len(story.calls) - len(lines)
    return _bullets([f"… {missing} earlier calls", *lines] if missing else lines)


def _stopped(story: Story) -> str:
    """The reason, what of the plan is open, and calls whose outcome nobody knows."""
    lines = [f"{story.outcome or 'unfinished'}: {story.why}".rstrip(": ")]
    lines += [f"{'done' if done else 'open'}: {item}" for item, done in story.plan]
    lines += [
        f"no result came: {_call(story, id_, c.name)}" for id_, c in story.calls.items() if id_ not in story.answers
    ]
    return _bullets(lines)


def _newest(items: Sequence[Any], count: int, *, by: Callable[[Any], str]) -> list[Any]:
    """The newest of the items, each told once, in their order."""
    once = {by(item): item for item in items}
    return list(once.values())[-count:]


def _call(story: Story, call_id: str, name: str) -> str:
    call = story.calls.get(call_id)
    told = ", ".join(f"{k}={v!r}" for k, v in call.arguments.items()) if call else ""
    return f"`{name}({_short(told, 120)})`".replace("\n", " ")


def _short(text: str, limit: int = EXCERPT) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- nothing"
