"""The vault: which placeholder stands for which value, in one conversation. It holds no state outside itself.

Numbers follow the first appearance. One value has one placeholder; spellings and grammatical cases of one person
share it (`Entity.key`), and initials join a full name only while exactly one such person is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.detect.entity import Entity
from gateway.facts import Facts, facts_of
from gateway.known import PART, Known, KnownForms
from gateway.labels import label_of, skeleton, translations
from gateway.placeholder import Grammar, read, write
from gateway.surnames import surnames_of
from gateway.values import Values

_CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")
_BY_DIGITS = frozenset(("PHONE_NUMBER", "CREDIT_CARD", "IBAN_CODE"))


@dataclass(slots=True)
class _Issued:
    placeholder: str
    type: str
    key: str
    forms: dict[str, str] = field(default_factory=dict)  # spelling → grammatical case, "" where unknown

    @property
    def value(self) -> str:
        named = (form for form, case in self.forms.items() if case == "nomn")
        return next(named, next(iter(self.forms)))


class Vault:
    """Value ↔ placeholder of one conversation. `language` is that of the labels: "en" or "ru"; numbers begin at
    `first`."""

    def __init__(self, language: str = "en", *, first: int = 1) -> None:
        self.language = language
        self._first = first
        self._issued: dict[str, _Issued] = {}
        self._by_key: dict[tuple[str, str], _Issued] = {}
        self._persons: dict[str, list[_Issued]] = {}  # surname of a key → persons
        self._next: dict[str, int] = {}
        self._names: set[str] = set()  # last words of the labels issued, as skeletons, translations included
        self._highest = 0
        self._reserved: dict[int, set[str]] = {}
        self._allowed: dict[str, re.Pattern[str]] = {}
        self._passed: dict[tuple[str, str], int] = {}
        self._values = Values()
        self.grammar = Grammar()  # finds the placeholders issued so far
        self.known = KnownForms()

    def reserve(self, text: str | Facts) -> None:
        """Numbers that the text itself puts behind a word are never issued with that word."""
        for word, number in (facts_of(text) if isinstance(text, str) else text).numbered:
            self._reserved.setdefault(number, set()).add(word)

    def may_hold_placeholder(self, facts: Facts) -> bool:
        """False only if no placeholder issued so far can be read in the text of these facts."""
        names = tuple(self._names)
        return any(number <= self._highest and word.endswith(names) for word, number in facts.numbered)

    def allow(self, value: str) -> None:
        """A string of the allow-list: neither masked nor taken for a leak where it stands whole."""
        if value not in self._allowed:  # asked again with each text
            self._allowed[value] = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)

    def let_pass(self, entity: Entity) -> None:
        """Notes what was found and stays in clear, since the policy says so."""
        key = (entity.type, entity.text)
        self._passed[key] = self._passed.get(key, 0) + 1

    @property
    def passed(self) -> Mapping[tuple[str, str], int]:
        """How often each (type, text) was found and left in clear."""
        return self._passed

    def allowed_spans(self, text: str) -> list[tuple[int, int]]:
        """Where strings of the allow-list stand."""
        folded = text.casefold()
        near = [pattern for value, pattern in self._allowed.items() if value.casefold() in folded]
        return [match.span() for pattern in near for match in pattern.finditer(text)]

    def placeholder(self, entity: Entity) -> str:
        """The placeholder of this value, issued now if it is new."""
        issued = self._find(entity)
        if issued is None:
            issued = self._issue(entity)
        case = issued.forms.get(entity.text)
        if case is None or (not case and entity.form):
            self._add_form(issued, entity.text, entity.form)
        return issued.placeholder

    @property
    def map(self) -> Values:
        """Placeholder → value: the nominative where one was seen, else the first form. A live view."""
        return self._values

    def forms(self, placeholder: str) -> tuple[str, ...]:
        """Every spelling seen, in order; empty for a placeholder of another conversation."""
        issued = self._issued.get(placeholder)
        return tuple(issued.forms) if issued else ()

    def issued(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """(entity type, identity, spellings) of every value."""
        for one in self._issued.values():
            yield one.type, one.key, tuple(one.forms)

    def type_of(self, placeholder: str) -> str:
        """The entity type behind a placeholder of this vault."""
        return self._issued[placeholder].type

    def key_of(self, placeholder: str) -> str:
        """The identity of the value behind a placeholder."""
        return self._issued[placeholder].key

    def find_known(self, text: str, *, since: int = 0, facts: Facts | None = None) -> list[Known]:
        """Known values in the text, without those inside a string of the allow-list."""
        found = self.known.find(text, since=since, facts=facts)
        allowed = self.allowed_spans(text) if found else []
        return [hit for hit in found if not any(start <= hit.start and hit.end <= end for start, end in allowed)]

    def to_state(self) -> dict[str, Any]:
        """Everything needed to go on in another process, as JSON."""
        return {
            "language": self.language,
            "issued": [[i.placeholder, i.type, i.key, i.forms] for i in self._issued.values()],
            "reserved": [[number, sorted(words)] for number, words in self._reserved.items()],
            "allowed": list(self._allowed),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Vault:
        """The inverse of `to_state`."""
        vault = cls(state["language"])
        vault._reserved = {number: set(words) for number, words in state["reserved"]}
        for value in state["allowed"]:
            vault.allow(value)
        for placeholder, entity_type, key, forms in state["issued"]:
            vault._count(placeholder)
            issued = vault._enter(_Issued(placeholder, entity_type, key))
            for form, case in forms.items():
                vault._add_form(issued, form, case)
        return vault

    def _find(self, entity: Entity) -> _Issued | None:
        key = identity(entity)
        if issued := self._by_key.get((entity.type, key)) or (not entity.key and self._by_key.get(("", key))) or None:
            return issued
        near = [person for person in self._persons.get(_surname(key), ()) if _compatible(person.key, key)]
        return near[0] if len(near) == 1 else None

    def _issue(self, entity: Entity) -> _Issued:
        label = label_of(entity.type, self.language)
        number = self._next.get(skeleton(label), self._first)
        names = _last_words(label)
        while any(word.endswith(names) for word in self._reserved.get(number, ())):
            number += 1
        self._count(write(label, number))
        return self._enter(_Issued(write(label, number), entity.type, identity(entity)))

    def _count(self, placeholder: str) -> None:
        label, number = read(placeholder) or ("", 0)
        self._next[skeleton(label)] = max(self._next.get(skeleton(label), 1), number + 1)
        self._names.update(_last_words(label))
        self._highest = max(self._highest, number)

    def _enter(self, issued: _Issued) -> _Issued:
        self._issued[issued.placeholder] = issued
        self._by_key[issued.type, issued.key] = issued
        self._by_key.setdefault(("", issued.key), issued)
        if surname := _surname(issued.key):
            self._persons.setdefault(surname, []).append(issued)
        self.grammar.add(issued.placeholder)
        return issued

    def _add_form(self, issued: _Issued, text: str, case: str) -> None:
        issued.forms[text] = case
        if case:
            self._values.remember_case(issued.placeholder, text, case)
        self._values[issued.placeholder] = issued.value
        if issued.type == "PLACEHOLDER":  # found by the grammar of placeholders, in the form that it has
            return
        for spelling in (text, *_inflections(text, issued)):
            self.known.add(spelling, issued.placeholder)
            for surname in surnames_of(spelling) if issued.type == "PERSON" else ():
                self.known.add(surname, PART)


def identity(entity: Entity) -> str:
    """What two entities of one type must share to be one value."""
    if entity.key:
        return entity.key
    if entity.type in _BY_DIGITS:
        return "".join(char for char in entity.text.casefold() if char.isalnum())
    return " ".join(entity.text.casefold().split())


def _last_words(label: str) -> tuple[str, ...]:
    return tuple(skeleton(name.rpartition("_")[2]) for name in (label, *translations(label)))


def _surname(key: str) -> str:
    return key.rpartition("/")[2] if key.count("/") == 3 else ""


def _compatible(a: str, b: str) -> bool:
    from gateway.detect.russian.morph import compatible

    return compatible(a, b)


def _inflections(text: str, issued: _Issued) -> list[str]:
    """The other grammatical cases of a Russian person, which detectors may miss."""
    if issued.type != "PERSON" or issued.key.count("/") != 3:
        return []
    from gateway.detect.russian.morph import inflect_person

    return [form for case in _CASES if (form := inflect_person(text, case))]
