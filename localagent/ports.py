"""The map of the house: what the loop asks of its neighbours, one Protocol each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args, runtime_checkable

from localagent.events import CloudRequest
from localagent.messages import Message, ToolCall, ToolSpec, Usage

if TYPE_CHECKING:
    import numpy as np

FinishReason = Literal["stop", "length", "tool_calls", "refused"]
Effect = Literal["read", "write", "execute", "send", "ask", "finish"]
Mode = Literal["ask", "read", "edit", "all"]
MODES: tuple[Mode, ...] = get_args(Mode)
SEVERAL_CALLS_FROM = 1.0  # billions of parameters
MORE_CALLS = 7  # that a grammar lets follow the first one of a reply


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a model can do, as probed; None means that nobody could say."""

    context: int | None = None  # tokens that are really served
    context_source: str = "unknown"  # where that number comes from, such as "/props"
    native_tools: bool | None = None
    thinking: bool | None = None
    images: bool | None = None
    grammar: bool | None = None
    parameters: float | None = None  # billions, chooses the size of the system prompt
    template: str | None = None  # the chat template, where it can be read
    loaded: bool | None = None

    @property
    def several_calls(self) -> bool:
        """Whether independent calls may be asked for in one reply; the smallest models go on with the same one."""
        return self.parameters is None or self.parameters >= SEVERAL_CALLS_FROM


@dataclass(frozen=True, slots=True)
class Constraint:
    """What sampling may produce: one of `tools` written in `dialect`, or JSON by `schema`.

    `required` false leaves the model free to answer in prose; true means that the reply is a call. `several` lets
    calls follow the first one, where the dialect does not let them anyway.
    """

    tools: tuple[ToolSpec, ...] = ()
    dialect: str = "react"
    schema: dict[str, Any] | None = None
    required: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One reply asked of a model. `tools` is empty where the dialect is text: they are in the messages."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 1024
    constraint: Constraint | None = None
    session: str = ""  # keys the kept prefix state


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """Thinking that the runtime itself separated from the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a native call; `name` comes once, `arguments` is the next piece of its JSON text."""

    index: int
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Work that yields no text yet; `done` and `total` in tokens (reading) or bytes (loading, pulling)."""

    phase: Literal["loading", "reading", "thinking", "writing", "pulling", "retrying"]
    done: int = 0
    total: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """The last delta of every reply that did not fail. Seconds are wall time."""

    reason: FinishReason
    usage: Usage
    first_token_seconds: float | None = None
    tokens_per_second: float | None = None


Delta = TextDelta | ThoughtDelta | CallDelta | Progress | Finish


class Model(Protocol):
    """An entry of models.toml that can answer. Closing the iterator of `reply` cancels within one token."""

    @property
    def name(self) -> str: ...

    async def capabilities(self) -> Capabilities:
        """Probes once and remembers; raises ModelError where the runtime is not there."""
        ...

    def reply(self, request: Request) -> AsyncIterator[Delta]:
        """Yields deltas and one Finish; raises ModelError."""
        ...

    async def count(self, request: Request) -> int | None:
        """Tokens that the request would take, exact or estimated; None where nobody can say."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a tool is about to change or has changed: contents are None where the file is not there."""

    path: Path
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool run gave. `content` goes to the model, `full` to the person and the ledger.

    `failure` is "" or one of not_found, invalid, transient, denied, failed, interrupted.
    """

    content: str
    full: str | None = None
    failure: str = ""
    output: Any = None  # the finish tool's result
    taint: str = ""  # where foreign content came from, "" for the person's own
    sources: tuple[str, ...] = ()  # files whose text stands in `content`
    images: tuple[str, ...] = ()  # files of pictures, for a model that sees them

    @property
    def ok(self) -> bool:
        return not self.failure


def unheard(text: str) -> None:
    """Live output that nobody watches."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use of its surroundings."""

    workspace: Path
    roots: tuple[Path, ...] = ()  # files and folders outside the workspace that the person opened for this call
    confine: Callable[[Sequence[str]], Sequence[str]] = tuple  # turns a command's argv into the one to start
    emit: Callable[[str], None] = unheard  # live output for the screen
    ask: Callable[[str, Sequence[str]], Awaitable[str]] | None = None  # asks the person
    scratch: Path = field(default_factory=Path)  # folder for full outputs, readable by the model
    result_chars: int = 8000  # how much of a result the model may see
    call: str = ""  # the id of the call that runs


class Tool(Protocol):
    """Something the model can do. Knows none of the layers around it."""

    @property
    def spec(self) -> ToolSpec: ...

    @property
    def effect(self) -> Effect: ...

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Outcome: ...

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Change, ...]:
        """The file changes that `run` would make, for the approval's diff; empty where there are none."""
        ...


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that needs a person: what it is, what it touches, why it asks."""

    call: ToolCall
    effect: Effect
    summary: str
    reason: str
    changes: tuple[Change, ...] = ()
    segments: tuple[str, ...] = ()  # the commands of a parsed command line
    parameters: dict[str, Any] = field(default_factory=dict)  # the tool's JSON Schema, for arguments that are edited
    why: str = ""  # a stable word for `reason`, of guard.approve.REASONS; "" for one of its own
    outside: tuple[Path, ...] = ()  # the paths that `reason` names


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer; `reason` of a refusal is told to the model, as are arguments that the person wrote."""

    allowed: bool
    scope: Literal["once", "session", "always"] = "once"
    reason: str = ""
    arguments: dict[str, Any] | None = field(default=None, kw_only=True)  # the person's own, in place of the model's
    by: Literal["person", "mode"] = "person"  # "mode": nobody was there to ask


class Approver(Protocol):
    """Asks the person, or answers for one who is not there."""

    async def approve(self, request: ApprovalRequest) -> Decision: ...

    async def ask(self, question: str, options: Sequence[str]) -> str: ...


HOUSE = ("system", "tools")  # places of the program's own texts, shown whole only where one was changed


@dataclass(frozen=True, slots=True)
class OutgoingText:
    """One text of a request to a cloud as it is and as it would leave; entities are (type, value, placeholder)."""

    place: str  # system, tools, user, assistant, tool
    original: str
    masked: str
    entities: tuple[tuple[str, str, str], ...] = ()

    @property
    def changed(self) -> bool:
        """Whether something in it was replaced."""
        return self.masked != self.original


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A masked request before it leaves: where it would go, and every text of it. `counts` are values by type."""

    host: str
    model: str
    texts: tuple[OutgoingText, ...]
    counts: dict[str, int]


@runtime_checkable
class Releaser(Protocol):
    """Shows a person what would leave the house, and takes the answer."""

    async def release(self, outgoing: Outgoing) -> Decision: ...


class Escort(Protocol):
    """Goes with what leaves the house for a session."""

    async def consent(self, outgoing: Outgoing) -> None:
        """Returns where the request may leave; raises CloudRefusedError."""
        ...

    def leaves(self, request: CloudRequest) -> None:
        """Makes it durable that a request leaves; the next thing that happens is that it does."""
        ...


class Journal(Protocol):
    """The ledger as the loop sees it: when `append` returns, the event is durable."""

    def append(self, kind: str, data: dict[str, Any], *, session: str = "", run: str = "") -> int: ...


class Embedder(Protocol):
    """Text into vectors."""

    @property
    def name(self) -> str: ...

    @property
    def floor(self) -> float:
        """How near two texts must be to mean something alike; 0 where nobody has measured it for this model."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray[Any, np.dtype[np.float32]]:
        """One unit vector a text, as rows; `query` where the texts are questions. Raises ModelError."""
        ...

    async def close(self) -> None: ...


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float: ...


__all__ = [
    "ApprovalRequest", "Approver", "CallDelta", "Capabilities", "Change", "Clock", "Constraint", "Decision", "Delta",
    "Effect", "Embedder", "Escort", "Finish", "FinishReason", "Journal", "Message", "Mode", "Model", "Outcome",
    "Outgoing", "OutgoingText", "Progress", "Releaser", "Request",
    "TextDelta", "ThoughtDelta", "Tool", "ToolContext",
]  # fmt: skip
