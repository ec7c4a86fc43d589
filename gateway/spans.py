"""Spans of one text: cut around placeholders, joined where they overlap, moved between masked and original text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gateway.detect.entity import Entity
from gateway.known import PART, Known
from gateway.placeholder import ending_after
from gateway.surnames import person_of
from gateway.vault import Vault, identity


@dataclass(frozen=True, slots=True)
class MaskedEntity:
    """One replaced value: `start` and `end` are code points of the original text."""

    type: str
    start: int
    end: int
    text: str
    placeholder: str
    source: str = ""
    score: float = 1.0


def outside(text: str, entity: Entity, shaped: Sequence[tuple[int, int]]) -> list[Entity]:
    """The parts of an entity outside placeholder-shaped strings, which stay as they are."""
    pieces, start = [], entity.start
    first = bisect_left(shaped, entity.start, key=lambda span: span[1])
    last = bisect_right(shaped, entity.end, key=lambda span: span[0])
    for left, right in (*shaped[first:last], (entity.end, entity.end)):
        pieces.append((start, min(max(left, start), entity.end)))
        start = max(start, right)
    if pieces == [(entity.start, entity.end)]:
        return [entity]
    trimmed = [_trim(text, *piece) for piece in pieces]
    return [
        replace(entity, start=start, end=end, text=text[start:end], key="", form="")
        for start, end in trimmed
        if any(char.isalnum() for char in text[start:end])
    ]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end


def merge(text: str, entities: Iterable[Entity], known: Iterable[Known], vault: Vault) -> list[Entity]:
    """One list without overlaps: what touches is joined, so that nothing of either is left in clear."""
    spans = [*entities, *(_as_entity(text, hit, vault) for hit in known)]
    spans.sort(key=lambda entity: (entity.start, -entity.end, entity.source == "known"))
    merged: list[Entity] = []
    for entity in spans:
        if merged and entity.start < merged[-1].end:
            merged[-1] = _join(text, merged[-1], entity)
        else:
            merged.append(entity)
    ends = [*(entity.start for entity in merged[1:]), len(text)]
    return [_with_ending(text, entity, end) for entity, end in zip(merged, ends, strict=bool(merged))]


def _as_entity(text: str, hit: Known, vault: Vault) -> Entity:
    """The known value keeps its placeholder, unless other separators make it another string (`Ada_Vance`)."""
    owner = hit.form.owner
    if owner == PART:
        return person_of(text, hit.start, hit.end)
    bare = Entity(vault.type_of(owner), hit.start, hit.end, text[hit.start : hit.end], 1.0, "known")
    same = " ".join(bare.text.casefold().split()) == " ".join(hit.form.text.casefold().split())
    return replace(bare, key=vault.key_of(owner)) if same or identity(bare) == vault.key_of(owner) else bare


def _join(text: str, first: Entity, second: Entity) -> Entity:
    if second.end <= first.end:
        return first
    longer = first if len(first.text) >= len(second.text) else second
    return replace(longer, start=first.start, end=second.end, text=text[first.start : second.end], key="", form="")


def _with_ending(text: str, entity: Entity, limit: int) -> Entity:
    """Takes in what restoring would take off behind the placeholder as a glued ending."""
    end = entity.end
    while ending := ending_after(text[end : min(limit, end + 12)], 0):
        end += len(ending)
    return entity if end == entity.end else replace(entity, end=end, text=text[entity.start : end], key="", form="")


def shifts(entities: Sequence[MaskedEntity]) -> list[tuple[int, int, int]]:
    """For each placeholder: start and end in the masked text, and how much longer the masked text is behind it."""
    shift, places = 0, []
    for entity in entities:
        start = entity.start + shift
        shift += len(entity.placeholder) - (entity.end - entity.start)
        places.append((start, start + len(entity.placeholder), shift))
    return places


def original(places: Sequence[tuple[int, int, int]], place: int) -> int:
    """An offset of the masked text, outside placeholders, in the original text."""
    index = bisect_right(places, place, key=lambda span: span[1])
    return place - (places[index - 1][2] if index else 0)


def literal(text: str, start: int, end: int) -> Entity:
    return Entity("PLACEHOLDER", start, end, text[start:end], 1.0, "reserved", key=text[start:end])
