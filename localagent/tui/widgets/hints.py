"""The keys that work here and now, in one line that can be clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.harmless import assemble
from localagent.tui.widgets import style

if TYPE_CHECKING:
    from textual.binding import ActiveBinding


GAP = 2  # cells between two keys


class Hints(Widget):
    DEFAULT_CSS = style(__file__)

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str]] = []  # first cell, end, key

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        active = self._active()
        shown = self._fitting([(one, t(one.binding.description)) for one in active])
        if len(shown) < 2:  # so narrow that a choice would have no other: each is its first word
            shown = self._fitting([(one, t(one.binding.description).split()[0]) for one in active])
        return Content(" " * GAP).join(shown)

    def _fitting(self, hints: list[tuple[ActiveBinding, str]]) -> list[Content]:
        """As many as the line holds; keeps where each stands."""
        shown: list[Content] = []
        self._places = []
        at = 0
        for active, word in hints:
            key = self.app.get_key_display(active.binding)
            part = assemble((key, "$accent"), (f" {word}", "$foreground-muted"))
            end = at + part.cell_length
            if end > self.content_size.width:
                break
            self._places.append((at, end, active.binding.key))
            shown.append(part)
            at = end + GAP
        return shown

    def on_click(self, event: events.Click) -> None:
        """Does what the key under the mouse does."""
        at = event.get_content_offset_capture(self).x
        for start, end, key in self._places:
            if start <= at < end:
                self.app.simulate_key(key)

    def _active(self) -> list[ActiveBinding]:
        every = [a for a in self.screen.active_bindings.values() if a.binding.show and a.enabled]
        seen: dict[str, ActiveBinding] = {}
        for active in every:
            seen.setdefault(active.binding.description, active)
        return list(seen.values())
