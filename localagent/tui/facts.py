"""What the adapter tells the widgets: facts about blocks, as Textual messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from localagent.events import RunResult
    from localagent.tui.blocks import Block


@dataclass
class Opened(Message):
    """A new block stands at the end of the conversation."""

    block: Block


@dataclass
class Changed(Message):
    """Something other than growing text changed in a block."""

    block: Block


@dataclass
class Dropped(Message):
    """A block that turned out not to be part of the conversation."""

    block: Block


@dataclass
class Planned(Message):
    """The plan, as (state, item) with state one of todo, doing, done, dropped."""

    items: tuple[tuple[str, str], ...]


@dataclass
class Shifted(Message):
    """What the status line says is another now: a request left this machine, or another model took the seat."""


@dataclass
class Returned(Message):
    """What the person wrote and no run took in: it belongs into the prompt again, `behind` behind the next message."""

    text: str
    behind: str = ""


@dataclass
class Ended(Message):
    """The run is over."""

    result: RunResult


Fact = Opened | Changed | Dropped | Planned | Shifted | Returned | Ended
