"""Context words around a candidate: on its left, in the label of its field, in the header of its column."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from gateway.detect.entity import Entity

Finder = Callable[[str], Iterable[Entity]]
"""Text in, raw candidates out; they may overlap, merging decides."""

_WORD_CACHE = 512
_SPEAKER = re.compile(
    r"^\W*(?:\d{1,2}:\d{2}\W+)?(?:клиент|абонент|пациент|пользователь|заявитель|client|customer|user)\w?:",
    re.IGNORECASE,
)
"""Who answers a question of the line above."""


def nearest(pattern: re.Pattern[str], text: str, start: int, reach: int = 48) -> int | None:
    """How many characters before `start` the last context word ends; None if there is none on the same line.

    A word in the line above counts when nothing else stands between (forms put the label over the value).
    """
    return distance(pattern, line_before(text, start, reach))


def line_before(text: str, start: int, reach: int = 48) -> str:
    """The line on the left of `start`; the one above it, filled up, where nothing else stands between."""
    left = text[max(0, start - reach) : start]
    line = left.rpartition("\n")[2]
    said = _SPEAKER.sub("", line) if ":" in line else line
    if not said.strip(' \t"«(:№#-'):
        line = left[: len(left) - len(line)].rstrip().rpartition("\n")[2] + " " * (len(line) + 1)
    return line


def distance(pattern: re.Pattern[str], line: str) -> int | None:
    """How many characters before the end of a line its last context word ends."""
    ends = [match.end() for match in pattern.finditer(line)]
    return len(line) - ends[-1] if ends else None


def column_header(text: str, start: int) -> str:
    """The header over the cell that holds `start`, lower case; empty where the text is no table there."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    for separator in (";", "\t", "|", ","):
        if separator not in line:
            continue
        column = _count(text[line_start:start], separator)
        header = _header(text[:line_start], separator, _count(line, separator))
        cells = header.split(separator) if header else []
        if column < len(cells):
            return cells[column].strip(" \"'").lower()
    return ""


@lru_cache(maxsize=_WORD_CACHE)
def _count(part: str, separator: str) -> int:
    """Separators outside quotes."""
    return sum(piece.count(separator) for piece in part.split('"')[::2])


def _header(above: str, separator: str, count: int) -> str:
    """The first line of the block of lines with as many separators, if it holds no digits (a row of titles)."""
    header = ""
    for line in reversed(above[-20000:].rstrip("\n").split("\n")):
        if set(line.strip()) <= set("|-: ") and line.strip():
            continue
        if _count(line, separator) != count:
            break
        header = line
    return header if not re.search(r"\d{3}", header) else ""
