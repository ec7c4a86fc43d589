"""Bytes to text and back without losing the encoding, the byte order mark or the line ends."""

from __future__ import annotations

import codecs
import itertools
from dataclasses import dataclass

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


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
    """Reads any bytes: the mark decides, then UTF-8, then Windows-1251 for Cyrillic, then Latin-1."""
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
    high = [byte for byte in body[:20000] if byte >= 0x80]
    letters = sum(byte >= 0xC0 or byte in (0xA8, 0xB8) for byte in high)
    try:
        body.decode("cp1251")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1251" if _looks_russian(body) and letters > 0.8 * len(high) else "latin-1"


def _looks_russian(body: bytes) -> bool:
    """Cyrillic words are runs of high letters; in western texts such letters stand alone."""
    text = body[:20000].decode("cp1251", "replace")
    neighbours = sum("А" <= a <= "я" and "А" <= b <= "я" for a, b in itertools.pairwise(text))
    return neighbours > 0.5 * sum("А" <= char <= "я" for char in text)
