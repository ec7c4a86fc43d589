"""What a conversation on the screen is made of.

Blocks grow while a run goes on, so they are mutable; only the adapter changes them. Widgets are made
from blocks and thrown away again when they scroll far out of sight.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from localagent.ports import Change

SHELL = "!"  # the tool name of a command that the person runs
SILENT = ("finish", "plan")  # their calls are the answer and the list over the prompt, not cards

CardState = Literal["writing", "waiting", "running", "done", "failed", "denied", "stopped", "undone"]


@dataclass(slots=True, eq=False)
class Said:
    """A message of the person; `queued` until the agent has taken it in."""

    text: str
    queued: bool = False
    attachments: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Answer:
    """Prose of the model; `final` when no more comes."""

    text: str = ""
    final: bool = False
    figures: str = ""


@dataclass(slots=True, eq=False)
class Thinking:
    text: str = ""
    seconds: float | None = None  # None while it goes on


@dataclass(slots=True, eq=False)
class Card:
    """A tool call from its first sign to its result."""

    tool: str
    call_id: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    state: CardState = "writing"
    output: str = ""  # live output, then what the model saw
    full: str | None = None
    seconds: float | None = None
    changed: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    steps: list[Card] = field(default_factory=list)  # the calls of a reader that this one sent out


@dataclass(slots=True, eq=False)
class Note:
    """A sentence of the house; `kind` is one of info, warning, error, or an outcome's name."""

    kind: str
    text: str


@dataclass(slots=True, eq=False)
class Picture:
    """An image of the conversation, a file of this machine."""

    path: str


def state_of(ok: bool, failure: str) -> CardState:
    """How a call that has its result went: a refusal is no failure."""
    return "denied" if failure == "denied" else "done" if ok else "failed"


Block = Said | Answer | Thinking | Card | Note | Picture


def plain(block: Block) -> str:
    """The block's text as a person would copy it."""
    match block:
        case Card():
            arguments = ", ".join(f"{key}={value!r}" for key, value in block.arguments.items())
            return "\n".join(
                [f"{block.tool}({arguments})", *map(plain, block.steps), block.full or block.output]
            ).rstrip()
        case Picture():
            return block.path
        case _:
            return block.text


def relative(change: Change, root: Path) -> Change:
    """The change with its path as people name it from `root`."""
    return replace(change, path=change.path.relative_to(root)) if change.path.is_relative_to(root) else change
