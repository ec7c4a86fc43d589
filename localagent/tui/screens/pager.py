"""The whole of a block, to scroll and read: a tool's full output, its diff, or a long text."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Log, Static

from localagent.i18n import t
from localagent.tui.blocks import Block, Card, plain
from localagent.tui.widgets.diff import DiffView
from localagent.tui.widgets.hints import Hints


class PagerScreen(Screen[None]):
    CSS_PATH = "pager.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "key.close"),
        Binding("c", "copy", "key.copy"),
    ]

    def __init__(self, block: Block) -> None:
        super().__init__()
        self._block = block

    def compose(self) -> ComposeResult:
        block = self._block
        yield Static(_title(block), classes="title", markup=False)
        if isinstance(block, Card) and block.changes:
            with VerticalScroll():
                yield DiffView(block.changes)
        else:
            yield Log(highlight=False)
        yield Hints()

    def on_mount(self) -> None:
        for log in self.query(Log):
            log.write(_text(self._block), scroll_end=False)
            log.focus()

    def action_copy(self) -> None:
        self.app.copy_to_clipboard(plain(self._block))
        self.app.notify(t("note.copied"), timeout=2)


def _text(block: Block) -> str:
    """A call's output, with what its reader did before it; or the whole text."""
    if not isinstance(block, Card):
        return plain(block)
    return "\n\n".join([*map(plain, block.steps), block.full or block.output])


def _title(block: Block) -> str:
    return f"{block.tool}  " + "  ".join(map(str, block.arguments.values())) if isinstance(block, Card) else ""
