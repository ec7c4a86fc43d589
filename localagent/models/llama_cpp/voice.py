"""What a reply says, up to where the model begins to speak for somebody else."""

from __future__ import annotations

import codecs
from collections.abc import Callable


class Voice:
    """Bytes of tokens in, text out by `say`. Nothing of `ends`, the marker of another's turn, is ever said."""

    def __init__(self, say: Callable[[str], None], ends: str = "") -> None:
        self._say, self._ends = say, ends
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # may be the beginning of the marker

    def add(self, piece: bytes) -> bool:
        """Says what is certain; True when the turn of another has begun."""
        return self._add(self._decoder.decode(piece))

    def close(self) -> None:
        """Says what was held back."""
        if not self._add(self._decoder.decode(b"", final=True)):
            self._out(self._held)
        self._held = ""

    def _add(self, text: str) -> bool:
        text = self._held + text
        if self._ends and self._ends in text:
            self._out(text[: text.index(self._ends)])
            self._held = ""
            return True
        keep = _overlap(text, self._ends)
        self._held = text[len(text) - keep :]
        self._out(text[: len(text) - keep])
        return False

    def _out(self, text: str) -> None:
        if text:
            self._say(text)


def _overlap(text: str, marker: str) -> int:
    """How many characters at the end of a text may be the beginning of the marker."""
    return next((size for size in range(min(len(marker) - 1, len(text)), 0, -1) if text.endswith(marker[:size])), 0)
