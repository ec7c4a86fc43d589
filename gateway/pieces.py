"""Values in pieces: siblings in JSON that are the digits of a card, one by one or a few at a time, or bytes of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from gateway.detect.checks import SERIES, card_brand, luhn

_MOST = 8  # digits of one piece
_FEWEST_BYTES = 8


def is_piece(text: str) -> bool:
    """Whether a text may be a part of a number."""
    return len(text) <= _MOST and text.isdigit() and text.isascii()


def rows(fields: Sequence[tuple[int, str, str]]) -> Iterator[tuple[list[int], str]]:
    """The places of (container, key, text) triples that are one value together, and what is to stand between them.

    They are a row of siblings, with nothing but their keys in between, or of a card those that are of one length."""
    run: list[int] = []
    for at, (container, _, text) in enumerate(fields):
        if not is_piece(text):
            continue
        if run and (at - run[-1] > 2 or container != fields[run[-1]][0]):
            yield from _values_of(fields, run)
            run = []
        run.append(at)
    yield from _values_of(fields, run)


def _values_of(fields: Sequence[tuple[int, str, str]], run: list[int]) -> Iterator[tuple[list[int], str]]:
    if len(run) >= _FEWEST_BYTES and _is_text(fields, run):
        yield run, ", "
        return
    even = [list(group) for _, group in groupby(run, key=lambda at: len(fields[at][2]))]
    for candidate in [run] if _is_card(fields, run) else even:
        if _is_card(fields, candidate):
            yield candidate, ""


def _is_text(fields: Sequence[tuple[int, str, str]], run: Sequence[int]) -> bool:
    from gateway.detect.encoded import text_of  # re2 is heavy

    return all(len(fields[at][2]) <= 4 for at in run) and bool(text_of([int(fields[at][2]) for at in run]))


def _is_card(fields: Sequence[tuple[int, str, str]], run: Sequence[int]) -> bool:
    digits = "".join(fields[at][2] for at in run)
    return len(run) > 1 and bool(card_brand(digits)) and luhn(digits) and not SERIES.search(fields[run[0]][1])
