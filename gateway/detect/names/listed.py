"""Lists: what stands beside people is one of them, what stands among products is none."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gateway.detect.entity import Entity
from gateway.detect.names.acts import STOP
from gateway.detect.names.lists import around, is_common, is_core_first, is_first, is_surname, is_thing, word_list
from gateway.detect.names.things import brands
from gateway.detect.names.tokens import Word

_BETWEEN = re.compile(r"(?:,|;)? (?:and |& |und |et |y |e |i |en |или |и )?|[,;]?\n[-*•] ?|, ?|; ?")
_LIST = re.compile(r"[A-Z][\w.+#]*(?:(?:, (?:and |or |then )?| and | or | to | then )[A-Z][\w.+#]*){2,}")
_ENOUGH = 2
_REACH = 40
_NOTE = re.compile(r" ?\([^()\n]{1,30}\)")
"""Kit Arundel (CFO), Bo Lindgren (CTO)"""


def beside_people(text: str, group: Iterable[list[Word]], people: Sequence[Entity]) -> Iterator[tuple[int, int]]:
    """Spans of runs of two or three unknown capitalised words that a comma or an `and` joins to a person."""
    if not people:
        return
    edges = [(e.start, e.end) for e in people]
    for run in group:
        named = 2 <= len(run) <= 3 and all(map(_may_be_name, run[1:])) and (_may_be_name(run[0]) or _is_first(run[0]))
        first = not named and _is_joined_first(text, run[-1], alone=len(run) == 1)
        span = run[0 if named else -1].start, run[-1].end
        if (
            (named or first)
            and not any(start < span[1] and span[0] < end for start, end in edges)
            and _neighbour(text, span, edges)
            or len(run) == 1
            and _is_between(text, run[0], edges)
        ):
            yield span


def _neighbour(text: str, span: tuple[int, int], edges: Sequence[tuple[int, int]]) -> bool:
    gaps = [(end, span[0]) for _, end in edges] + [(span[1], start) for start, _ in edges]
    return any(0 < end - start < _REACH and _joins(text[start:end]) for start, end in gaps)


def _joins(gap: str) -> bool:
    if note := _NOTE.match(gap):
        gap = gap[note.end() :]
    return gap not in ("", " ") and bool(_BETWEEN.fullmatch(gap))


def _is_between(text: str, word: Word, edges: Sequence[tuple[int, int]]) -> bool:
    """Ana, Bo, Chidi: a first name that may be a word, with people and nothing but commas on both sides."""
    if not is_first(word.lower) or word.lower in STOP or is_thing(word.lower) or not word.text.istitle():
        return False
    left = any(text[end : word.start] == ", " for _, end in edges)
    return left and any(text[word.end : start] in (", ", ", and ", " and ") for start, _ in edges)


_AND = re.compile(r" (?:and|&|und|et|y|e|i|en) $")


_AND_BEHIND = re.compile(r" (?:and|&|und|et|y|e|i|en) (?=[A-Z])")
"""Horst und Gisela Wachowiak"""
_ARE = re.compile(r" (?:were|are|have|both|went|came|live|lived|said|say)\b")
"""Kayden and Ruby were running."""
_GOES_ON = re.compile(r",? (?:and|&|und|et|y|e|i|en) [A-Z][a-z]")


def _is_joined_first(text: str, word: Word, *, alone: bool) -> bool:
    """Otto & Iris, Riera and Acedo: a name that may be a word, joined to a person by more than a comma.

    Behind another word in capitals, `Eheleute Horst und Gisela`, only what follows can join it.
    """
    named = is_core_first(word.lower) or is_surname(word.lower) and not is_common(word.lower)
    thing = is_thing(word.lower) and not _ARE.match(text, word.end)
    plain = word.text.istitle() and named and not thing
    behind = alone and (
        _AND.search(text, max(0, word.start - 5), word.start)
        or (text[word.start - 2 : word.start] == ", " and _GOES_ON.match(text, word.end))
    )
    joined = behind or _AND_BEHIND.match(text, word.end)
    return plain and word.lower not in STOP and bool(joined)


def _is_first(word: Word) -> bool:
    """Kit: a word and a first name."""
    return is_first(word.lower) and word.text.istitle() and word.lower not in STOP


def _may_be_name(word: Word) -> bool:
    plain = word.capital and not word.camel and not word.shout and len(word.text) > 1
    barred = around()["organizations"] | around()["places"] | around()["calendar"]
    return plain and not is_common(word.lower) and not is_thing(word.lower) and word.lower not in barred


def among_products(text: str) -> list[tuple[int, int]]:
    """Spans of lists (`Jenkins, Travis and Kafka`) of which at least two items, and half of all, are products."""
    spans = []
    for match in _LIST.finditer(text):
        items = re.findall(r"[A-Z][\w.+#]*", match.group())
        known = sum(item.lower().rstrip(".") in word_list("products") for item in items)
        known += sum(item.lower() in brands() for item in items) if known else 0
        if known >= _ENOUGH and 2 * known >= len(items):
            spans.append(match.span())
    return spans
