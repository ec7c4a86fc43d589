"""Words and initials of a text, with what each can be in a name."""

import re
from dataclasses import dataclass

from gateway.detect.russian.traits import Traits, traits

_TOKEN = re.compile(r"[А-ЯЁ]\.(?=\s?[А-ЯЁ]|[^\w]|$)|[А-ЯЁа-яё]+(?:[’'][А-ЯЁа-яё]+)?(?:-[А-ЯЁа-яё]+)*")


@dataclass(frozen=True, slots=True)
class Token:
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
        joined = bool(re.fullmatch(r"[ \u00a0\u202f]{0,2}", gap)) and (bool(gap) or match.group().endswith("."))
        word = match.group()
        tokens.append(Token(match.start(), match.end(), word, _style(word), joined, traits(word.rstrip("."))))
    return tokens


def _style(word: str) -> str:
    if word.endswith("."):
        return "i"
    if word.isupper() and len(word) > 1:
        return "u"
    return "c" if word[0].isupper() else "l"
