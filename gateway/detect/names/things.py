"""Names of things that hold a name of people: storms, prizes, herbs in a recipe, theorems, cars, streets in a list."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from gateway.detect.entity import Entity
from gateway.detect.names.acts import does_as_people_do
from gateway.detect.names.tokens import Word

_REACH = 30
_LIST = r"(?:[A-Z][\w'-]+(?:, (?:and )?| and | or ))*"
_BEFORE_HERB = re.compile(
    rf"(?i:\b(?:add|calls? for|chop(?:ped)?|stir in|sprinkle|fresh|dried|minced|(?:sprigs?|leaves|tsp|tbsp|tea-?spoons?|table-?spoons?|\d+ ?g)(?: of)?)) {_LIST}$"
)
_KITCHEN = re.compile(
    r"(?i)\b(?:recipe calls|simmer\w*|oven|pot|saucepan|pan|boil\w*|bake[ds]?|roast\w*|flour|garlic|salt|butter|oil|sauce|soup)\b"
)
_AWARDED = re.compile(
    r"(?:,? (?:and |or )?[A-Z]\w+)* [Aa]wards?\b(?! (?:the|an?|him|her|them|us|it)\b)|s?,? (?:nomination|for [Bb]est [A-Z])"
)
_WON = re.compile(
    r"(?i:\b(?:w[io]n\w*|earn\w*|receiv\w+|nominated for|gewann|erhielt) (?:an?|the|his|her|two|three|einen) )$"
)
_PRIZE_ENDS = re.compile(r"s?(?:[.,;!?\n]|$| (?:for|in|at|twice|last|this)\b)")
_ASKED = re.compile(r"(?i)\b(?:tell|told|ask|asked|call|called|thank|meet|met|email|text|with|from|by) $")
_GROUP = re.compile(
    r"\b(?:list|rota|group|chat|channel|team|meeting|thread|call|invite|project|board|calendar|event)\b"
)
"""What people are added to."""
_LISTED_STREET = re.compile(r"\b(?:Street|Road|Avenue|Square|Boulevard|Lane)(?:,|,? and|,? or) $")
_HEATED = re.compile(r"\b[1-4]\d\d ?°? ?$")
_COOKS = re.compile(r" (?:\d|(?:the|an?|in|into|with|until|for)\b)")
_SENTENCE = re.compile(r"[.!?]\s|\n")


@cache
def _table() -> dict[str, list[str]]:
    data = tomllib.loads(files("gateway.detect").joinpath("data/things.toml").read_text(encoding="utf-8"))
    return {key: value.split("|" if "|" in value else None) for key, value in data.items()}


@cache
def _phrases() -> "re.Pattern[str]":
    eponyms = rf"(?:(?:Satz|Formel|Verfahren) von )?(?:{'|'.join(_table()['eponyms'])})"
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, _table()['phrases']))}|{eponyms})(?![\w-])")


@cache
def _heads() -> "re.Pattern[str]":
    return re.compile(rf"(?<![\w-])(?:{'|'.join(_table()['heads'])}) [A-Z][\w-]+$")


def brands() -> frozenset[str]:
    """Firms called after people, in lower case."""
    return frozenset(_table()["brands"])


def names_a_thing(text: str, entity: Entity) -> bool:
    """Whether what was taken for a person is a thing; what does as people do is none."""
    left, lower = text[max(0, entity.start - _REACH) : entity.start], entity.text.lower()
    if does_as_people_do(text, entity.end) or _ASKED.search(left):
        return False
    return (
        _is_phrase(text, entity)
        or bool(_heads().search(left + entity.text))
        or lower in _table()["awards"]
        and bool(_AWARDED.match(text, entity.end) or _WON.search(left) and _PRIZE_ENDS.match(text, entity.end))
        or lower.endswith(" lane")
        and bool(_LISTED_STREET.search(left))
        or lower in _table()["herbs"]
        and _in_recipe(text, entity.start)
    )


def _is_phrase(text: str, entity: Entity) -> bool:
    """The phrase covers it, but for what a comma joined to its end."""
    first, last = max(0, entity.start - _REACH), entity.end + _REACH
    return any(
        match.start() <= entity.start < match.end() and (match.end() >= entity.end or text[match.end()] == ",")
        for match in _phrases().finditer(text, first, last)
    )


def _in_recipe(text: str, start: int) -> bool:
    """`Add Rosemary and Basil to the pot`: what one adds, in a sentence about cooking."""
    if not _BEFORE_HERB.search(text, max(0, start - 2 * _REACH), start) or _GROUP.search(text, start, start + 90):
        return False
    end = _SENTENCE.search(text, start)
    first = max((match.end() for match in _SENTENCE.finditer(text, max(0, start - 300), start)), default=0)
    return bool(_KITCHEN.search(text, first, end.start() if end else len(text)))


def is_degree(text: str, letter: Word, behind: Word | None) -> bool:
    """`180 C. Mix 250 g flour`: no initial, but where a sentence about heat ends and one about work begins."""
    heated = letter.lower in "cf" and _HEATED.search(text, max(0, letter.start - 6), letter.start)
    return bool(heated and behind and _COOKS.match(text, behind.end))
