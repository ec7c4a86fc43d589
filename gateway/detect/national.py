"""Identifiers of countries, from data/national_ids.toml: shape, then checksum (python-stdnum), then the word before."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import Any

from gateway.detect.checks import compact, stdnum_valid
from gateway.detect.context import before
from gateway.detect.entity import Entity
from gateway.detect.scan import Gate, Pattern, Scanner

_REACH = 60
_BETWEEN = (
    r"(?:[ _\-]?(?:no|nr|n|num|number|numero|número|nummer|numer|id|code|#|№|n\.|is|ist|est|es|was|lautet|è|to|nr\.|no\.|of|for|der|des|del|de|del titular|ending|with|on file|value|card|holder)\b\.?){0,4}"
    r"[\s\"'`*_:=#№°º.|,;()\[\]>\-–—/?]{0,8}(?:(?:is|was|ist|est|es|è|to)\b[\s:\"'`]{0,3})?(?:[^\W\d_]{1,14}[\s:]{1,2}){0,3}(?:(?:ist|est|is|es|è)[\s:]{1,2})?$"
)
_JOINED = re.compile(
    r"\s?[,;/&+]\s?(?:(?:and|or|und|et|y|e|i|en)\s)?|\s(?:and|or|und|oder|et|ou|y|o|e|i|lub|en|of|и|или|ve)\s"
)
_IS_MY = (
    r"\s(?:is|was|es|ist|est|è|jest|är|on)\s(?:my|his|her|their|our|the|mi|su|el|mein\w{0,2}|ihr\w{0,2}|mon|ma|son|le|il mio|la mia|il|moj[ea]|m[óo]j|mijn|mitt?|vårt)"
    r"\s(?:[\w'-]{2,12}\s){0,2}?(?:(?:de|of|del|d')\s)?"
)


_IS = re.compile(r"(?i)(?:\b(?:is|ist|est|es|è|lautet|jest|was)|:)\s{1,2}[\"']?$")


@dataclass(frozen=True, slots=True)
class _Kind:
    type: str
    regex: str
    words: "re.Pattern[str]"
    behind: "re.Pattern[str]"
    said: str
    needs: str
    check: str = ""
    shape: str = ""
    loose: bool = False
    score: float = 0.7


def rows() -> list[dict[str, Any]]:
    """The table of all kinds."""
    text = files("gateway.detect").joinpath("data/national_ids.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["id"])


def _kinds() -> Iterator[_Kind]:
    for row in rows():
        words = re.compile(rf"(?i)(?<![^\W_])(?:{row['words']})s?(?![^\W\d_]){_BETWEEN}")
        behind = re.compile(rf"(?i){_IS_MY}(?:{row['words']})s?(?![^\W\d_])")
        yield _Kind(**{**row, "words": words, "behind": behind, "said": rf"(?:^|[^a-z0-9])(?:{row['words']})"})


class NationalIds:
    """Finds identifiers of all countries at once, whatever the language of the text."""

    def __init__(self) -> None:
        self._kinds = {f"id {index}": kind for index, kind in enumerate(_kinds())}
        shapes = {name: Pattern(kind.type, name, kind.regex, kind.score) for name, kind in self._kinds.items()}
        said = {name: kind.said for name, kind in self._kinds.items() if kind.needs == "word"}
        self._scan = Scanner(shape for name, shape in shapes.items() if name not in said)
        self._words = Gate(said)  # most texts hold none of them, so that their many shapes are not looked for
        self._scan_said = {name: Scanner([shapes[name]]) for name in said}

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield the identifiers whose shape, checksum and context agree."""
        said = (self._scan_said[name] for name in self._words.present(text))
        listed: dict[str, int] = {}
        for entity in chain(self._scan(text), *(scan(text) for scan in said)):
            last = listed.get(entity.source, len(text))
            joined = last < entity.start and bool(_JOINED.fullmatch(text, last, entity.start))
            verdict = _verdict(self._kinds[entity.source], entity, text, joined=joined)
            if verdict is not None:
                listed[entity.source] = entity.end
                yield verdict


def _verdict(kind: _Kind, entity: Entity, text: str, *, joined: bool) -> Entity | None:
    """`joined`: the value before this one in a list of them was accepted."""
    if _glued(text, entity) or not _SHAPES.get(kind.shape, _any)(entity.text):
        return None

    checked = bool(kind.check) and _checks(kind.check, entity.text)

    def said() -> bool:
        return joined or _said(kind, text, entity) or checked and _said_of_somebody(kind, text, entity)

    if kind.check and not checked and not (kind.loose and said()):
        return None
    if kind.needs == "word" or (kind.shape == "punctuated" and entity.text.isdigit()):
        score = kind.score + 0.15 if said() else 0.0
    elif kind.needs == "either":
        score = 0.9 if checked else kind.score
    else:
        score = min(1.0, kind.score + (0.15 if said() else 0.0))
    return _as(kind, entity, score, checked) if score else None


def _checks(module: str, value: str) -> bool:
    return stdnum_valid(module, value) or ("." in value and stdnum_valid(module, value.replace(".", "")))


def _as(kind: _Kind, entity: Entity, score: float, checked: bool) -> Entity:
    source = f"national id: {kind.type}"
    return Entity(kind.type, entity.start, entity.end, entity.text, score, source, checked=checked)


def _said(kind: _Kind, text: str, entity: Entity) -> bool:
    """The word stands before the value, or the value "is my …"."""
    return bool(kind.words.search(before(text, entity.start, _REACH)) or kind.behind.match(text, entity.end))


def _said_of_somebody(kind: _Kind, text: str, entity: Entity) -> bool:
    """Het bsn van Roelof van 't Hoff is …: names between, but no other number. Asked where the checksum agrees."""
    if not _IS.search(text, max(0, entity.start - 12), entity.start):
        return False
    return bool(re.search(rf"(?i){kind.said}[^\d\n.;]{{0,{_REACH}}}$", before(text, entity.start, 2 * _REACH)))


def _glued(text: str, entity: Entity) -> bool:
    """Part of a longer number, date, path or identifier."""
    left, right = text[max(0, entity.start - 2) : entity.start], text[entity.end : entity.end + 2]
    if left[-1:] in ("-", ".", "/", "+") and left[:1].isalnum() and len(left) == 2:
        return True
    if left[-1:] == "," and left[:1].isdigit():
        return True
    ends = "-./,:" if entity.text.isdigit() else "-./:"  # behind 123-45-6789 a comma begins the next cell
    return len(right) == 2 and right[0] in ends and right[1].isdigit()


def _any(value: str) -> bool:
    return True


def _ssn(value: str) -> bool:
    digits = compact(value)
    if digits[:3] in ("000", "666") or digits[0] == "9" or digits[3:5] == "00" or digits[5:] == "0000":
        return False
    return len(set(digits)) > 1


def _nino(value: str) -> bool:
    return compact(value)[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ") and any(c.isupper() for c in value)


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value)


def _pesel(value: str) -> bool:
    return 1 <= int(value[2:4]) % 20 <= 12 and 1 <= int(value[4:6]) <= 31


def _plate(value: str) -> bool:
    """Letters and digits, as plates of most countries."""
    plain = compact(value)
    return 4 <= len(plain) <= 9 and any(c.isdigit() for c in plain) and any(c.isalpha() for c in plain)


_SHAPES = {"plate": _plate, "ssn": _ssn, "nino": _nino, "mixed": _mixed, "pesel": _pesel}
