"""Values that a conversation has shown, found again in any text: one index for masking and for the last look.

A form is found as whole words, in any case, with other separators between its words (`Ada_Vance`, `ada  vance`).
Numbers of seven digits and more are found in any grouping. What is short or an everyday word needs care:

- one character, and numbers under six digits, are not looked for again: they would hit everywhere;
- a single word that is short (under four letters) or an everyday word (`Will`, `Роза`) is found as typed, capitalised
  or in capitals, never in lower case unless it was typed so;
- the last look leaves out what is under three characters and the words of the protocols (`user`, `system`, `text`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from gateway.facts import MIN_DIGITS, TOKEN, Facts, digits_of

_RUN = re.compile(r"\d(?:(?:[ \t\u00a0\u202f\-‐‑–.()/]{0,3}|\\[tnr])\d){6,}")  # source code writes a tab as an escape
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PROTOCOL_WORDS = """
user users system assistant developer tool tools function functions role name content text type message messages model
input output image url data string number integer boolean object array null true false none auto required properties
description parameters arguments metadata stream usage index id created choices delta stop length temperature json
schema format detail low high medium enabled disabled default
"""
_PROTOCOL = frozenset(_PROTOCOL_WORDS.split())
_FEW = 50  # words: from here on reading a text once costs less than searching it for each
_MANY = 200
"""Words of a form: a longer one is a page, found as it was typed; else each of its words costs its length."""
PART = ""
"""The owner of a surname out of a full name."""


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling of a value. `exact` keeps the case; `looked` is false for what the last look must leave out."""

    text: str
    owner: str
    tokens: tuple[str, ...]
    exact: bool
    looked: bool
    order: int
    widest: int
    """Signs between two of its words."""


@dataclass(frozen=True, slots=True)
class Known:
    """A place where a form stands."""

    start: int
    end: int
    form: Form


class KnownForms:
    """All forms of one conversation, indexed by their first word and by their digits."""

    def __init__(self) -> None:
        self._words: dict[str, dict[str, list[Form]]] = {}  # by the first word, then by the second one or ""
        self._hashed: dict[int, str] = {}  # hash of a first word → the word
        self._added: list[int | None] = []  # by order: hash of the first word or of the digits, None if found as typed
        self._digits: dict[str, Form] = {}
        self._digit_hashes: set[int] = set()
        self._lengths: tuple[int, ...] = ()
        self._as_typed: list[Form] = []
        self._seen: set[tuple[str, str]] = set()
        self.order = 0
        self.widest = 0  # signs between two words of a form

    def add(self, text: str, owner: str) -> None:
        """Makes `text` findable as a form of the placeholder `owner`; what is too short is left out.

        A `PART` of a name is no form of anything: where it stands it is a person of its own; the last look passes it.
        """
        tokens = tuple(token.casefold() for token in TOKEN.findall(text))
        if (text, owner) in self._seen or not tokens:
            return
        self._seen.add((text, owner))
        form = _form(text, owner, tokens, self.order)
        if form is None:
            return
        self.order += 1
        self.widest = max(self.widest, form.widest)
        self._added.append(None)
        if _UNSPACED.search(text) or len(tokens) > _MANY:
            self._as_typed.append(form)
        elif not self._add_digits(form):
            self._added[-1] = hash(tokens[0])
            self._hashed[hash(tokens[0])] = tokens[0]
            forms = self._words.setdefault(tokens[0], {}).setdefault("".join(tokens[1:2]), [])
            forms.append(form)
            forms.sort(key=lambda other: -len(other.text))

    def _add_digits(self, form: Form) -> bool:
        digits = digits_of("".join(form.tokens))
        if len(digits) < MIN_DIGITS or len(digits) * 2 <= sum(map(len, form.tokens)):
            return False
        self._digits.setdefault(digits, form)
        self._added[-1] = hash(digits)
        self._digit_hashes.add(hash(digits))
        self._lengths = tuple(sorted({*self._lengths, len(digits)}, reverse=True))
        return True

    def find(self, text: str, *, since: int = 0, facts: Facts | None = None) -> list[Known]:
        """Places of all forms added at `since` or later, in order, longest first where they overlap.

        With the `facts` of the text only words that it holds are looked for.
        """
        if self.order <= since:
            return []
        found = [*self._find_words(text, since, facts), *self._find_as_typed(text)]
        if facts is None or facts.endless or self._has_digits(facts, since):
            found += self._find_digits(text)
        found = [known for known in found if known.form.order >= since]
        found.sort(key=lambda known: (known.start, -known.end, known.form.owner == PART))
        kept: list[Known] = []
        for known in found:
            if not kept or known.start >= kept[-1].end:
                kept.append(known)
        return kept

    def _has_digits(self, facts: Facts, since: int) -> bool:
        new = self._digit_hashes.intersection(self._added[since:]) if since else self._digit_hashes
        return not facts.words.keys().isdisjoint(new)

    def may_find(self, facts: Facts, *, since: int = 0) -> bool:
        """False only if no form added at `since` or later stands in the text of these facts."""
        if since:
            return any(word is None or facts.endless or word in facts.words for word in self._added[since:])
        if self._as_typed or (facts.endless and self._digits):
            return True
        words = facts.words.keys()
        return not (words.isdisjoint(self._hashed.keys()) and words.isdisjoint(self._digit_hashes))

    def _find_words(self, text: str, since: int, facts: Facts | None) -> Iterator[Known]:
        """Finds the first words that the text holds at all, then tries the forms that go on as the text does."""
        folded = text.casefold()
        if len(folded) != len(text):  # `ß` is two letters then: letter by letter, so that places are those of the text
            folded = "".join(char.casefold() if len(char.casefold()) == 1 else char for char in text)
        for first, start in _places(folded, self._firsts(folded, since, facts)):
            following = _word_at(folded, start + len(first))
            for second in ("", following) if following else ("",):
                for form in self._words[first].get(second, ()):
                    if span := _match_form(text, start, form):
                        yield Known(*span, form)

    def _firsts(self, folded: str, since: int, facts: Facts | None) -> set[str]:
        """The first words of forms that stand in the text; `%20` in front of one is a space."""
        if facts is not None and "%20" not in folded:
            new = self._added[since:] if since else self._hashed
            return {self._hashed[word] for word in facts.words.keys() & new if word in self._hashed}
        words = set(TOKEN.findall(folded))
        if "%20" in folded:
            words |= {word[2:] for word in words if word.startswith("20")}
        return self._words.keys() & words

    def _find_as_typed(self, text: str) -> Iterator[Known]:
        for form in self._as_typed:
            place = text.find(form.text)
            while place >= 0:
                yield Known(place, place + len(form.text), form)
                place = text.find(form.text, place + len(form.text))

    def _find_digits(self, text: str) -> Iterator[Known]:
        for run in _RUN.finditer(text) if self._lengths else ():
            places = [place for place in range(run.start(), run.end()) if text[place].isdigit()]
            digits = digits_of(run[0])
            for length in self._lengths:
                for first in range(len(digits) - length + 1):
                    form = self._digits.get(digits[first : first + length])
                    if form and _stands_alone(text, places[first], places[first + length - 1] + 1):
                        yield Known(*_with_letters(text, places[first], places[first + length - 1] + 1), form)


def _places(folded: str, words: Collection[str]) -> Iterator[tuple[str, int]]:
    """Where the words stand whole, or behind `%20`: one search for each of a few, one reading of the text for many."""
    if len(words) <= _FEW:
        for word in words:
            yield from ((word, place) for place in _places_of(folded, word))
        return
    for match in TOKEN.finditer(folded):
        word, place = match[0], match.start()
        if word in words:
            yield word, place
        if word.startswith("20") and folded[place - 1 : place] == "%" and word[2:] in words:
            yield word[2:], place + 2


def _places_of(folded: str, word: str) -> Iterator[int]:
    place = folded.find(word)
    while place >= 0:
        end = place + len(word)
        whole = not folded[place - 1 : place].isalnum() or folded[max(0, place - 3) : place] == "%20"
        if whole and not folded[end : end + 1].isalnum():
            yield place
        place = folded.find(word, place + 1)


def _word_at(folded: str, start: int) -> str:
    """The next word behind a place, without the 20 of a `%20`; empty at the end."""
    match = TOKEN.search(folded, start)
    if match is None:
        return ""
    escaped = match[0].startswith("20") and folded[match.start() - 1 : match.start()] == "%"
    return match[0][2:] if escaped else match[0]


def _form(text: str, owner: str, tokens: tuple[str, ...], order: int) -> Form | None:
    size = sum(map(len, tokens))
    if size < 2 and not _UNSPACED.search(text):
        return None
    if "".join(tokens).isdigit() and size < 6:
        return None
    single = len(tokens) == 1
    exact = single and tokens[0].isalpha() and (size < 4 or is_everyday(tokens[0]))
    looked = (
        owner != PART
        and (size >= 3 or bool(_UNSPACED.search(text) and size >= 2))
        and not (single and tokens[0] in _PROTOCOL)
    )
    return Form(text, owner, tokens, exact, looked, order, _widest_gap(text))


def _match_form(text: str, start: int, form: Form) -> tuple[int, int] | None:
    first = TOKEN.search(form.text)
    lead, tail = form.text[: first.start()] if first else "", _tail(form.text)
    core = form.text[len(lead) : len(form.text) - len(tail)]
    end = start + len(core)
    if not text.startswith(core, start) or text[end : end + 1].isalnum():  # as typed is the common and cheap case
        match = _pattern(form.tokens, form.widest).match(text, start)
        if match is None or (form.exact and match[0] not in _cased(form.text)):
            return None
        end = match.end()
    if lead and text[max(0, start - len(lead)) : start] == lead:
        start -= len(lead)
    return start, end + len(tail) if tail and text.startswith(tail, end) else end


def _cased(form: str) -> tuple[str, ...]:
    core = TOKEN.findall(form)[0]
    return core, core.upper(), core.capitalize()


def _tail(form: str) -> str:
    stop = len(form)
    while stop and not TOKEN.match(form[stop - 1]):
        stop -= 1
    return form[stop:]


def _widest_gap(form: str) -> int:
    return max([3, *(len(gap) for gap in re.findall(r"[\W_]+", form))])


@lru_cache(maxsize=8192)
def _pattern(tokens: tuple[str, ...], gap: int) -> re.Pattern[str]:
    return re.compile(rf"(?:%20|[\W_]){{1,{gap}}}".join(map(re.escape, tokens)) + r"(?![^\W_])", re.IGNORECASE)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else ""
    return not before.isdigit() and not text[end : end + 1].isdigit()


def _with_letters(text: str, start: int, end: int) -> tuple[int, int]:
    """Takes in what is glued to the digits: `DE` of an IBAN, `+` of a phone number."""
    while start and (text[start - 1].isalnum() or text[start - 1] == "+"):
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end


@lru_cache(maxsize=8192)
def is_everyday(word: str) -> bool:
    """Whether a word (lower case) is one that texts use anyway: then only a capital tells the name from it."""
    if any("Ѐ" <= char <= "ӿ" for char in word):
        return _is_everyday_russian(word)
    return word in _everyday_words()


def _is_everyday_russian(word: str) -> bool:
    try:
        from gateway.detect.russian.words import common_weight
    except ImportError:  # without the extra there is no Russian detection either; the careful answer is yes
        return True
    return common_weight(word) > 0.0


@lru_cache(maxsize=1)
def _everyday_words() -> frozenset[str]:
    from importlib.resources import files

    return frozenset(files("gateway.detect").joinpath("data/common_words.txt").read_text("utf-8").split())
