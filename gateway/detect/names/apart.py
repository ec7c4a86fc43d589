"""Names whose two words no space holds together: cells, quotes, tags and emphasis between them, or a place in a URL.

A first name that is nothing else says that the word beside it is a surname, unless that word is known as something else.
"""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.names.kinds import in_columns_of_things
from gateway.detect.names.lists import around, is_common, is_core_first, is_surname, is_thing, strong_first
from gateway.detect.scan import Gate

_WORD = r"(?:[ODL]'|Mc|Mac)?[A-Z][^\W\d_A-Z]+(?:-[A-Z][^\W\d_A-Z]+)?"
_LABEL = r"[\"']?\s?[,;]?\s{0,8}[\"']?(?:last|family)[\"']?\s?[:=]\s?[\"']?"
_CLOSED = r"(?:[\w.:\-]{0,20}(?:name|first|last|given|family|middle|nom|vor|nach|apell|imi[eę]|nazw)[\w.:\-]{0,20}|t[dh]|li|span|cell|[abpi]|div|strong|em)"
_TAGS = rf"</{_CLOSED}>\s{{0,8}}<[\w.:\-]{{1,40}}>"
_GAP = rf"(?:[\"']\s?[,;]\s?[\"']|[,;\t]| ?\| ?|{_TAGS}|[*_]{{1,3}} [*_]{{0,3}}| [*_]{{1,3}}|{_LABEL})"
_PAIR = re.compile(rf"(?<![^\W_])(?<![.@/\\\-])(?P<left>{_WORD})(?={_GAP}(?P<right>{_WORD})(?![^\W_]|[@(\-]|\.\w))")
_LINES = re.compile(rf"(?m)^(?P<left>{_WORD})(?=\n(?P<right>{_WORD})$)")
_WRAPPED = re.compile(
    rf"(?<=[^\W_] )(?P<left>{_WORD})(?=[ \t]?\n[ \t>#*/|]{{0,6}}(?P<right>{_WORD})(?: [a-z(]|[,.;:!?)]|'s|$))"
)
"""A name that the end of a line of prose broke."""
_URL = re.compile(r"(?i:https?)://[^\s\"'<>]+(?: [A-Z][^\W\d_]+(?![^\s/?&#.,;)\"'<>]))?")
_REQUEST = re.compile(
    r"\b(?:GET|PUT|POST|PATCH|DELETE|HEAD) (?P<v>/[^\s\"'<>]+(?: [A-Z][^\W\d_]+(?![^\s/?&#.,;)\"'<>]))?)"
)
_PLACE = re.compile(r"(?<=[/=])(?P<left>[^\W\d_]{3,20}?)(?P<gap>[ +._\-]?)(?P<right>[^\W\d_]{3,30})(?=[/?&#,;:)]|\.?$)")
_LONG = 6
"""From here on what stands behind the dot is no file type."""
_GATE = Gate(
    {
        "pair": r"(?-i:[a-z][\"']?\s?[,;|\t][\"'\s]*[A-Z]|[a-z][*_]+ [*_]*[A-Z]|[a-z] [*_]+[A-Z])|</[^<>]*>\s*<[^<>]*>|\b(?:last|family)[\"']?\s?[:=]",
        "lines": r"(?-i:\n[A-Z][^\s]+\n|\A[A-Z][^\s]+\n[A-Z])",
        "wrapped": r"(?-i: [A-Z][^\s]+[ \t]?\n[ \t>#*/|]*[A-Z])",
        "url": r"https?://",
        "request": r"(?-i:GET|PUT|POST|PATCH|DELETE|HEAD) /",
    }
)


def names_apart(text: str) -> Iterator[Entity]:
    """Yield the words of such names; a name in a URL is yielded whole."""
    present = _GATE.present(text)
    things = list(in_columns_of_things(text)) if "pair" in present else []
    for name, pattern in (("pair", _PAIR), ("lines", _LINES), ("wrapped", _WRAPPED)):
        for match in pattern.finditer(text) if name in present else ():
            halves = match.start("left"), match.start("right")
            if _is_name(match["left"], match["right"]) and not any(s <= at < e for s, e in things for at in halves):
                yield _person(text, *match.span("left"), "beside its surname")
                yield _person(text, *match.span("right"), "beside its first name")
    for url in _URL.finditer(text) if "url" in present else ():
        yield from _in_url(text, *url.span())
    for request in _REQUEST.finditer(text) if "request" in present else ():
        yield from _in_url(text, *request.span("v"))


def _is_name(left: str, right: str) -> bool:
    """First name and surname, in either order."""
    a, b = left.lower(), right.lower()
    if _is_sure_first(a):
        return _may_be_surname(b) and (not strong_first(b) or is_surname(b))
    return _is_sure_first(b) and _may_be_surname(a)


def _is_sure_first(word: str) -> bool:
    return strong_first(word) and is_core_first(word)


def _may_be_surname(word: str) -> bool:
    tables = around()
    barred = tables["organizations"] | tables["places"] | tables["calendar"] | tables["titles"] | tables["roles"]
    return not is_common(word) and not is_thing(word) and word not in barred and len(word) > 2


def _in_url(text: str, start: int, end: int) -> Iterator[Entity]:
    """`/John%20Smith`, `=John+Smith`, `/john.smith`, `/JohnSmith` as a whole part of a path or a query."""
    behind = text.find("/", start + 9, end) if text[start] != "/" else start
    for match in _PLACE.finditer(text, behind, end) if behind >= 0 else ():
        left, right = _halves(match) if not match["gap"] else (match["left"], match["right"])
        if not left or not _is_sure_first(left.lower()):
            continue
        written = left[0].isupper() and right[0].isupper() and match["gap"] in (" ", "+")
        dotted = match["gap"] == "." and len(right) >= _LONG
        if _may_be_surname(right.lower()) and (written or dotted or is_surname(right.lower())):
            yield _person(text, *match.span(), "in a URL")


def _halves(match: "re.Match[str]") -> tuple[str, str]:
    """JohnSmith as John and Smith."""
    word = match.group()
    inner = [at for at, char in enumerate(word) if at and char.isupper()]
    return (word[: inner[0]], word[inner[0] :]) if len(inner) == 1 else ("", "")


def _person(text: str, start: int, end: int, reason: str) -> Entity:
    return Entity("PERSON", start, end, text[start:end], 0.7, f"name: {reason}")
