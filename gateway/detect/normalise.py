"""Undoes what hides a value from a pattern, and keeps the way back to the original offsets.

Zero-width characters vanish; full-width, styled and foreign digits and letters, odd spaces and hyphens, HTML entities,
percent (also of a percent) and JSON escapes become the plain character; the `.0` of a long number that a table took for a
float vanishes; in a word that mixes scripts the look-alikes take the script of
the majority, and between digits they are digits. A placeholder that was issued before loses its words, so that its type
says nothing about what stands beside it, and the emphasis of Markdown is one that is no letter (`__Anna__`).
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from gateway.detect.scan import Gate

_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HYPHENS = "\u2010-\u2013\u2212\ufe58\ufe63\uff0d"
_STYLED = "\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\u2460-\u249b\u24b6-\u24e9\uff01-\uff0c\uff0f-\uff5e\U0001d400-\U0001d7ff"
_ODD = re.compile(
    f"(?P<invisible>[{_INVISIBLE}]+)|(?P<space>[{_SPACES}])|(?P<hyphen>[{_HYPHENS}])|(?P<quote>[\u2018\u2019\u02bc])"
    f"|(?P<styled>[{_STYLED}])|(?P<digit>(?![0-9])\\d)|(?P<dot>[\u3002\u2024\uff0e\uff61]|(?<=\\w)(?:\\[(?:\\.|dot|DOT)\\]|\\((?:\\.|dot|DOT)\\))(?=\\w))|(?P<bullet>(?<=\\d)[\u00b7\u2022\u2027\u2219\u22c5](?=\\d))"
    "|(?P<combined>[^\\W\\d_][\u0300-\u036f]+)|(?P<entity>&(?:[A-Za-z]{2,8}|\\#\\d{1,7}|\\#[xX][0-9A-Fa-f]{1,6});)"
    '|(?P<percent>(?:%(?:25)*[0-9A-Fa-f]{2})+)|(?P<zero>(?<=[0-9]{9})\\.0+(?![\\w.]))|(?P<unicode>(?:\\\\{1,2}u[0-9A-Fa-f]{4})+)|(?P<escape>\\\\[nrt"/\\\\])'
)
_MIXED = re.compile(
    "[A-Za-z0-9]*(?:[A-Za-z][0-9]*[\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][0-9]*[A-Za-z])[A-Za-z0-9\u0370-\u03ff\u0400-\u04ff]*"
)
_CYRILLIC_WORD = re.compile("[0-9\u0400-\u04ff]+")
_AMONG_DIGITS = re.compile("(?<=[0-9])[ОоЗз](?=[0-9])")
_AMONG_LETTERS = re.compile("(?<=[А-яЁё])[0346](?=[а-яё])")
_DATED = re.compile(r"(?<![\w.])(?=\S*[А-я])[0-9ОоЗзІІIlб]{1,2}\.[0-9ОоЗзІIlб]{1,2}\.[12][0-9ОоЗзІIlб]{3}(?!\w)")
"""A date that was read off paper: 21.О1.198О."""
_MIXED_GATE = Gate(
    {
        "mixed": "[a-z][0-9]*[\u0370-\u04ff]|[\u0370-\u04ff][0-9]*[a-z]",
        "digits": "[0-9][ОЗ][0-9]",
        "letters": "[а-яё][0346][а-яё]",
        "dates": r"[0-9ОЗІIl]\.[0-9ОЗІIl]{1,2}\.[12][0-9ОЗІIlб]",
    }
)
_GLUED_LABELS = (
    "tel|ph|phone|mob|mobile|cell|fax|whatsapp|viber|tlf|handy|тел|телефон|моб|сот|факс|passport|паспорт|загранпаспорт|снилс|инн|огрн|бик"
    "|card|карта|карты|visa|mastercard|ssn|itin|nhs|dni|nie|pesel|nip|regon|bsn|siret|siren|iban|account|acct|konto|dob|born"
)
_GLUED = re.compile(
    rf"(?i)(?<![^\W_])(?:{_GLUED_LABELS})(?=\+?\d(?:[ ()\-.]?\d){{5}})|(?<![^\W_])iban(?=[a-z]{{2}}\d\d)"
    r"|(?<=\d{4})\d(?=(?:exp|cvv2?|cvc2?|tel|phone|e-?mail|ssn|iban|dob|тел|инн|снилс|паспорт)(?![^\W\d_]))"
)
"""A label without a space before its number, and a number without one before the next label."""
_GLUED_GATE = Gate(
    {
        "glued": rf"(?:{_GLUED_LABELS})\+?\d[\d ()\-.]{{5}}|iban[a-z]{{2}}\d\d|\d{{5}}(?:exp|cv|tel|ph|e-?m|ssn|ib|dob|тел|инн|снилс|пасп)"
    }
)
_LOOK_ALIKES = {"mixed": _MIXED, "digits": _AMONG_DIGITS, "letters": _AMONG_LETTERS, "dates": _DATED}
_TO_DIGITS = str.maketrans("ОоЗзІIlб", "00331116")
_TO_LETTERS = str.maketrans("0346", "озаб")
_EMPHASIS = re.compile(r"(?<!\w)(?P<mark>__?)(?=[A-ZÀ-ÞА-ЯЁ][^\n_]{1,60}[^\W_](?P=mark)(?!\w))")
_EMPHASISED = re.compile(r"__?(?!\w)")
_ISSUED = re.compile(r"<[A-ZА-ЯЁ][A-ZА-ЯЁ_]{1,40}_[0-9]{1,6}>")
_TO_LATIN = str.maketrans(
    "АВСЕНІЈКМОРЅТУХаеіјорсѕухһԁԛԝкмтнвɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρ", "ABCEHIJKMOPSTYXaeijopcsyxhdqwkmthbgABEZHIKMNOPTYXoavp"
)
_TO_CYRILLIC = str.maketrans("ABCEHKMOPTXYaceopxyku", "АВСЕНКМОРТХУасеорхуки")
_TWICE = re.compile(r"%(?:25)+(?=[0-9A-Fa-f]{2})")
_MARK = re.compile(
    r"[^\x00-\x24'\x29-\x2d\x2f-\x5a\x5d-\x7f\u00a1-\u00ac\u00ae-\u00b1\u00b4-\u00b6\u00b8\u00ba-\u024f\u0400-\u045f\u0490\u0491\u2014\u201c-\u201e\u2026\u20ac\u20bd\u2116]"
)
"""Where something odd can begin: anything but the letters and signs of everyday European text."""
_PATH = re.compile(r"(?:\b[A-Za-z]:(?=\\|$)|\\\\)\S*$")
_PATH_REACH = 200


_FIXED = {"invisible": "", "space": " ", "hyphen": "-", "quote": "'", "dot": ".", "bullet": "-", "zero": ""}


@dataclass(frozen=True, slots=True)
class View:
    """The plain text and the pieces that lead back; `_view` and `_original` are the starts of unchanged runs."""

    text: str
    _view: tuple[int, ...] = ()
    _pieces: tuple[tuple[int, int, bool], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Original offsets of a non-empty span of the plain text."""
        if not self._view:
            return start, end
        return self._original(start)[0], self._original(end - 1)[1]

    def _original(self, position: int) -> tuple[int, int]:
        index = bisect_right(self._view, position) - 1
        start, end, changed = self._pieces[index]
        if changed:
            return start, end
        at = start + position - self._view[index]
        return at, at + 1


def normalise(text: str) -> View:
    """The plain view of a text; identical text costs one scan."""
    edits = list(_edits(text))
    return assemble(text, edits) if edits else View(text)


def _edits(text: str) -> Iterator[tuple[int, int, str]]:
    present = [] if text.isascii() else _MIXED_GATE.present(text)
    mixed = [match for name in present for match in _LOOK_ALIKES[name].finditer(text)]
    mixed += _ISSUED.finditer(text)
    mixed += _GLUED.finditer(text) if _GLUED_GATE.present(text) else ()
    mixed += _emphasis(text)
    end = 0
    for match in sorted([*mixed, *_odd(text)], key=lambda m: m.start()) if mixed else _odd(text):
        if match.start() < end:
            continue
        end = match.end()
        if match.re is _MIXED:
            yield from _unmixed(match)
            continue
        if match.re is _GLUED:
            yield match.end() - 1, match.end(), f"{match[0][-1]} "
            continue
        if match.re is _AMONG_DIGITS or match.re is _DATED:
            yield from _changed(match, _TO_DIGITS)
            continue
        if match.re is _AMONG_LETTERS:
            yield from _changed(match, _TO_LETTERS)
            continue
        if match.re in (_EMPHASIS, _EMPHASISED):
            yield *match.span(), "*" * len(match.group())
            continue
        plain = "<_>" if match.re is _ISSUED else _plain(match, text)
        if plain is not None and plain != match.group():
            yield match.start(), match.end(), plain


def _emphasis(text: str) -> Iterator["re.Match[str]"]:
    """Both marks of each emphasis."""
    for opened in _EMPHASIS.finditer(text) if "_" in text else ():
        yield opened
        if closed := _EMPHASISED.search(text, opened.end()):
            yield closed


def _odd(text: str) -> Iterator["re.Match[str]"]:
    """The matches of `_ODD`, which is dear to try at every character of a text."""
    end = 0
    for mark in _MARK.finditer(text):
        start = mark.start()
        base = start - 1 if "\u0300" <= mark[0] <= "\u036f" else start
        if base >= end and (match := _ODD.match(text, base)):
            end = match.end()
            yield match


def _unmixed(match: "re.Match[str]") -> Iterator[tuple[int, int, str]]:
    """In the one script that has all its letters, else in that of the majority; beside digits in Latin."""
    word = match.group()
    to_latin = word.translate(_TO_LATIN).isascii()
    if to_latin == bool(_CYRILLIC_WORD.fullmatch(word.translate(_TO_CYRILLIC))):
        latin = sum(c.isascii() and c.isalpha() for c in word)
        to_latin = latin * 2 > sum(c.isalpha() for c in word) or any(c.isdigit() for c in word)
    yield from _changed(match, _TO_LATIN if to_latin else _TO_CYRILLIC)


def _changed(match: "re.Match[str]", table: dict[int, int]) -> Iterator[tuple[int, int, str]]:
    """The characters that the table changes."""
    word = match.group()
    for index, (old, new) in enumerate(zip(word, word.translate(table), strict=True), match.start()):
        if old != new:
            yield index, index + 1, new


def _plain(match: "re.Match[str]", text: str) -> str | None:
    """The plain form of one odd piece; None leaves it."""
    kind, odd = match.lastgroup, match.group()
    if kind in _FIXED:
        return _FIXED[kind]
    if kind == "digit":
        return str(unicodedata.digit(odd, odd))
    if kind in ("styled", "combined"):
        return unicodedata.normalize("NFKC", odd).rstrip(".") or odd
    if kind == "entity":
        return _flat(html.unescape(odd))
    if kind == "percent":
        decoded = _flat(unquote(_TWICE.sub("%", odd), errors="replace"))
        return decoded if decoded.isprintable() and "\ufffd" not in decoded else None
    return _unescaped(match, text)


def _flat(decoded: str) -> str:
    """Decoded characters may be odd themselves: `&nbsp;`, `%C2%AD`."""
    return _ODD.sub(lambda match: _FIXED.get(str(match.lastgroup), match[0]), decoded)


def _unescaped(match: "re.Match[str]", text: str) -> str | None:
    odd = match.group()
    if odd[-1] not in '"/\\nrt':
        return _flat(
            odd.replace("\\\\", "\\")
            .encode("ascii")
            .decode("unicode_escape")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )
    if _PATH.search(text, max(0, match.start() - _PATH_REACH), match.start()):
        return None
    if odd in ('\\"', "\\/", "\\\\"):
        return odd[1]
    return {"\\n": "\n", "\\r": "\r", "\\t": "\t"}[odd]


def assemble(text: str, edits: list[tuple[int, int, str]]) -> View:
    parts: list[str] = []
    starts: list[int] = []
    pieces: list[tuple[int, int, bool]] = []
    length = at = 0
    for start, end, plain in [*edits, (len(text), len(text), "")]:
        if start > at:
            starts.append(length)
            pieces.append((at, start, False))
            parts.append(text[at:start])
            length += start - at
        if plain:
            starts.append(length)
            pieces.append((start, end, True))
            parts.append(plain)
            length += len(plain)
        at = end
    return View("".join(parts), tuple(starts), tuple(pieces))
