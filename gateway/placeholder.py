"""Placeholders: how one is written, and how it is found again in what a model made of it.

Issued: `<PERSON_1>`, `<ИМЯ_1>`. Found again with another case, spaces, lost or other brackets, HTML, JSON and URL
escapes, bold, back-ticks, a glued Russian ending, a translated type. Never found: another number, another type, a
number that goes on, a name inside a longer identifier, and a placeholder that the end of the text cuts.

`Grammar.scan` says for a text that may go on which hits are certain, and from where on nothing is decided yet.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.labels import skeleton, translations
from gateway.placeholder_forms import closing, compile_grammar, compile_wide, strict_mark

if TYPE_CHECKING:
    import regex

LOOK = 24  # characters after a number that decide every rule below
LEFT = 160  # characters before a placeholder that any rule looks at

_BRACKETS = {"angle": ("<", ">"), "square": ("[", "]"), "brace": ("{", "}")}

_ENDING_WORDS = """
а я у ю й е и ы ом ем ём ой ей ою ею ами ями ам ям ах ях ов ев ёв ым им ого его ому ему ых их ая ую
ин ина ину иной ине иным ова ову овой овым овы ыми ими
"""
ENDINGS = frozenset(_ENDING_WORDS.split())
_ENDING_START = "'’ʼ´-‐‑"


@dataclass(frozen=True, slots=True)
class Hit:
    """A placeholder in a text. `ending` is the Russian ending taken off; `escaped` is "url" inside percent escapes."""

    start: int
    end: int
    placeholder: str
    ending: str = ""
    escaped: str = ""


def write(label: str, number: int) -> str:
    """The issued form."""
    return f"<{label}_{number}>"


def read(placeholder: str) -> tuple[str, int] | None:
    """Label and number of an issued form; None for any other string."""
    label, mark, number = placeholder[1:-1].rpartition("_")
    written = placeholder[:1] == "<" and placeholder[-1:] == ">" and mark and label and number.isascii()
    return (label, int(number)) if written and number.isdigit() and str(int(number)) == number else None


class Grammar:
    """Finds the given placeholders, and only these. Strings that have not the issued form are found literally."""

    def __init__(self, placeholders: Iterable[str] = ()) -> None:
        self._issued: dict[tuple[str, int], set[str]] = {}
        self._translated: dict[tuple[str, int], set[str]] = {}
        self._labels: set[str] = set()
        self._names: set[str] = set()  # skeletons of the labels and of their translations
        self._literals: set[str] = set()
        self._pattern: regex.Pattern[str] | None = None
        for placeholder in placeholders:
            self.add(placeholder)

    def add(self, placeholder: str) -> None:
        """One more placeholder to be found."""
        parsed = read(placeholder)
        if parsed is None:
            self._literals.add(placeholder)
            self._pattern = None
            return
        label, number = parsed
        self._issued.setdefault((skeleton(label), number), set()).add(placeholder)
        for other in translations(label):
            self._translated.setdefault((skeleton(other), number), set()).add(placeholder)
        if label not in self._labels:
            self._labels.add(label)
            self._names.update(skeleton(name) for name in (label, *translations(label)))
            self._pattern = None

    def prepare(self) -> None:
        """Compiles now what a stream would wait for at its first piece."""
        self._compiled()

    def _compiled(self) -> regex.Pattern[str] | None:
        if self._pattern is None and (self._labels or self._literals):
            self._pattern = compile_grammar(frozenset(self._labels), frozenset(self._literals))
        return self._pattern

    def scan(
        self, text: str, start: int = 0, *, final: bool = True, flat: bool = False, closed: bool = False
    ) -> tuple[list[Hit], int]:
        """Hits from `start` on, and the offset before which all is decided (the length of the text when final).

        `flat` keeps square and curly brackets: outside JSON strings they belong to the document. `closed` says that
        a final text is known to be whole, as a JSON string is at its quote: nothing was cut off.
        """
        hits: list[Hit] = []
        while match := self._search(text, start, final):
            if match.partial:
                return hits, match.start()
            if not final and not _settled(text, match):
                return hits, match.start()
            hit = self._resolve(text, match, flat, closed)
            start = hit.end if hit else max(match.end("number"), match.end("literal"), match.start() + 1)
            if hit:
                hits.append(hit)
        return hits, len(text)

    def _search(self, text: str, start: int, final: bool) -> regex.Match[str] | None:
        """The first match of the grammar of these placeholders. A whole text is searched by the wide grammar, which
        reads the same in every place: only one label ends where a number begins."""
        if final and self._labels and not self._literals and (wide := compile_wide(frozenset(self._labels))):
            while (match := wide.search(text, start)) and skeleton(match["label"]) not in self._names:
                start = match.start() + 1
            return match
        pattern = self._compiled()
        return pattern.search(text, start, partial=not final) if pattern is not None else None

    def _resolve(self, text: str, match: regex.Match[str], flat: bool, closed: bool) -> Hit | None:
        if match["literal"] is not None:
            return Hit(match.start(), match.end("literal"), match["literal"])
        placeholder = self._lookup(match["label"], match["number"])
        if placeholder is None or _is_negative(match["mark"]):
            return None
        start, end = match.start("label"), match.end("number")
        if text[start - 1 : end + 1] == placeholder and start:
            return _with_ending(text, Hit(start - 1, end + 1, placeholder))
        cut = not closed and _is_cut(text, match)
        span = None if cut else _span(text, match, flat)
        if span is None:
            return None
        escaped = "url" if text[span[0] : span[0] + 3].lower() == "%3c" else ""
        return _with_ending(text, Hit(*span, placeholder, escaped=escaped))

    def _lookup(self, label: str, digits: str) -> str | None:
        digits = unicodedata.normalize("NFKC", digits)
        if digits.startswith("0"):
            return None
        key = (skeleton(label), int(digits))
        found = self._issued.get(key) or self._translated.get(key) or set()
        return next(iter(found)) if len(found) == 1 else None


def _is_cut(text: str, match: regex.Match[str]) -> bool:
    """Whether the text ends inside: a bracket opened and never closed."""
    return match.end() == len(text) and bool(_kind(match, "open")) and not _kind(match, "close")


def _is_negative(mark: str) -> bool:
    """`<PERSON_-1>` has a sign before its number: no number that was ever issued."""
    return len(mark) > 1 and mark[-1] in "-‐‑–—"


def _kind(match: regex.Match[str], side: str) -> str:
    return next((kind for kind in _BRACKETS if match[f"{side}_{kind}"] is not None), "")


def _span(text: str, match: regex.Match[str], flat: bool) -> tuple[int, int] | None:
    """What is replaced: the brackets go where they are the placeholder's own and stay where they are the text's."""
    opened, closed = _kind(match, "open"), _kind(match, "close")
    start, end = match.start("label"), match.end("number")
    if opened == "brace" and text[match.start() - 1 : match.start()] == "$":
        return None
    if opened and opened == closed and not (flat and opened != "angle") and not _is_index_or_link(text, match, opened):
        return match.start(), match.end()
    if opened == "square" and closed == "angle" and not flat:
        return match.start(), match.end()
    if not _stands_alone(text, match, start, end):
        return None
    if opened == "angle" and text[match.end(f"open_{opened}")] not in " \t":  # `a < PERSON_1` compares
        start = match.start()
    padded = match.start(f"close_{closed}") != end if closed else True
    if closed and not padded and (closed == "angle" or opened == "angle"):
        before = text[max(0, start - LEFT) : start].rpartition("\n")[2]
        left, right = _BRACKETS[closed]
        glued = not opened and text[match.end() : match.end() + 1].isalnum()
        if before.rfind(left) <= before.rfind(right) and not (opened and flat) and not glued:
            end = match.end()
    return start, end


def _is_index_or_link(text: str, match: regex.Match[str], opened: str) -> bool:
    """`names[PERSON_1]` is an index and `[PERSON_1](url)` a link: their brackets stay."""
    if opened != "square":
        return False
    before, after = (
        text[match.start() - 1 : match.start()] if match.start() else "",
        text[match.end() : match.end() + 1],
    )
    return after == "(" or before.isalnum() or before in ("_", ")", "]")


def _stands_alone(text: str, match: regex.Match[str], start: int, end: int) -> bool:
    """Without brackets of its own a name must be whole: no part of an identifier, a path in code, an assignment."""
    if not strict_mark().fullmatch(match["mark"]):
        return False
    before, after = text[max(0, start - 3) : start], text[end : end + 3]
    if before.endswith("_") or after.startswith("_"):
        return _in_underscores(before, after)
    if before[-1:].isalnum() or before[-1:] in ("$", "\\") or before.endswith("</"):
        return False
    if after[:1].isalnum() and not _is_cyrillic(after[0]) and not _is_possessive(after, match["label"]):
        return False
    if after[:1] and _is_cyrillic(after[0]) and not _ending_at(text, end):
        return False
    if after[:2] == "\\_" or (after[:1] in ("-", ".") and after[1:2].isdigit()):
        return False
    return match["label"].isupper() or not _is_code(before, after)


def _is_possessive(after: str, label: str) -> bool:
    """`PERSON_1s Haus`: a genitive without its apostrophe."""
    return label.isupper() and after[0] == "s" and not (after[1:2].isalnum() or after[1:2] in ("_", "-", "(", "["))


def _in_underscores(before: str, after: str) -> bool:
    """`__PERSON_1__` is bold in Markdown."""
    left, right = len(before) - len(before.rstrip("_")), len(after) - len(after.lstrip("_"))
    outside = (before.rstrip("_")[-1:], after.lstrip("_")[:1])
    return left == right and left in (1, 2) and not any(char.isalnum() for char in outside)


def _is_code(before: str, after: str) -> bool:
    """`person_1 = …`, `person_1(`, `person_1.name`, `self.person_1`, `@person_1`: a variable, not a placeholder."""
    following = after.lstrip(" ")
    return (
        before[-1:] in (".", "@", "/", "#")
        or after[:1] in ("(", "[")
        or (following[:1] == "=" and following[1:2] != "=")
        or (after[:1] == "." and after[1:2].isalpha())
    )


def _is_cyrillic(char: str) -> bool:
    return "Ѐ" <= char <= "ӿ"


def ending_after(text: str, start: int) -> str:
    """The glued Russian ending at `start` with its apostrophe or hyphen; empty when there is none."""
    return _ending_at(text, start)


def _ending_at(text: str, start: int) -> str:
    mark = text[start : start + 1] if text[start : start + 1] in tuple(_ENDING_START) else ""
    stop = start + len(mark)
    while stop < len(text) and stop - start < 8 and _is_cyrillic(text[stop]):
        stop += 1
    letters = text[start + len(mark) : stop]
    if letters.casefold() not in ENDINGS or text[stop : stop + 1].isalnum() or text[stop : stop + 1] == "_":
        return ""
    return text[start:stop]


def _with_ending(text: str, hit: Hit) -> Hit:
    ending = _ending_at(text, hit.end)
    if not ending:
        return hit
    return Hit(hit.start, hit.end + len(ending), hit.placeholder, ending.lstrip(_ENDING_START), hit.escaped)


def _settled(text: str, match: regex.Match[str]) -> bool:
    """Whether no further text can change what this match means."""
    after = text[match.end() :]
    if match["literal"] is not None or len(after) >= LOOK:
        return True
    if not _kind(match, "close") and closing().fullmatch(after, partial=True):
        return False
    if not after:
        return False
    if after[0] in _ENDING_START or _is_cyrillic(after[0]):
        letters = after[1:] if after[0] in _ENDING_START else after
        return any(not _is_cyrillic(char) for char in letters)
    return bool(_kind(match, "close")) or len(after) >= 3 or after[0] in ',;:!?"»“”)\n'
