"""Every text of a request, in one fixed order: read, or written anew. What is masked and what is restored hangs on it.

The order is that of a conversation which only grows (system, tools, then the messages), so that the texts of a request
begin with those of the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from localagent.errors import CloudRefusedError
from localagent.messages import Message, ToolCall, ToolSpec
from localagent.ports import Constraint, Request

LONG_NUMBER = 6  # digits from which a number is read like a text


@dataclass(frozen=True, slots=True)
class Piece:
    """One text of a request. `key` is the name of the field that it is the value of, which helps to recognise it."""

    place: str  # system, tools, user, assistant, tool
    text: str
    key: str = ""

    @property
    def shown(self) -> str:
        """What a detector reads: the value behind its name."""
        return f"{self.key}: {self.text}" if self.key else self.text

    def without_key(self, changed: str) -> str:
        """The value out of the changed form of `shown`; where its name was changed too, the whole of it."""
        return changed.removeprefix(f"{self.key}: ") if self.key else changed


Change = Callable[[Piece], str]


def pieces(request: Request) -> list[Piece]:
    """The texts in their order. Raises CloudRefusedError for an image, which cannot be read."""
    found: list[Piece] = []

    def read(piece: Piece) -> str:
        found.append(piece)
        return piece.text

    rewritten(request, read)
    return found


def rewritten(request: Request, change: Change) -> Request:
    """A copy with every text changed; what is not sent to a cloud (thinking, raw text) is left out."""
    lead = 1 if request.messages and request.messages[0].role == "system" else 0
    head = [_message(message, change) for message in request.messages[:lead]]
    tools = tuple(_tool(tool, change) for tool in request.tools)
    rest = [_message(message, change) for message in request.messages[lead:]]
    return replace(
        request, messages=(*head, *rest), tools=tools, constraint=_constraint(request.constraint, request.tools, change)
    )


def _message(message: Message, change: Change) -> Message:
    if message.images:
        raise CloudRefusedError("an image cannot be masked, so that it goes to no cloud model: ask a local one")
    content = change(Piece(message.role, message.content))
    calls = tuple(_call(call, change) for call in message.calls)
    results = tuple(replace(r, content=change(Piece("tool", r.content))) for r in message.results)
    return Message(message.role, content, calls=calls, results=results)


def _call(call: ToolCall, change: Change) -> ToolCall:
    return replace(call, arguments=_value(call.arguments, "assistant", "", change))


def _tool(tool: ToolSpec, change: Change) -> ToolSpec:
    description = change(Piece("tools", tool.description))
    return ToolSpec(tool.name, description, _value(tool.parameters, "tools", "", change))


def _constraint(wanted: Constraint | None, tools: tuple[ToolSpec, ...], change: Change) -> Constraint | None:
    """Its tools and its schema, which some servers get as JSON."""
    if wanted is None:
        return None
    schema = None if wanted.schema is None else _value(wanted.schema, "tools", "", change)
    return replace(wanted, tools=tuple(_tool(tool, change) for tool in wanted.tools), schema=schema)


def _value(value: Any, place: str, key: str, change: Change) -> Any:
    if isinstance(value, dict):
        return dict(_items(value, place, change))
    if isinstance(value, list | tuple):
        return [_value(inner, place, key, change) for inner in value]
    text = _text(value)
    if text is None:
        return value
    piece = Piece(place, text, key if place != "tools" else "")
    changed = change(piece)
    return value if changed == text else changed


def _items(value: dict[str, Any], place: str, change: Change) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        yield change(Piece("tools", name)), _value(inner, place, name, change)


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and len(str(value)) >= LONG_NUMBER:
        return str(value)
    return None


__all__ = ["Piece", "pieces", "rewritten"]
