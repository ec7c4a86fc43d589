"""One sentence as the judges of names see it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.detect.names.tokens import Word

Span = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Scene:
    """What surrounds the runs of one sentence: its language, the recogniser's labels, and its text."""

    text: str
    language: str
    labels: Sequence[Span]
    start: int
    end: int
    shouting: bool = False
    guest: bool = False
    """A stretch of Latin words in a sentence of another script."""

    def label(self, word: Word) -> str:
        """The label over a word, or nothing."""
        return next((label for start, end, label in self.labels if start <= word.start and word.end <= end), "")
