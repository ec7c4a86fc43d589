"""Russian grammar of personal names for masking and restoring: who is meant, and in which case.

The key of a person is `gender/first/patronymic/surname` in the nominative. Rules:

- All cases of one name have one key. Another gender, first name, patronymic or surname is another key.
- A form that two people could share (`Александра Иванова`: she, or him in the genitive) has the key `?form`, unless the
  words around it decide (`identify` takes such hints). `?` keys equal only themselves.
- `Петров И. И.` and `Иван Иванович Петров` are two keys that are `compatible`: a caller may join them as long as one
  such person is known. A lone first name or surname is never joined to a full name: brothers share surnames.
"""

from collections.abc import Collection

from gateway.detect.russian.declension import decline_surname, noun_forms, patronymic_forms
from gateway.detect.russian.government import expected_case
from gateway.detect.russian.persons import PARTICLES, Part, Person, narrow, read_person, read_widely
from gateway.detect.russian.words import inflected, plain

__all__ = ["compatible", "expected_case", "identify", "inflect_person", "person_key"]

_SPELLINGS = {"наталия": "наталья", "софия": "софья"}


def person_key(name: str) -> tuple[str, str, str]:
    """Key, grammatical case of this form and gender; case and gender are empty where the name does not tell."""
    return identify(name)


def identify(name: str, cases: Collection[str] = (), genders: Collection[str] = ()) -> tuple[str, str, str]:
    """`person_key` with what the sentence around the name says about its case and gender."""
    people = read_person(name)
    if cases and not any(person.case in cases for person in people):
        people = tuple(person for person in read_widely(name) if person.case in cases) or people
    people = narrow(people, cases, genders)
    keys = {person.key for person in people}
    if len(keys) != 1:
        return f"?{_folded(name)}", "", ""
    return people[0].key, people[0].case, people[0].gender


def _folded(name: str) -> str:
    return " ".join(plain(name).replace(".", ". ").split())


def compatible(a_key: str, b_key: str) -> bool:
    """Whether two keys may be one person: equal up to spelling (`Наталия`, `Наталья`) and to initials."""
    if a_key == b_key:
        return True
    if a_key[:1] in ("", "?") or b_key[:1] in ("", "?") or a_key.count("/") != 3 or b_key.count("/") != 3:
        return False
    a, b = a_key.split("/"), b_key.split("/")
    if a[0] != b[0] or not a[3] or a[3] != b[3]:
        return False
    return _same_part(a[1], b[1]) and (_same_part(a[2], b[2]) or _initials_only(a, b))


def _same_part(a: str, b: str) -> bool:
    a, b = _SPELLINGS.get(a, a), _SPELLINGS.get(b, b)
    if not a or not b:
        return a == b
    if a.endswith(".") or b.endswith("."):
        return a[0] == b[0]
    return a == b


def _initials_only(a: list[str], b: list[str]) -> bool:
    """`Петров И.` beside `Петров Иван Иванович`: the patronymic may be missing where the first name is an initial."""
    short = a if not a[2] else b
    return not short[2] and short[1].endswith(".")


def inflect_person(name: str, case: str) -> str | None:
    """The name (given in the nominative, if it can be read so) in `case`; None when the form is not certain."""
    people = narrow(read_person(name), cases=("nomn",))
    forms = {_inflect(name, person, case) for person in people if person.case == people[0].case}
    return forms.pop() if len(forms) == 1 else None


def _inflect(name: str, person: Person, case: str) -> str | None:
    result = name
    for part in reversed(person.parts):
        start, end = part.at
        form = _inflect_part(name[start:end], part, person, case)
        if form is None:
            return None
        result = result[:start] + _like(form, name[start:end]) + result[end:]
    return result


def _inflect_part(word: str, part: Part, person: Person, case: str) -> str | None:
    frozen = any(other.lemma.lower() in PARTICLES for other in person.parts) and part.role == "P"
    if part.role == "I" or frozen:
        return word
    lemma = word.lower() if person.case == "nomn" else part.lemma
    if part.role == "P":
        forms = patronymic_forms(lemma, person.gender)
        return forms[case] if forms else None
    if part.role == "S":
        if case == "nomn" != person.case and lemma.endswith(("ый", "ой")):
            return None  # the oblique form does not tell `Белый` from `Белой`
        options = {decline_surname(lemma, gender, case) for gender in ([person.gender] if person.gender else _GENDERS)}
        return options.pop() if len(options) == 1 else None
    return _inflect_first(lemma, person.gender, case)


_GENDERS = ("masc", "femn")


def _inflect_first(lemma: str, gender: str, case: str) -> str | None:
    if "-" in lemma:
        halves = [_inflect_first(half, gender, case) for half in lemma.split("-")]
        return "-".join(half for half in halves if half) if all(halves) else None
    if form := inflected(lemma, "Name", gender, case):
        return form
    if gender == "femn" and lemma[-1] not in "ая":
        return lemma
    return noun_forms(lemma)[case]


def _like(form: str, model: str) -> str:
    """`form` with the capitals of `model`: ИВАНОВ, Иванов-Петров, иванов."""
    if model.isupper() and len(model) > 1:
        return form.upper()
    if model[:1].isupper():
        return "-".join(half[:1].upper() + half[1:] for half in form.split("-"))
    return form
