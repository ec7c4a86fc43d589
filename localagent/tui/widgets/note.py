"""A sentence of the house in the conversation."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content

from localagent.tui.blocks import Note
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView

HEAVY = {"failed", "error", "prompt_cut", "empty"}
QUIET = {"info", "house"}


class NoteView(BlockView[Note]):
    DEFAULT_CSS = style(__file__)
    SIGNS: ClassVar[dict[str, str]] = {"info": "·", "house": "·", "cancelled": "■"}

    def on_mount(self) -> None:
        self.set_class(self.block.kind in HEAVY, "-heavy")
        self.set_class(self.block.kind in QUIET, "-quiet")

    def render(self) -> Content:
        text = self.block.text
        if self.block.kind == "house" and not self.opened:
            first, _, rest = text.partition("\n")
            text = first + (" …" if rest else "")
        return Content(f"{self.SIGNS.get(self.block.kind, '!')} {text}")
