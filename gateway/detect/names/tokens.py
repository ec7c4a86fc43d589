"""Words and runs of capitalised words, the raw material of names."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gateway.detect.names.lists import around, is_first

WORD = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*(?:(?<=\b[dDlL])'(?= [A-Z]))?|'[ts](?= )")
_GAP = re.compile(r"[ \t]{1,2}|\.[ \t]{0,2}|-")
_NICKNAMED = re.compile(r" [\"'(]$")
_BEHIND_NICKNAME = re.compile(r"[\"')] ")
_TWO_CAPITALS = re.compile(r"(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz|O)[A-Z][^\WA-Z\d_]+$")
_PREFIXED = re.compile(r"(?:al|el|ad|as|ash|ul|ben|d|l|dell|de|o)['\-][A-ZÀ-Þ]")


class Word(NamedTuple):
    """A word with its place; `lower` is folded for look-ups, `capital` also holds for al-Zahra and d'Angelo."""

    text: str
    start: int
    end: int
    lower: str
    capital: bool

    @property
    def shout(self) -> bool:
        """All capitals, two letters at least."""
        return len(self.text) > 1 and self.text.isupper()

    @property
    def initial(self) -> bool:
        """One capital letter, also a pair such as J.R. written as J-R."""
        return len(self.text) == 1 and self.text.isupper()

    @property
    def camel(self) -> bool:
        """An identifier such as UserService or iPhone; McDonald and DiCaprio are names."""
        inner = self.text[1:]
        if not inner or inner.islower() or self.shout or "-" in inner or "'" in inner:
            return False
        return any(c.isupper() for c in inner) and not _TWO_CAPITALS.match(self.text)


_FREE_LEFT, _FREE_RIGHT = frozenset(" \n("), frozenset(" ,\n")


def words(text: str, start: int, end: int) -> list[Word]:
    """The words of a stretch; a possessive 's stays outside, words inside identifiers and paths are left out."""
    found = []
    for match in WORD.finditer(text, start, end):
        word, (first, last) = match[0], match.span()
        if word[-1] in "sS" and word[-2:-1] == "'" and len(word) > 2:
            word, last = word[:-2], last - 2
        left, right = text[first - 1] if first else " ", text[last] if last < len(text) else " "
        if left in _FREE_LEFT and right in _FREE_RIGHT or _stands_alone(text, first, last):
            lower = word.lower() if word.isascii() else word.lower().replace("i\u0307", "i")
            capital = word[0].isupper() or not word.isalpha() and bool(_PREFIXED.match(word))
            found.append(Word(word, first, last, lower, capital))
    return found


def _stands_alone(text: str, first: int, last: int) -> bool:
    """Not part of an identifier, a path, a call or a dotted name; J.R.Smith is none."""
    left, right = text[first - 1 : first] or " ", text[last : last + 1] or " "
    if left == "-" and last - first == 1 and text[first - 2 : first - 1].isspace():
        return False  # an option of a command
    if left.isalnum() or left in "_@#$/\\=" or right.isalnum() or right in "_@/\\([{":
        return False
    if right == "." and text[last + 1 : last + 2].islower():
        return False
    if left != "." or first < 2:
        return True
    ahead = text[first - 2]
    return not text[max(0, first - 3) : first - 2].strip(" .(") if ahead.isalnum() else ahead not in ")_]"


_LEADING = frozenset("van von de del di da el al bin ibn".split())
"""Particles in lower case that a name may begin with."""
_BRIDGED = frozenset(("zu", "zum", "zur", "te", "ten", "ter", "van", "von"))
"""von und zu, van en te; `der Kaiser und der König` are two."""


def runs(found: list[Word], text: str) -> Iterator[list[Word]]:
    """Runs of capitalised words; particles in lower case may stand between two of them."""
    particles = around()["particles"]
    run: list[Word] = []
    for index, word in enumerate(found):
        if not run and not word.capital and word.lower not in _LEADING:
            continue
        if run and not _joined(run[-1], word, text):
            yield from _trimmed(run)
            run = []
        bridge = word.lower in ("en", "und") and index + 1 < len(found) and found[index + 1].lower in _BRIDGED
        if word.capital or (run and (bridge or word.lower in particles) and _leads_on(found, index, text)):
            run.append(word)
        elif word.lower in particles and _leads_on(found, index, text) and word.lower in _LEADING:
            run = [word]
        elif run and word.lower in around()["suffixes"]:
            run.append(word)
        elif run:
            yield from _trimmed(run)
            run = []
    yield from _trimmed(run)


def _joined(left: Word, right: Word, text: str) -> bool:
    gap = text[left.end : right.start]
    if gap == "" or not _GAP.fullmatch(gap):
        return gap in (", ",) and right.lower in around()["suffixes"] or _beside_nickname(left, right, text)
    if gap.startswith("."):
        return (
            left.initial
            or left.text[-2:-1] == "-"
            and left.text[-1].isupper()
            or left.lower in around()["titles"]
            or len(left.text) <= 2
            and left.capital
        )
    return True


def _beside_nickname(left: Word, right: Word, text: str) -> bool:
    """Harold "Hal" Whitcombe: one capitalised word in quotes or brackets inside a name."""
    for word, first in ((right, left), (left, None)):
        before, behind = text[max(0, word.start - 2) : word.start], text[word.end : word.end + 3]
        if _NICKNAMED.match(before) and _BEHIND_NICKNAME.match(behind) and behind[2:].isupper():
            gap = text[left.end : right.start]
            return word.capital and (gap == before and first is not None and is_first(first.lower) or gap == behind[:2])
    return False


def _leads_on(found: list[Word], index: int, text: str) -> bool:
    """A capital follows, perhaps after one more particle."""
    for ahead in (1, 2, 3):
        if index + ahead >= len(found) or not _joined(found[index + ahead - 1], found[index + ahead], text):
            return False
        if found[index + ahead].capital:
            return True
        if found[index + ahead].lower not in around()["particles"]:
            return False
    return False


def _trimmed(run: list[Word]) -> Iterator[list[Word]]:
    if any(word.capital for word in run):
        yield run
