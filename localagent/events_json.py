"""Events to JSON and back, in this place only: what the ledger, `--events` and the editors read."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from typing import Any

from localagent.events import BY_KIND, Delegated, Event, RunFinished, RunResult, ToolFinished, ToolUse, kind_of
from localagent.messages import Message, ToolCall, ToolResult, Usage


def to_json(event: Event) -> dict[str, Any]:
    """The event's fields as plain JSON values, without its kind; fields that say nothing are left out."""
    if isinstance(event, RunFinished):
        return {"result": event.result.as_json()}
    if isinstance(event, Delegated):
        return {"call_id": event.call_id, "step": kind_of(event.event), "data": to_json(event.event)}
    slim: dict[str, Any] = _slim(event)
    if isinstance(event, ToolFinished) and event.result.failure == event.failure:
        slim["result"].pop("failure", None)  # said once
    return slim


def _slim(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_slim(v) for v in value]
    names = _fields(type(value))  # type: ignore[arg-type]  # mypy takes a metaclass for unhashable
    if names is None:
        return value
    told = ((name, getattr(value, name)) for name in names)
    return {name: _slim(v) for name, v in told if v not in _SILENT}


_SILENT = ("", None, ())


@cache
def _fields(cls: type) -> tuple[str, ...] | None:
    """The names of a data class's fields, None for what is a plain value."""
    return tuple(f.name for f in fields(cls)) if is_dataclass(cls) else None


def from_json(kind: str, data: dict[str, Any]) -> Event:
    """The event that `to_json` wrote. Raises KeyError for a kind that this version does not know."""
    cls = BY_KIND[kind]
    if cls is Delegated:
        return Delegated(data["call_id"], from_json(data["step"], data["data"]))
    known = {f.name for f in fields(cls)}
    values = {k: _READERS[k](v) if k in _READERS else v for k, v in data.items() if k in known}
    event: Event = cls(**_defaults(cls, values))
    if isinstance(event, ToolFinished) and not event.result.failure:
        return replace(event, result=replace(event.result, failure=event.failure))
    return event


def _defaults(cls: type, values: dict[str, Any]) -> dict[str, Any]:
    """Puts back what `_slim` left out of fields that have no default."""
    bare = {f.name: "" if f.type == "str" else None for f in fields(cls) if _has_no_default(f)}
    return {**bare, **values}


def _has_no_default(f: Field[Any]) -> bool:
    return f.default is MISSING and f.default_factory is MISSING


def message_from_json(data: dict[str, Any]) -> Message:
    return Message(
        role=data["role"],
        content=data.get("content", ""),
        thinking=data.get("thinking", ""),
        calls=tuple(_call(c) for c in data.get("calls", ())),
        results=tuple(_result(r) for r in data.get("results", ())),
        images=tuple(data.get("images", ())),
        raw=data.get("raw", ""),
        by=data.get("by", ""),
    )


def _call(data: dict[str, Any]) -> ToolCall:
    return ToolCall(data["id"], data["name"], data.get("arguments", {}))


def _result(data: Any) -> Any:
    if "outcome" in data:
        values = {**data, "usage": Usage(**data["usage"]), "tools": tuple(ToolUse(**t) for t in data["tools"])}
        return RunResult(**values)
    told = (data.get("content", ""), data.get("ok", False), data.get("failure", ""))
    return ToolResult(data["call_id"], data["name"], *told)


_READERS: dict[str, Any] = {
    "message": message_from_json,
    "call": _call,
    "result": _result,
    "usage": lambda v: Usage(**v),
    "repairs": tuple,
    "tools": tuple,
    "images": tuple,
    "items": lambda v: tuple((text, done) for text, done in v),
    "files": lambda v: tuple((path, digest) for path, digest in v),
}
