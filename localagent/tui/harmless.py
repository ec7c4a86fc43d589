"""No character of a model, a file or a server reaches the terminal as a command to it.

`assemble` and `styled` make texts whose styles lie where they should, whatever is in them; `Harmless` is the last look
at every line before it is drawn, also at those that other widgets make.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter

from localagent.terminal import CONTROLS, SURROGATE, plain

GONE = dict.fromkeys((*CONTROLS, 9, 10))  # as wide as nothing, so that the line keeps its width


def assemble(*parts: str | Content | tuple[str, str]) -> Content:
    """Like Content.assemble, which loses its place where a text holds a bell, and fails on an empty part behind it."""
    cleaned = ((plain(part[0]), part[1]) if isinstance(part, tuple) else part for part in parts)
    texts = (plain(part) if isinstance(part, str) else part for part in cleaned)
    return Content.assemble(*(part for part in texts if (part[0] if isinstance(part, tuple) else part)))


def styled(text: str, style: str) -> Content:
    """Like Content.styled, with the style as long as the text."""
    return Content.styled(plain(text), style)


class Harmless(LineFilter):
    """Takes out what moves the cursor or speaks to the terminal; the app's own images are control segments and stay."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(text.isprintable() for text, _, control in segments if not control):
            return segments
        return [segment if segment.control else Segment(_clean(segment.text), segment.style) for segment in segments]


def _clean(text: str) -> str:
    return SURROGATE.sub("\ufffd", text).translate(GONE)
