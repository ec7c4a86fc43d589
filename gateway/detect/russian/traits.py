"""What a single Russian word can be inside a name: first name, patronymic, surname, or a plain word."""

import re
from dataclasses import dataclass
from functools import lru_cache

from gateway.detect.russian.declension import noun_forms, read_patronymic, read_surname
from gateway.detect.russian.lists import listed
from gateway.detect.russian.words import common_weight, first_name, first_names, known, plain, readings, surnames

_SURNAME_END = re.compile(
    r"[а-яё]{2}(?:[оеё]в|[иы]н|[сц]к(?:ий|ой)|[сц]кая|енко|[ую]к|ян|янц"
    r"|дзе|швили|ых|их|евич|ович|ч[еу]к|айло|ава|иа|[оеё]ва|[иы]на)$"
)

VOWEL = re.compile("[аеёиоуыэюя]", re.IGNORECASE)
"""No name is without one: `Дт 20 Кт 60`."""
ROLES = listed("roles")
"""Words in front of a name that are no part of it, though some are surnames too."""


@dataclass(frozen=True, slots=True)
class Traits:
    """`surname` is 2 for an unmistakable one, 1 for a possible one, 0 for none; `common` is 0..1."""

    first: bool
    patronymic: bool
    surname: int
    common: float
    role: bool
    verb: bool
    place: bool


@lru_cache(maxsize=16384)
def traits(word: str) -> Traits:
    """The traits of a word form; the case of its letters does not matter."""
    word = word.lower()
    common = common_weight(word)
    found = readings(word)
    lemmas = {reading.lemma for reading in found}
    return Traits(
        first=_is_first(word, common),
        patronymic=bool(read_patronymic(word)) and common < 0.5,
        surname=_surname(word, common),
        common=common,
        role=bool(ROLES & (lemmas | {word})) and not first_name(word),
        verb=known(word)
        and found[0].pos in ("VERB", "INFN", "PRTS", "GRND", "ADVB", "PREP", "CONJ", "PRCL", "NPRO", "INTJ", "PRED"),
        place=any("Geox" in reading.marks for reading in found) if known(word) else False,
    )


def _is_first(word: str, common: float) -> bool:
    if len(word) < 2:
        return False
    if "-" in word:
        return not (known(word) and common > 0.5) and all(_is_first(half, common) for half in word.split("-") if half)
    if first_name(word):
        return True
    return common == 0.0 and (plain(word) in first_names() or (not known(word) and _is_form_of_first(plain(word))))


def _is_form_of_first(word: str) -> bool:
    """`толяну`, `катюхой`: a case of a name that only the lists hold; or one with an ending of endearment."""
    stems = (word[:-1], word[:-2])
    names = (stem + ending for stem in stems for ending in ("", "а", "я") if len(stem) > _STEM)
    return _is_fond(word) or any(name in first_names() and word in noun_forms(name).values() for name in names)


_STEM = 3
_FOND = re.compile(r"(?P<stem>[а-яё]{3,}?)(?:[юу]шк|[ео]ньк|[ое]чк|(?P<short>к))(?:а|и|е|у|ой)$")


def _is_fond(word: str) -> bool:
    """`Глебушка`, `Артёмка`: a first name with an ending of endearment that no dictionary holds."""
    match = _FOND.match(word)
    if match is None:
        return False
    stem = match["stem"]
    return any(stem + ending in first_names() for ending in ("", *(() if match["short"] else "аяй")))


def _surname(word: str, common: float) -> int:
    if "-" in word:
        halves = [_surname(half, common_weight(half)) for half in word.split("-") if half]
        return max(halves) if len(halves) == 2 and all(len(half) > 1 for half in word.split("-")) else 0
    if len(word) < 2 or not VOWEL.search(word):
        return 0
    if known(word) and any("Surn" in reading.marks for reading in readings(word)):
        return 2 if common < 0.6 else 1
    found = read_surname(word)
    listed = plain(word) in surnames() or any(
        plain(reading.lemma) in surnames() or reading.rank < 0 for reading in found[:8]
    )
    if known(word):
        return 1 if listed or any(reading.rank <= 0 and _SURNAME_END.search(reading.lemma) for reading in found) else 0
    ending = any(_SURNAME_END.search(reading.lemma) for reading in found if reading.rank <= 1)
    return 2 if ending or listed else 1
