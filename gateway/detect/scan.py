"""Many patterns over one text: google-re2's Set says which can match at all, then only those run.

Patterns are written in the part of the syntax that re2 and `regex` share, so that without re2 the second takes over:
no look-around, no back-references. What a look-around would do is done after the match: `edges` names the characters
that may not stand beside the value, and `check` sees the value.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.detect.entity import Entity

_SET_BYTES = 64 << 20
"""Room for the automaton of a set. Eighty shapes of numbers fill the usual 8 MB at once, and then each text builds it anew."""
_MANY, _STRIPES = 12, 3
"""Many patterns go into a few sets: new text makes new states of an automaton, and those of one are the product of all
its patterns."""
_Part = tuple[Any, Sequence[int]]
"""A set and the indices of its patterns."""
WORD = "word"
LOOSE = "loose"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of value. A group named `v` is the value, else the whole match.

    `check` gets the value: False drops it, True keeps it as checked, None keeps it. `edges` WORD wants no letter, digit
    or underscore beside the value; LOOSE wants nothing.
    """

    type: str
    source: str
    regex: str
    score: float
    check: Callable[[str], bool | None] | None = None
    edges: str = WORD


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_NEXT_LABEL = re.compile("[A-ZА-ЯЁ][a-zа-яё]{2,14}:")
"""What follows a number where a copied form lost its line breaks: `…6789Phone:`."""


def clear_of_words(text: str, start: int, end: int) -> bool:
    """No letter, digit or underscore touches the span from outside, but for the label of the next field."""
    if start and _is_word(text[start - 1]):
        return False
    touched = end < len(text) and _is_word(text[end])
    return not touched or text[end - 1].isdigit() and bool(_NEXT_LABEL.match(text, end))


class Scanner:
    """A compiled set of patterns; calling it gives the entities of a text, overlaps included."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        self._sets, self._compiled = _compile([pattern.regex for pattern in self._patterns])
        self._groups = [compiled.groupindex.get("v", 0) for compiled in self._compiled]

    def __call__(self, text: str) -> Iterator[Entity]:
        """Yield an entity for each value."""
        for index in self._hits(text):
            pattern, group = self._patterns[index], self._groups[index]
            for match in self._compiled[index].finditer(text):
                start, end = match.span(group)
                if start < end:
                    yield from _entity(pattern, text, start, end)

    def _hits(self, text: str) -> Iterable[int]:
        count = len(self._patterns)
        return range(count) if not self._sets or count == 1 else _matches(self._sets, text)


class Gate:
    """Which of many patterns a text holds at all, in one pass and in any case: asked before a dear expression runs.

    Patterns with bounded repeats of much (`.{0,80}`) make the automaton large and slow; `.*` costs nothing.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._names = tuple(patterns)
        self._sets, self._compiled = _compile([f"(?i)(?:{expression})" for expression in patterns.values()])

    def present(self, text: str) -> list[str]:
        """The names of the patterns that match somewhere, in the order in which they were given."""
        if not self._sets:
            pairs = zip(self._names, self._compiled, strict=True)
            return [name for name, pattern in pairs if pattern.search(text)]
        return [self._names[index] for index in _matches(self._sets, text)]

    def lines(self, text: str, names: Iterable[str]) -> Iterator[tuple[int, int]]:
        """(start, end) of the lines on which one of these patterns ends, in order: elsewhere nothing dear need run."""
        compiled = [self._compiled[self._names.index(name)] for name in names]
        ends = {match.end() - 1 for pattern in compiled for match in pattern.finditer(text)}
        for start in sorted({text.rfind("\n", 0, end) + 1 for end in ends}):
            end = text.find("\n", start)
            yield start, len(text) if end < 0 else end


def _entity(pattern: Pattern, text: str, start: int, end: int) -> Iterator[Entity]:
    if pattern.edges == WORD and not clear_of_words(text, start, end):
        return
    value = text[start:end]
    verdict = pattern.check(value) if pattern.check else None
    if verdict is not False:
        score = max(pattern.score, 0.9) if verdict else pattern.score
        yield Entity(pattern.type, start, end, value, score, pattern.source, checked=bool(verdict))


def _matches(sets: Iterable[_Part], text: str) -> list[int]:
    """The indices that match, in order. The last pattern of a set matches always: without it the set ran out of memory,
    so that all may match."""
    found: list[int] = []
    for group, indices in sets:
        hits = sorted(group.Match(text) or ())
        whole = bool(hits) and hits[-1] == len(indices)
        found += [indices[hit] for hit in hits[:-1]] if whole else indices
    return sorted(found)


def _compile(expressions: list[str]) -> tuple[list[_Part], list[Any]]:
    try:
        import re2
    except ImportError:
        import regex

        return [], [regex.compile(expression) for expression in expressions]
    options = re2.Options()
    options.max_mem = _SET_BYTES
    stripes = _STRIPES if len(expressions) >= _MANY else 1
    sets: list[_Part] = []
    for indices in (range(first, len(expressions), stripes) for first in range(stripes)):
        group = re2.Set.SearchSet(options)
        for expression in (*(expressions[index] for index in indices), ""):
            group.Add(expression)
        group.Compile()
        sets.append((group, indices))
    return sets, [re2.compile(expression) for expression in expressions]
