"""All that the screen knows of the agent: one Protocol, and the rows that it shows.

The real one is `localagent.session.Session`, the scripted one `tests.fakes.driver.FakeDriver`.
Everything runs on the screen's event loop; what takes long inside belongs in a thread.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from localagent.events import Event
from localagent.messages import Message
from localagent.ports import Approver, Capabilities, Change, Mode, Progress

if TYPE_CHECKING:
    from localagent.journal.series import Series
    from localagent.tools.jobs import JobRow

Where = Literal["here", "local", "cloud"]  # in this process, on a server of this machine, somewhere else


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model that can be chosen. `offer` is "" for a usable one, else the command that would get it."""

    name: str
    backend: str
    where: Where = "here"
    capabilities: Capabilities = field(default_factory=Capabilities)
    current: bool = False
    reachable: bool | None = None
    size: int | None = None  # bytes on disk
    note: str = ""  # why it cannot be reached, or where it was found
    offer: str = ""
    tools: str = ""  # how it is told of tools, by its entry and what it can; "" where that is not known


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session of the ledger; times are seconds since the epoch."""

    session: str
    title: str
    updated: float
    outcome: str = ""
    model: str = ""
    messages: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a search found its words."""

    session: str
    title: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Tokens of the conversation so far, and the window that is really served; None is unknown."""

    used: int | None = None
    window: int | None = None
    source: str = "unknown"


@dataclass(frozen=True, slots=True)
class Masked:
    """What a cloud model would be sent in place of a text. Entities are (type, value, placeholder)."""

    text: str
    entities: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that left this machine, masked: how large, and how many values of each type were replaced."""

    when: float
    host: str
    model: str
    bytes: int
    masked: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What has left this machine in a session: the last host, and how many requests in all."""

    host: str = ""
    requests: int = 0


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a run: what the model was sent (its new messages) and what came of it."""

    step: int
    model: str
    saw: tuple[Message, ...]
    events: tuple[Event, ...]


class Driver(Protocol):
    """The agent behind the screen. Methods raise LocalAgentError; its sentence is shown."""

    approver: Approver | None  # the screen puts itself here before the first run; a Releaser is also shown what leaves

    @property
    def session(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def where(self) -> Where:
        """Where the current model runs; "cloud" also when this session has sent masked text before."""
        ...

    @property
    def traffic(self) -> Traffic: ...

    @property
    def mode(self) -> Mode: ...

    def set_mode(self, mode: Mode) -> None: ...

    @property
    def workspace(self) -> Path: ...

    @property
    def cut_off(self) -> bool:
        """Whether the session was resumed and its last run did not come to its answer."""
        ...

    def run(self, task: str | None, attachments: Sequence[Path] = ()) -> AsyncIterator[Event]:
        """The events of one run; the last is RunFinished. Closing it, or `cancel`, ends it as cancelled.

        None goes on with the run that was cut off.
        """
        ...

    def cancel(self) -> None: ...

    def steer(self, text: str) -> None:
        """Puts a message into the run at its next step; it comes back as MessageAdded."""
        ...

    async def reread(self) -> None:
        """Takes up a models.toml that changed, between runs; for a mistake in it, the one before holds."""
        ...

    async def models(self) -> list[ModelRow]:
        """Configured and discovered models, probed in parallel and not longer than a second."""
        ...

    async def swap(self, name: str) -> None: ...

    def pull(self, name: str) -> AsyncIterator[Progress]:
        """Fetches what `ModelRow.offer` promises."""
        ...

    def history(self) -> tuple[Message, ...]: ...

    def context_use(self) -> ContextUse: ...

    async def condense(self) -> None: ...

    async def widen(self) -> int:
        """Has the model serve a window that holds the history; returns its tokens."""
        ...

    async def sessions(self) -> list[SessionRow]: ...

    async def search(self, text: str) -> list[Hit]: ...

    async def resume(self, session: str) -> None: ...

    async def new(self) -> None:
        """Leaves this session and begins an empty one."""
        ...

    async def fork(self, index: int) -> None:
        """Goes on in a new session that holds the messages before `index` of the history."""
        ...

    async def rename(self, session: str, title: str) -> None: ...

    async def export(self, session: str) -> Path: ...

    async def handoff(self) -> Path:
        """Writes what somebody needs to take the session's last run over, and returns the file."""
        ...

    async def delete(self, session: str) -> None: ...

    async def undo(self) -> tuple[str, ...]:
        """Takes back the newest change of files and names them; empty where nothing is left to undo."""
        ...

    def undone(self) -> frozenset[str]:
        """The session's calls whose changes were taken back."""
        ...

    async def server_prompt(self, words: str) -> str:
        """The text of a prompt that a server offers, by `SERVER:NAME VALUE…`."""
        ...

    async def trust(self) -> tuple[str, ...]:
        """Takes what others wrote in this session for looked at, so that the mode counts again; whose words it was."""
        ...

    async def changes(self, call_id: str) -> tuple[Change, ...]: ...

    async def replay(self, session: str) -> list[ReplayStep]: ...

    async def mask(self, text: str) -> Masked: ...

    async def sent(self) -> list[Sent]: ...

    async def figures(self) -> list[Series]: ...

    def plan(self) -> tuple[tuple[str, bool], ...]:
        """The session's plan: (item, whether it is done), in order."""
        ...

    def jobs(self) -> tuple[JobRow, ...]:
        """Commands in the background, those that ended too."""
        ...

    async def stop_job(self, name: str) -> None: ...

    async def close(self) -> None: ...
