"""Russian names in Latin letters (`Dmitrii Sobolev`, `KSENIIA PARFENOVA`), whichever way they were transliterated.

Both sides are folded to one spelling in which the usual schemes (passport, ISO 9, British, everyday) coincide.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from gateway.detect.entity import Entity
from gateway.detect.names.acts import STOP
from gateway.detect.names.lists import is_common, is_surname
from gateway.detect.russian.name_context import is_cued
from gateway.detect.russian.words import first_names

_CYRILLIC = str.maketrans(
    {
        "а": "a",
        "б": "b",
        "в": "v",
        "г": "g",
        "д": "d",
        "е": "e",
        "ё": "e",
        "ж": "zh",
        "з": "z",
        "и": "i",
        "й": "i",
        "к": "k",
        "л": "l",
        "м": "m",
        "н": "n",
        "о": "o",
        "п": "p",
        "р": "r",
        "с": "s",
        "т": "t",
        "у": "u",
        "ф": "f",
        "х": "kh",
        "ц": "ts",
        "ч": "ch",
        "ш": "sh",
        "щ": "shch",
        "ъ": "",
        "ы": "y",
        "ь": "",
        "э": "e",
        "ю": "iu",
        "я": "ia",
    }
)
_FOLDS = (
    ("shch", "s"),
    ("sch", "s"),
    ("sh", "s"),
    ("zh", "z"),
    ("kh", "h"),
    ("ch", "c"),
    ("tch", "c"),
    ("ts", "c"),
    ("tz", "c"),
    ("x", "ks"),
    ("w", "v"),
    ("ph", "f"),
    ("ck", "k"),
    ("j", "i"),
    ("y", "i"),
    ("'", ""),
    ("’", ""),
    ("`", ""),
    ("io", "e"),
    ("ie", "e"),
    ("iie", "e"),
)
_PAIR = re.compile(
    r"(?<![\w@./-])(?:[A-Z][a-z]+|[A-Z]{2,})(?:['’-][A-Za-z]+)?(?:[ "
    r"\u00a0](?:[A-Z][a-z]+|[A-Z]{2,}"
    r"|[A-Z]\.)(?:['’-][A-Za-z]+)?){1,2}(?![\w@])"
)
_SURNAME = re.compile(
    r"(?:[oe]v|[oe]va|[iy]n|[iy]na|sk[iy]+|sk[iy]i|skaya|skaia|enko"
    r"|[iu]k|chuk|yan|dze|shvili|ykh|ikh|evich|ovich|off|eff)$",
    re.IGNORECASE,
)
_PATRONYMIC = re.compile(r"(?:ovich|evich|ovna|evna|ichna)$", re.IGNORECASE)
_COMMON = frozenset(
    [
        "admin",
        "main",
        "plain",
        "origin",
        "begin",
        "login",
        "plugin",
        "domain",
        "chain",
        "train",
        "brain",
        "cousin",
        "german",
        "berlin",
        "pumpkin",
        "basin",
    ]
)


@lru_cache(maxsize=4096)
def folded(word: str) -> str:
    """One spelling for all schemes; a Cyrillic word is transliterated first."""
    word = word.lower().translate(_CYRILLIC)
    for old, new in _FOLDS:
        word = word.replace(old, new)
    return re.sub(r"(.)\1+", r"\1", word)


@cache
def _names() -> frozenset[str]:
    return frozenset(folded(name) for name in first_names() if len(name) > 2)


def _behind_verb(pair: str, words: list[str], named: int) -> int:
    """`Call Olga Ivanova`: where the name begins behind everyday words."""
    everyday = all(is_common(word.lower()) and not is_surname(word.lower()) for word in words[:named])
    stopped = all(word.lower() in STOP for word in words[:named])
    return pair.index(words[named]) if everyday or stopped else 0


_ADDRESSED = re.compile(r"[а-яё][ ,]{1,2}(?P<name>[A-Z][a-z]{2,})(?![\w@-])")


def find_latin(text: str) -> Iterator[Entity]:
    """A Russian first name beside a Russian surname or patronymic, in either order; alone behind Russian words for somebody."""
    for match in _PAIR.finditer(text):
        words = re.findall(r"[A-Za-z'’-]+", match.group())
        first = [at for at, word in enumerate(words) if folded(word) in _names()]
        other = [
            at
            for at, word in enumerate(words)
            if (_SURNAME.search(word) or _PATRONYMIC.search(word)) and word.lower() not in _COMMON and len(word) > 3
        ]
        if any(a != b for a in first for b in other):
            start = match.start() + _behind_verb(match.group(), words, min(first[0], other[0]))
            yield Entity("PERSON", start, match.end(), text[start : match.end()], 0.8, "russian.latin")
    for match in _ADDRESSED.finditer(text):
        if folded(match["name"]) in _names() and is_cued(text, match.start("name"), strong=True):
            yield Entity("PERSON", *match.span("name"), match["name"], 0.6, "russian.latin")
