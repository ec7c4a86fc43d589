"""A name that is found once in a text is found in all of it."""

import re
from collections.abc import Iterator

from gateway.detect.context import occurrences
from gateway.detect.entity import Entity
from gateway.detect.merge import SURE
from gateway.detect.names.acts import STOP, does_as_people_do
from gateway.detect.names.lists import around, is_common, is_first, is_surname, is_thing
from gateway.detect.names.lower import KEYWORDS
from gateway.detect.names.shapes import person

_OPENS = re.compile(r"(?:^|[.!?:\n>|\"“(]\s*|[-*•]\s+)$")
_SMALL = frozenset(
    "will may can mark bill art pat sue rob grant hope chase drew in so an my all bob frank rich trey guy ping ray".split()
)
"""Names that may well be words where a sentence begins."""
_WAS = re.compile(r" (?:was|is|had|has|did|does|then|also|later)\b|'s ")
_ARTICLE = re.compile(r"(?i)\b(?:the|an?) $")
_BEFORE_CAPITAL = re.compile(r" [A-Z]| ?&")


def again(text: str, found: list[Entity]) -> Iterator[Entity]:
    """Parts of the names found elsewhere in the text, in any case."""
    parts = {
        part
        for entity in found
        if entity.score >= 0.6
        for part in re.findall(r"(?:[^\W\d_]['’])?[^\W\d_]{3,}(?:-[^\W\d_]+)*", entity.text)
    }
    parts = {
        part
        for part in parts
        if not is_common(part.lower())
        and part.lower() not in KEYWORDS
        and not is_thing(part.lower())
        and part.lower() not in around()["titles"]
    }
    covered = [(entity.start, entity.end) for entity in found]
    # a word that only the recogniser took for a name is a word of the language or of the code when it stands in lower case
    doubtful = {entity.text.lower() for entity in found if entity.source == "name: recogniser"}
    for first, last in occurrences(text, parts, left="@./\\-", right="@\\-"):
        guessed = text[first:last].islower() and text[first:last] in doubtful
        if not guessed and not any(start <= first and last <= end for start, end in covered):
            yield person(text, first, last, 0.6, "part of a name found here")


def again_as_word(text: str, found: list[Entity]) -> Iterator[Entity]:
    """Rob of Rob Sanchez inside a sentence, with its capital: a name there, though a word elsewhere."""
    names = {
        part
        for entity in found
        if (" " in entity.text and entity.score >= SURE and entity.source != "name: recogniser")
        or entity.source == "name: speaks in a chat"
        for part in re.findall(r"[^\W\d_]{3,}", entity.text)
        if part.istitle() and _is_word_and_name(part.lower())
    }
    surnames = {
        surname
        for entity in found
        if " " in entity.text and entity.score >= SURE
        if (surname := entity.text.rsplit(" ", 1)[-1]).istitle() and _is_word_and_surname(surname.lower())
    }
    covered = [(entity.start, entity.end) for entity in found]
    for first, last in occurrences(text, names, left="@./\\-", right="@\\-"):
        opens = _OPENS.search(text, max(0, first - 4), first) and text[first:last].lower() in _SMALL
        inside = text[first:last].istitle() and (not opens or does_as_people_do(text, last))
        alone = inside and not _BEFORE_CAPITAL.match(text, last)
        if alone and not any(start <= first and last <= end for start, end in covered):
            yield person(text, first, last, 0.6, "part of a name found here")
    for first, last in occurrences(text, surnames, left="@./\\-", right="@\\-"):
        acts = does_as_people_do(text, last) or _WAS.match(text, last)
        if text[first:last].istitle() and acts and not _ARTICLE.search(text, max(0, first - 4), first):
            yield person(text, first, last, 0.6, "surname of a name found here")


def _is_word_and_surname(lower: str) -> bool:
    """Croft, Young: as the subject of a sentence it is who was named before."""
    return is_surname(lower) and is_common(lower) and lower not in STOP and lower not in around()["calendar"]


def _is_word_and_name(lower: str) -> bool:
    if not (is_common(lower) or is_thing(lower)) or lower in STOP or lower in around()["titles"]:
        return False
    return is_first(lower) and lower not in around()["places"] and lower not in around()["calendar"]
