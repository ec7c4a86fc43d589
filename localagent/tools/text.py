"""Bytes to text and back without losing the encoding, the byte order mark or the line ends."""

from __future__ import annotations

import codecs
import itertools
from dataclasses import dataclass

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_RUSSIAN = {"cp1251": 1, "koi8-r": 20, "cp866": 20}  # and from how many letters on: those of short words are chance
_COMMON = frozenset("оеаинтсрвлкмдпу")
SEEN = 20_000  # bytes


@dataclass(frozen=True, slots=True)
class Text:
    """A decoded file: `text` has only \\n; `newline` is what most lines of the file end with."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    newline: str = "\n"
    mixed: bool = False  # both kinds of line ends: `text` then keeps every \\r as it is

    def encode(self, text: str) -> bytes:
        """Another text in this file's form. Raises UnicodeEncodeError where the encoding cannot hold it."""
        if not self.mixed and self.newline != "\n":
            text = text.replace("\r\n", "\n").replace("\n", self.newline)
        return self.mark + text.encode(self.encoding)


def is_binary(content: bytes) -> bool:
    """Whether the content cannot be a text file in any encoding that `decode` knows."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    return b"\0" in content[:8192]


def decode(content: bytes) -> Text:
    """Reads any bytes: the mark decides, then UTF-8, then Windows-1251, KOI8-R or DOS for Russian, then Latin-1."""
    mark, encoding = next(((m, e) for m, e in _MARKS if content.startswith(m)), (b"", ""))
    body = content[len(mark) :]
    encoding = encoding or _guess(body)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        mark, encoding, text = b"", "latin-1", content.decode("latin-1")
    return _with_newlines(text, encoding, mark)


def _with_newlines(text: str, encoding: str, mark: bytes) -> Text:
    pairs, ends = text.count("\r\n"), text.count("\n")
    if pairs and pairs == ends:
        return Text(text.replace("\r\n", "\n"), encoding, mark, "\r\n")
    return Text(text, encoding, mark, "\n", mixed=pairs > 0)


def _guess(body: bytes) -> str:
    try:
        body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    found = max(_RUSSIAN, key=lambda encoding: _russian(body, encoding))
    return found if _russian(body, found) else "latin-1"


def _russian(body: bytes, encoding: str) -> float:
    """How much the text is Russian in this encoding: the share of common letters, 0 where it is not.

    Cyrillic words are runs of high letters; in western texts such letters stand alone.
    """
    try:
        text = body[:SEEN].decode(encoding)
        body.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    letters = [char for char in text.lower() if "а" <= char <= "я"]
    foreign = sum(char >= "\x80" and char not in "Ёё" for char in text)
    neighbours = sum("А" <= a <= "я" and "А" <= b <= "я" for a, b in itertools.pairwise(text))
    if len(letters) <= 0.8 * foreign or neighbours <= 0.5 * len(letters) or len(letters) < _RUSSIAN[encoding]:
        return 0.0
    return (1 + sum(char in _COMMON for char in letters)) / len(letters)
