"""A text cut into passages that say where they stand: paragraphs under their heading, small ones together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

GOAL = 400  # characters after which a passage ends with its paragraph
MOST = 1200  # a paragraph that would make it longer is cut, at a line end where there is one
_HEADING = re.compile(r"#{1,6}[ \t]+(.*\S)")
_PIECE_END = re.compile(r"\n|[.!?;]\s|\s")


class Passage(NamedTuple):
    """Lines `line` to `last`, counted from 1; `heading` is the nearest heading above, "" without one.

    A tuple, since a large folder makes hundreds of thousands of them.
    """

    line: int
    last: int
    heading: str
    text: str


def passages(text: str) -> Iterator[Passage]:
    """The passages of a text in their order; nothing but blank lines is left out."""
    heading, line, start, size = "", 1, 1, 0
    held: list[str] = []
    for block in text.split("\n\n"):
        lines = block.count("\n") + 2
        title = _HEADING.match(block.lstrip("\n")) if "#" in block[:4] else None
        if held and (title or size >= GOAL or size + len(block) > MOST):
            yield from _whole("\n\n".join(held), start, heading)
            held, size = [], 0
        heading = title[1] if title else heading
        if not held:
            start = line
        held.append(block)
        size += len(block)
        line += lines
        if size > MOST:
            yield from _cut("\n\n".join(held), start, heading)
            held, size = [], 0
    if held:
        yield from _whole("\n\n".join(held), start, heading)


def _whole(text: str, line: int, heading: str) -> Iterator[Passage]:
    """One passage without the blank lines around it; none where nothing is left."""
    shown = text.strip()
    if shown:
        if text[0] != shown[0]:
            line += text.count("\n", 0, text.index(shown[0]))
        yield Passage(line, line + shown.count("\n"), heading, shown)


def _cut(text: str, line: int, heading: str) -> Iterator[Passage]:
    """A long paragraph in pieces that end with a line, a sentence or a word where there is one."""
    start = 0
    while start < len(text):
        end = start + MOST
        if end < len(text):
            found = text.rfind("\n", start + GOAL, end) + 1 or _word_end(text, start + GOAL, end)
            end = found or end
        yield from _whole(text[start:end], line, heading)
        line += text.count("\n", start, end)
        start = end


def _word_end(text: str, start: int, end: int) -> int:
    found = None
    for found in _PIECE_END.finditer(text, start, end):
        if found[0].strip():  # the first end of a sentence
            break
    return found.end() if found else 0
