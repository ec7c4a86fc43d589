"""From a question in plain words to an FTS5 expression that finds their other forms too, in English and Russian.

The text is indexed as it stands, which costs nothing; a word of the question is cut to its stem and matches every word
that begins with it. A letter ё matches е and the other way round.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

SHORTEST_STEM = 4
MOST_WORDS = 32
VARIANTS = 5
ENDINGS = {
    "english": ("", "s", "es", "ed", "er", "ing"),
    "russian": (
        "", "а", "я", "у", "ю", "ы", "и", "е", "о", "ь", "ой", "ей", "ом", "ем", "ам", "ям", "ами", "ями", "ах", "ях",
        "ов", "ев", "ый", "ая", "ое", "ые",
    ),
}  # fmt: skip
_CYRILLIC = re.compile("[а-яё]")


def terms(text: str) -> tuple[str, ...]:
    """The telling words of a question in lower case, each once; all of them where none is telling."""
    found = tuple(dict.fromkeys(re.findall(r"\w+", text.lower())))
    told = tuple(word for word in found if word not in _stopwords())
    return (told or found)[:MOST_WORDS]


def expression(term: str) -> str:
    """What FTS5 is asked for one word: the beginning that its forms share, or the word itself where it has a digit.

    A beginning of three letters opens too many other words: it is asked for with each ending instead.
    """
    if not term.isalpha():
        return f'"{term}"'
    stem = beginning(term)
    if len(stem) >= SHORTEST_STEM:
        wanted = [f'"{spelling}"*' for spelling in _spellings(stem)]
    else:
        endings = ENDINGS["russian" if _CYRILLIC.search(term) else "english"] if len(stem) > 1 else ()
        wanted = [f'"{spelling}{ending}"' for spelling in _spellings(stem) for ending in endings] + [f'"{term}"']
    return wanted[0] if len(wanted) == 1 else f"({' OR '.join(dict.fromkeys(wanted))})"


def beginning(word: str) -> str:
    """The part of a word that stands in its other forms as well: what it shares with its Snowball stem."""
    stem: str = _stemmer("russian" if _CYRILLIC.search(word) else "english").stemWord(word.replace("ё", "е"))
    shared = 0
    for ours, theirs in zip(word.replace("ё", "е"), stem, strict=False):
        if ours != theirs:
            break
        shared += 1
    return word[:shared]


def match_any(text: str) -> str:
    """An expression for passages that hold at least one of the words; "" for a text without words."""
    return " OR ".join(expression(term) for term in terms(text))


def match_all(text: str) -> str:
    """An expression for texts that hold every telling word; "" for a text without words."""
    return " AND ".join(expression(term) for term in terms(text))


def _spellings(word: str) -> list[str]:
    plain = word.replace("ё", "е")
    places = [at for at, letter in enumerate(plain) if letter == "е"]
    with_dots = [plain[:at] + "ё" + plain[at + 1 :] for at in places]
    return list(dict.fromkeys([word, plain, *with_dots]))[:VARIANTS]


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer(language)


@cache
def _stopwords() -> frozenset[str]:
    return frozenset((Path(__file__).parent / "stopwords.txt").read_text(encoding="utf-8").split())
