"""Words and initials of a text, with what each can be in a name."""

import re
from typing import NamedTuple

from gateway.detect.russian.traits import Traits, traits

_GAPS = frozenset(("", *"\u00a0\u202f", *(a + b for a in " \u00a0\u202f" for b in " \u00a0\u202f")))
_TOKEN = re.compile(r"[А-ЯЁ]\.(?=\s?[А-ЯЁ]|[^\w]|$)|[А-ЯЁа-яё]+(?:[’'][А-ЯЁа-яё]+)?(?:-[А-ЯЁа-яё]+)*")


class Token(NamedTuple):
    """A word or an initial. `style`: i(nitial), c(apital), u(pper), l(ower); `joined` to the next one by space."""

    start: int
    end: int
    text: str
    style: str
    joined: bool
    traits: Traits


def tokenize(text: str) -> list[Token]:
    """All words of the text with what they can be in a name."""
    matches = list(_TOKEN.finditer(text))
    tokens = []
    for at, match in enumerate(matches):
        following = matches[at + 1].start() if at + 1 < len(matches) else -1
        gap = text[match.end() : following] if following >= 0 else "\n\n"
        word = match.group()
        joined = gap == " " or gap in _GAPS and (gap != "" or word.endswith("."))
        tokens.append(Token(match.start(), match.end(), word, _style(word), joined, traits(word.rstrip("."))))
    return tokens


def _style(word: str) -> str:
    if word.endswith("."):
        return "i"
    if word[1:].isupper() and (word[0].isupper() or len(word) > 3):  # `иВАНОВ`: Caps Lock was on
        return "u"
    return "c" if word[0].isupper() else "l"
