"""Reading a Russian personal name: which word is what, and the gender and case that all its words agree on."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from gateway.detect.russian.declension import Reading, noun_forms, read_patronymic, read_surname
from gateway.detect.russian.lists import listed
from gateway.detect.russian.words import CASES, Word, first_name, first_names, is_rare_twin, plain, readings, surnames

TOKEN = re.compile(r"[А-ЯЁа-яё]\.|[А-ЯЁа-яё]+(?:['’][А-ЯЁа-яё]+)?(?:-[А-ЯЁа-яё]+)*")
PARTICLES = frozenset(["оглы", "оглу", "кызы", "кизи", "гызы", "гизы", "улы", "уулу", "угли"])
"""Turkic words after a father's name; they make it a patronymic and do not decline."""
_NOBLE = frozenset(["фон", "ван", "дер", "де", "дель", "ди", "да", "ла", "ибн", "бин", "аль", "эль"])
"""Words before a surname that do not decline and tell nobody apart."""
_ORDERS = {
    1: ("F", "S", "P"),
    2: ("FP", "FS", "SF"),
    3: ("FPS", "SFP", "FFS", "SFF", "FSS", "SSF", "FSP"),
    4: ("FSSP", "SSFP", "FPSS", "SFFP"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One word of a name: `role` is F, P, S (first name, patronymic, surname) or I (initial), `at` its span."""

    role: str
    at: tuple[int, int]
    lemma: str


@dataclass(frozen=True, slots=True)
class Person:
    """One consistent reading of a whole name. `gender` is empty where the name does not tell."""

    parts: tuple[Part, ...]
    gender: str
    case: str
    rank: float

    @property
    def key(self) -> str:
        """`gender/first/patronymic/surname`, lower case, ё as е; initials keep their point."""
        return f"{self.gender}/{_names(self.parts)}"


@lru_cache(maxsize=4096)
def _names(parts: tuple[Part, ...]) -> str:
    slots: dict[str, list[str]] = {"F": [], "P": [], "S": []}
    for part in parts:
        slot = part.role if part.role != "I" else "P" if slots["F"] else "F"
        slots[slot].append(_one_adjective(plain(part.lemma)))
    return "/".join(" ".join(slots[slot]) for slot in "FPS")


def _one_adjective(lemma: str) -> str:
    """`Толстого` does not tell `Толстой` from `Толстый`: both spellings of such a surname are one in a key."""
    if len(lemma) > 4 and lemma.endswith("ой") and lemma[-3] not in "аеиоуыэюя":
        return lemma[:-2] + ("ий" if lemma[-3] in "гкхжшчщ" else "ый")
    return lemma


@lru_cache(maxsize=8192)
def read_first(word: str) -> tuple[Reading, ...]:
    """Every way to read a word form as a first name: the dictionary first, then lists and endings."""
    if "-" in word:
        return _read_double_first(word)
    if found := first_name(word):
        rarer = 3.0 if _is_rather_surname(word, found) else 0.0
        return tuple(
            Reading(reading.lemma, gender, reading.case, rarer + (1.5 if is_rare_twin(reading, found) else 0))
            for reading in found
            if reading.case in CASES
            for gender in (_GENDERS if plain(reading.lemma) in _EITHER else (reading.gender,))
            if gender in _GENDERS
        )
    return tuple(_guess_first(word.lower()))


_GENDERS = ("masc", "femn")
_EITHER = listed("either_names")
"""Short names that men and women share."""


_SURNAME_LIKE = re.compile(r"(?:[оеё]ва?|[иы]на?|ск(?:ий|ая))$")


def _is_rather_surname(word: str, found: tuple[Word, ...]) -> bool:
    """`Ильина` is a rare first name of the dictionary, and the surname of many."""
    genders = {reading.gender for reading in found}  # `Регина` is a name though a form of the surname `Регин` too
    surname = sum(r.score for r in readings(word) if "Surn" in r.marks and r.gender in genders)
    return surname >= sum(reading.score for reading in found) and bool(_SURNAME_LIKE.search(word.lower()))


def _guess_first(word: str) -> Iterator[Reading]:
    listed = first_names()
    for lemma in {word} | {word[:-cut] + end for cut in (1, 2) for end in ("", "а", "я", "й", "ь") if len(word) > 3}:
        if len(lemma) < 2:
            continue
        rank = 0.5 if plain(lemma) in listed and not _SURNAME_LIKE.search(lemma) else 3
        genders = ("femn", "masc") if lemma[-1] in "аяоеиуюэыь" else ("masc",)
        forms = noun_forms(lemma)
        for gender in genders:
            rarer = rank + (lemma[-1] in "ая" and gender == "masc")
            yield from (Reading(lemma, gender, case, rarer) for case in CASES if forms[case] == word)


def _read_double_first(word: str) -> tuple[Reading, ...]:
    """`Анна-Мария`, `Жан-Поля`: both halves, or only the second one, in the case."""
    head, _, tail = word.lower().partition("-")
    second = [reading for reading in read_first(tail) if reading.rank < 3]
    found = []
    for first, last in product(read_first(head), second):
        if first.case == last.case or (last.gender == "masc" and first.lemma == head):
            found.append(Reading(f"{first.lemma}-{last.lemma}", last.gender, last.case, first.rank + last.rank))
    return tuple(dict.fromkeys(found))


def _read_double_surname(word: str) -> tuple[Reading, ...]:
    head, _, tail = word.lower().rpartition("-")
    found = []
    for first, last in product(read_surname(head), read_surname(tail)):
        declined = first.gender == last.gender and first.case == last.case
        frozen = first.lemma == head and first.case == "nomn" and first.gender == "masc" == last.gender
        if declined or (frozen and last.case != "nomn"):
            lemma = f"{first.lemma}-{last.lemma}"
            found.append(Reading(lemma, last.gender, last.case, first.rank + last.rank + (0 if declined else 0.5)))
    return tuple(dict.fromkeys(found))


def _read(role: str, word: str) -> tuple[Reading, ...]:
    if role == "F":
        return read_first(word)
    if role == "P":
        return read_patronymic(word)
    return _read_double_surname(word) if "-" in word else read_surname(word)


def tokens(name: str) -> list[tuple[int, int]]:
    """The spans of words and initials (`И.`) inside a name."""
    return [match.span() for match in TOKEN.finditer(name)]


@lru_cache(maxsize=4096)
def read_person(name: str) -> tuple[Person, ...]:
    """All consistent readings of a name, only those of the best rank; empty for what is no Russian name."""
    people = read_widely(name)
    top = _best_rank(people) + _TOLERANCE
    return tuple(person for person in people if person.rank <= top)


_TOLERANCE, _RARER = 0.2, 2.0
"""How much worse than the best reading one may be, among those that count and among the rarer ones."""


@lru_cache(maxsize=4096)
def read_widely(name: str) -> tuple[Person, ...]:
    """The consistent readings with the rarer ones, best first."""
    spans = tokens(name)
    words = [
        (start, end) for start, end in spans if not name[start:end].endswith(".") and name[start:end] not in _NOBLE
    ]
    initials = [Part("I", (start, end), name[start:end]) for start, end in spans if name[start:end].endswith(".")]
    particles = [Part("P", span, name[span[0] : span[1]]) for span in words if _is_particle(name, span)]
    words = [span for span in words if not _is_particle(name, span)]
    if particles and len(words) >= 2:  # the word before the particle is the father's name and does not decline
        father = words.pop()
        particles.insert(0, Part("P", father, name[father[0] : father[1]]))
    orders = ("S", "F") if initials and len(words) == 1 else _ORDERS.get(len(words), ())
    found = [
        Person(tuple(sorted([*parts, *initials, *particles], key=lambda part: part.at)), gender, case, rank)
        for order in orders
        for parts, gender, case, rank in _agreeing(name, words, order)
    ]
    return _distinct(_merge_genders(found))


def _is_particle(name: str, span: tuple[int, int]) -> bool:
    return name[span[0] : span[1]].lower() in PARTICLES


def _agreeing(
    name: str, spans: list[tuple[int, int]], order: str
) -> Iterator[tuple[tuple[Part, ...], str, str, float]]:
    options = []
    for role, (start, end) in zip(order, spans, strict=True):
        by_form: dict[tuple[str, str], list[Reading]] = {}
        for reading in _read(role, name[start:end]):
            by_form.setdefault((reading.gender, reading.case), []).append(reading)
        options.append(by_form)
    base = _order_rank(order, name, spans)
    for gender, case in options[0]:
        for combination in product(*(option.get((gender, case), ()) for option in options)):
            parts = tuple(
                Part(role, span, reading.lemma) for role, span, reading in zip(order, spans, combination, strict=True)
            )
            yield parts, gender, case, base + sum(reading.rank for reading in combination)


def _order_rank(order: str, name: str, spans: list[tuple[int, int]]) -> float:
    """Doubled parts are rarer; a word is a surname only when it is no known first name: `Наталья Ким`."""
    rank = 1.0 if "FF" in order or "SS" in order else 0.0
    if len(order) > 1:
        rank += sum(
            role == "S" and _is_only_first(name[start:end]) for role, (start, end) in zip(order, spans, strict=True)
        )
    if order == "S":
        word = name[spans[0][0] : spans[0][1]]
        alone = len(name) == len(word) or re.fullmatch(r"\w+\s[А-ЯЁ]\.", name)
        rank += 2.0 if alone and any(reading.rank == 0 for reading in read_first(word)) else 0.0
    elif order == "F" and len(name) > spans[0][1] - spans[0][0]:
        rank += 1.0
    return rank


@lru_cache(maxsize=4096)
def _is_only_first(word: str) -> bool:
    """A first name that the dictionary does not know as a surname."""
    return bool(first_name(word)) and not any("Surn" in reading.marks for reading in readings(word))


def _merge_genders(found: list[Person]) -> list[Person]:
    """Indeclinable surnames with initials read the same in both genders: then the gender is not known."""
    ranks: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for person in found:
        genders = ranks.setdefault(_lemmas(person), {})
        genders[person.gender] = min(person.rank, genders.get(person.gender, person.rank))
    return [
        Person(person.parts, "", person.case, person.rank)
        if _is_even(ranks[_lemmas(person)])
        and not any(part.role == "F" and plain(part.lemma) not in _EITHER for part in person.parts)
        else person
        for person in found
    ]


def _lemmas(person: Person) -> tuple[tuple[str, str], ...]:
    return tuple((part.role, part.lemma) for part in person.parts)


def _is_even(genders: dict[str, float]) -> bool:
    """Whether both genders are about as likely: `Саша Иванов` is no woman."""
    return len(genders) > 1 and max(genders.values()) - min(genders.values()) <= 1


def _distinct(found: list[Person]) -> tuple[Person, ...]:
    unique: dict[tuple[str, str], Person] = {}
    top = _best_rank(found) + _RARER
    for person in sorted(found, key=lambda person: (person.rank, CASES.index(person.case))):
        if person.rank <= top:
            unique.setdefault((person.key, person.case), person)
    return tuple(unique.values())


def _best_rank(found: Iterable[Person]) -> float:
    return min((person.rank for person in found), default=0.0)


def narrow(
    people: tuple[Person, ...], cases: Collection[str] = (), genders: Collection[str] = ()
) -> tuple[Person, ...]:
    """The readings that fit what the sentence asks for; hints that would leave nothing are ignored."""
    for attribute, wanted in (("case", cases), ("gender", genders)):
        fitting = tuple(person for person in people if getattr(person, attribute) in wanted)
        people = fitting or people
    return people


def is_surname(word: str) -> bool:
    """Whether some reading of the form has its nominative in the surname list or an unmistakable surname ending."""
    return (
        any(reading.rank <= 0 and plain(reading.lemma) for reading in read_surname(word)) or plain(word) in surnames()
    )
