"""Keys that were meant for something else, when a question takes the place of the prompt or comes behind a screen.

Times are those of events, seconds of the monotonic clock: when a key was pressed counts, not when a busy machine
comes to it.
"""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.screen import Screen

if TYPE_CHECKING:
    from textual.widget import Widget
else:
    Widget = object  # a mixin: the class that it is mixed into is the widget

QUIET = 0.7  # seconds without a key after which keys are meant for the question


class Deaf:
    """Whether a key was meant for what stood there before; each such key begins the quiet anew."""

    def __init__(self, wary: bool) -> None:
        """`wary`: the person was just busy with something else, so keys count only after a moment of quiet."""
        self._quiet = QUIET if wary else 0.0
        self.until = inf  # the person does not see the question yet

    def stands(self, since: float) -> None:
        """The person sees the question."""
        if self.until == inf:
            self.until = since + self._quiet

    def __call__(self, pressed: float) -> bool:
        deaf = pressed < self.until
        if deaf:
            self.until = max(self.until, pressed + self._quiet)
        return deaf


class Listening(Widget):
    """For the widget that asks: a key that was not meant for it goes no further."""

    deaf: Deaf

    def on_show(self, event: events.Show) -> None:
        if self.screen.is_active:
            self.deaf.stands(event.time)
        else:
            self.app.screen_change_signal.subscribe(self, self._uncovered)

    def _uncovered(self, current: Screen[object]) -> None:
        if current is self.screen:
            self.deaf.stands(monotonic())

    def on_key(self, event: events.Key) -> None:
        if self.deaf(event.time):
            event.stop()
