"""The conversation: all its blocks as data, and widgets only for those near what is seen.

A window of blocks has widgets. Scrolling to its edge moves it; the blocks beyond cost no more than
their text, so ten thousand of them scroll, stream and resize like a hundred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widget import Widget

from localagent.tui.facts import Changed, Dropped, Opened
from localagent.tui.widgets import style

if TYPE_CHECKING:
    from localagent.tui.blocks import Block
    from localagent.tui.widgets.block import BlockView

PULSES = 15  # looks a second at what grew
WINDOW = 40  # blocks that may have widgets
CHUNK = 20  # blocks that are added or taken away at once
EDGE = 3  # lines from the end of the window at which it moves
LIVE = 6  # newest blocks that may still grow


class Conversation(VerticalScroll, can_focus=False):
    DEFAULT_CSS = style(__file__)

    def __init__(self, welcome: Callable[[], Widget]) -> None:
        """`welcome` makes what stands there while there is no block."""
        super().__init__(welcome())
        self._welcome = welcome
        self.blocks: list[Block] = []
        self._first = 0  # index of the first block with a widget
        self._views: list[BlockView[Any]] = []  # of blocks[_first:], in order
        self._moving = False
        self._heart: Timer | None = None

    @property
    def views(self) -> tuple[BlockView[Any], ...]:
        return tuple(self._views)

    @property
    def at_end(self) -> bool:
        """Whether the newest block has a widget."""
        return self._first + len(self._views) == len(self.blocks)

    def on_mount(self) -> None:
        self.anchor()
        self._heart = self.set_interval(1 / PULSES, self._pulse, pause=True)

    def live(self, on: bool) -> None:
        """Whether blocks may grow now."""
        if self._heart:
            (self._heart.resume if on else self._heart.pause)()

    async def _pulse(self) -> None:
        for view in self._views[-LIVE:]:
            await view.pulse()

    async def on_opened(self, fact: Opened) -> None:
        self.blocks.append(fact.block)
        if self._first + len(self._views) < len(self.blocks) - 1:
            return  # the person reads far above; the block gets its widget when the window comes down
        await self._mount_after([fact.block])
        if len(self._views) > WINDOW and not self._reading_above():
            await self._drop_head(CHUNK)

    def _reading_above(self) -> bool:
        return self.scroll_offset.y < self.max_scroll_y - self.size.height

    async def on_changed(self, fact: Changed) -> None:
        if view := self.view_for(fact.block):
            await view.sync()

    async def on_dropped(self, fact: Dropped) -> None:
        if fact.block not in self.blocks:
            return
        view = self.view_for(fact.block)
        at = self.blocks.index(fact.block)
        self.blocks.remove(fact.block)
        if view:
            self._views.remove(view)
            await view.remove()
        elif at < self._first:
            self._first -= 1

    def view_for(self, block: Block) -> BlockView[Any] | None:
        return next((view for view in reversed(self._views) if view.block is block), None)

    async def load(self, blocks: list[Block]) -> None:
        """Replaces everything, for a session that is resumed."""
        await self.remove_children()
        self.blocks, self._views = list(blocks), []
        self._first = max(0, len(self.blocks) - CHUNK)
        await self._mount_after(self.blocks[self._first :])
        if not blocks:
            await self.mount(self._welcome())
        self.anchor()

    async def to_end(self) -> None:
        """Back to the newest block, to stay there."""
        if not self.at_end:
            await self._jump(len(self.blocks) - 1)
        self.anchor()

    async def reveal(self, block: Block, word: str = "") -> BlockView[Any] | None:
        """Moves the window to a block and scrolls to it, or to its paragraph that holds the word."""
        if block not in self.blocks:
            return None
        if self.view_for(block) is None:
            await self._jump(self.blocks.index(block))
        view = self.view_for(block)
        if view:
            self.release_anchor()
            self.call_after_refresh(lambda: view.part_with(word).scroll_visible(animate=False, top=True))
        return view

    async def _jump(self, index: int) -> None:
        self._moving = True
        with self.app.batch_update():
            await self.remove_children()
            self._views = []
            self._first = max(0, index - CHUNK // 2)
            await self._mount_after(self.blocks[self._first : self._first + CHUNK])
        self._moving = False

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        self._look(up=new < old, down=new > old)

    def _look(self, *, up: bool = False, down: bool = False) -> None:
        """Moves the window where its edge is in sight; asked again after a move, since the person may have gone on."""
        if self._moving or not self._views:
            return
        if up and self.scroll_y < EDGE and self._first:
            self._moving = True
            self.run_worker(self._move_up(), group="window")
        elif down and not self.at_end and self.scroll_y >= max(EDGE, self.max_scroll_y - EDGE):
            self._moving = True
            self.run_worker(self._move_down(), group="window")

    async def _move_up(self) -> None:
        """Widgets for the blocks above; what is seen stays where it is."""
        from localagent.tui.widgets.views import view_of

        start = max(0, self._first - CHUNK)
        views = [view_of(block) for block in self.blocks[start : self._first]]
        anchor, height = self._views[0], self.virtual_size.height
        self.release_anchor()
        await self.mount_all(views, before=anchor)
        self._views[:0] = views
        self._first = start
        self.call_after_refresh(self._keep_place, height)

    async def _keep_place(self, height: int) -> None:
        self.scroll_to(y=self.scroll_y + self.virtual_size.height - height, animate=False, immediate=True)
        if len(self._views) > WINDOW:
            gone, self._views[WINDOW:] = self._views[WINDOW:], []
            await self.remove_children(gone)
        self._moving = False
        self.call_after_refresh(self._look, up=True, down=True)

    async def _move_down(self) -> None:
        end = self._first + len(self._views)
        await self._mount_after(self.blocks[end : end + CHUNK])
        if len(self._views) > WINDOW:
            await self._drop_head(len(self._views) - WINDOW)
        self._moving = False
        self.call_after_refresh(self._look, up=True, down=True)

    async def _mount_after(self, blocks: list[Block]) -> None:
        if not blocks:
            return
        if not self._views:
            await self.remove_children()  # the welcome
        from localagent.tui.widgets.views import view_of

        views = [view_of(block) for block in blocks]
        self._views += views
        await self.mount_all(views)

    async def _drop_head(self, number: int) -> None:
        """Takes away the first widgets; the place of the others on the screen does not change."""
        gone, self._views = self._views[:number], self._views[number:]
        self._first += number
        height = sum(view.outer_size.height for view in gone)
        await self.remove_children(gone)
        if not self.is_vertical_scroll_end:
            self.scroll_to(y=max(0, self.scroll_y - height), animate=False, immediate=True)
