"""Search in the conversation, also in what has no widget at the moment."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from localagent.i18n import t
from localagent.tui.blocks import Block, plain
from localagent.tui.widgets import style
from localagent.tui.widgets.conversation import Conversation
from localagent.tui.widgets.prompt import Prompt


class Find(Horizontal):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,enter", "go(-1)", "key.next"),
        Binding("up", "go(1)", "key.back"),
        Binding("escape", "close", "key.close"),
    ]

    def __init__(self, conversation: Conversation, text: str = "") -> None:
        super().__init__()
        self._conversation = conversation
        self._text = text
        self._found: list[Block] = []
        self._at = 0

    def compose(self) -> ComposeResult:
        yield Input(self._text, placeholder=t("find.placeholder"), compact=True)
        yield Static("", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    async def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._found = _matches(self._conversation.blocks, event.value)
        self._at = len(self._found) - 1
        await self._show()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        await self.action_go(-1)

    async def action_go(self, by: int) -> None:
        if self._found:
            self._at = (self._at + by) % len(self._found)
            await self._show()

    async def _show(self) -> None:
        self._unmark()
        count, word = self.query_one(Static), self.query_one(Input).value
        if not self._found:
            count.update(t("find.none") if word else "")
            return
        count.update(t("find.count", at=self._at + 1, total=len(self._found)))
        if view := await self._conversation.reveal(self._found[self._at], word):
            view.add_class("-found")

    def _unmark(self) -> None:
        for view in self._conversation.views:
            view.remove_class("-found")

    async def action_close(self) -> None:
        self._unmark()
        self.screen.query_one(Prompt).focus()
        await self.remove()


def _matches(blocks: list[Block], text: str) -> list[Block]:
    word = text.casefold()
    return [block for block in blocks if word in plain(block).casefold()] if word else []
