"""A card number in pieces: its digits are siblings in JSON, one by one or a few at a time, as numbers or as strings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from gateway.detect.checks import card_brand, luhn

_MOST = 8  # digits of one piece
SERIES = re.compile(
    r"(?:vector|array|matri(?:x|ces)|tensor|list|sequence|series|label|weight|value|score|data|shape|year|embedding"
    r"|вектор|массив|матриц|тензор|спис(?:ок|к)|последовательност|ряд|год|значени|оценк)\w*\W{0,8}$",
    re.IGNORECASE,
)
"""What says that the numbers behind it are numbers, however well they fit a card's."""


def is_piece(text: str) -> bool:
    """Whether a text may be a part of a number."""
    return len(text) <= _MOST and text.isdigit() and text.isascii()


def cards(fields: Sequence[tuple[int, str, str]]) -> Iterator[list[int]]:
    """The places of (container, key, text) triples that are one card number together: a row of siblings, with nothing
    but their keys in between, or those of them that are of one length."""
    run: list[int] = []
    for at, (container, key, text) in enumerate(fields):
        if not is_piece(text) or SERIES.search(key):
            continue
        if run and (at - run[-1] > 2 or container != fields[run[-1]][0]):
            yield from _cards_of(fields, run)
            run = []
        run.append(at)
    yield from _cards_of(fields, run)


def _cards_of(fields: Sequence[tuple[int, str, str]], run: list[int]) -> Iterator[list[int]]:
    even = [list(group) for _, group in groupby(run, key=lambda at: len(fields[at][2]))]
    for candidate in [run] if _is_card(fields, run) else even:
        if _is_card(fields, candidate):
            yield candidate


def _is_card(fields: Sequence[tuple[int, str, str]], run: Sequence[int]) -> bool:
    digits = "".join(fields[at][2] for at in run)
    return len(run) > 1 and bool(card_brand(digits)) and luhn(digits)
