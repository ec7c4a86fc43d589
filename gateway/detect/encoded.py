"""Values inside base64: a token that decodes to text is searched like text and masked whole if it holds anything."""

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence

from gateway.detect.entity import Entity

Finder = Callable[[str], Iterable[Entity]]
_TOKEN = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{16,20000}={0,2}(?![A-Za-z0-9+/_=])")
_BETTER = 0.55


def encoded_finder(finders: Sequence[Finder]) -> Finder:
    """A finder that decodes and asks the given ones."""

    def find(text: str) -> Iterator[Entity]:
        for match in _TOKEN.finditer(text):
            plain = decode(match.group())
            hits = [e for finder in finders for e in finder(plain) if e.score >= _BETTER] if plain else []
            if hits:
                best = max(hits, key=lambda e: (e.checked, e.score, e.end - e.start))
                yield Entity(best.type, match.start(), match.end(), match.group(), 0.9, f"base64: {best.source}")

    return find


def decode(token: str) -> str:
    """The text inside, or nothing where the bytes are no readable text."""
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        return ""
    try:
        text = b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if len(text) >= 8 and all(c.isprintable() or c in "\n\t\r" for c in text) else ""
