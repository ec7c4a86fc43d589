"""How Russian surnames and patronymics decline, both ways: nominative → case, and any form → nominatives.

The tables follow the rules of the reference grammar; dictionary surnames that break them come from pymorphy3.
Analysis is declension run backwards, so that the two can never disagree.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from gateway.detect.russian.words import CASES, inflected, known, plain, readings, surnames

_OV = re.compile(r".(?:ов|ев|ёв|ин|ын)$")
_OVA = re.compile(r".(?:ов|ев|ёв|ин|ын)а$")
_ADJ_MASC = re.compile(r"(?:[сц]к(?:ий|ой)|..ый|..[^аеёиоуыэюя]ой|.[гкхжшщчн]ий)$")
_ADJ_FEMN = re.compile(r"..(?:ая|яя)$")
_FIXED = re.compile(r"(?:[оеиуюэы]|[иы]х|[ауи]а)$")
_PATR_MASC = re.compile(r"^[а-яё]{2,}(?:[оеё]вич|ьич|[кмтвндс]ич|[аыие]ич|[ыа]ч)$")
_PATR_FEMN = re.compile(r"^[а-яё]{2,}(?:[оеё]вна|ична|инична|анна)$")
_STRESSED = ("ильич", "кузьмич", "лукич", "фомич")
_ENDINGS = ("", "а", "я", "ь", "й", "ий", "ый", "ой", "ая", "яя")
_CASE_ENDINGS = frozenset(
    [
        "а",
        "у",
        "ым",
        "е",
        "ой",
        "ою",
        "ого",
        "ому",
        "им",
        "ом",
        "ем",
        "ая",
        "ую",
        "ей",
        "ею",
        "я",
        "ю",
        "ы",
        "и",
        "ий",
        "ый",
        "яя",
        "юю",
        "его",
        "ему",
    ]
)
_SOFT_OM = "жшчщц"
_HUSH = "гкхжшчщ"

Forms = dict[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A word form read as one part of a name. `rank` is 0 for the most natural reading, larger is less so."""

    lemma: str
    gender: str
    case: str
    rank: float


def _forms(stem: str, endings: str) -> Forms:
    return {case: stem + ending.strip("-") for case, ending in zip(CASES, endings.split(), strict=True)}


def _fixed(word: str) -> Forms:
    return dict.fromkeys(CASES, word)


def noun_forms(word: str) -> Forms:
    """A noun in -а, -я, a consonant, -ь or -й as a name declines it; other endings stay as they are."""
    stem, last = word[:-1], word[-1]
    if last == "а":
        return _forms(stem, f"а {'и' if stem[-1:] in _HUSH else 'ы'} е у {'ей' if stem[-1:] in _SOFT_OM else 'ой'} е")
    if last == "я":
        return _forms(stem, "я и и ю ей и" if stem[-1:] == "и" else "я и е ю ей е")
    if last in "ьй":
        return _forms(stem, f"{last} я ю я ем {'и' if stem[-1:] == 'и' else 'е'}")
    if last in "бвгджзклмнпрстфхцчшщ":
        return _forms(word, f"- а у а {'ем' if last in _SOFT_OM else 'ом'} е")
    return _fixed(word)


def _adjective_forms(word: str, gender: str) -> Forms:
    stem, ending = word[:-2], word[-2:]
    soft = ending in ("яя",) or (ending == "ий" and stem[-1] == "н")
    if gender == "femn":
        return _forms(stem, "яя ей ей юю ей ей" if soft else "ая ой ой ую ой ой")
    if soft:
        return _forms(stem, "ий его ему его им ем")
    narrow = stem[-1] in _HUSH
    return _forms(stem, f"{ending} ого ому ого {'им' if narrow else 'ым'} ом")


@lru_cache(maxsize=4096)
def _is_fixed(word: str) -> bool:
    found = [reading for reading in readings(word) if "Surn" in reading.marks] if known(word) else []
    return bool(found) and all("Fixd" in reading.marks for reading in found)


def surname_forms(lemma: str, gender: str) -> tuple[Forms, float] | None:
    """The six forms of a surname in the nominative and the rank of its paradigm; None if no such nominative exists."""
    if len(lemma) < 2:
        return None
    if gender == "masc":
        if _OV.search(lemma):
            return _forms(lemma, "- а у а ым е"), 0
        if _OVA.search(lemma):
            return None
        if _ADJ_MASC.search(lemma):
            return _adjective_forms(lemma, "masc"), 0 if lemma[-4:-2] in ("ск", "цк") else 1
    else:
        if _OVA.search(lemma):
            return _forms(lemma[:-1], "а ой ой у ой ой"), 0
        if _ADJ_FEMN.search(lemma):
            return _adjective_forms(lemma, "femn"), 0 if lemma[-4:-2] in ("ск", "цк") else 1
        if _OV.search(lemma):
            return _fixed(lemma), 3  # `Рената Литвин`: a foreign surname that only ends like a Russian one
        if _ADJ_MASC.search(lemma):
            return None
    if _FIXED.search(lemma) or (lemma[-1] in "ая" and _is_fixed(lemma)):
        return _fixed(lemma), 0 if lemma.endswith(("ко", "их", "ых")) else 2
    if gender == "femn" and lemma[-1] not in "ая":
        return _fixed(lemma), 1
    return noun_forms(lemma), 1


def _nominatives(word: str) -> set[str]:
    found = {word}
    for cut in (1, 2, 3):
        if len(word) - cut >= 2 and word[-cut:] in _CASE_ENDINGS:
            found.update(word[:-cut] + ending for ending in _ENDINGS)
    return found


@lru_cache(maxsize=8192)
def read_surname(word: str) -> tuple[Reading, ...]:
    """Every way to read a word form (any letter case) as a surname, best rank first."""
    word = word.lower()
    found: list[Reading] = []
    for lemma in _nominatives(word):
        for gender in ("masc", "femn"):
            if entry := surname_forms(lemma, gender):
                forms, rank = entry
                found.extend(_rank(word, lemma, gender, case, rank) for case in CASES if forms[case] == word)
    found.extend(_dictionary(word))
    return tuple(sorted(found, key=lambda reading: (reading.rank, CASES.index(reading.case), reading.gender)))


def _rank(word: str, lemma: str, gender: str, case: str, rank: float) -> Reading:
    if rank and lemma != word:
        rank += 1
    if plain(_masculine(lemma, gender)) in surnames():
        rank -= 1.5
    return Reading(lemma, gender, case, rank)


def _dictionary(word: str) -> list[Reading]:
    """Surnames that are a dictionary noun with a fleeting vowel or another irregular stem (`Зайца`, `Соловья`)."""
    if not known(word):
        return []
    return [
        Reading(reading.lemma, "masc", reading.case, -0.5)
        for reading in readings(word)
        if reading.pos == "NOUN"
        and {"anim"} <= reading.marks
        and not {"Name", "Patr", "Fixd"} & reading.marks
        and reading.number == "sing"
        and reading.gender == "masc"
        and reading.case in CASES
        and not _OV.search(reading.lemma)
        and noun_forms(reading.lemma)[reading.case] != word
    ]


def _masculine(lemma: str, gender: str) -> str:
    if gender == "femn" and _OVA.search(lemma):
        return lemma[:-1]
    if gender == "femn" and lemma.endswith("ая"):
        return lemma[:-2] + ("ий" if lemma[-4:-2] in ("ск", "цк") else "ый")
    return lemma


def decline_surname(lemma: str, gender: str, case: str) -> str | None:
    """A surname given in the nominative, in `case`; a double one part by part. None when no rule fits."""
    first, dash, second = lemma.partition("-")
    if dash:
        head = first if gender == "masc" and not _declines_in_front(first) else decline_surname(first, gender, case)
        tail = decline_surname(second, gender, case)
        return f"{head}-{tail}" if head and tail else None
    regular = surname_forms(lemma, gender)
    if regular is None:
        return None
    if regular[1] == 1 and gender == "masc" and (form := inflected(lemma, "anim", gender, case)):
        return form
    return regular[0][case]


def _declines_in_front(first: str) -> bool:
    """`Новикова-Прибоя` but `Бой-Жуковского`: the first half declines if it is a surname of its own by its ending."""
    return bool(_OV.search(first) or _ADJ_MASC.search(first) or first.endswith(("а", "я")))


def patronymic_forms(lemma: str, gender: str) -> Forms | None:
    """The six forms of a patronymic given in the nominative; None if it is none."""
    if gender == "masc" and _PATR_MASC.search(lemma):
        return _forms(lemma, "- а у а ом е" if lemma in _STRESSED else "- а у а ем е")
    if gender == "femn" and _PATR_FEMN.search(lemma):
        return _forms(lemma[:-1], "а ы е у ой е")
    return None


@lru_cache(maxsize=4096)
def read_patronymic(word: str) -> tuple[Reading, ...]:
    """Every way to read a word form as a patronymic."""
    word = word.lower()
    found: list[Reading] = []
    for lemma in _nominatives(word):
        for gender in ("masc", "femn"):
            if forms := patronymic_forms(lemma, gender):
                rank = -1 if re.search(r"(?:[оеё]вич|[кмтвндсь]ич|[оеё]вна|ична)$", lemma) else 0
                found.extend(Reading(lemma, gender, case, rank) for case in CASES if forms[case] == word)
    return tuple(sorted(found, key=lambda reading: (reading.rank, CASES.index(reading.case))))
