"""Runs as OpenTelemetry traces in OTLP's JSON: a trace is a run, its spans are the replies and the tools' calls.

Names follow OpenTelemetry's semantic conventions for generative AI (gen_ai.*). What was said goes along when asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from localagent import __version__
from localagent.events import MessageAdded, Replied, ReplyRejected, RunFinished, RunStarted, ToolFinished
from localagent.events_json import from_json
from localagent.messages import Message, ToolCall

if TYPE_CHECKING:
    from gateway.ledger import Ledger, Row

INTERNAL, CLIENT, ERROR = 1, 3, 2  # kinds and the status code of OTLP
Span = dict[str, Any]


@dataclass(slots=True)
class Trace:
    """One run while its rows are read. `content` says whether texts go along."""

    run: str
    session: str
    providers: Mapping[str, str]
    content: bool
    began: float = 0.0
    model: str = ""
    spans: list[Span] = field(default_factory=list)
    calls: dict[str, ToolCall] = field(default_factory=dict)
    said: list[Message] = field(default_factory=list)  # since the last reply

    @property
    def trace_id(self) -> str:
        return _id(f"{self.session} {self.run}", 32)

    @property
    def root_id(self) -> str:
        return _id(f"{self.session} {self.run} root", 16)


def traces(
    ledger: Ledger, *, session: str | None = None, providers: Mapping[str, str] | None = None, content: bool = False
) -> Iterator[dict[str, Any]]:
    """One ExportTraceServiceRequest a run that has its end, oldest first. `providers` names each model's backend."""
    sql = (
        "SELECT run, session, first_event FROM run_figures WHERE ended NOT NULL AND (? IS NULL OR session = ?)"
        " ORDER BY first_event"
    )
    for run, owner, first in ledger.connection.execute(sql, (session, session)).fetchall():
        trace = Trace(run, owner, providers or {}, content)
        for row in ledger.rows(session=owner, after=first - 1):
            if row.run == run and row.data is not None:
                _take(trace, row)
        if trace.spans:
            yield {"resourceSpans": [{"resource": _RESOURCE, "scopeSpans": [{"scope": _SCOPE, "spans": trace.spans}]}]}


def _take(trace: Trace, row: Row) -> None:
    try:
        event = from_json(row.kind, row.data or {})
    except KeyError:  # of a newer version
        return
    match event:
        case RunStarted(model=model):
            trace.began, trace.model = trace.began or row.at, model
        case MessageAdded(message=message):
            trace.said.append(message)
        case Replied() | ReplyRejected():
            trace.spans.append(_chat(trace, row, event))
        case ToolFinished():
            trace.spans.append(_tool(trace, row, event))
        case RunFinished():
            trace.spans.insert(0, _root(trace, row, event))


def _root(trace: Trace, row: Row, event: RunFinished) -> Span:
    result = event.result
    told = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "localagent",
        "gen_ai.agent.version": __version__,
        "gen_ai.provider.name": _provider(trace, result.model),
        "gen_ai.conversation.id": trace.session,
        "gen_ai.request.model": trace.model,
        "gen_ai.response.model": result.model,
        "gen_ai.usage.input_tokens": result.usage.input_tokens,
        "gen_ai.usage.output_tokens": result.usage.output_tokens,
        "localagent.run": trace.run,
        "localagent.outcome": result.outcome,
        "localagent.steps": result.steps,
        "localagent.cost_usd": result.cost_usd,
        "error.type": (result.error or {}).get("type"),
    }
    failed = (
        (result.error or {}).get("message", result.outcome) if result.outcome in ("failed", "stalled", "limit") else ""
    )
    times = (trace.began or row.at, row.at)
    return {**_span(trace, trace.root_id, "invoke_agent localagent", INTERNAL, times, told, failed), "parentSpanId": ""}


def _chat(trace: Trace, row: Row, event: Replied | ReplyRejected) -> Span:
    usage = event.usage
    told: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _provider(trace, event.model),
        "gen_ai.conversation.id": trace.session,
        "gen_ai.request.model": event.model,
        "gen_ai.response.model": event.model,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
    }
    if usage.input_tokens is not None and usage.evaluated_tokens is not None:
        told["gen_ai.usage.cache_read.input_tokens"] = max(0, usage.input_tokens - usage.evaluated_tokens)
    failed, seconds = "", 0.0
    if isinstance(event, Replied):
        seconds = event.seconds
        told["gen_ai.response.finish_reasons"] = [event.finish_reason]
        trace.calls.update({call.id: call for call in event.message.calls})
        if trace.content:
            told["gen_ai.input.messages"] = _json([_parts(message) for message in trace.said])
            told["gen_ai.output.messages"] = _json([{**_parts(event.message), "finish_reason": event.finish_reason}])
        trace.said = []
    else:
        told["error.type"], failed = event.kind, event.kind
    return _span(
        trace,
        _id(f"{trace.session} {row.id}", 16),
        f"chat {event.model}",
        CLIENT,
        (row.at - seconds, row.at),
        told,
        failed,
    )


def _tool(trace: Trace, row: Row, event: ToolFinished) -> Span:
    result = event.result
    told: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": result.name,
        "gen_ai.tool.call.id": result.call_id,
        "gen_ai.tool.type": "function",
        "error.type": event.failure or None,
    }
    if trace.content:
        call = trace.calls.get(result.call_id)
        told["gen_ai.tool.call.arguments"] = _json(call.arguments) if call else None
        told["gen_ai.tool.call.result"] = result.content
        trace.said.append(Message("tool", results=(result,)))
    times = (row.at - event.seconds, row.at)
    span_id = _id(f"{trace.session} {row.id}", 16)
    return _span(trace, span_id, f"execute_tool {result.name}", INTERNAL, times, told, event.failure)


def _span(
    trace: Trace, span_id: str, name: str, kind: int, times: tuple[float, float], told: dict[str, Any], failed: str
) -> Span:
    span = {
        "traceId": trace.trace_id,
        "spanId": span_id,
        "parentSpanId": trace.root_id,
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(int(times[0] * 1e9)),
        "endTimeUnixNano": str(int(max(times) * 1e9)),
        "attributes": [{"key": key, "value": _value(value)} for key, value in told.items() if value is not None],
    }
    return {**span, "status": {"code": ERROR, "message": failed}} if failed else span


def _value(value: Any) -> dict[str, Any]:
    """An attribute in OTLP's JSON, where whole numbers are strings."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"stringValue": str(value)}


def _parts(message: Message) -> dict[str, Any]:
    """A message in the shape of gen_ai.input.messages."""
    parts: list[dict[str, Any]] = [{"type": "text", "content": message.content}] if message.content else []
    parts += [{"type": "tool_call", "id": c.id, "name": c.name, "arguments": c.arguments} for c in message.calls]
    parts += [{"type": "tool_call_response", "id": r.call_id, "response": r.content} for r in message.results]
    return {"role": message.role, "parts": parts}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _provider(trace: Trace, model: str) -> str:
    return trace.providers.get(model, "localagent")


def _id(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


_RESOURCE = {
    "attributes": [
        {"key": "service.name", "value": {"stringValue": "localagent"}},
        {"key": "service.version", "value": {"stringValue": __version__}},
    ]
}
_SCOPE = {"name": "localagent.journal", "version": __version__}
