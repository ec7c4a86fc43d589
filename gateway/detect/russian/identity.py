"""Who a found name is: key, case and gender, by the name itself, the sentence around it and the rest of the text."""

import re
from collections.abc import Iterator, Sequence, Set

from gateway.detect.entity import Entity
from gateway.detect.russian.morph import expected_case, identify
from gateway.detect.russian.persons import Person, narrow, read_person
from gateway.detect.russian.words import known, readings

_NEXT = re.compile(r"[\s,]{1,3}(?:(?:не|уже|также|тоже|снова|вчера|сегодня|ещё)\s+)?([А-ЯЁа-яё]+)")
_LABEL = re.compile(r"[:=—–|(,;-]\s*[\"«']?$|^\s*$|\n\s*$")
_LAST_WORD = re.compile(r"([А-ЯЁа-яё]+)\s+$")


def keyed(text: str, spans: Sequence[tuple[int, int, float]]) -> Iterator[Entity]:
    """Entities of the spans. A form that two people could share is read by the name it is joined to (`Пётр Орлов и
    Анна Орлова`), else it takes the one certain reading found in this text, unless a namesake has another."""
    found = [(start, end, score, *_identify(text, start, end)) for start, end, score in spans]
    certain = {key for _, _, _, key, _, _ in found if not key.startswith("?")}
    owners = {_owner(key) for key in certain}
    last_end, last_case = 0, ""
    for start, end, score, key, form, gender in found:
        if key.startswith("?"):
            joined = last_case if _JOINED.fullmatch(text, last_end, start) else ""
            if person := _read_beside(text[start:end], joined, certain, owners):
                key, form, gender = person.key, person.case, person.gender
        last_end, last_case = end, form
        yield Entity("PERSON", start, end, text[start:end], score, "russian.names", key=key, form=form, gender=gender)


_JOINED = re.compile(r" (?:и|или) |, ")


def _owner(key: str) -> tuple[str, str]:
    """Gender and surname of a key."""
    return key.partition("/")[0], key.rpartition("/")[2]


def _read_beside(name: str, case: str, certain: Set[str], owners: Set[tuple[str, str]]) -> Person | None:
    """The reading in the case of the name before, or the one that is certain elsewhere; None where two are left."""
    people = narrow(read_person(name), cases=(case,) if case else ())
    if len({person.key for person in people}) == 1:
        return people[0]
    fitting = [person for person in people if person.key in certain]
    namesakes = {person.gender for person in people if _owner(person.key) in owners}
    return fitting[0] if len({person.key for person in fitting}) == 1 and len(namesakes) < 2 else None


def _identify(text: str, start: int, end: int) -> tuple[str, str, str]:
    name = text[start:end]
    people = read_person(name)
    if len({person.key for person in people}) < 2 and len({person.case for person in people}) < 2:
        return identify(name)
    case = expected_case(text[max(0, start - 160) : start], text[end : end + 80], "")
    genders = _agreement(text, end)
    return identify(name, (case,) if case else _agreeing_cases(text, start, bool(genders)), genders)


def _agreeing_cases(text: str, start: int, is_subject: bool) -> tuple[str, ...]:
    """The nominative for subjects and fields; the cases of the title in front (`директора`); else anything."""
    left = text[max(0, start - 40) : start]
    match = _LAST_WORD.search(left)
    if match and known(match.group(1)):
        found = [
            reading
            for reading in readings(match.group(1))
            if reading.number == "sing" and reading.pos in ("NOUN", "ADJF")
        ]
        cases = {reading.case for reading in found if "anim" in reading.marks or reading.pos == "ADJF"}
        if cases and "nomn" not in cases:
            return tuple(cases)
    return ("nomn",) if is_subject or _LABEL.search(left) else ()


def _agreement(text: str, end: int) -> tuple[str, ...]:
    """The gender of a past-tense verb or short adjective right after the name: `Петрова сказала`."""
    match = _NEXT.match(text, end)
    if not match or not known(match.group(1)):
        return ()
    reading = readings(match.group(1))[0]
    if (
        reading.pos == "VERB"
        and reading.tense == "past"
        and reading.number == "sing"
        and reading.gender in ("masc", "femn")
    ):
        return (reading.gender,)
    return ()
