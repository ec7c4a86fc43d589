"""The word lists behind names, read once from the package's data."""

import tomllib
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

_ENDINGS = (
    "s",
    "es",
    "ies",
    "ed",
    "ing",
    "er",
    "ers",
    "or",
    "ors",
    "able",
    "ably",
    "ly",
    "ness",
    "less",
    "ful",
    "ment",
    "ments",
    "ion",
    "ions",
    "ist",
    "ism",
    "ize",
    "ized",
    "izes",
    "ise",
    "ised",
    "ises",
    "ity",
    "al",
    "ish",
    "ship",
)


def _read(name: str) -> str:
    return files("gateway.detect").joinpath("data", name).read_text(encoding="utf-8")


def _lines(name: str) -> list[str]:
    return [line for line in _read(name).splitlines() if line and not line.startswith("#")]


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of data/NAME.txt: first_names, first_names_rare, surnames, common_words, products, places."""
    return frozenset(word for line in _lines(f"{name}.txt") for word in line.split())


@cache
def around() -> dict[str, frozenset[str]]:
    """The tables of data/names.toml as sets; `intro` holds phrases."""
    table = tomllib.loads(_read("names.toml"))
    return {key: frozenset(value.split("|") if key == "intro" else value.split()) for key, value in table.items()}


@cache
def _names_as_words() -> dict[str, frozenset[str]]:
    table = tomllib.loads(_read("first_names_as_words.toml"))
    return {language: frozenset(words.split()) for language, words in table.items()}


def is_word_of(language: str, word: str) -> bool:
    """A first name that is an everyday word of this language; for English `is_common` tells."""
    return word in _names_as_words().get(language, ())


@cache
def public_persons() -> frozenset[str]:
    """Case-folded full names."""
    return frozenset(line.casefold() for line in _lines("public_persons.txt"))


def _in(word: str, name: str) -> bool:
    words = word_list(name)
    return word in words or ("-" in word and all(part in words for part in word.split("-") if part))


def _unaccented(word: str) -> str:
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()


@lru_cache(maxsize=50_000)
def is_first(word: str) -> bool:
    """A first name of any list, with or without its accents: Siobhán."""
    if _in(word, "first_names") or _in(word, "first_names_rare"):
        return True
    return not word.isascii() and len(word) > 3 and is_first(_unaccented(word))


def is_core_first(word: str) -> bool:
    """A first name of the European and American lists."""
    return _in(word, "first_names")


def is_surname(word: str) -> bool:
    """A known surname."""
    return _in(word, "surnames")


@lru_cache(maxsize=50_000)
def is_common(word: str) -> bool:
    """An everyday English word; many names are. Words made of common ones count: licensor, re-entry."""
    if word in word_list("common_words"):
        return True
    if "-" in word:
        return all(is_common(part) or is_thing(part) for part in word.split("-") if part)
    return not is_first(word) and not is_surname(word) and _derived(word)


def _derived(word: str) -> bool:
    common = word_list("common_words")
    if word.startswith("re") and len(word) > 5 and word[2:] in common:
        return True
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 3 and (stem in common or stem + "e" in common or stem + "y" in common):
            return True
    return False


def is_thing(word: str) -> bool:
    """A product, project or company, a country or a large town."""
    return word in word_list("products") or word in word_list("places")


def strong_first(word: str) -> bool:
    """A first name that is no everyday word, product or place."""
    return is_first(word) and not is_common(word) and not is_thing(word)
