"""Surnames inside terms: `кот Шрёдингера`, `проба Манту`, `мазок по Граму`, `формула Ньютона — Лейбница`."""

import re
from functools import cache, lru_cache

from gateway.detect.russian.declension import decline_surname
from gateway.detect.russian.government_words import GENITIVE_NOUNS
from gateway.detect.russian.lists import listed
from gateway.detect.russian.words import known, plain, readings

_FIRST_OF_TWO = re.compile(r"[А-ЯЁ][а-яё]+ ?[—–-] ?$")
_HEAD = re.compile(r"([А-ЯЁа-яё]+)(?: [а-яё]+(?:ого|его|ой|ей|ый|ий|ая|яя|ое|ее))? $")
_SCIENCE = re.compile(
    r"(?:симптом|синдром|болезн|закон|формул|теорем|уравнени|проб|реакци|метод|эффект|опыт|критери|тест|правил|неравенств"
    r"|алгоритм|распределени|преобразовани)[а-яё]{0,3} $",
    re.IGNORECASE,
)
_BEASTS = frozenset(("кот", "кошка", "собака", "демон"))
"""Of thought experiments and of laboratories; other living beings have owners."""
_ALONG = "по"


@cache
def _forms() -> dict[str, frozenset[str]]:
    """The genitives, and the datives behind `по`, of all surnames that name terms."""
    names = listed("eponyms")
    return {
        case: frozenset(plain(form) for name in names if (form := decline_surname(name, "masc", case)))
        for case in ("gent", "datv")
    }


def names_a_term(left: str, word: str) -> bool:
    """Whether `word` behind the text `left` is the eponym of a term: a thing that nobody owns stands before it."""
    word = plain(word)
    if first := _FIRST_OF_TWO.search(left):
        left = left[: first.start()]
        if _SCIENCE.search(left):
            return True
    head = _HEAD.search(left)
    if head is None:
        return False
    if head[1].lower() == _ALONG:
        return word in _forms()["datv"]
    return word in _forms()["gent"] and _is_thing(head[1].lower())


@lru_cache(maxsize=1024)
def _is_thing(word: str) -> bool:
    """A noun that is nobody and that clients do not have (`двигатель`, but no `договор`)."""
    found = [reading for reading in readings(word) if reading.pos == "NOUN"] if known(word) else []
    if not found or found[0].lemma in GENITIVE_NOUNS:
        return False
    return found[0].lemma in _BEASTS or any("inan" in reading.marks for reading in found)
