"""Keys that were meant for the prompt, when a question takes its place while the person writes."""

from __future__ import annotations

from time import monotonic

QUIET = 0.7  # seconds without a key after which keys are meant for the question


class Deaf:
    """Whether a key was meant for the prompt that was being written; each such key begins the quiet anew."""

    def __init__(self, wary: bool) -> None:
        """`wary`: the person was just writing something else, so keys count only after a moment of quiet."""
        self._until = monotonic() + QUIET if wary else 0.0

    def __call__(self) -> bool:
        deaf = monotonic() < self._until
        if deaf:
            self._until = monotonic() + QUIET
        return deaf
