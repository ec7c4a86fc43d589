"""The model's prose, as Markdown that grows.

Text is appended at the screen's pace and never back to back: after an append the same widget rests four
times as long as it took, so that keys are answered first however fast the model writes.
"""

from __future__ import annotations

from time import monotonic

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown

from localagent.i18n import t
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
        self._whole = block.final  # whether what is shown was read in one piece

    def compose(self) -> ComposeResult:
        self._shown = self.block.text
        yield Markdown(self._shown, open_links=False)

    def render(self) -> Content:
        return Content("")

    @property
    def _markdown(self) -> Markdown | None:
        """The widget that draws, None until it is there."""
        found = self.query(Markdown)
        return found.first() if found and found.first().is_mounted else None

    def part_with(self, word: str) -> Widget:
        """The paragraph, code or table that holds the word: the smallest part that does."""
        from textual.widgets.markdown import MarkdownBlock

        parts = [part for part in self.query(MarkdownBlock) if word.casefold() in (part.source or "").casefold()]
        return min(parts, key=lambda part: len(part.source or ""), default=self) if word else self

    async def pulse(self) -> None:
        new = self.block.text[len(self._shown) :]
        began, markdown = monotonic(), self._markdown
        if not new or began < self._rest_until or markdown is None:
            return
        self._shown += new
        await markdown.append(new)
        self._rest_until = monotonic() + REST * (monotonic() - began)

    async def sync(self) -> None:
        """Shows the final text. Drawn anew where appending is known to differ from reading it whole."""
        self.tooltip = self.block.figures or None
        markdown, text = self._markdown, self.block.text
        if markdown is None:
            self.call_after_refresh(self.sync)
        elif text != self._shown or (not self._whole and _delicate(text)):
            self._shown = text
            self._whole = True
            await markdown.update(text)

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """Copies the address. Opening it would be a connection that nobody named."""
        event.stop()
        self.app.copy_to_clipboard(event.href)
        self.app.notify(f"{t('note.copied')} {event.href}", timeout=3, markup=False)


def _delicate(text: str) -> bool:
    """Fences and link definitions: blocks whose look depends on lines that came later."""
    return "```" in text or "~~~" in text or "]:" in text
