"""The model's thinking: one folded line, open on Enter."""

from __future__ import annotations

from textual.content import Content

from localagent.i18n import t
from localagent.tui.blocks import Thinking
from localagent.tui.harmless import assemble
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView

TAIL = 90  # characters of the newest thought beside the word while it goes on


class ThinkingView(BlockView[Thinking]):
    DEFAULT_CSS = style(__file__)
    foldable = True

    def __init__(self, block: Thinking) -> None:
        super().__init__(block)
        self._shown = 0

    def render(self) -> Content:
        block = self.block
        self._shown = len(block.text)
        sign = "▾" if self.opened else "▸"
        if block.seconds is None:
            head, tail = t("block.thinking"), "" if self.opened else " ".join(block.text[-TAIL:].split())
        else:
            head, tail = t("block.thought", n=f"{block.seconds:.0f}") if block.seconds >= 1 else t("block.thoughts"), ""
        body = f"\n{block.text.strip()}" if self.opened else ""
        return assemble((f"{sign} {head}", "italic"), ("  " + tail if tail else "", "dim"), (body, "dim"))

    async def pulse(self) -> None:
        if len(self.block.text) != self._shown:
            self.refresh(layout=self.opened)
