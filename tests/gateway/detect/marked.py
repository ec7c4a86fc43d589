"""Texts with marks: [[value|TYPE]] must be found, {{value}} must pass."""

import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"
_FOUND = re.compile(r"\[\[(?P<v>.*?)\|(?P<type>[A-Z_]*)\]\]", re.DOTALL)
_PASSED = re.compile(r"\{\{(?P<v>.*?)\}\}(?!\})(?P<type>)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marked:
    """A text without its marks, and (start, end, type) of what was marked."""

    text: str
    values: tuple[tuple[int, int, str], ...]


def found() -> list[Marked]:
    """Texts whose marked values must be masked whole."""
    return [_unmark(line, _FOUND) for line in _lines("found.txt")]


def passed() -> list[Marked]:
    """Texts whose marked values must stay."""
    return [_unmark(line, _PASSED) for line in _lines("passed.txt")]


def _lines(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "[[" in line or "{{" in line]


def _unmark(line: str, mark: "re.Pattern[str]") -> Marked:
    line = line if "Program" in line else line.replace("\\n", "\n").replace("\\t", "\t")
    parts: list[str] = []
    values: list[tuple[int, int, str]] = []
    at = length = 0
    for match in mark.finditer(line):
        parts += [line[at : match.start()], match["v"]]
        start = length + match.start() - at
        length = start + len(match["v"])
        values.append((start, length, match["type"]))
        at = match.end()
    return Marked("".join(parts) + line[at:], tuple(values))
