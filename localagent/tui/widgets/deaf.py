"""Keys that were meant for the prompt, when a question takes its place while the person writes.

Times are those of events, seconds of the monotonic clock: when a key was pressed counts, not when a busy machine
comes to it.
"""

from __future__ import annotations

from math import inf

from textual import events

QUIET = 0.7  # seconds without a key after which keys are meant for the question


class Deaf:
    """Whether a key was meant for what stood there before; each such key begins the quiet anew."""

    def __init__(self, wary: bool) -> None:
        """`wary`: the person was just writing something else, so keys count only after a moment of quiet."""
        self._quiet = QUIET if wary else 0.0
        self.until = inf  # the question is not on the screen yet

    def stands(self, since: float) -> None:
        """The question is on the screen."""
        if self.until == inf:
            self.until = since + self._quiet

    def __call__(self, pressed: float) -> bool:
        deaf = pressed < self.until
        if deaf:
            self.until = max(self.until, pressed + self._quiet)
        return deaf


class Listening:
    """For the widget that asks: a key that was not meant for it goes no further."""

    deaf: Deaf

    def on_show(self, event: events.Show) -> None:
        self.deaf.stands(event.time)

    def on_key(self, event: events.Key) -> None:
        if self.deaf(event.time):
            event.stop()
