"""`models check`: does this model really work here? It is reached, answers once, and calls a tool once."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from typing import Any

from localagent.calling import NativeCall, interpret
from localagent.config import prompts
from localagent.config.models_toml import Entry
from localagent.errors import ModelError, ToolsUnsupportedError
from localagent.messages import Message, ToolSpec
from localagent.models.probe import choose_dialect
from localagent.ports import (
    CallDelta,
    Capabilities,
    Constraint,
    Finish,
    Model,
    Progress,
    Request,
    TextDelta,
    ThoughtDelta,
)

TOOL = ToolSpec(
    "file_size",
    "Tells how many bytes a file has.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False},
)
ASKED = "notes.txt"  # the file of prompts/check/task.md; the smallest models copy the example's instead
REPLY_TOKENS = 128
CALL_TOKENS = 512  # a thought that the grammar ends after 1000 characters, and the call
THINKING_TOKENS = 1024
Watch = Callable[[Progress], None]


@dataclass(slots=True)
class Heard:
    """One reply, whole."""

    text: str = ""
    thinking: str = ""
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    finish: Finish | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the report; `detail` is what was seen, or what is wrong."""

    step: str
    ok: bool
    seconds: float
    detail: str


@dataclass(slots=True)
class Report:
    """What a check found; as JSON with `as_json`."""

    model: str
    backend: str
    steps: list[Step] = field(default_factory=list)
    capabilities: Capabilities | None = None
    dialect: str = ""
    timings: dict[str, float | int | None] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return all(step.ok for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "backend": self.backend,
            "ok": self.ok,
            "steps": [asdict(step) for step in self.steps],
            "capabilities": capabilities_json(self.capabilities),
            "dialect": self.dialect,
            "timings": self.timings,
        }


def capabilities_json(capabilities: Capabilities | None) -> dict[str, Any] | None:
    """The capabilities without the template, which is long."""
    if capabilities is None:
        return None
    return {key: value for key, value in asdict(capabilities).items() if key != "template"}


async def check(entry: Entry, model: Model, watch: Watch) -> Report:
    """Runs the steps until one fails; a model that calls no tools (`tools = "none"`) has two steps."""
    report = Report(entry.name, entry.backend)

    async def reach() -> str:
        report.capabilities = await model.capabilities()
        report.dialect = choose_dialect(entry, report.capabilities)
        c = report.capabilities
        return f"window {c.context or 'unknown'} ({c.context_source}), tools {report.dialect}"

    async def answer() -> str:
        heard = await _hear(model, _request("hello", THINKING_TOKENS if _thinks(report) else REPLY_TOKENS), watch)
        report.timings = _timings(heard)
        if not (heard.text.strip() or heard.thinking.strip()):
            raise ModelError("the answer is empty")
        return (heard.text.strip() or "(only thoughts)")[:80]

    async def tool_call() -> str:
        return await _tool_call(model, report, watch)

    steps: list[tuple[str, Callable[[], Awaitable[str]]]] = [("reach", reach), ("answer", answer)]
    for name, work in steps:
        if not await _step(report, name, work):
            return report
    if report.dialect != "none":
        await _step(report, "tool_call", tool_call)
    return report


async def _step(report: Report, name: str, work: Callable[[], Awaitable[str]]) -> bool:
    began = time.monotonic()
    try:
        detail, ok = await work(), True
    except ModelError as error:
        detail, ok = str(error), False
    report.steps.append(Step(name, ok, round(time.monotonic() - began, 3), detail))
    return ok


async def _tool_call(model: Model, report: Report, watch: Watch) -> str:
    try:
        return await _called(model, report, watch)
    except ToolsUnsupportedError:
        if report.dialect == "react":
            raise
        report.dialect = "react"  # the server said so only now
        return await _called(model, report, watch)


async def _called(model: Model, report: Report, watch: Watch) -> str:
    tokens = THINKING_TOKENS if _thinks(report) else CALL_TOKENS
    heard = await _hear(model, _request("task", tokens, dialect=report.dialect), watch)
    native = [NativeCall(name, arguments) for _, (name, arguments) in sorted(heard.calls.items())]
    reason = heard.finish.reason if heard.finish else "stop"
    read = interpret(heard.text, [TOOL], dialect=report.dialect, finish_reason=reason, native_calls=native)
    if read.calls:
        call = read.calls[0]
        doubt = "" if call.arguments.get("path") == ASKED else f", though it was asked about {ASKED}"
        return f"{call.name}({call.arguments}) as {read.dialect}{doubt}"
    said = read.problem.message if read.problem else f"it answered in words: {heard.text.strip()[:120]!r}"
    raise ModelError(f"no tool call came: {said}")


def _request(prompt: str, tokens: int, *, dialect: str = "none") -> Request:
    system = prompts.read("check/system.md")
    tools: tuple[ToolSpec, ...] = ()
    constraint = None
    if dialect == "react":
        from localagent.calling.render import render_tools

        system = f"{system}\n\n{render_tools([TOOL], dialect, several=False)}"
    elif dialect != "none":
        tools = (TOOL,)
    if dialect != "none":
        constraint = Constraint((TOOL,), dialect, required=dialect == "react")
    messages = (Message("system", system), Message("user", prompts.read(f"check/{prompt}.md")))
    return Request(messages, tools, tokens, constraint, "check")


async def _hear(model: Model, request: Request, watch: Watch) -> Heard:
    heard = Heard()
    async with aclosing(model.reply(request)) as deltas:  # type: ignore[type-var]
        async for delta in deltas:
            match delta:
                case TextDelta(text):
                    heard.text += text
                case ThoughtDelta(text):
                    heard.thinking += text
                case CallDelta(index, name, arguments):
                    before = heard.calls.get(index, ("", ""))
                    heard.calls[index] = (before[0] + name, before[1] + arguments)
                case Progress():
                    watch(delta)
                case Finish():
                    heard.finish = delta
    return heard


def _thinks(report: Report) -> bool:
    return report.capabilities is not None and report.capabilities.thinking is True


def _timings(heard: Heard) -> dict[str, float | int | None]:
    finish = heard.finish
    if finish is None:
        return {}
    return {
        "first_token_seconds": _rounded(finish.first_token_seconds),
        "tokens_per_second": _rounded(finish.tokens_per_second),
        "input_tokens": finish.usage.input_tokens,
        "output_tokens": finish.usage.output_tokens,
        "evaluated_tokens": finish.usage.evaluated_tokens,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


__all__ = ["Report", "Step", "capabilities_json", "check"]
