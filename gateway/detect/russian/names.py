"""People in Russian text: the tagger's spans, corrected and completed by the dictionary of names.

The tagger is blind in lower case, in capitals and in lists, and joins a capitalised first word to the name; the
dictionary route reads runs of words as first name, patronymic, surname and initials that agree in gender and case.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from gateway.detect.entity import Entity
from gateway.detect.names.kinds import in_columns_of_things
from gateway.detect.russian import name_context as context
from gateway.detect.russian.fields import find_fields
from gateway.detect.russian.identity import keyed
from gateway.detect.russian.ner import Span
from gateway.detect.russian.persons import PARTICLES, read_person
from gateway.detect.russian.public import private
from gateway.detect.russian.single import GENITIVE_LIKE, score_single
from gateway.detect.russian.tagged import by_tagger
from gateway.detect.russian.tokens import Token, tokenize
from gateway.detect.russian.traits import Traits, traits
from gateway.detect.russian.words import known, opens_sentence, readings

_LONGEST = 5


def find_names(text: str, tagged: Iterable[Span] = (), *, public: bool = False) -> Iterator[Entity]:
    """People of a text, each with key, case and gender; `tagged` are the spans of the tagger.

    With `public`, writers, scientists and statesmen of the public list pass.
    """
    tokens = _with_short_surnames(text, tokenize(text))
    lower_text = not any(token.style in "cu" for token in tokens)
    spans = dict(_by_dictionary(text, tokens, lower_text))
    for start, end in by_tagger(text, tokens, tagged):
        spans[start, end] = 0.85
    for start, end in _apart(text, tokens):
        spans[start, end] = max(0.8, spans.get((start, end), 0.0))
    for start, end, score in find_fields(text):
        spans[start, end] = max(score, spans.get((start, end), 0.0))
    things = list(in_columns_of_things(text)) if spans else []
    merged = [
        (_with_particle(text, start), _with_bare_initials(text, start, end), score)
        for start, end, score in _merged(text, spans)
        if not any(first <= start < last for first, last in things)
    ]
    people = list(keyed(text, merged))
    yield from private(text, people) if public else people


_SHORT_SURNAMES = frozenset(("ан", "ни", "те", "хе", "пя", "ю"))


def _with_short_surnames(text: str, tokens: list[Token]) -> list[Token]:
    """`Ан Светлана`, `Ни А. В.`: a particle with a capital inside a sentence, before a first name or initials."""
    for at in range(len(tokens) - 1):
        token, following = tokens[at], tokens[at + 1]
        if len(token.text) > 2 or token.text.lower() not in _SHORT_SURNAMES or not token.joined:
            continue
        named = following.style == "i" or (following.traits.first and following.traits.common < 0.35)
        if token.style == "c" and named and not context.at_sentence_start(text, token.start):
            tokens[at] = token._replace(traits=replace(token.traits, surname=2, common=0.0, verb=False))
    return tokens


_NOBLE = re.compile(r"(?<![А-ЯЁа-яё-])(?:фон|ван(?: дер)?|ибн|дель|аль|эль|бин) $", re.IGNORECASE)
_BARE_INITIALS = re.compile(r"[ \u00a0][А-ЯЁ](?:[ \u00a0]?[А-ЯЁ](?![\w.])|(?=[ \t]*(?:[,;)|\n]|$)))")


def _with_particle(text: str, start: int) -> int:
    """`фон Рихтер`: the particle belongs to the name behind it."""
    match = _NOBLE.search(text[max(0, start - 10) : start])
    return start - len(match[0]) if match else start


def _with_bare_initials(text: str, start: int, end: int) -> int:
    """`Ким Е В`, `Громов С,`: where a surname ends with the initials that nobody dotted."""
    match = None if " " in text[start:end] else _BARE_INITIALS.match(text, end)
    return match.end() if match else end


def _by_dictionary(text: str, tokens: Sequence[Token], lower_text: bool) -> Iterator[tuple[tuple[int, int], float]]:
    chat = context.chat_lines(text)
    at = 0
    while at < len(tokens):
        lower = lower_text or any(start <= tokens[at].start < end for start, end in chat)
        size, score = _longest(text, tokens, at, lower)
        if size:
            yield (tokens[at].start, tokens[at + size - 1].end), score
        at += size or 1


def _longest(text: str, tokens: Sequence[Token], at: int, lower_text: bool) -> tuple[int, float]:
    if tokens[at].style == "l" and not _may_open(tokens[at].traits):
        return 0, 0.0
    window = [tokens[at]]
    while window[-1].joined and len(window) < _LONGEST and at + len(window) < len(tokens):
        window.append(tokens[at + len(window)])
    for size in range(len(window), 0, -1):
        score = _score(text, window[:size], lower_text)
        if score and not context.is_thing(text, window[:size]):
            return size, score
    return 0, 0.0


def _may_open(found: Traits) -> bool:
    """Most words in lower case can be no part of a name: what they stand beside need not be looked at."""
    return found.first or found.patronymic or found.surname > 0


_CELL = re.compile(
    r"[\"'«»]?\s?(?:[,;|\t]\s?)[\"'«»]?|</[^<>\s]{1,40}>\s{0,8}<[^<>\s]{1,40}>|[*_]{1,3} ?[*_]{0,3}| [*_]{1,3}"
)


def _apart(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """A surname in the cell beside that of a first name or a patronymic: `Кожевников;Артём;Павлович`."""
    for left, right in pairwise(tokens):
        if left.style != "c" or right.style != "c" or not _CELL.fullmatch(text, left.end, right.start):
            continue
        for name, other in ((left.traits, right), (right.traits, left)):
            if (name.patronymic or (name.first and name.common < 0.35)) and _is_surname_cell(other):
                yield other.start, other.end


def _is_surname_cell(token: Token) -> bool:
    found = token.traits
    barred = found.first or found.patronymic or found.role or found.verb or found.place
    shaped = found.surname == 2 or (found.surname and GENITIVE_LIKE.search(token.text))
    return bool(shaped) and not barred


def _score(text: str, window: Sequence[Token], lower_text: bool) -> float:
    """0 for no name. The words of a name are written alike: all Capital, all UPPER or all lower."""
    styles = {token.style for token in window} - {"i"}
    lower = "l" in {token.style for token in window if token.text.lower() not in PARTICLES}
    if lower and styles - {"l"} or not styles or (len(styles - {"l"}) > 1 and not _shouts_surname(window)):
        return 0.0
    words = [token for token in window if token.style != "i"]
    initials = len(window) - len(words)
    if initials:
        return _score_initials(text, window, words) if not lower else 0.0
    if len(words) == 1:
        return score_single(text, words[0], lower_text)
    return _score_words(text, words, lower)


def _shouts_surname(window: Sequence[Token]) -> bool:
    """`ЗОРИНОЙ Инне Юрьевне`: forms write the surname alone in capitals."""
    capitals = [token for token in window if token.style == "u"]
    return len(capitals) == 1 and capitals[0] in (window[0], window[-1]) and capitals[0].traits.surname == 2


def _score_initials(text: str, window: Sequence[Token], words: Sequence[Token]) -> float:
    """`Иванов И. И.`, `И. И. Иванов`, `Мария С.`, `Иван П. Сидоров`: initials on one side, at most two of them."""
    shape = "".join("i" if token.style == "i" else "w" for token in window)
    if shape not in ("wi", "wii", "iw", "iiw", "wiw", "wwi"):
        return 0.0
    signed = shape in ("wii", "iiw") and GENITIVE_LIKE.search(words[0].text)  # `Майоров Э. Д.`
    if not signed and any(token.traits.role or (token.traits.verb and token.traits.surname < 2) for token in words):
        return 0.0
    name = words[-1] if shape != "wi" else words[0]
    found = name.traits
    if shape in ("wwi", "wiw"):
        return 0.85 if words[0].traits.first or words[-1].traits.first else 0.0
    if found.place and not found.surname:
        return 0.0
    if shape in ("wii", "iiw"):
        return 0.9 if found.surname or found.first or found.common < 0.5 else 0.0
    if shape == "wi" and context.at_sentence_start(text, window[-1].end + 1) and found.common > 0.5:
        return 0.0
    return 0.8 if found.surname == 2 or found.first or found.patronymic else 0.0


def _score_words(text: str, words: Sequence[Token], lower: bool) -> float:
    name = text[words[0].start : words[-1].end]
    roles = [token.traits for token in words]
    if lower and words[-1].text in _ENDS_NO_NAME:
        return 0.0  # `готов ли`
    particles = sum(token.text.lower() in PARTICLES for token in words)
    if particles:
        return 0.9 if words[-1].text.lower() in PARTICLES and (roles[0].surname or roles[0].first) else 0.0
    pair = any(a.first and b.patronymic for a, b in pairwise(roles))
    if len(words) == 2 and not lower and roles[0].first and roles[0].common < 0.35 and _is_odd_surname(text, words[1]):
        return 0.8
    if any(role.role or (role.verb and not (role.first or role.surname == 2)) for role in roles):
        return 0.0
    if pair:
        rest = [role for role in roles if not role.first and not role.patronymic]
        named = len(words) <= 4 and (all(_may_be_surname(role) for role in rest) or _follows_role(text, words))
        return 0.95 if named and read_person(name) else 0.0
    if len(words) > 3 or not read_person(name):
        return 0.0
    firsts = sum(role.first for role in roles)
    if not firsts:
        return 0.6 if len(words) == 2 and _unheard_of(text, words) else 0.0
    others = [role for role in roles if not role.first]
    if len(words) == 3 and firsts + sum(role.surname == 2 for role in others) < 3:
        return 0.0
    if lower:
        return 0.75 if _lower_pair(text, words) else 0.0
    if not all(_may_be_surname(role) for role in others):
        return 0.0
    sure = any(role.first and role.common < 0.5 for role in roles) or any(role.surname == 2 for role in others)
    if not sure and context.at_sentence_start(text, words[0].start):
        return 0.0
    return 0.9 if sure else 0.5


_ENDS_NO_NAME = frozenset(("ли", "же", "то", "ни", "бы"))


def _is_odd_surname(text: str, token: Token) -> bool:
    """`Илья Пых`: a small word with a capital, where the sentence goes on or ends behind it."""
    small = readings(token.text)[0].pos in ("INTJ", "PRCL", "PRED", "ADVB")
    return small and token.style == "c" and not _NEXT_CAPITAL.match(text, token.end)


_NEXT_CAPITAL = re.compile(r" [А-ЯЁ]")


def _follows_role(text: str, words: Sequence[Token]) -> bool:
    """`ИСТЕЦ БОЙ АННА ИЛЬИНИЧНА`: a plain word between a role and a first name is a surname."""
    match = re.search(r"([А-ЯЁа-яё]+)[ :]{1,2}$", text[max(0, words[0].start - 24) : words[0].start])
    return bool(match and traits(match[1]).role) and len(words) == 3 and words[1].traits.first


def _unheard_of(text: str, words: Sequence[Token]) -> bool:
    """`Синклитикия Гусева`: a dictionary surname that agrees with a word no dictionary knows."""
    surnames = [
        token for token in words if token.traits.surname == 2 and known(token.text) and token.traits.common < 0.35
    ]
    others = [token for token in words if not known(token.text) and len(token.text) > 3]
    if len(surnames) != 1 or len(others) != 1:
        return False
    return not (surnames[0].traits.place and context.is_place(text, words[0].start, words[-1].end))


def _may_be_surname(role: Traits) -> bool:
    if role.surname == 2:
        return True
    return role.surname == 1 and not role.verb and not role.role


def _lower_pair(text: str, words: Sequence[Token]) -> bool:
    """In lower case a plain word beside a first name must look like a surname and like nothing else in this place."""
    firsts = [token.traits for token in words if token.traits.first]
    others = [token for token in words if not token.traits.first]
    if others:
        sure = all(_is_lower_surname(token) or _describes_nothing(text, token) for token in others)
        certain = any(token.traits.surname == 2 and token.traits.common < 0.1 and known(token.text) for token in others)
        return sure and (certain or any(first.common < 0.6 for first in firsts))
    return any(first.surname and first.common < 0.35 for first in firsts) and all(
        first.common < 0.35 for first in firsts
    )


def _describes_nothing(text: str, token: Token) -> bool:
    """`анжеле крюковой на почту`: a surname that is an adjective too, with no noun behind it to describe."""
    found = readings(token.text)
    if not any("Surn" in r.marks for r in found) or any(r.pos != "ADJF" for r in found if "Surn" not in r.marks):
        return False
    following = _NEXT_WORD.match(text, token.end)
    return following is None or all(r.pos not in ("NOUN", "ADJF", "PRTF") for r in readings(following[1]))


_NEXT_WORD = re.compile(r" ([А-ЯЁа-яё]+)")


def _is_lower_surname(token: Token) -> bool:
    found = token.traits
    if found.surname and GENITIVE_LIKE.search(token.text) and opens_sentence(token.text) < 0.1:
        return True
    return found.surname == 2 and (found.common < 0.35 or opens_sentence(token.text) < 0.1)


def _merged(text: str, spans: dict[tuple[int, int], float]) -> list[tuple[int, int, float]]:
    """Overlapping spans become one; so do neighbours that read as one name together (`Петров` + `Иван Ильич`)."""
    result: list[tuple[int, int, float]] = []
    for (start, end), score in sorted(spans.items()):
        if result and start < result[-1][1]:
            last = result.pop()
            result.append((last[0], max(end, last[1]), max(score, last[2])))
        elif result and text[result[-1][1] : start] in (" ", "\u00a0") and read_person(text[result[-1][0] : end]):
            last = result.pop()
            result.append((last[0], end, max(score, last[2])))
        else:
            result.append((start, end, score))
    return result
