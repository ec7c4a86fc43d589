"""What a loop is made of: the seat of a model, and the agent that sits in it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from localagent.agent.limits import Limits, Watch
from localagent.config.models_toml import Price
from localagent.events import Event, FileChanged, ToolFinished, ToolStarted
from localagent.journal.sessions import Pending
from localagent.journal.store import RunJournal
from localagent.messages import History, Message, ToolCall, ToolResult, ToolSpec, Usage
from localagent.ports import Capabilities, Clock, Model, Outcome, Tool, ToolContext

Runner = Callable[[ToolCall, ToolContext], Awaitable[Outcome]]
TEXT_DIALECTS = ("react",)  # tools, calls and results stand in the text; every other dialect is the runtime's


@dataclass(frozen=True, slots=True)
class Seat:
    """A model made ready for a run: its dialect, its system prompt and its tools never change while it sits."""

    model: Model
    capabilities: Capabilities
    dialect: str
    system: str
    tools: Mapping[str, Tool]
    runners: Mapping[str, Runner]
    found: Mapping[str, Tool] = field(default_factory=dict)  # not in the prefix: find_tools has shown them
    shots: tuple[Message, ...] = ()  # example turns between the system prompt and the history
    max_tokens: int = 1024
    constrain: bool = False
    cloud: bool = False
    price: Price = field(default_factory=Price)
    fallback: tuple[str, ...] = ()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools.values())

    @property
    def known(self) -> tuple[ToolSpec, ...]:
        """What a reply may call: the tools of the prefix, and those that were found."""
        return (*self.specs, *(tool.spec for tool in self.found.values()))

    def tool(self, name: str) -> Tool | None:
        return self.tools.get(name) or self.found.get(name)

    @property
    def textual(self) -> bool:
        """Whether tools, calls and results are written into the text."""
        return self.dialect in TEXT_DIALECTS

    def cost(self, usage: Usage) -> float:
        """USD for one reply; 0 for a model without a price."""
        return self.price.cost(usage)


class TakeSeat(Protocol):
    """Makes another model ready; `textual` writes its tools into the text whatever it says of itself."""

    def __call__(self, name: str, *, textual: bool = False) -> Awaitable[Seat]: ...


@dataclass(slots=True)
class Agent:
    """All that a run needs. `outbox` carries events of tools that are running, `inbox` what the person adds."""

    journal: RunJournal
    history: History
    seat: Seat
    take_seat: TakeSeat
    context: ToolContext
    clock: Clock
    limits: Limits = field(default_factory=Limits)
    mode: str = "ask"
    schema: dict[str, Any] | None = None
    inbox: deque[Message] = field(default_factory=deque)
    outbox: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue)
    began: dict[str, float] = field(default_factory=dict)  # when the calls that run now started, by their ids
    calls: int = 0  # calls numbered so far in this session
    pending: list[Pending] = field(default_factory=list)  # calls that a killed run left open
    answered: list[ToolResult] = field(default_factory=list)  # results of the same batch that are there
    unfinished: str = ""  # the task of the run that goes on
    output: Any = None  # of a finish call that was answered before the run could end
    happened: Callable[[ToolCall], bool | None] = lambda call: None
    last_input_tokens: int = 0
    watch: Watch | None = None  # the counts of the run that goes on
    files: dict[str, str | None] = field(default_factory=dict)  # what the model knows of: hash, None for not there
    stale: dict[str, str | None] = field(default_factory=dict)  # those that changed since, with what they are now

    def record(self, event: Event) -> Event:
        """Makes the event durable, then hands it back to be yielded."""
        self.journal.record(event)
        return event

    def record_all(self, events: Sequence[Event]) -> Sequence[Event]:
        """Makes events durable that belong together, in one transaction."""
        self.journal.record(*events)
        return events

    def emit(self, event: Event) -> None:
        """For layers around a tool: durable first, then on its way to the readers; a look may be written later."""
        if isinstance(event, FileChanged):
            self.files[event.path] = event.after
        elif isinstance(event, ToolFinished):
            self.files.update(event.files)
        elif isinstance(event, ToolStarted):
            self.began.setdefault(event.call.id, self.clock.monotonic())
        if isinstance(event, ToolStarted) and event.effect == "read":
            self.journal.later(event)
        else:
            self.journal.record(event)
        self.outbox.put_nowait(event)

    def wake(self, _: object) -> None:
        """For the one who waits for the outbox: look again at what the wait was for."""
        self.outbox.put_nowait(None)

    def call_id(self) -> str:
        self.calls += 1
        return f"call_{self.calls}"
