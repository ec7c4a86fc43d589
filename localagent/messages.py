"""What is said between person, model and tools: frozen data, and a history that only grows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that passed the tool's schema; `id` is unique within its session."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered: `content` is what the model reads, the ledger also holds the full text.

    `failure` is why it is not ok, as in Outcome; people see it, no model does.
    """

    call_id: str
    name: str
    content: str
    ok: bool = True
    failure: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one reply; None where the backend cannot tell.

    `evaluated_tokens` is the part of `input_tokens` that the runtime really computed.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    evaluated_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _plus(self.input_tokens, other.input_tokens),
            _plus(self.output_tokens, other.output_tokens),
            _plus(self.evaluated_tokens, other.evaluated_tokens),
        )


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `calls` belong to an assistant message, `results` to a tool message, which answers all calls of
    the reply before it together. `images` are paths of files on this machine. `raw` is an assistant's text as
    the model wrote it, markup and all: sending it back unchanged keeps the runtime's prefix valid. `by` names who
    wrote a user message that is not the person's: the `house` (a note), or `condense` (a summary); no model sees it.
    """

    role: Role
    content: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    images: tuple[str, ...] = ()
    raw: str = ""
    by: Literal["", "house", "condense"] = field(default="", compare=False)


@dataclass(slots=True)
class History:
    """The messages of a session in order; it can be read and appended to, and nothing else."""

    _messages: list[Message] = field(default_factory=list)

    def append(self, message: Message) -> None:
        self._messages.append(message)

    def extend(self, messages: Iterable[Message]) -> None:
        self._messages.extend(messages)

    def replace(self, messages: Iterable[Message]) -> None:
        """Condensing: the only time that something before the newest message changes."""
        self._messages = list(messages)

    def snapshot(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    @property
    def awaits_results(self) -> bool:
        """Whether it ends with calls that a cancelled run left without results."""
        return bool(self._messages) and bool(self._messages[-1].calls)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __len__(self) -> int:
        return len(self._messages)
