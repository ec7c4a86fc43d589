"""What all blocks of the conversation share: focus, copy, open, and a look at their data."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.blocks import Block, plain
from localagent.tui.widgets import style

B = TypeVar("B", bound=Block)


class BlockView(Widget, Generic[B], can_focus=True):
    """A block as people see it. Subclasses draw one `Content`, which is far cheaper than children."""

    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "key.toggle"),
        Binding("c", "copy", "key.copy"),
        Binding("o", "pager", "key.pager"),
        Binding("up,k", "app.neighbour(-1)", show=False),
        Binding("down,j", "app.neighbour(1)", show=False),
    ]

    foldable: ClassVar[bool] = False  # whether a click opens it

    opened: reactive[bool] = reactive(False, layout=True, toggle_class="-open")

    class PagerWanted(Message):
        """The person wants to read the whole block."""

        def __init__(self, block: Block) -> None:
            super().__init__()
            self.block = block

    def __init__(self, block: B) -> None:
        super().__init__()
        self.block: B = block

    def render(self) -> Content:
        return Content(plain(self.block))

    async def sync(self) -> None:
        """Shows what changed in the block."""
        self.refresh(layout=True)

    async def pulse(self) -> None:
        """Shows what grew in the block; called some ten times a second while a run goes on."""

    def part_with(self, word: str) -> Widget:
        """The widget in which a search found its word."""
        return self

    def on_click(self) -> None:
        """Opens and folds with the mouse, unless text was selected with it."""
        if self.foldable and not self.screen.selections:
            self.action_open()

    def action_open(self) -> None:
        self.opened = not self.opened

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(plain(self.block))
        self.app.notify(t("note.copied"), timeout=2)

    def action_pager(self) -> None:
        self.post_message(self.PagerWanted(self.block))
