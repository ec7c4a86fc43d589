"""The shape that every generated corpus shares, so that one bench measures them all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its personal data: (type, start, end) in code points, sorted, without overlaps."""

    text: str
    values: tuple[tuple[str, int, int], ...]


class Corpus(Protocol):
    """A module (corpus_en, corpus_ru) that builds documents; the same seed gives the same documents."""

    def documents(self, n: int, seed: int) -> Iterator[Document]:
        """Yield `n` documents."""
        ...


class Builder:
    """Writes a document piece by piece and remembers where the values stand."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._values: list[tuple[str, int, int]] = []
        self._length = 0

    def add(self, text: str) -> "Builder":
        """Plain text."""
        self._parts.append(text)
        self._length += len(text)
        return self

    def value(self, entity_type: str, text: str) -> "Builder":
        """A value that must not stay in clear."""
        self._values.append((entity_type, self._length, self._length + len(text)))
        return self.add(text)

    def build(self) -> Document:
        """The finished document."""
        return Document("".join(self._parts), tuple(self._values))
