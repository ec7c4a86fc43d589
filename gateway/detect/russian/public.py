"""Public persons of history and culture pass as long as nobody else in the text has their name."""

import re
from collections.abc import Iterator
from functools import cache

from gateway.detect.context import of_a_client
from gateway.detect.entity import Entity
from gateway.detect.russian.government_words import GENITIVE_NOUNS
from gateway.detect.russian.lists import lines
from gateway.detect.russian.persons import read_person
from gateway.detect.russian.traits import traits
from gateway.detect.russian.words import readings

# «александр блок», «иван павлов» and their like are left out: they are as often somebody's neighbour
_ORDINARY = frozenset(
    [
        "крылов",
        "павлов",
        "королев",
        "сахаров",
        "медведев",
        "некрасов",
        "иванов",
        "горький",
        "кинг",
        "поттер",
        "гейтс",
        "донской",
        "бах",
        "невский",
        "великий",
    ]
)
"""Surnames so common that only the full name is public."""
_A_WORD = 0.35
"""How often a word that is a first name too must be no name."""


@cache
def _keys() -> frozenset[tuple[str, str, str]]:
    """(gender, first name, surname) of every public person that reads as a Russian name; some have but one name."""
    found = ((name, people[0].key) for name in lines("public_persons") if (people := read_person(name)))
    keys = ((name, _without_patronymic(key)) for name, key in found)
    return frozenset(key for name, key in keys if key[2] or " " not in name)


@cache
def _surnames() -> frozenset[str]:
    return frozenset(surname for _, _, surname in _keys() if surname)


def _without_patronymic(key: str) -> tuple[str, str, str]:
    gender, first, _, surname = key.split("/")
    return gender, first, surname


def private(text: str, entities: list[Entity]) -> Iterator[Entity]:
    """The entities without public persons. A surname alone is public only if no private namesake is in the text."""
    kept = [
        entity
        for entity in entities
        if not (_is_public(text, entity) or _reigns(text, entity)) or of_a_client(text, entity.start)
    ]
    namesakes = {entity.key.rsplit("/", 1)[-1].rstrip("а") for entity in kept if entity.key.count("/") == 3}
    for entity in entities:
        surname = entity.key.lstrip("?").rsplit("/", 1)[-1].rstrip("а")
        has_first = any(entity.key.split("/")[1:2])
        if entity in kept or (not has_first and surname in namesakes):
            yield entity


def _is_public(text: str, entity: Entity) -> bool:
    return _has_public_key(entity.key) or _is_work_of_public(entity.text) or _may_be_public(text, entity)


_THING = re.compile(r"(?<![А-ЯЁа-яё])([а-яё]{3,}) $", re.IGNORECASE)


def _may_be_public(text: str, entity: Entity) -> bool:
    """`труды Дарвина`: behind a thing that clients do not have, a surname that could be a woman's too is public."""
    match = _THING.search(text[max(0, entity.start - 24) : entity.start])
    if not match or not entity.key.startswith("?") or " " in entity.text:
        return False
    thing = readings(match[1])[0]
    if thing.pos != "NOUN" or "inan" not in thing.marks or thing.lemma in GENITIVE_NOUNS:
        return False
    return any(_has_public_key(person.key) for person in read_person(entity.text) if not person.key.split("/")[1])


_NUMBERED = re.compile(r" [IVX]{1,5}(?!\w)")


def _reigns(text: str, entity: Entity) -> bool:
    """`Александр III`: with a Roman number a first name alone is a ruler's."""
    return entity.key.endswith("//") and bool(_NUMBERED.match(text, entity.end))


def _is_work_of_public(name: str) -> bool:
    """`Роман Льва Толстого`: a first name that is a word too, before the full name of its author in the genitive."""
    work, _, author = name.partition(" ")
    if " " not in author or traits(work).common < _A_WORD:
        return False
    people = read_person(author)
    return any(person.case == "gent" for person in people) and all(_has_public_key(person.key) for person in people)


def _has_public_key(key: str) -> bool:
    if key.startswith("?") or key.count("/") != 3:
        return False
    gender, first, surname = _without_patronymic(key)
    if not first:
        return surname in _surnames() and surname not in _ORDINARY
    if first.endswith("."):
        return surname not in _ORDINARY and any(s == surname and f.startswith(first[0]) for _, f, s in _keys())
    return (gender, first, surname) in _keys()
