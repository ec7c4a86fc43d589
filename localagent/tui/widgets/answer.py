"""The model's prose, as Markdown that grows.

Text is appended at the screen's pace and never back to back: after an append the same widget rests four
times as long as it took, so that keys are answered first however fast the model writes.
"""

from __future__ import annotations

from time import monotonic

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown

from localagent.tui.blocks import Answer
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView

REST = 4  # times the duration of an append


class AnswerView(BlockView[Answer]):
    DEFAULT_CSS = style(__file__)

    def __init__(self, block: Answer) -> None:
        super().__init__(block)
        self._shown = block.text
        self._rest_until = 0.0

    def compose(self) -> ComposeResult:
        yield Markdown(self._shown, open_links=False)

    def render(self) -> Content:
        return Content("")

    async def pulse(self) -> None:
        new = self.block.text[len(self._shown) :]
        began = monotonic()
        if not new or began < self._rest_until or not self.is_mounted:
            return
        self._shown += new
        await self.query_one(Markdown).append(new)
        self._rest_until = monotonic() + REST * (monotonic() - began)

    async def sync(self) -> None:
        """Shows the final text. Drawn anew where appending is known to differ from reading it whole."""
        self.tooltip = self.block.figures or None
        markdown, text = self.query_one(Markdown), self.block.text
        if text == self._shown and not _delicate(text):
            return
        self._shown = text
        await markdown.update(text)


def _delicate(text: str) -> bool:
    """Fences and link definitions: blocks whose look depends on lines that came later."""
    return "```" in text or "~~~" in text or "]:" in text
