"""One pass decides all spans of a text: checksum, then specificity, then score, then length.

A container (a secret, an address, a URL) that covers the rest of its group wins over the parts. What a loser covers
beyond the winner stays masked, so that an overlap never opens a gap.
"""

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from gateway.detect.entity import Entity

_CONTAINERS = {
    "CUSTOM": 9,
    "SECRET": 8,
    "EMAIL_ADDRESS": 7,
    "URL": 6,
    "IBAN_CODE": 6,
    "CRYPTO": 6,
    "LOCATION": 5,
    "ADDRESS": 5,
}
_GENERAL = {
    "PERSON": 1,
    "ORGANIZATION": 0,
    "LOCATION": 0,
    "PHONE_NUMBER": 2,
    "IP_ADDRESS": 3,
    "USERNAME": 1,
    "ID_NUMBER": 2,
    "US_BANK_NUMBER": 2,
}
_SPECIFIC = 3
SURE = 0.6
_FIRM = 0.8
"""A checksum decides only beside a word or a distinctive shape: alone, one in ten digit strings passes."""
_REST = 2


def merge(candidates: Iterable[Entity]) -> list[Entity]:
    """Non-overlapping entities, sorted by start. Texts of the result are cut to their spans."""
    merged: list[Entity] = []
    for group in _groups(sorted(candidates, key=lambda e: (e.start, -e.end))):
        merged.extend(group if len(group) == 1 else _decide(group))
    return merged


def _groups(ordered: list[Entity]) -> Iterator[list[Entity]]:
    group: list[Entity] = []
    reach = -1
    for entity in ordered:
        if group and entity.start >= reach:
            yield group
            group = []
        group.append(entity)
        reach = max(reach, entity.end) if len(group) > 1 else entity.end
    if group:
        yield group


def _rank(entity: Entity) -> tuple[int, bool, int, float, int]:
    container = _CONTAINERS.get(entity.type, 0) if entity.score >= SURE else 0
    return (
        container,
        entity.checked and entity.score >= _FIRM,
        _GENERAL.get(entity.type, _SPECIFIC),
        entity.score,
        entity.end - entity.start,
    )


def _longest(group: list[Entity]) -> list[Entity]:
    """Without what a longer, sure one of the same type covers: a whole name beats the better scored half of it.

    The group is sorted by start, longest first: what covers a span stands before it, so how far each type reaches is
    enough to know. What is checked is covered by nothing unchecked.
    """
    reach: dict[tuple[str, bool], int] = {}
    kept: list[Entity] = []
    for _, same in groupby(group, key=lambda entity: (entity.start, entity.end)):
        twins = list(same)
        kept += [entity for entity in twins if reach.get((entity.type, entity.checked), -1) < entity.end]
        for entity in twins:
            for checked in (False, entity.checked) if entity.score >= SURE else ():
                reach[entity.type, checked] = max(reach.get((entity.type, checked), -1), entity.end)
    return kept


def _decide(group: list[Entity]) -> list[Entity]:
    """What is taken, without overlaps, sorted by start."""
    taken: list[Entity] = []
    for entity in sorted(_longest(group), key=_rank, reverse=True):
        for rest in _outside(entity, taken):
            if rest is entity or _worth(rest):
                insort(taken, rest, key=_start)
    return taken


def _start(entity: Entity) -> int:
    return entity.start


def _outside(entity: Entity, taken: list[Entity]) -> list[Entity]:
    """The parts of an entity that nothing taken covers."""
    parts, start = [], entity.start
    for at in range(max(0, bisect_right(taken, start, key=_start) - 1), len(taken)):
        other = taken[at]
        if other.start >= entity.end:
            break
        parts.append((start, other.start))
        start = max(start, other.end)
    parts.append((start, entity.end))
    parts = [(first, last) for first, last in parts if first < last]
    return [entity] if parts == [(entity.start, entity.end)] else [_cut(entity, *part) for part in parts]


def _cut(entity: Entity, start: int, end: int) -> Entity:
    text = entity.text[start - entity.start : end - entity.start]
    lead = len(text) - len(text.lstrip(" \t\n,;:.-/()\"'"))
    text = text.strip(" \t\n,;:.-/()\"'")
    return replace(entity, start=start + lead, end=start + lead + len(text), text=text, checked=False, key="", form="")


def _worth(rest: Entity) -> bool:
    sure = rest.score >= SURE or rest.type == "ORGANIZATION"
    return sure and sum(c.isalnum() for c in rest.text) >= _REST
