"""Numbers of somebody's records behind the word that says what they are: policies, bookings, plates, pagers.

A number that no checksum and no shape tells from others is known by its label alone, in seven languages; what counts
things and not people (orders, builds, rooms) stays.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from gateway.detect.entity import Entity
from gateway.detect.scan import Gate

_NUMBER = r"(?:numbers?|nos?|nr|num|nbr|ids?|code|ref|reference|nummer|numer|número|numero|num[ée]ro|номер|n\.?[°ºo]|n(?=\.)|#|№)"
_MARK = r"(?P<mark>(?:\s?\([^()\n]{1,20}\))?(?:\s?[:=#]{1,2}|\s(?:is|was|are|ist|war|lautet|est|es|è|jest)\b:?){0,2}[\s\"'`*(\[]{0,3})"
_CODE = (
    r"(?:[A-Z]{1,5}[.\-/ ]){0,3}[A-Z]{0,6}\d[A-Z\d]*(?:[\-./][A-Z\d]+|(?: [A-Z]{1,3})? \d[A-Z\d]+|(?<=[A-Z]\d\d) [A-Z]{2,3}\b|(?<=[A-Z] \d{3}) [A-Z]{2,3}\b){0,5}"
    r"|[a-z]{1,4}-?\d{4,12}"
)
_VALUE = (
    rf"(?<![\w@])(?P<v>{_CODE})(?![\w@%€$£°]|[.,:]\d|\s?(?:%|€|[ap]m\b|EUR|USD|GBP|km|kg|mb|GB|MB|ms|years?|Jahre)\b)"
)
_OTHER = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?:19|20)\d\d|\d{1,4}[-/]\d{1,4}|\d{1,3}(?:\.\d{3}){1,2}|(?:[A-Z]+[- /]?)*\d+\.\d+(?:\.\d+)?"
)
"""A date, a year, a range, an amount, a version."""
_OF = re.compile(rf"(?i)(?<![^\W_]){_NUMBER}\.?\s?(?:(?:de|di|del|della|du|van|of) |d['’])?(?:la |l['’])?$")
"""N° de dossier"""
_DIGITS, _ANNOUNCED, _BARE = 3, 5, 7
"""Digits of any number, and of one without a letter or a mark with a word that counts before it or none."""
_MONEY = re.compile(r"(?i)loan|mortgage|claim|lease|rewards|mandate|registration|visa|bank|group")
"""Behind these few digits are an amount or a count."""


@cache
def _words() -> dict[str, str]:
    table = tomllib.loads(files("gateway.detect").joinpath("data/records.toml").read_text(encoding="utf-8"))
    return {key: value.replace("\n", "") for key, value in table.items()}


@cache
def _expressions() -> dict[str, "re.Pattern[str]"]:
    words = _words()
    counted = rf"(?:[ _\-/]?{_NUMBER}(?![^\W_])\.?){{0,2}}"
    labels = {
        name: rf"(?i:(?<![^\W_])(?P<noun>{words[name]})(?![^\W_])\.?(?P<num>{counted}))"
        for name in ("nouns", "people", "short", "russian")
    }
    labels["any"] = r"(?<![^\W_])(?P<noun>[^\W\d_][\w'’]{1,24}?)(?P<num>[ _\-]?(?i:number|nummer|no\.|nr\b\.?))"
    labels["id"] = r"(?:^|[–—|,;(•\-] ?)(?P<noun>ID)(?P<num>(?= ?[:#]| [A-Z\d]))"
    # Rosalee x35811
    labels["x"] = r"\b(?:[A-Z][a-z]+,?|at|call|dial|on) \(?(?P<num>)(?P<noun>)(?=x\d{4,5}(?!\w))"
    return {name: re.compile(rf"(?m){label}(?i:{_MARK}){_VALUE}") for name, label in labels.items()}


@cache
def _technical() -> frozenset[str]:
    return frozenset(_stem(word) for word in _words()["technical"].split("|"))


def _stem(label: str) -> str:
    """Rechnungs- is Rechnung."""
    return label.lower().rstrip("s-")


@cache
def _label() -> "re.Pattern[str]":
    words = _words()
    return re.compile(
        rf"(?:(?:{words['nouns']}|{words['people']}) {_NUMBER}|{_NUMBER} (?:d |de )?(?:{words['nouns']}|{words['people']})|{words['short']})"
    )


def is_record(label: str) -> bool:
    """`loyalty id`, `policy number`: the folded label of a field says that its value is of a record."""
    return bool(_label().fullmatch(label))


@cache
def _gate() -> Gate:
    """What stands on a line before each of the expressions is worth its time."""
    words = _words()
    labels = {name: rf"\b(?:{words[name]})\b.*\d" for name in ("nouns", "people", "short")}
    labels["russian"] = rf"(?:^|[^а-яё])(?:{words['russian']})[^а-яё].*\d"  # in re2 \b is of Latin letters
    return Gate({**labels, "any": r"(?:number|nummer|no\.|nr\b).*\d", "id": r"\bid\b.*\d", "x": r"[a-z,] \(?x\d{4}"})


def records(text: str) -> Iterator[Entity]:
    """Numbers of records, by their labels."""
    for name in _gate().present(text):
        expression = _expressions()[name]
        for match in (match for span in _gate().lines(text, (name,)) for match in expression.finditer(text, *span)):
            if _belongs(name, match):
                yield Entity("ID_NUMBER", *match.span("v"), match["v"], 0.55, f"record: {match['noun'].lower()}")


def _belongs(name: str, match: "re.Match[str]") -> bool:
    value: str = match["v"]
    numbered = match["num"] or _OF.search(match.string, max(0, match.start() - 20), match.start())
    counted = bool(numbered) or "#" in match["mark"]
    counts_things = any(_stem(word) in _technical() for word in match["noun"].split("_"))
    if name == "any" and counts_things or name == "people" and not counted:
        return False
    announced = counted or name in ("short", "id", "x")
    if not announced and _OTHER.fullmatch(value):
        return False
    digits = sum(char.isdigit() for char in value)
    bare = _BARE if _MONEY.fullmatch(match["noun"]) else _ANNOUNCED
    marked: bool = match["mark"].strip() != ""
    if value.isdigit():
        return digits >= (_DIGITS if name == "short" else _ANNOUNCED if announced or marked else bare)
    return digits >= _DIGITS or (announced or marked) and len(value) >= _ANNOUNCED and value.isalnum()
