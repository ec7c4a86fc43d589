"""The people that the tagger names, without the words at their edges that are no part of a name."""

import re
from collections.abc import Iterable, Iterator, Sequence

from gateway.detect.russian import name_context as context
from gateway.detect.russian.ner import Span
from gateway.detect.russian.persons import PARTICLES
from gateway.detect.russian.single import ACRONYM
from gateway.detect.russian.tokens import Token
from gateway.detect.russian.traits import VOWEL
from gateway.detect.russian.words import known, readings

_PARTICLES = PARTICLES | frozenset("фон ван де да ибн аль эль бин ди дель".split())


_FORM = 3
"""Letters of a legal form."""
_BORDER = re.compile(r"\n|\t|[ \u00a0]{3}")
"""Of a line or of a column: no name goes on behind it."""


def by_tagger(text: str, tokens: Sequence[Token], tagged: Iterable[Span]) -> Iterator[tuple[int, int]]:
    """The tagger's people without the words that are no part of a name."""
    for span in tagged:
        if span.type != "PER":
            continue
        border = _BORDER.search(text, span.start, span.end)
        end = border.start() if border else span.end
        inside = [token for token in tokens if token.start >= span.start and token.end <= end]
        while _starts_anew(inside):
            inside.pop()
        while inside and _foreign(text, inside[0], len(inside)):
            inside.pop(0)
        while len(inside) > 1 and _foreign(text, inside[-1], len(inside)):
            if inside.pop().traits.role and inside[-1].traits.common == 1.0 and not inside[-1].traits.first:
                inside.clear()  # `Главный Бухгалтер`
        if inside and not context.is_thing(text, inside) and not _is_plain_word(text, inside):
            yield inside[0].start, inside[-1].end


def _starts_anew(inside: Sequence[Token]) -> bool:
    """`Кузьмина Е.П. Виновным`: behind a surname and its initials the next sentence begins."""
    if len(inside) < 3 or inside[-1].style == "i" or inside[0].style == "i" or inside[0].traits.first:
        return False
    return inside[-2].style == "i" and inside[-1].traits.common > 0.5


def _foreign(text: str, token: Token, size: int) -> bool:
    """A verb, a title or a plain word at the edge of what the tagger calls a person."""
    found = token.traits
    if token.style == "i" or found.first or found.patronymic or token.text.lower() in _PARTICLES:
        return False
    if found.role or (found.verb and found.surname < 2):
        return True
    if token.style == "l" or token.style == "u" and size > 1 and len(token.text) <= _FORM and found.surname < 2:
        return True  # `ИП Бабаев`
    return size > 1 and found.common > 0.7 and found.surname < 1 and context.at_sentence_start(text, token.start)


def _is_plain_word(text: str, inside: Sequence[Token]) -> bool:
    if len(inside) > 1:
        return False
    token, found = inside[0], inside[0].traits
    if not VOWEL.search(token.text) or context.is_abbreviated(text, token.end):
        return True  # `Кт`
    opening = context.at_sentence_start(text, token.start)
    if found.common >= 0.35 and opening and not context.is_cued(text, token.start):
        return not (context.acts(text, token.end) or context.is_addressed(text, token.end))
    if opening and _is_new_thing(token) and not context.is_cued(text, token.start):
        return not (context.acts(text, token.end) or context.is_addressed(text, token.end))
    if token.style == "u" and not found.first and (found.surname < 2 or len(token.text) <= ACRONYM):
        return True
    if found.place and not found.first and found.surname < 2:
        return True
    if found.first or found.surname == 2 or (found.common < 0.5 and readings(token.text)[0].pos != "PRTS"):
        return False
    return opening or not found.surname or found.common < 0.5


def _is_new_thing(token: Token) -> bool:
    """A word that no dictionary knows and that declines like a thing: `Толщиномер`."""
    found = token.traits
    if found.first or found.surname == 2 or known(token.text):
        return False
    return all("inan" in reading.marks for reading in readings(token.text))
