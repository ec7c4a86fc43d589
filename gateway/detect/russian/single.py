"""A lone Russian word as a name: first name, patronymic or surname, and what around it says that it is one."""

import re

from gateway.detect.russian import name_context as context
from gateway.detect.russian.government import expected_case
from gateway.detect.russian.tokens import Token
from gateway.detect.russian.words import OFTEN, first_name, known, opens_sentence, readings

ACRONYM = 5
"""Words in capitals up to this length may stand for anything."""
_SHORT = 3
GENITIVE_LIKE = re.compile(r"(?:[оеё]в|[иы]н)$")
"""Surnames that are also a genitive plural (`Дроздов`, `Носков`)."""


def score_single(text: str, token: Token, lower_text: bool) -> float:
    found = token.traits
    if token.style == "l":
        return _score_lower(text, token, lower_text)
    sure = found.first and found.common < 0.05 and len(token.text) > _SHORT
    if token.style == "u" and not sure:
        announced = context.is_cued(text, token.start, strong=found.common >= 0.35)
        if not (announced and (found.first or len(token.text) > ACRONYM)):
            return 0.0
    if found.role or len(token.text) < 2 or context.is_abbreviated(text, token.end):
        return 0.0
    cued = context.is_cued(text, token.start)
    opening = context.at_sentence_start(text, token.start)
    if any(reading.case == "voct" for reading in first_name(token.text)) and text[token.end : token.end + 1] in (
        "!",
        ",",
    ):
        return 0.0 if opening and context.is_enumerated(text, token.text, token.end) else 0.7
    if found.place and context.is_place(text, token.start, token.end):
        return 0.0
    if found.first:
        if found.common < 0.35:
            return 0.8
        return 0.6 if cued or not opening or _is_somebody(text, token) else 0.0
    if found.patronymic and found.common < 0.3:
        return 0.7
    if found.surname == 2 and found.common < 0.35 and (not found.place or cued or _is_governed(text, token)):
        return 0.7 if cued or not opening or known(token.text) else 0.0
    if found.surname and opening and GENITIVE_LIKE.search(token.text) and opens_sentence(token.text) < 0.1:
        return 0.6 if context.has_masculine_verb(text, token.end) else 0.0
    if context.is_cued(text, token.start, strong=True) and found.common < 0.3 and not found.place:
        return 0.6
    return 0.0


def _is_governed(text: str, token: Token) -> bool:
    """`Позвоните Пушкину`: a verb asks for somebody where a town makes no sense."""
    return expected_case(text[max(0, token.start - 80) : token.start], text[token.end : token.end + 40]) == "datv"


def _is_asked_for(text: str, token: Token) -> bool:
    """`напиши маше`, `у гены`: the words around ask for the case that this form has rather as a name than as a word."""
    case = expected_case(text[max(0, token.start - 80) : token.start], text[token.end : token.end + 40])
    fitting = [r for r in readings(token.text) if r.case == case] if case in ("datv", "gent", "ablt") else []
    return sum(r.score for r in fitting if "Name" in r.marks) > sum(r.score for r in fitting if "Name" not in r.marks)


def _is_somebody(text: str, token: Token) -> bool:
    if context.is_addressed(text, token.end):
        return True
    return token.text.lower() not in OFTEN and context.acts(text, token.end)


def _score_lower(text: str, token: Token, lower_text: bool) -> float:
    """A lone word in lower case: a first name that is nothing else, in a message without capitals or after a cue."""
    found = token.traits
    if not (found.first or found.patronymic or found.surname == 2):
        return 0.0
    cued = context.is_cued(text, token.start, strong=True)
    if found.first and len(token.text) > 2 and found.common < (0.4 if cued else 0.15):
        return 0.6 if lower_text or cued else 0.0
    if lower_text and found.first and _is_asked_for(text, token):
        return 0.6
    if cued and found.surname == 2 and found.common < 0.1:
        return 0.5
    return 0.5 if lower_text and found.patronymic and found.common == 0.0 and len(token.text) > 5 else 0.0
