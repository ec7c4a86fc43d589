"""People in Latin text: capitalised runs, lower-case chat, fields, signatures; what is found once is found everywhere."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial

from gateway.detect.entity import Entity
from gateway.detect.fields import is_label
from gateway.detect.languages import counts, is_latin, likeliest, sentences
from gateway.detect.merge import SURE
from gateway.detect.names.again import again, again_as_word
from gateway.detect.names.judge import persons
from gateway.detect.names.kinds import in_columns_of_things, people_in_columns, people_listed, things_listed
from gateway.detect.names.listed import among_products, beside_people
from gateway.detect.names.lists import around, is_common, is_first, is_surname, is_thing, strong_first
from gateway.detect.names.lower import lower_names
from gateway.detect.names.ner import Recogniser
from gateway.detect.names.oblique import in_nominative
from gateway.detect.names.scene import Scene
from gateway.detect.names.shapes import SHAPES, inverted, person
from gateway.detect.names.terms import is_known_thing, is_term
from gateway.detect.names.tokens import Word, runs, words
from gateway.detect.scan import Gate

_CUE_REACH = 40
_NAME_ASKED = (
    "name?",
    "surname?",
    "nombre?",
    "apellido?",
    "Nachname?",
    "Name?",
    "nom ?",
    "nome?",
    "cognome?",
    "nazwisko?",
    "naam?",
)
_PLAIN = frozenset("monday tuesday wednesday thursday friday saturday sunday true false none null".split())
"""Capitals in any prose and code, some of them rare surnames."""
_ABBREVIATED = 3
"""Capital letters of a word that is no known name: SSN, PIN."""
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_MISTER = r"(?:Mr|Mrs|Ms|Dr|Prof)\b"
_POLITE = re.compile(_MISTER)
_LATIN_NAME = re.compile(
    rf"(?:[A-Z](?<![\w@./:-].)[a-z'’-]+(?: [A-Z]\.)?|\b{_MISTER}\.)(?: (?!{_MISTER})[A-Z][A-Za-z'’-]+){{1,2}}(?![\w@/(])"
)
_CODE_BEHIND = re.compile(r":\s?[A-Z0-9 ./-]*\d[A-Z0-9 ./-]*(?:$|\n)")
_GATE = Gate(
    {
        "inverted": r"(?-i:[A-Z]\S+, [A-Z])",
        "initials": r"(?-i:, [A-Z]\.)",
        "entries": r"(?m:^|[:=|]).*(?-i:[A-Z]\w+, [A-Z])",
        "said": r"(?m:^)(?:[-*•] |\[?\d[^a-z\n]* )?(?-i:[A-Z])[^:\n]{1,20}: ",
        "family": r"\bthe (?-i:[A-Z][a-z]+s)",
        "signed": r"(?m:^)[a-z]\. ?[a-z]",
        "closed": r"(?:cheers|thanks|thank you|again|thx|ta|best|wishes|regards|yours|love|x|[lv]g|mfg|grüße|gruß|danke|merci|cordialement|bises|saludos?|gracias|grazie|salut[oi]|pozdrawiam|dzięki|groetje?s?|groet|bedankt)[ \t]*[,.!]*[ \t]*\n",
        "spelled": r"(?:spell?(?:ed|t|ing)?|buchstabier|épel|deletre|spel)",
        "boarding": r"(?-i:[A-Z]{2}/[A-Z]{3}|\b[A-Z]/[A-Z]+ ?(?:MR|MS|DR|CHD|INF|MISS))",
    }
)


class Names:
    """Finds people; call it with the plain text. Without a recogniser only lists, cues and shapes speak.

    `settled` are entities that others found in the same text: the recogniser is not asked about their words."""

    def __init__(self, recogniser: Recogniser | None, settled: Sequence[Entity] = ()) -> None:
        self._recogniser = recogniser
        self._settled = settled

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield people; overlaps are possible."""
        found = [
            entity for entity in self._persons(text) if not is_term(text, entity, cued=bool(cue(text, entity.start)))
        ]
        if any(" " not in entity.text or ", " in entity.text for entity in found):
            things = [*among_products(text), *things_listed(text), *in_columns_of_things(text)]
            found = [e for e in found if not _is_item(e) or not any(start <= e.start < end for start, end in things)]
        yield from found
        yield from again(text, found)
        yield from again_as_word(text, found)

    def _persons(self, text: str) -> Iterator[Entity]:
        present = _GATE.present(text)
        scenes = list(_scenes(text))
        grouped = [list(runs(found, text)) for _, found in scenes]
        judged = [list(_judged(scene, group)) for (scene, _), group in zip(scenes, grouped, strict=True)]
        for index, scene in self._labelled(scenes, judged):
            judged[index] = list(_judged(scene, grouped[index]))
        for (scene, found), group, people in zip(scenes, grouped, judged, strict=True):
            yield from people
            for start, end in beside_people(text, group, people):
                yield person(text, start, end, 0.6, "listed beside a person")
            if "inverted" in present:
                yield from inverted(scene, found)
            for start, end, reason in lower_names(found, scene):
                yield person(text, start, end, 0.75, reason)
        for start, end in (*people_listed(text), *people_in_columns(text)):
            yield person(text, start, end, 0.6, "listed with people")
        for name, find in SHAPES.items():
            yield from find(text) if name in present else ()

    def _labelled(
        self, scenes: list[tuple[Scene, list[Word]]], judged: list[list[Entity]]
    ) -> Iterator[tuple[int, Scene]]:
        """The scenes that the lists left open, now with the labels of the recogniser."""
        if self._recogniser is None or not scenes:
            return
        text = scenes[0][0].text
        settled = {
            place
            for entity in self._settled
            if entity.score >= SURE
            and text.startswith(entity.text, entity.start)  # else it is of the text around this one
            for place in range(entity.start, entity.end)
        }
        asked = [
            index
            for index, ((scene, found), people) in enumerate(zip(scenes, judged, strict=True))
            if scene.language == "en" and not scene.guest and _is_open(found, people, settled)
        ]
        spans = self._recogniser([scenes[i][0].text[scenes[i][0].start : scenes[i][0].end] for i in asked])
        for index, labels in zip(asked, spans, strict=True):
            scene = scenes[index][0]
            yield index, replace(scene, labels=[(s + scene.start, e + scene.start, label) for s, e, label in labels])


def _scenes(text: str) -> Iterator[tuple[Scene, list[Word]]]:
    """The Latin sentences of a text and their words."""
    stretches, guests = [], []
    for start, end in sentences(text):
        if is_latin(text[start:end]):
            stretches.append((start, end))
        else:
            guests += [match.span() for match in _LATIN_NAME.finditer(text, start, end)]
    parsed = [words(text, s, e) for s, e in stretches]
    for (start, end), tongue, found in zip(stretches, _tongues(parsed), parsed, strict=True):
        yield Scene(text, tongue, (), start, end, text[start:end].isupper()), in_nominative(found, tongue)
    for start, end in guests:
        yield Scene(text, "en", (), start, end, guest=True), words(text, start, end)


def _judged(scene: Scene, group: Iterable[list[Word]]) -> Iterator[Entity]:
    text = scene.text
    for run in group:
        if text[run[-1].end : run[-1].end + 1] == ":" and (_is_heading(run) or len(run) == 1 and is_label(run[0].text)):
            continue
        coded = _CODE_BEHIND.match(text, run[-1].end)
        for start, end, score, reason in persons(run, scene, partial(cue, text)):
            polite = reason == "title" and _POLITE.match(text, scene.start)
            if scene.guest and reason != "first name and surname" and not polite:
                continue
            if coded and (reason == "recogniser" or is_thing(run[0].lower)):
                continue
            if len(set(text[start:end].lower()) - {"-", " "}) == 1:
                continue  # XXX-XXXX
            if reason == "recogniser" and text[start:end] == text.strip(" .!?\n"):
                continue  # Kennzeichen: B-AB 1234, and a greeting that is the whole text
            if reason == "recogniser" and is_known_thing(text, text[start:end]):
                continue
            if reason == "recogniser" and (_CYRILLIC.search(text, start, end) or is_label(text[start:end])):
                continue  # the English recogniser takes any word of another tongue for a name
            yield person(text, start, end, score, reason)


def _is_item(entity: Entity) -> bool:
    """One word of a list, or two that only a comma joins."""
    return " " not in entity.text or ", " in entity.text


def _is_heading(run: list[Word]) -> bool:
    """SUMMER READING LIST: everyday words in capitals, more than a name has."""
    return len(run) > 2 and all(word.shout and is_common(word.lower) for word in run)


def _tongues(parsed: list[list[Word]]) -> list[str]:
    """The language of each sentence; one that says nothing takes the language of the whole."""
    counted = [counts([word.lower for word in found]) for found in parsed]
    totals: dict[str, int] = {}
    for found in counted:
        for code, count in found.items():
            totals[code] = totals.get(code, 0) + count
    whole = likeliest(totals)
    return [likeliest(found, whole) for found in counted]


def _is_open(found: list[Word], people: list[Entity], settled: Set[int]) -> bool:
    """A capitalised word that the lists cannot decide and that is no part of anything found already."""
    capitals = [word for word in found if word.capital and word.start not in settled]
    if not capitals:
        return False
    named = {start for e in people for start in range(e.start, e.end)}
    return any(word.start not in named and _is_undecided(word, opening=word is found[0]) for word in capitals)


def _is_undecided(word: Word, *, opening: bool) -> bool:
    if word.initial or word.camel or is_thing(word.lower):
        return False
    if word.lower in _PLAIN or word.lower in around()["titles"]:
        return False
    named = is_first(word.lower) or is_surname(word.lower)
    if is_common(word.lower) or word.shout and len(word.text) <= _ABBREVIATED:
        return named and not opening
    return not strong_first(word.lower)


_LOWER_TITLES = frozenset(
    "épouse veuve geb née nee geborene geborener dottoressa dottore professore professoressa ingegnere docteur professeur profesor profesora doktor dokter fam familie famille familia famiglia rodzina eheleute époux coniugi med sig ing geom rag mr mrs dr prof mw mej drs mlle mme sres sras dott dottssa profssa sigra avv herr frau monsieur madame señor señora signor signora pan pani mevrouw meneer heer dhr mevr don doña".split()
)


def cue(text: str, start: int) -> str:
    """What stands directly before: "title", "cue" (a role or an introduction), or nothing."""
    left = text[max(0, start - _CUE_REACH) : start]
    said = left.rstrip()
    gap = left[len(said) :]
    mark = said[-1:] if said[-1:] in (".", ":", ",") else ""
    if said.endswith(_NAME_ASKED) and gap:
        return "cue"
    parts = said.removesuffix(mark).rsplit(None, 4)[-4:]
    if not parts or not (gap or mark == ":"):
        return ""
    if mark in ("", ".") and "\n" not in gap and _is_title(parts[-1].lstrip("(\"'").rsplit("'", 1)[-1]):
        return "title"
    if parts[-1].lower() == "love" and mark != "," and "\n" not in gap:
        return ""
    if mark == ":" and parts[-1] == "by":
        return "cue"  # Delivered by: Baz
    if mark == "," and parts[-1].istitle() and len(parts) > 1 and parts[-2].istitle():
        return ""  # Firmware Engineer, Dyson
    return "cue" if mark != "." and _introduces([part.lower().lstrip("(\"'") for part in parts]) else ""


def _is_title(word: str) -> bool:
    lower = word.lower().replace(".", "")
    return lower in around()["titles"] and len(word) > 1 and (not word.islower() or lower in _LOWER_TITLES)


def _introduces(parts: list[str]) -> bool:
    """The last one to four words are a role or an introduction."""
    intro, roles = around()["intro"], around()["roles"]
    return parts[-1] in roles or any(" ".join(parts[-n:]) in intro for n in range(1, len(parts) + 1))
