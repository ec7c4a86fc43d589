"""The scripted model: replies from a .jsonl file, for tests and demonstrations.

Its tokens are four characters, so that a script without `usage` still gives counts that add up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from localagent.config.models_toml import Entry
from localagent.errors import (
    ConfigError,
    ContextOverflowError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from localagent.messages import Usage
from localagent.models.estimate import estimate
from localagent.models.meter import Meter
from localagent.ports import CallDelta, Capabilities, Delta, FinishReason, Request, TextDelta, ThoughtDelta

_ERRORS: dict[str, tuple[type[ModelError], str]] = {
    "overflow": (ContextOverflowError, "the prompt does not fit the context of the scripted model"),
    "unavailable": (ModelUnavailableError, "the scripted model is not there"),
    "timeout": (ModelTimeoutError, "the scripted model was silent for too long"),
    "crash": (ModelUnavailableError, "the scripted model died in the middle of a reply"),
}
_FINISHES: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "refused": "refused",
    "content_filter": "refused",
}
_COUNTS = ("input_tokens", "output_tokens", "evaluated_tokens")
_TYPES: dict[str, tuple[type, ...]] = {
    "content": (str, type(None)),
    "thinking": (str, type(None)),
    "tool_calls": (list, type(None)),
    "finish_reason": (str, type(None)),
    "usage": (dict, type(None)),
    "delay": (int, float),
    "chunk": (int,),
    "error": (str, type(None)),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """One line of the file. `delay` is seconds before each chunk, `chunk` characters, 0 for all at once."""

    content: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    finish: FinishReason = "stop"
    usage: dict[str, int | None] = field(default_factory=dict)
    delay: float = 0.0
    chunk: int = 0
    error: str = ""


class ScriptedModel:
    """Answers line `position` of the script, counted from 0; after the last line the last one again."""

    def __init__(self, entry: Entry) -> None:
        if entry.file is None:
            raise ConfigError(f"models.{entry.name}: a scripted model needs a `file` of replies")
        self.name = entry.name
        self.position = 0
        self._entry = entry
        self._path = entry.file
        self._replies: tuple[Reply, ...] = ()

    async def capabilities(self) -> Capabilities:
        self._script()
        return Capabilities(
            context=self._entry.context,
            context_source="models.toml" if self._entry.context else "unknown",
            native_tools=self._entry.tools in ("auto", "native"),
            thinking=True,
            images=bool(self._entry.images),
            grammar=False,
            loaded=True,
        )

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        script = self._script()
        reply = script[min(self.position, len(script) - 1)]
        self.position += 1
        meter = Meter()
        for delta in _deltas(reply):
            if reply.delay:
                await asyncio.sleep(reply.delay)
            meter.token()
            yield delta
        if reply.error:
            raise await _failure(reply, self.name)
        yield meter.finish(reply.finish, _usage(reply, request))

    async def count(self, request: Request) -> int | None:
        return estimate(request)

    async def close(self) -> None:
        """Holds nothing."""

    def _script(self) -> tuple[Reply, ...]:
        if not self._replies:
            self._replies = read_replies(self._path)
        return self._replies


def read_replies(path: Path) -> tuple[Reply, ...]:
    """Every line of the script. Raises ConfigError with the line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # a text may hold the other ends of lines
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: the script cannot be read: {error}") from error
    replies = tuple(_reply(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip())
    if not replies:
        raise ConfigError(f'{path}: the script is empty: write one reply a line, such as {{"content": "hello"}}')
    return replies


def _reply(line: str, where: str) -> Reply:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}: no valid JSON: {error}") from None
    _check(data, where)
    calls = tuple(_call(call, where) for call in data.get("tool_calls") or ())
    return Reply(
        content=data.get("content") or "",
        thinking=data.get("thinking") or "",
        calls=calls,
        finish=_FINISHES[data.get("finish_reason") or ("tool_calls" if calls else "stop")],
        usage=data.get("usage") or {},
        delay=data.get("delay", 0.0),
        chunk=data.get("chunk", 0),
        error=data.get("error") or "",
    )


def _check(data: Any, where: str) -> None:
    if not isinstance(data, dict):
        raise ConfigError(f"{where}: found {type(data).__name__}; allowed: an object with {', '.join(_TYPES)}")
    for key, value in data.items():
        if key not in _TYPES:
            raise ConfigError(f"{where}: {key}: found an unknown key; allowed: {', '.join(_TYPES)}")
        if not isinstance(value, _TYPES[key]) or isinstance(value, bool):
            raise ConfigError(f"{where}: {key}: found {value!r}; allowed: {_TYPES[key][0].__name__}")
    for key, tokens in (data.get("usage") or {}).items():
        if key in _COUNTS and not (tokens is None or (type(tokens) is int and tokens >= 0)):
            raise ConfigError(f"{where}: usage.{key}: found {tokens!r}; allowed: a whole number, or null")
    for key, allowed in (("error", _ERRORS), ("finish_reason", _FINISHES)):
        if data.get(key) and data[key] not in allowed:
            raise ConfigError(f"{where}: {key}: found {data[key]!r}; allowed: {', '.join(allowed)}")


def _call(call: Any, where: str) -> tuple[str, str]:
    """Name and JSON text; arguments given as text pass as they are, so that a script can hold broken ones."""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise ConfigError(f'{where}: tool_calls: found {call!r}; allowed: {{"name": …, "arguments": {{…}}}}')
    arguments = call.get("arguments", {})
    return call["name"], arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _deltas(reply: Reply) -> Iterator[Delta]:
    for piece in _pieces(reply.thinking, reply.chunk):
        yield ThoughtDelta(piece)
    for piece in _pieces(reply.content, reply.chunk):
        yield TextDelta(piece)
    for index, (name, arguments) in enumerate(reply.calls):
        yield CallDelta(index, name=name)
        for piece in _pieces(arguments, reply.chunk):
            yield CallDelta(index, arguments=piece)


def _pieces(text: str, size: int) -> Iterator[str]:
    size = size if size > 0 else max(len(text), 1)
    return (text[start : start + size] for start in range(0, len(text), size))


async def _failure(reply: Reply, name: str) -> ModelError:
    if reply.delay and not (reply.content or reply.thinking or reply.calls):
        await asyncio.sleep(reply.delay)
    kind, text = _ERRORS[reply.error]
    return kind(f"{name}: {text}")


def _usage(reply: Reply, request: Request) -> Usage:
    written = len(reply.content) + len(reply.thinking) + sum(len(name) + len(args) for name, args in reply.calls)
    return Usage(
        input_tokens=reply.usage.get("input_tokens", estimate(request)),
        output_tokens=reply.usage.get("output_tokens", -(-written // 4)),
        evaluated_tokens=reply.usage.get("evaluated_tokens"),
    )


__all__ = ["Reply", "ScriptedModel", "read_replies"]
