"""What masking asks of a text again and again: its words and its numbers behind words, kept as hashes by text hash.

A long conversation is masked anew with each turn. With these facts an old text is only searched for a value whose first
word it holds, and only read for placeholders where a number stands behind such a word. No text is kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Generic, TypeVar

from gateway.labels import skeleton

TOKEN = re.compile(r"[^\W_]+")
MIN_DIGITS = 7
"""From here on a number is found again in any grouping."""
_RUN = re.compile(r"\d(?:\D{0,3}\d){6,}")
_MOST_DIGITS = 40
_DIGITS = r"(?<!&#)(?<!%)(?<!\\u)[0-9０-９]{1,6}(?![0-9０-９])"
"""A number that is no part of an escaped sign: `&#95;`."""
_NUMBERED = re.compile(rf"(?<![^\W\d_])([^\W\d_]++)(?:[\W_]|&#95;|u005f|%5f){{0,4}}({_DIGITS})", re.IGNORECASE)
_SHORT = re.compile(rf"(?<![0-9０-９]){_DIGITS}")
_REACH = 90
"""Characters in front of a number: the longest label and what may stand between them."""
_SIZE = 4096
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Facts:
    """`words` are hashes of the case-folded words and of all stretches of seven digits and more.

    `endless` says that digits go on for so long that their stretches are not kept; `numbered` are the (skeleton of a
    word, number behind it) pairs. Thousands of these are kept: a dictionary of numbers costs the garbage collector
    nothing, a set of as many stops all requests for milliseconds."""

    words: Mapping[int, None]
    endless: bool
    numbered: tuple[tuple[str, int], ...]


def facts_of(text: str, *, numbered: bool = True) -> Facts:
    """Reads a text once, on wish without its numbers behind words."""
    runs = ["".join(filter(str.isdigit, match[0])) for match in _RUN.finditer(text)]
    words = dict.fromkeys(map(hash, map(str.casefold, set(TOKEN.findall(text)))))
    for run in runs:
        words.update(dict.fromkeys(map(hash, _stretches(digits_of(run)))) if len(run) <= _MOST_DIGITS else ())
    return Facts(
        words=words,
        endless=any(len(run) > _MOST_DIGITS for run in runs),
        numbered=_numbered(text) if numbered else (),
    )


def _numbered(text: str) -> tuple[tuple[str, int], ...]:
    """Looks for the words in front of the numbers alone: most words have none behind them."""
    found: dict[tuple[str, int], None] = {}
    done = 0
    for digits in _SHORT.finditer(text):
        for match in _NUMBERED.finditer(text, max(done, digits.start() - _REACH), digits.end()):
            found[skeleton(match[1]), int(match[2])] = None
        done = digits.end()
    return tuple(found)


def digits_of(text: str) -> str:
    """Its digits, of any script, as ASCII."""
    digits = "".join(filter(str.isdigit, text))
    return digits if digits.isascii() else "".join(str(unicodedata.digit(char)) for char in digits)


def _stretches(digits: str) -> Iterator[str]:
    for start in range(len(digits) - MIN_DIGITS + 1):
        for end in range(start + MIN_DIGITS, len(digits) + 1):
            yield digits[start:end]


class Kept(Generic[T]):
    """What `read` says of the texts seen last, by keyless hash: they hold no word in clear."""

    def __init__(self, read: Callable[[str], T], size: int = _SIZE) -> None:
        self._read, self._size = read, size
        self._kept: OrderedDict[bytes, T] = OrderedDict()

    def of(self, text: str) -> T:
        """What is said of a text, read now or kept."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._kept.pop(key, None) or self._read(text)
        self._kept[key] = found
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return found
