"""First names in the nominative: z Agnieszką, dla Krzyśka, Pawłowi; Sabines Akte."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from gateway.detect.names.lists import is_common, is_core_first, is_first, is_surname, strong_first
from gateway.detect.names.tokens import Word

_OF_WOMEN = {
    "ą": "a",
    "ę": "a",
    "y": "a",
    "i": "a",
    "ce": "ka",
    "dze": "ga",
    "rze": "ra",
    "cie": "ta",
    "dzie": "da",
    "ie": "a",
}
_OF_MEN = ("owi", "iem", "em", "a", "ze", "ie", "u")
_FLEETING = {"śk": "siek", "k": "ek", "wł": "weł", "ndr": "nder", "źk": "ziek", "ćk": "ciek"}
"""Vowels that the endings drive out: Krzyśk-a of Krzysiek, Pawł-a of Paweł."""
_WORDS = frozenset("marka marki marce marką markę pola poli róży róże wiktorii glorii".split())
_SHORT = 4


def in_nominative(found: list[Word], language: str) -> list[Word]:
    """The words with `lower` of an oblique first name as its nominative; what begins a Polish sentence may be any word."""
    if language == "de":
        return [_folded(word, _german) if word.capital and word.text[-1] == "s" else word for word in found]
    if language == "pl":
        return found[:1] + [_folded(word, _polish) if word.capital else word for word in found[1:]]
    return found


def _folded(word: Word, fold: Callable[[str], str]) -> Word:
    base = word.lower if word.shout else fold(word.lower)
    return word if base == word.lower else word._replace(lower=base)


def is_german_genitive(word: Word) -> bool:
    """Sabines: nothing of the name stands behind it."""
    return word.text.endswith("s") and word.text.lower() != word.lower


@lru_cache(maxsize=4096)
def _polish(word: str) -> str:
    if len(word) < _SHORT or is_first(word) or is_surname(word) or is_common(word) or word in _WORDS:
        return word
    return next((base for base in _bases(word) if _is_plain_first(base)), word)


@lru_cache(maxsize=4096)
def _german(word: str) -> str:
    base = word.removesuffix("s")
    return (
        base
        if base != word
        and len(base) >= _SHORT
        and not (is_surname(word) or is_core_first(word) or is_common(word))
        and _is_plain_first(base)
        else word
    )


def _is_plain_first(word: str) -> bool:
    return strong_first(word) and is_core_first(word)


def _bases(word: str) -> Iterator[str]:
    for ending, nominative in _OF_WOMEN.items():
        if word.endswith(ending):
            yield word.removesuffix(ending) + nominative
            yield word.removesuffix(ending) + "i" + nominative
    for ending in _OF_MEN:
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield from (stem.removesuffix(cut) + whole for cut, whole in _FLEETING.items() if stem.endswith(cut))
            if len(stem) >= _SHORT:
                yield stem
    if word.endswith(("iego", "iemu")):
        yield word[:-3]
    if word.endswith(("rzego", "rzemu")):
        yield word[:-3] + "y"
