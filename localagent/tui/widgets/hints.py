"""The keys that work here and now, in one line that can be clicked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.widgets import style

if TYPE_CHECKING:
    from textual.binding import ActiveBinding


class Hints(Widget):
    DEFAULT_CSS = style(__file__)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, _: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Content:
        shown: list[Content] = []
        room = self.size.width
        for active in self._active():
            key = self.app.get_key_display(active.binding)
            part = Content.assemble((key, "$accent"), (f" {t(active.binding.description)}", "$foreground-muted"))
            room -= part.cell_length + 2
            if room < 0:
                break
            shown.append(part.stylize(Style.from_meta({"@click": f"simulate_key('{active.binding.key}')"})))
        return Content("  ").join(shown)

    def _active(self) -> list[ActiveBinding]:
        every = [a for a in self.screen.active_bindings.values() if a.binding.show and a.enabled]
        seen: dict[str, ActiveBinding] = {}
        for active in every:
            seen.setdefault(active.binding.description, active)
        return list(seen.values())

    def action_simulate_key(self, key: str) -> None:
        self.app.simulate_key(key)
