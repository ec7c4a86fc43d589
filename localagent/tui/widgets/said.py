"""What the person said."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from localagent.i18n import t
from localagent.tui.blocks import Said
from localagent.tui.harmless import assemble
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView

SHOWN_LINES = 12


class SaidView(BlockView[Said]):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("e", "edit", "key.edit")]

    class EditWanted(Message):
        """The person wants to say it differently, and go on from there in a fork."""

        def __init__(self, said: Said) -> None:
            super().__init__()
            self.said = said

    def render(self) -> Content:
        lines = self.block.text.splitlines() or [""]
        hidden = 0 if self.opened else max(0, len(lines) - SHOWN_LINES)
        parts: list[Content | tuple[str, str]] = [Content("\n".join(lines[: len(lines) - hidden]))]
        if hidden:
            parts.append(("\n" + t("block.more_lines", n=hidden), "$foreground-muted"))
        for name in self.block.attachments:
            parts.append((f"\n+ {name}", "$text-accent"))
        if self.block.queued:
            parts.append(("\n" + t("block.queued"), "italic $foreground-muted"))
        return assemble(*parts)

    def action_edit(self) -> None:
        self.post_message(self.EditWanted(self.block))
