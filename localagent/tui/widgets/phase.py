"""The line over the prompt that says what the runtime is doing, so that waiting is never silent."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.harmless import assemble, styled
from localagent.tui.widgets import style
from localagent.tui.widgets.status import human

if TYPE_CHECKING:
    from localagent.tui.progress import Phase

SPIN = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
BAR = 20
LOOKS = 5  # a second
BYTES = ("loading", "pulling")  # phases that count bytes, not tokens


class PhaseLine(Widget):
    DEFAULT_CSS = style(__file__)

    def __init__(self) -> None:
        super().__init__()
        self._look: Callable[[], Phase] | None = None
        self._timer: Timer | None = None
        self._still = ""
        self._turns = 0

    def follow(self, look: Callable[[], Phase] | None) -> None:
        """Shows what `look` returns a few times a second; None stops."""
        self._look = look
        if self._timer:
            self._timer.stop()
            self._timer = None
        if look:
            self._timer = self.set_interval(1 / LOOKS, self._turn)
        self.refresh()

    def say(self, text: str) -> None:
        """A sentence that stands while nothing else goes on."""
        self._still = text
        self.refresh()

    def _turn(self) -> None:
        self._turns += 1
        self.refresh()

    def render(self) -> Content:
        phase = self._look() if self._look else None
        if phase is None or not phase.kind:
            return styled(self._still, "$foreground-muted")
        sign = "●" if self.app.animation_level == "none" else SPIN[self._turns % len(SPIN)]
        parts = [(f"{sign} ", "$accent"), (words(phase), "")]
        if phase.total and phase.done:
            cells = round(min(1.0, phase.done / phase.total) * BAR)
            parts += [("  " + "━" * cells, "$accent"), ("━" * (BAR - cells), "$foreground-disabled 40%")]
        parts.append((f"  {monotonic() - phase.since:.0f} s", "$foreground-disabled"))
        if phase.kind != "asking":
            parts.append(("  " + t("phase.stop"), "$foreground-disabled"))
        return assemble(*parts)


def words(phase: Phase) -> str:
    """What goes on, in words: "reading 512 of 2048"."""
    text = t(f"phase.{phase.kind}") if phase.kind else ""
    size = megabytes if phase.kind in BYTES else human
    if phase.total:
        text += " " + t("phase.of", done=size(phase.done), total=size(phase.total))
    elif phase.done:
        text += f" {size(phase.done)}"
    return f"{text}  {phase.note}" if phase.note else text


def megabytes(number: int) -> str:
    return f"{number / 1e6:.0f} MB" if number < 1e9 else f"{number / 1e9:.1f} GB"
