"""Values that run over from one text block into the next: providers join the blocks, so they are looked at joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gateway.detect.entity import Entity
from gateway.mask import Finder

_REACH = 80
"""Characters on either side of a seam."""


def on_seams(texts: Sequence[str], goes_on: Sequence[bool], detector: Finder) -> list[list[Entity]]:
    """For each text its parts of such values; `goes_on` says which texts continue the one before."""
    found: list[list[Entity]] = [[] for _ in texts]
    for at in range(1, len(texts)):
        if goes_on[at]:
            for left, right in _across(texts[at - 1], texts[at], detector):
                found[at - 1] += left
                found[at] += right
    return found


def _across(left: str, right: str, detector: Finder) -> list[tuple[list[Entity], list[Entity]]]:
    head, tail = _last_words(left), _first_words(right)
    border, shift = len(head), len(left) - len(head)
    crossing = [one for one in detector.find(head + tail) if one.start < border < one.end]
    return [
        (_part(left, one, one.start + shift, len(left)), _part(right, one, 0, one.end - border)) for one in crossing
    ]


def _last_words(text: str) -> str:
    return text if len(text) <= _REACH else text[-_REACH:].partition(" ")[2]


def _first_words(text: str) -> str:
    return text if len(text) <= _REACH else text[:_REACH].rpartition(" ")[0]


def _part(text: str, entity: Entity, start: int, end: int) -> list[Entity]:
    part = text[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    if not any(char.isalnum() for char in text[start:end]):
        return []
    return [replace(entity, start=start, end=end, text=text[start:end], checked=False, key="", form="")]
