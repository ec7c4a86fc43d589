"""Values behind labels: forms, JSON and YAML keys, XML elements, columns of CSV and Markdown tables.

The label says what the value is, so that a name in lower case or a number without a checksum is found where a pattern
cannot know it.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files

from gateway.detect.clause import STRING_PREFIX
from gateway.detect.entity import Entity
from gateway.detect.names.lists import around, is_common, is_core_first, is_first, is_surname, is_thing, strong_first
from gateway.detect.records import is_record
from gateway.detect.scan import Gate
from gateway.detect.secrets import is_placeholder
from gateway.detect.tables import cells
from gateway.detect.vcards import vcards

_QUOTED = re.compile(
    r"[\"'](?P<label>[\w '\-./]{2,40})[\"']\s{0,4}(?::|=>|=|,)\s{0,4}(?P<q>[\"'])(?P<v>(?:(?!(?P=q))[^\n\\]|\\.){1,200})(?P=q)"
)
_BARE_NUMBER = re.compile(r"[\"'](?P<label>[\w '\-]{2,40})[\"']\s{0,4}:\s{0,4}(?P<v>\d{5,20})(?![\w.])")
_LINE = re.compile(
    r"(?m)(?:^|(?<=[;|,(\[{])|(?<=\. )|(?<=  )|(?<=\t))[ \t>*\-•#|]{0,8}(?:\*\*|__)?(?P<label>[^\W\d_][\w'()./\- ]{1,40}?)(?:\*\*|__)?[ \t]{0,4}[:=](?!//|=)(?:\*\*|__)?[ \t]{1,8}(?P<v>[^\n;|]{1,160})"
)
_TIGHT = re.compile(r"(?:(?<=[?&;,\s])|^)(?P<label>[A-Za-z][A-Za-z_\-]{2,30})=(?P<q>[\"']?)(?P<v>[^\n&;\"'<>]{2,80})")
_TWO_HALVES = re.compile(
    r"(?i)[\"'](?:first|given|last|family)[\"']\s{0,4}:\s{0,4}[\"'](?P<one>[^\"'\n]{1,40})[\"'],\s{0,12}(?:[\"']middle[\"']\s{0,4}:\s{0,4}[\"'](?P<middle>[^\"'\n]{0,40})[\"'],\s{0,12})?"
    r"[\"'](?:last|family|first|given)[\"']\s{0,4}:\s{0,4}[\"'](?P<two>[^\"'\n]{1,40})[\"']"
)
"""{"first": "Ngozi", "last": "Umeh"}: each key alone says nothing."""
_NEXT_PAIR = re.compile(r"\s+(?=[A-Za-z_][\w.\-]{0,30}=)")
_NEXT_LABEL = re.compile(r"[.,;] (?=[A-ZÀ-Þ][^\W\d_]{1,14}\.?:)")
"""48011 Bilbao. Tel.: 612 345 670"""
_ELEMENT = re.compile(
    r"<(?P<label>[A-Za-z][\w\-.:]{1,40})(?:\s[^<>]{0,200})?>\s{0,8}(?P<v>[^<>\n]{2,120}?)\s{0,8}</(?P=label)>"
)
_EXPRESSIONS = (
    ("quoted", _QUOTED, "key"),
    ("line", _LINE, "form"),
    ("parameter", _TIGHT, "parameter"),
    ("element", _ELEMENT, "element"),
    ("number", _BARE_NUMBER, "key"),
)
_GATE = Gate(
    {
        "quoted": r"[\"']\s{0,4}(?::|=|,)>?\s{0,4}[\"']",
        "line": r"[:=][*_]*[ \t]",
        "parameter": r"[a-z_\-]=",
        "element": "</",
        "number": r"[\"']\s{0,4}:\s{0,4}\d",
        "vcard": "begin:vcard",
        "halves": r"[\"'](?:last|family)[\"']\s{0,4}:\s{0,4}[\"']",
        "table": r"[;\t|,].*\n",
        "insert": r"\)\s*values\s*\(",
    }
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAME_SHAPE = re.compile(r"[^\W\d_][\w'’.\-]*(?:[ _+](?:\([^\W\d_][\w'’.\-]*\)|[^\W\d_][\w'’.\-]*)){0,5}\.?")
_SPACED_NAME = re.compile(r"[^\W\d_](?: {1,4}[^\W\d_]){3,}(?![\w'’])")
_PIECE = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_LABEL_LENGTH = 60
_ADDRESS_OF_NO_PLACE = re.compile(
    r"(?:ip|ip ?v[46]|mac|e ?-?mail|mail|web|url|site|memory|host|server|remote|wallet|btc|bind) \w+$"
)
_EMPTY = frozenset(
    "none null n/a na unknown anonymous admin root user test guest system true false yes no tbd todo default string text value male female other".split()
)
NO_LOGIN = frozenset(
    "root admin administrator user postgres mysql www-data ubuntu git nobody anonymous guest test system service sa oracle ec2-user default string true false null none".split()
)


@cache
def _labels() -> dict[str, tuple[str, str]]:
    """Label → (kind, type)."""
    table = tomllib.loads(files("gateway.detect").joinpath("data/fields.toml").read_text(encoding="utf-8"))
    kinds = sorted(table.items(), key=lambda item: item[0] == "name")
    return {label: (kind, row["type"]) for kind, row in kinds for label in row["labels"].split("|")}


def fold(label: str) -> str:
    """first_name, firstName and First-Name become `first name`."""
    bare = label.strip(" *_\"'`#").removesuffix("(s)").strip("()")
    return re.sub(r"[_\-.:/\s]+", " ", _CAMEL.sub(" ", bare)).lower().strip()


@lru_cache(maxsize=4096)
def _kind(label: str) -> tuple[str, str] | None:
    labels = _labels()
    folded = fold(label)
    known = labels.get(folded) or labels.get(folded.replace(" ", "")) or labels.get(label.strip().lower())
    if known is None and " " in folded:
        known = labels.get(" ".join(folded.split()[-2:]))
        if known is None and (last := labels.get(folded.split()[-1])) and last[0] in ("phone", "birth", "address"):
            known = None if last[0] == "address" and _ADDRESS_OF_NO_PLACE.search(folded) else last
        if known is None and folded.split()[-1] == "name" and folded.split()[0] in around()["roles"]:
            known = ("name", "PERSON")
    if known is None and folded in around()["roles"]:
        return ("maybe_name", "PERSON")
    if known is None and is_record(folded):
        return ("identifier", "ID_NUMBER")
    return known


def is_label(word: str) -> bool:
    """The word is a label of a form."""
    return _kind(word) is not None


def fields(text: str) -> Iterable[Entity]:
    """Yield the values whose label says that they are personal."""
    present = set(_GATE.present(text))
    for needed, expression, source in _EXPRESSIONS:
        if needed in present:
            spans = _GATE.lines(text, (needed,)) if needed == "line" else ((0, len(text)),)
            for match in (match for span in spans for match in expression.finditer(text, *span)):
                yield from _value(match["label"], match.start("v"), match["v"], source)
    if "vcard" in present:
        yield from vcards(text)
    for match in _TWO_HALVES.finditer(text) if "halves" in present else ():
        for half in ("one", "middle", "two"):
            if match[half] and _plain_name(match[half]):
                yield Entity("PERSON", *match.span(half), match[half], 0.85, "key: half of a name")
    for label, start, cell in cells(text, _is_column) if present.intersection(("table", "insert")) else ():
        yield from _value(_in_column(label), start, cell, "column")


def _value(label: str, start: int, raw: str, source: str) -> Iterator[Entity]:
    kind = _kind(label)
    if kind is None:
        return
    if source == "parameter":
        raw = _NEXT_PAIR.split(raw, maxsplit=1)[0]
    if kind[0] == "address":
        raw = _NEXT_LABEL.split(raw, maxsplit=1)[0]
    raw = raw[prefix.end() :] if (prefix := STRING_PREFIX.match(raw)) else raw
    start += prefix.end() if prefix else 0
    value = raw.strip(" \t\"'*`,")
    start += raw.find(value) if value else 0
    score = _score(kind[0], label, value, source)
    if score and kind[0] in ("name", "maybe_name"):
        yield from _names(kind[1], value, start, score, source, label)
    elif score:
        yield Entity(kind[1], start, start + len(value), value, score, f"{source}: {fold(label)}")


def _names(entity_type: str, value: str, start: int, score: float, source: str, label: str) -> Iterator[Entity]:
    match = _SPACED_NAME.match(value) or _NAME_SHAPE.match(value)
    if match:
        name = match.group().rstrip("'’")
        name = name.rstrip("." if not re.search(r"(?i)\b(?:jr|sr|[a-z])\.$", name) else "")
        yield Entity(entity_type, start, start + len(name), name, score, f"{source}: {fold(label)}")


def _score(kind: str, label: str, value: str, source: str) -> float:
    if not value or value.lower() in _EMPTY or value[0] in "<{$%[(" or value.startswith(("http", "/")):
        return 0.0
    if kind == "name":
        return 0.85 if _plain_name(value) else 0.0
    if kind == "maybe_name":
        return 0.7 if _reads_as_name(value, source) or _is_said_to_be_somebody(label, value) else 0.0
    return _VALUE_CHECKS[kind](value)


def _plain_name(value: str) -> bool:
    match = _NAME_SHAPE.match(value)
    pieces = [piece.lower() for piece in _PIECE.findall(match.group())] if match else []
    return 0 < len(pieces) <= 6 and (
        not all(is_common(p) and not is_first(p) and not is_surname(p) for p in pieces)
        or match is not None
        and match.group().istitle()
        and len(pieces) <= 2
    )


def _reads_as_name(value: str, source: str) -> bool:
    match = _NAME_SHAPE.match(value)
    if (
        not match
        or "(" in value
        and source == "form"
        or match.end() < len(value)
        and value[match.end()] not in ' ,<(-–—/."'
    ):
        return False
    pieces = _PIECE.findall(match.group())
    lowers = [piece.lower() for piece in pieces]
    if (
        not lowers
        or lowers[0] in ("the", "our", "your")
        or lowers[0] in around()["openers"]
        or len(lowers) > 5
        or any(low in around()["organizations"] and not is_surname(low) for low in lowers)
    ):
        return False
    if strong_first(lowers[0]) and (len(lowers) > 1 or pieces[0][0].isupper() or is_core_first(lowers[0])):
        return len(lowers) <= 4
    if len(lowers) < 2:
        return _is_surname_alone(pieces[0])
    capitals = all(
        piece[0].isupper() or low in around()["particles"] for piece, low in zip(pieces, lowers, strict=True)
    )
    unknown = [low for low in lowers if not is_common(low) and not is_thing(low)]
    named = any(is_first(low) or is_surname(low) for low in unknown) or is_first(lowers[0]) and is_surname(lowers[-1])
    return (
        capitals
        and bool(unknown)
        and lowers[-1] not in around()["places"]
        and (named or not any(is_thing(low) for low in lowers))
        or is_first(lowers[0])
        and bool(unknown)
        and is_surname(lowers[-1])
    )


_FIRMS_TOO = frozenset(
    "customer client buyer seller owner user member subscriber contact author tenant landlord cliente kunde".split()
)
"""Roles that a firm or a service can have."""


def _is_said_to_be_somebody(label: str, value: str) -> bool:
    """One unknown word behind a role that only people have: `witness: Xabier`."""
    role, lower = fold(label).split()[-1:], value.lower()
    if not role or role[0] not in around()["roles"] or role[0] in _FIRMS_TOO or not _PIECE.fullmatch(value):
        return False
    return value.istitle() and not is_common(lower) and not is_thing(lower) and lower not in around()["organizations"]


def _is_surname_alone(word: str) -> bool:
    """Thornbury, but no Mason and no Kafka."""
    lower = word.lower()
    barred = is_common(lower) or is_thing(lower) or any(lower in around()[table] for table in ("places", "calendar"))
    return word.istitle() and is_surname(lower) and not barred


def _address(value: str) -> float:
    words = _PIECE.findall(value)
    return (
        0.75
        if words and len(value) >= 4 and (any(c.isdigit() or c.isupper() for c in value)) and "@" not in value
        else 0.0
    )


def _birth(value: str) -> float:
    return 0.85 if re.search(r"\d", value) and len(value) <= 32 and len(re.findall(r"\d", value)) >= 3 else 0.0


def _phone(value: str) -> float:
    return (
        0.8 if 5 <= len(re.findall(r"\d", value)) <= 18 and re.fullmatch(r"[\d\s+().\-/x#extдоб]{5,40}", value) else 0.0
    )


def _login(value: str) -> float:
    return (
        0.65
        if re.fullmatch(r"@?[\w.:\-\\]{2,40}", value) and value.lower() not in NO_LOGIN and not is_common(value.lower())
        else 0.0
    )


def _identifier(value: str) -> float:
    return 0.6 if re.fullmatch(r"[A-Z0-9][A-Z0-9 ./\-]{3,34}", value) and any(c.isdigit() for c in value) else 0.0


def _secret(value: str) -> float:
    return 0.8 if len(value) >= 3 and " " not in value and not is_placeholder(value) else 0.0


_VALUE_CHECKS = {
    "address": _address,
    "birth": _birth,
    "phone": _phone,
    "login": _login,
    "identifier": _identifier,
    "secret": _secret,
}


_IN_COLUMNS = {
    "first": "first name",
    "last": "last name",
    "given": "given name",
    "family": "family name",
    "middle": "middle name",
}
"""What heads a column of names and is an everyday word elsewhere."""


@lru_cache(maxsize=1024)
def _in_column(label: str) -> str:
    return _IN_COLUMNS.get(fold(label), label)


def _is_column(label: str) -> bool:
    return len(label) <= _LABEL_LENGTH and _kind(_in_column(label)) is not None
