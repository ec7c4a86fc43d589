"""How a run ends: one named outcome, what it yielded, and what is missing where it is partial."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from localagent.agent.limits import Stop
from localagent.agent.parts import Agent
from localagent.config import prompts
from localagent.events import (
    Delegated,
    Event,
    OutcomeName,
    PlanChanged,
    Replied,
    ReplyRejected,
    RequestSent,
    RunResult,
    Text,
    ToolFinished,
    ToolStarted,
    ToolUse,
)
from localagent.messages import Usage

DONE_LINES = 12
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ending:
    """The last word of the steps; `error` is {"type", "message"}."""

    outcome: OutcomeName
    output: Any
    error: dict[str, str] | None = None
    partial: bool = False


@dataclass(slots=True)
class Tally:
    """What a run did and what it cost, added up from its own events."""

    agent: Agent
    steps: int = 0
    usage: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    cost_usd: float = 0.0
    last_text: str | None = None
    tools: dict[str, ToolUse] = field(default_factory=dict)  # by the call's id, as they were answered
    plan: tuple[tuple[str, bool], ...] = ()
    saying: list[str] = field(default_factory=list)  # the reply under way, as far as it came
    _calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    _open: dict[str, str] = field(default_factory=dict)  # started, not answered: id to name

    def __post_init__(self) -> None:
        self._calls.update({item.call.id: item.call.arguments for item in self.agent.pending})

    def uses(self) -> tuple[ToolUse, ...]:
        """Every call of the run in the order of the calls; one that was stopped in the middle counts as failed."""
        stopped = {id_: ToolUse(name, self._calls.get(id_, {}), False, 0.0) for id_, name in self._open.items()}
        uses = {**self.tools, **stopped}
        return tuple(uses[id_] for id_ in self._calls if id_ in uses)

    def said(self) -> str | None:
        """The last thing that the model said, also in the middle of a reply."""
        return "".join(self.saying).strip() or self.last_text

    def count(self, event: Event) -> None:
        match event:
            case Replied():
                self.steps += 1
                self.usage += event.usage
                self.cost_usd += event.cost_usd
                self.last_text = event.message.content.strip() or self.last_text
                self.saying.clear()
                self._calls.update({call.id: call.arguments for call in event.message.calls})
            case Delegated(event=(Replied() | ReplyRejected()) as reply):
                self.usage += reply.usage
                self.cost_usd += self.agent.seat.cost(reply.usage)
            case Text():
                self.saying.append(event.text)
            case RequestSent():
                self.saying.clear()
            case ReplyRejected():
                self.saying.clear()
                self.usage += event.usage
                self.cost_usd += self.agent.seat.cost(event.usage)
            case PlanChanged():
                self.plan = event.items
            case ToolStarted():
                self._calls[event.call.id] = event.call.arguments
                self._open[event.call.id] = event.call.name
            case ToolFinished(result=result):
                arguments = self._calls.setdefault(result.call_id, {})
                self._open.pop(result.call_id, None)
                self.tools[result.call_id] = ToolUse(result.name, arguments, result.ok, round(event.seconds, 4))


def from_stop(stop: Stop) -> Ending:
    """The ending of a run that its watch stopped."""
    return Ending(stop.outcome, None, {"type": stop.kind, "message": stop.text}, partial=True)


def failure(error: Exception) -> Ending:
    """The ending of a run that an error stopped."""
    return Ending("failed", None, {"type": type(error).__name__.removesuffix("Error"), "message": str(error)})


def result_in(text: str, schema: dict[str, Any]) -> Any:
    """The result that an answer in words is, where the whole of it is JSON that satisfies the schema; else None."""
    import jsonschema

    fenced = _FENCED.fullmatch(text.strip())
    try:
        value = json.loads(fenced[1] if fenced else text)
        jsonschema.validate(value, schema)
    except (ValueError, RecursionError, jsonschema.ValidationError, jsonschema.SchemaError):
        return None
    return value


def stillborn_result(error: Exception | None, *, session: str, run: str, model: str) -> RunResult:
    """The result of a run that never got as far as a model; without an error it was cancelled before."""
    ending = Ending("cancelled", None) if error is None else failure(error)
    return RunResult(ending.outcome, None, session, run, model, 0, Usage(0, 0, 0), error=ending.error)


def ended(agent: Agent, tally: Tally, ending: Ending) -> RunResult:
    """The result of a run. One without an output of its own tells what was reached, and is partial then."""
    output, partial = ending.output, ending.partial
    if output is None and agent.schema is None and (tally.said() or tally.uses()):
        output, partial = _so_far(tally, ending), True
    return RunResult(
        outcome=ending.outcome,
        output=output,
        session=agent.journal.session,
        run=agent.journal.run,
        model=agent.seat.model.name,
        steps=tally.steps,
        usage=tally.usage,
        partial=partial,
        error=ending.error,
        cost_usd=round(tally.cost_usd, 8),
        tools=tally.uses(),
    )


def _so_far(tally: Tally, ending: Ending) -> str:
    lines = [f"- {use.name} {_short(use.arguments)}: {'ok' if use.ok else 'failed'}" for use in tally.uses()]
    if len(lines) > DONE_LINES:
        lines = [f"- … {len(lines) - DONE_LINES} earlier calls", *lines[-DONE_LINES:]]
    return prompts.read("partial.md").format(
        outcome=ending.outcome,
        why=(ending.error or {}).get("message", "it was cancelled"),
        text=tally.said() or "(the model had given no answer yet)",
        open="".join(f"\nOpen in its plan: {item}" for item, done in tally.plan if not done),
        done="\n".join(lines) or "- nothing",
    )


def _short(arguments: dict[str, Any]) -> str:
    text = ", ".join(f"{k}={v!r}" for k, v in arguments.items())
    return text if len(text) <= 100 else text[:99] + "…"
