"""What happens in a run, as one sealed family of events.

`DURABLE` events go to the ledger before their effect; the others only pass by (deltas, progress, questions).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from localagent.messages import Message, ToolCall, ToolResult, Usage

OutcomeName = Literal["done", "answered", "stalled", "limit", "failed", "cancelled", "handed_off"]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One line of RunResult.tools."""

    name: str
    arguments: dict[str, Any]
    ok: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended; `as_json` is the object of `run --json`."""

    outcome: OutcomeName
    output: Any
    session: str
    run: str
    model: str
    steps: int
    usage: Usage
    partial: bool = False
    error: dict[str, str] | None = None
    cost_usd: float = 0.0
    tools: tuple[ToolUse, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether the answer reached the most tokens that a reply may have."""
        return self.outcome == "answered" and self.partial

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RunStarted:
    task: str
    model: str
    workspace: str
    mode: str
    limits: dict[str, Any] = field(default_factory=dict)
    system: str = ""  # the system prompt as sent, once a run
    tools: tuple[str, ...] = ()
    dialect: str = ""
    resumed: bool = False  # the run was cut off before and goes on
    schema: dict[str, Any] | None = None  # that its result must satisfy


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """A message by the person or by the house (a note at the end of the history)."""

    message: Message
    source: Literal["person", "house", "plan", "condense"] = "person"
    files: tuple[tuple[str, str], ...] = ()  # files that it tells of, with the hash of what they are now, "" for gone


@dataclass(frozen=True, slots=True)
class RequestSent:
    """A request is about to go to a model: its number in the run, size and where it goes."""

    step: int
    model: str
    messages: int
    estimated_tokens: int | None = None
    cloud: bool = False


@dataclass(frozen=True, slots=True)
class Working:
    """Progress of the runtime; see ports.Progress."""

    phase: str
    done: int = 0
    total: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class CallAnnounced:
    """The model is writing a call of this tool; arguments are not known yet."""

    name: str


@dataclass(frozen=True, slots=True)
class Replied:
    """A whole reply that was understood: the assistant message, what it cost and how fast it was."""

    message: Message
    model: str
    usage: Usage
    finish_reason: str
    seconds: float = 0.0
    first_token_seconds: float | None = None
    tokens_per_second: float | None = None
    cost_usd: float = 0.0
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyRejected:
    """A reply that could not be read as calls or an answer; it does not enter the history."""

    raw: str
    kind: str
    problem: str
    attempt: int
    model: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    call: ToolCall
    summary: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    call_id: str
    allowed: bool
    scope: str
    by: str  # "person", "rule", "mode"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """Durable before the tool runs; `key` is the idempotency key derived from the call's meaning."""

    call: ToolCall
    effect: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    result: ToolResult
    seconds: float
    failure: str = ""
    full: str | None = None  # the whole text where the model saw a part
    taint: str = ""
    output: Any = None  # the result of the run, from the finish tool
    files: tuple[tuple[str, str], ...] = ()  # files that the model has seen with this, and the hash of their content
    images: tuple[str, ...] = ()  # files of pictures that came with the result


@dataclass(frozen=True, slots=True)
class FileChanged:
    """A file as it was before a tool changed it; contents lie in the ledger's blobs by these keys."""

    call_id: str
    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class FellBack:
    """The run goes on with another model, or the same one again.

    `why` is a stable word: down, slow, context, tools, cloud (it may not be used), asked (by the person), failed.
    """

    failed: str
    to: str
    reason: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class CloudConsent:
    """What was answered when masked text was about to leave for a host; `masked` counts values by type."""

    host: str
    model: str
    allowed: bool
    by: str  # "person", "flag"
    reason: str = ""
    masked: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CloudRequest:
    """A masked request that leaves the house; durable before its first byte does. It never holds a value."""

    host: str
    model: str
    bytes: int
    messages: int
    masked: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The model's plan as it is now: (item, whether it is done), in order."""

    items: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Forked:
    """The session goes on from the first `at` messages of another one; they follow this event."""

    parent: str
    at: int
    model: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True)
class HandedOff:
    """The person took over a run that had not come to its end; `ended` is the outcome that it had."""

    run: str
    ended: str


@dataclass(frozen=True, slots=True)
class Condensed:
    """The head of the history was replaced by a summary; tokens before and after."""

    summary: str
    kept: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the person should know; `kind` is a stable word, `text` a sentence."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Delegated:
    """What a reader does that the call `call_id` of this run sent out: its own event, as durable as that is alone."""

    call_id: str
    event: Event


@dataclass(frozen=True, slots=True)
class RunFinished:
    result: RunResult


Event = (
    RunStarted | MessageAdded | RequestSent | Working | Thought | Text | CallAnnounced | Replied | ReplyRejected
    | ApprovalAsked | ApprovalGiven | ToolStarted | ToolOutput | ToolFinished | FileChanged | FellBack | Condensed
    | CloudConsent | CloudRequest | PlanChanged | Forked | HandedOff | Delegated | Notice | RunFinished
)  # fmt: skip

EPHEMERAL = (Working, Thought, Text, CallAnnounced, ApprovalAsked, ToolOutput)


def _kind(cls: type) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")


BY_KIND: dict[str, type] = {_kind(cls): cls for cls in get_args(Event)}
_KINDS: dict[type, str] = {cls: kind for kind, cls in BY_KIND.items()}
DURABLE = frozenset(kind for kind, cls in BY_KIND.items() if cls not in EPHEMERAL)


def as_output(event: Delegated) -> ToolOutput | None:
    """What a reader does now, as live output of the call that sent it out; None for what is no call."""
    if not isinstance(event.event, ToolStarted):
        return None
    call = event.event.call
    arguments = ", ".join(f"{key} {value}" for key, value in call.arguments.items())
    return ToolOutput(event.call_id, f"→ {call.name} {arguments}\n")


def is_durable(event: Event) -> bool:
    """Whether the event belongs in the ledger."""
    return is_durable(event.event) if isinstance(event, Delegated) else kind_of(event) in DURABLE


def kind_of(event: Event) -> str:
    """The event's stable name, such as `tool_started`."""
    return _KINDS[type(event)]
