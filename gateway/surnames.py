"""The surname of a full name that a conversation has shown, where it stands alone in another text.

A detector sees one text: `Thornbury` in the arguments of a tool says nothing, but much after Margaret Thornbury.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gateway.detect.entity import Entity

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SHORTEST = 4


@lru_cache(maxsize=8192)
def surnames_of(name: str) -> tuple[str, ...]:
    """The words of a name of two words and more that are no first name, town, product or word of the language."""
    words = _WORD.findall(name)
    if len(words) < 2:
        return ()
    return tuple(word for word in words if len(word) >= _SHORTEST and word[0].isupper() and _is_surname(word.lower()))


def person_of(text: str, start: int, end: int) -> Entity:
    """A surname as a person of its own: who of a family is meant, nobody knows."""
    name = text[start:end]
    if not _is_cyrillic(name):
        return Entity("PERSON", start, end, name, 0.9, "surname of a person")
    from gateway.detect.russian.morph import person_key

    key, form, gender = person_key(name)
    return Entity("PERSON", start, end, name, 0.9, "surname of a person", key=key, form=form, gender=gender)


def _is_surname(word: str) -> bool:
    if not _is_cyrillic(word):
        from gateway.detect.names.lists import is_common, is_thing, strong_first

        return not (is_common(word) or is_thing(word) or strong_first(word))
    try:
        from gateway.detect.russian.traits import traits
    except ImportError:  # without the extra there is no Russian detection either
        return False
    found = traits(word)
    return found.surname > 0 and not (found.first or found.patronymic or found.place or found.role)


def _is_cyrillic(word: str) -> bool:
    return any("\u0400" <= char <= "\u04ff" for char in word)
