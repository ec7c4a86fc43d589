"""Values that run over from one text block into the next: providers join the blocks, so they are looked at joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from gateway.detect.entity import Entity
from gateway.mask import Finder

_REACH = 80
"""Characters on either side of a seam."""


def on_seams(texts: Sequence[str], goes_on: Sequence[bool], detector: Finder) -> list[list[Entity]]:
    """For each text its parts of such values; `goes_on` says which texts continue the one before."""
    found: list[list[Entity]] = [[] for _ in texts]
    for run in _runs(goes_on):
        borders = [0, *accumulate(len(texts[at]) for at in run)]
        for entity in _crossing("".join(texts[at] for at in run), borders[1:-1], detector):
            for at, (start, end) in zip(run, pairwise(borders), strict=True):
                if entity.start < end and start < entity.end:
                    found[at] += _part(texts[at], entity, max(0, entity.start - start), min(end, entity.end) - start)
    return found


def _runs(goes_on: Sequence[bool]) -> Iterator[range]:
    """The places of two and more texts that are read as one."""
    starts = [at for at, more in enumerate(goes_on) if not (at and more)]
    return (range(start, end) for start, end in pairwise([*starts, len(goes_on)]) if end - start > 1)


def _crossing(text: str, seams: Sequence[int], detector: Finder) -> Iterator[Entity]:
    """What stands over a seam, once, however many it stands over."""
    for seam in sorted(set(seams)):
        head, tail = _last_words(text, seam), _first_words(text, seam)
        for one in detector.find(head + tail) if head and tail else ():
            start, end = one.start + seam - len(head), one.end + seam - len(head)
            if start < seam < end and not any(start < other < seam for other in seams):
                yield replace(one, start=start, end=end)


def _last_words(text: str, end: int) -> str:
    return text[:end] if end <= _REACH else text[end - _REACH : end].partition(" ")[2]


def _first_words(text: str, start: int) -> str:
    return text[start:] if len(text) - start <= _REACH else text[start : start + _REACH].rpartition(" ")[0]


def _part(text: str, entity: Entity, start: int, end: int) -> list[Entity]:
    part = text[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    if not any(char.isalnum() for char in text[start:end]):
        return []
    return [replace(entity, start=start, end=end, text=text[start:end], checked=False, key="", form="")]
