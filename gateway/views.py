"""What a detector sees of a body: prose as it is, small fields together, each behind the name of its key.

A string that is itself a JSON document is read too: its inner strings are fields, at any depth, and it is written back
with everything around them byte for byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

from gateway.detect.entity import Entity
from gateway.documents import Field, Piece, json_fields
from gateway.errors import PayloadError
from gateway.mask import Masked
from gateway.payload import SHORTEST_NUMBER, Leaf
from gateway.pieces import rows

_NESTED = 8
_ENDS = {"{": "}", "[": "]", '"': '"'}


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of a view that may be replaced; `whole` is all or nothing, `bare` without the placeholder's brackets.

    A `piece` of a value has a placeholder of its own: equal digits in it must not look equal."""

    start: int
    end: int
    whole: bool = False
    bare: bool = False
    piece: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document in a string: its fields and where their new texts come from."""

    piece: Piece
    parts: tuple[Part, ...]


Part: TypeAlias = int | str | Document
"""The number of a slot, a text that stays, or a document."""


@dataclass(slots=True)
class View:
    """One text for the detector. `sealed` says that it leaves unchanged or not at all, `goes_on` that it is a text
    block right behind another one."""

    late: bool
    sealed: bool = False
    goes_on: bool = False
    slots: list[Slot] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        """The whole view."""
        return "\n".join(self._lines)

    def add(self, leaf: Leaf) -> Part:
        """Puts a leaf in; what is returned says how to write it."""
        head = "" if leaf.kind in ("prose", "sealed") else leaf.key  # a form's `signature:` is a person's
        if leaf.kind in ("prose", "field") and (fields := _document(leaf.text, 0)):
            return self._document(leaf.text, fields, 0)
        return self._line(leaf.text, head, leaf.kind)

    def _line(self, text: str, head: str, kind: str) -> int:
        line = f"{head}: {text}" if head else text
        end = self._length + len(line)
        self.slots.append(Slot(end - len(text), end, kind in ("name", "number"), kind == "name"))
        self._lines.append(line)
        self._length = end + 1
        return len(self.slots) - 1

    def pieces(self, texts: Sequence[str], between: str) -> list[Part]:
        """Puts the pieces of one value in, as one line."""
        first, place = len(self.slots), self._length
        for text in texts:
            self.slots.append(Slot(place, place + len(text), whole=True, piece=True))
            place += len(text) + len(between)
        self._lines.append(between.join(texts))
        self._length += len(self._lines[-1]) + 1
        return list(range(first, len(self.slots)))

    def _document(self, raw: str, fields: Sequence[Field], depth: int) -> Document:
        parts: dict[int, Part] = {}
        for run, between in rows([(one.container, one.key, one.text) for one in fields]):
            parts.update(zip(run, self.pieces([fields[at].text for at in run], between), strict=True))
        for at, one in enumerate(fields):
            if at not in parts:
                parts[at] = self._inner(one, depth + 1)
        return Document(Piece(raw, tuple(fields)), tuple(parts[at] for at in range(len(fields))))

    def _inner(self, one: Field, depth: int) -> Part:
        if not one.text or (one.kind == "number" and len(one.text) < SHORTEST_NUMBER):
            return one.text
        if one.kind == "string" and (fields := _document(one.text, depth)):
            return self._document(one.text, fields, depth)
        return self._line(one.text, one.key, one.kind)

    def shape(self, spans: list[Entity]) -> list[Entity]:
        """Spans cut to the slots that they touch."""
        if not spans or (len(self.slots) == 1 and self.slots[0] == Slot(0, self._length - 1)):
            return spans
        text = self.text
        starts = [slot.start for slot in self.slots]
        cut: list[Entity] = []
        for entity in spans:
            for slot in self.slots[max(0, bisect_right(starts, entity.start) - 1) :]:
                if slot.start >= entity.end:
                    break
                piece = _cut(text, entity, slot)
                if piece and not (cut and cut[-1].end >= piece.end):
                    cut.append(piece)
        return cut

    def written(self, masked: Masked) -> list[str]:
        """The new text of each slot."""
        text, entities = self.text, iter(masked.entities)
        entity = next(entities, None)
        texts = []
        for slot in self.slots:
            parts: list[str] = []
            done = slot.start
            while entity is not None and entity.start < slot.end:
                placeholder = entity.placeholder[1:-1] if slot.bare else entity.placeholder
                parts += (text[done : entity.start], placeholder)
                done = entity.end
                entity = next(entities, None)
            texts.append("".join((*parts, text[done : slot.end])))
        return texts


def write(part: Part, texts: Sequence[str]) -> str:
    """The new text of a leaf."""
    if isinstance(part, int):
        return texts[part]
    if isinstance(part, str):
        return part
    return part.piece.with_texts([write(inner, texts) for inner in part.parts])


def _cut(text: str, entity: Entity, slot: Slot) -> Entity | None:
    start, end = max(entity.start, slot.start), min(entity.end, slot.end)
    if start >= end:
        return None
    if slot.whole:
        start, end = slot.start, slot.end
    if (start, end) == (entity.start, entity.end):
        return entity
    if not any(char.isalnum() for char in text[start:end]):
        return None
    key = f"{_named(entity.text)}:{start - entity.start}" if slot.piece else ""
    return replace(entity, start=start, end=end, text=text[start:end], key=key, form="")


@lru_cache(maxsize=16)
def _named(text: str) -> str:
    """A short name of a value that has many pieces."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _document(text: str, depth: int) -> list[Field]:
    """The fields of a string that is a JSON document, none for any other string."""
    bare = text.strip()
    if len(bare) < 2 or _ENDS.get(bare[0]) != bare[-1]:
        return []
    if depth >= _NESTED:
        raise PayloadError(f"JSON is nested in strings deeper than {_NESTED} times; it cannot be masked")
    try:
        return list(json_fields(text))
    except PayloadError:
        return []
    except RecursionError:
        raise PayloadError("a string holds JSON that is nested too deep; it cannot be masked") from None
