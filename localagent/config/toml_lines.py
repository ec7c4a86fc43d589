"""Finds the line of a key in TOML text, which the standard parser does not keep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"^\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_PAIR = re.compile(rf"^\s*({_DOTTED})\s*=\s*(.*)$")
_INLINE = re.compile(rf"(?:\{{|,)\s*({_DOTTED})\s*=")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|#.*")


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, from 1, of the deepest part of `path` that the text writes; 1 where none is found."""
    found = dict(_keys(text))
    names = [str(part) for part in path if isinstance(part, str)]
    for length in range(len(names), 0, -1):
        if tuple(names[:length]) in found:
            return found[tuple(names[:length])]
    return 1


def _keys(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every key with its line, last to first: of tables that are opened twice the first line stays."""
    pairs = list(_scan(text))
    return reversed(pairs)


def _scan(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    table: tuple[str, ...] = ()
    quote, depth = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if quote:
            quote = "" if quote in line else quote
            continue
        if depth <= 0 and (header := _HEADER.match(line)):
            table, depth = _parts(header[1]), 0
            yield table, number
            continue
        if depth <= 0 and (pair := _PAIR.match(line)):
            yield from _pair(table, pair, number)
            depth = 0
        quote = _opened(line)
        bare = _QUOTED.sub("", line)
        depth += bare.count("[") - bare.count("]")


def _pair(table: tuple[str, ...], pair: re.Match[str], number: int) -> Iterator[tuple[tuple[str, ...], int]]:
    path = table + _parts(pair[1])
    yield path, number
    if pair[2].startswith("{"):
        for inner in _INLINE.finditer(pair[2]):
            yield path + _parts(inner[1]), number


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))


def _opened(line: str) -> str:
    """The delimiter of a multi-line string that the line opens and does not close."""
    for quote in ('"""', "'''"):
        if line.count(quote) % 2:
            return quote
    return ""


__all__ = ["line_of"]
