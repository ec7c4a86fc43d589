"""What a label in prose announces: the words behind it up to the end of the clause, and where the value begins.

`password for the wifi is Blue-Kettle-42`: the label, what it is for, a separator, the value.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\S+")
_REACH = 160
_GAP_WORDS = 6
_LINKS = frozenset("is are ist lautet est es è to jest é это такой такое такая: равен = : - -- — – -> =>".split())
_PREPOSITIONS = frozenset(
    "for of to on at from от для к ко на в во у с со из под за für vom von zum zur der des pour du de del della la le"
    " para per di do dla na van voor op het d'".split()
)
_QUOTES = {"«": "»", '"': '"', "'": "'", "“": "”", "„": "“", "`": "`"}
_CLAUSE_END = re.compile(r"[,;]$|[.!?…]$")
_CLOSERS = ".,;:)]}>\"'»”“`|"
STRING_PREFIX = re.compile(r"(?<!\w)[rbfuRBFU]{1,2}(?=[\"'])")
"""Of a quoted value in Python."""
_DELIMITER = re.compile(r"[,;)\]}<>|]")


@dataclass(frozen=True, slots=True)
class Announced:
    """The value behind a label. `link` is ":" (also "="), "is" (also a dash), or "" where nothing stands between.

    `gap` are the lower-case words between label and value; `rest` is what follows the value in its clause.
    """

    start: int
    value: str
    link: str
    gap: tuple[str, ...]
    rest: str
    quoted: bool = False

    @property
    def explained(self) -> bool:
        """The gap says what the value is for."""
        return bool(self.gap) and self.gap[0] in _PREPOSITIONS


def announced(text: str, end: int) -> Announced | None:
    """The value behind a separator after the label that ends at `end`; None where the clause ends before."""
    line = _line(text, end)
    if match := re.match(r"[ \t]?[:=](?![/=])[ \t]*", line):
        return _value(line, end, match.end(), ":", ())
    if line[:1] and not line[0].isspace():
        return None
    gap: list[str] = []
    for token in _TOKEN.finditer(line):
        word = token.group()
        if word.lower() in _LINKS and (gap or word.lower() not in ("to",)):
            after = line[token.end() :]
            link = ":" if word in (":", "=") or after.lstrip()[:1] == ":" else "is"
            return _value(line, end, token.end() + len(after) - len(after.lstrip(" \t:")), link, tuple(gap))
        if word[-1] in ":=" and len(word) > 1:
            return _value(line, end, token.end(), ":", (*gap, word[:-1].lower()))
        if _CLAUSE_END.search(word) or len(gap) == _GAP_WORDS:
            return None
        gap.append(word.lower())
    return None


def values_without_link(text: str, end: int) -> list[Announced]:
    """Each further word of the clause as a value that no separator announces, in order."""
    line = _line(text, end)
    found: list[Announced] = []
    gap: list[str] = []
    if line[:1] and not line[0].isspace():
        return found
    for token in _TOKEN.finditer(line):
        value = _value(line, end, token.start(), "", tuple(gap))
        if value is not None:
            found.append(value)
        if _CLAUSE_END.search(token.group()) or len(gap) == _GAP_WORDS:
            break
        gap.append(token.group().lower())
    return found


def _line(text: str, end: int) -> str:
    """What stands behind a place on its line, within reach."""
    stop = text.find("\n", end, end + _REACH)
    return text[end : stop if stop >= 0 else end + _REACH]


def _value(line: str, end: int, at: int, link: str, gap: tuple[str, ...]) -> Announced | None:
    at += len(line[at:]) - len(line[at:].lstrip(" \t*_"))
    at = prefix.end() if (prefix := STRING_PREFIX.match(line, at)) else at
    closing = _QUOTES.get(line[at : at + 1], "")
    if closing and (close := line.find(closing, at + 1)) > at + 1:
        return Announced(end + at + 1, line[at + 1 : close], link, gap, _rest(line[close + 1 :]), quoted=True)
    token = _TOKEN.match(line, at)
    if token is None:
        return None
    raw = _cut(token.group())
    value = raw.rstrip(_CLOSERS)
    if value.endswith("?") and link == "":
        value = value.rstrip("?")
    if not value:
        return None
    ended = bool(raw[len(value) :].strip("\"'*`")) or raw != token.group()
    return Announced(end + at, value, link, gap, "" if ended else _rest(line[token.end() :]))


def _cut(token: str) -> str:
    """Up to a delimiter behind which another field begins or nothing stands; other delimiters belong to the value."""
    for match in _DELIMITER.finditer(token):
        tail = token[match.end() :]
        if match.group() in "<>|" or not any(char.isalnum() for char in tail) or re.search(r"[:=<>|]", tail):
            return token[: match.start()]
    return token


def _rest(tail: str) -> str:
    """The words that still belong to the clause."""
    return re.split(r"[,;.!?()|]|\s[-—]\s", tail, maxsplit=1)[0].strip(" \t\"'*`»")
