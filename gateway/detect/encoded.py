"""Values in another writing: base64, hex, lists of bytes or digits, escapes and quoted-printable are read as text.

What is encoded as a whole is masked as a whole; in a text with escapes the value alone is. All that was decoded is
looked at together, so that many small runs cost what one text does, and decoded again: encodings hide in each other.
"""

import binascii
import re
from base64 import b32decode, b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from gateway.detect.checks import SERIES
from gateway.detect.entity import Entity
from gateway.detect.normalise import View, assemble, normalise
from gateway.detect.scan import Gate

Finder = Callable[[str], Iterable[Entity]]
_BETTER = 0.55
_DEEP = 3
_SEAM = "\n\n"
_SHORTEST = 8  # characters of a plain text
_HIGHEST = 0x530  # behind the letters of Europe
_BLOCK = re.compile(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{12,}(?:\r?\n[ \t]*[A-Za-z0-9+/_\-]{4,})*={0,2}")
_LINE = re.compile(r"[A-Za-z0-9+/_\-]{12,}={0,2}")
_HEX = re.compile(r"(?:0x)?((?:[0-9A-Fa-f]{2}){8,})")
_BYTE = r"(?:0[xX])?[0-9A-Fa-f]{1,4}"
_BYTES = re.compile(rf"(?<![\w.]){_BYTE}(?:(?:\s*[,;]\s*|[ :-]){_BYTE}){{7,}}(?![\w.])")
_BETWEEN = re.compile(r"[\s,;:-]+")
_BITS = re.compile(r"(?<![\w.])[01]{8}(?:[ ,_]{0,2}[01]{8}){7,}(?![\w.])")
_BASE32 = re.compile(r"[A-Z2-7]{16,}={0,6}")
_BETWEEN_DIGITS = r"[\"']?\s*[,;+]\s*[\"']?"
_DIGITS = re.compile(
    rf"(?<![\w.,])(?:\d(?:{_BETWEEN_DIGITS}\d){{12,18}}|\d{{4}}(?:{_BETWEEN_DIGITS}\d{{4}}){{3}})(?![\w.]|,\s*\d)"
)
_CUE_REACH = 40
_ESCAPE = re.compile(
    r"(?P<point>\\u\{[0-9A-Fa-f]{1,6}\}|\\U[0-9A-Fa-f]{8}|\\00[0-9A-Fa-f]{4})"
    r"|(?P<bytes>(?:\\{1,2}x[0-9A-Fa-f]{2}|\\{1,2}[0-3][0-7]{2})+)"
    r"|(?P<word>=\?[\w-]{1,40}\?[Qq]\?[^?\s]{1,200}\?=)|(?P<quoted>(?:=[0-9A-Fa-f]{2}){2,}|(?<=\w)=40(?=\w))|(?P<soft>=\r?\n)"
)
_GATE = Gate(
    {
        "escapes": r"\\x[0-9a-f]{2}|\\[0-3][0-7]{2}|\\u\{|\\U000",
        "quoted": r"=[0-9a-f]{2}=[0-9a-f]{2}|\w=40\w|\?q\?",
        "bytes": r"(?:(?:0x)?[0-9a-f]{1,4}(?:\s?[,;]\s?|[ :-])){7}",
        "bits": r"[01]{8}[ ,_]{0,2}[01]{8}",
        "digits": r"(?:\d[\"']?\s?[,;+]\s?[\"']?){12}|(?:\d{4}[\"']?\s?[,;+]\s?[\"']?){3}\d{4}",
    }
)


@dataclass(frozen=True, slots=True)
class _Run:
    """An encoded stretch and its plain text. With a view only parts of it were encoded, and it leads back to them;
    `kind` limits what counts in it."""

    start: int
    end: int
    plain: str
    view: View | None = None
    kind: str = ""


def encoded_finder(finders: Sequence[Finder]) -> Finder:
    """A finder that decodes and asks the given ones."""

    def find(text: str, depth: int = _DEEP) -> Iterator[Entity]:
        found = list(_runs(text))
        if not found:
            return
        view = normalise(_SEAM.join(run.plain for run in found))
        hits = [e for finder in finders for e in finder(view.text) if e.score >= _BETTER]
        hits += find(view.text, depth - 1) if depth else ()
        starts = [0, *accumulate(len(run.plain) + len(_SEAM) for run in found)]
        inside: dict[int, list[Entity]] = {}
        for hit in hits:
            start, end = view.span(hit.start, hit.end)
            at = bisect_right(starts, start) - 1
            moved = replace(hit, start=start - starts[at], end=min(end - starts[at], len(found[at].plain)))
            inside.setdefault(at, []).append(moved)
        for at, held in inside.items():
            yield from _entities(text, found[at], held)

    return find


def decode(token: str) -> str:
    """The text inside base64, wherever in it the first of four characters stands; nothing where there is none."""
    body = re.sub(r"\s+", "", token).rstrip("=").translate(_STANDARD)
    for shift in range(4):
        part = body[shift:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        if plain := _readable(b64decode(part + "=" * (-len(part) % 4))):
            return plain
    return ""


_STANDARD = str.maketrans("-_", "+/")


def other_than_base64(text: str) -> str:
    """All that hex, base32, lists of bytes and escapes in a text stand for; nothing where there are none."""
    return _SEAM.join(run.plain for run in _runs(text, _unpacked_in_one_case))


def _runs(text: str, unpack: Callable[[str], str] | None = None) -> Iterator[_Run]:
    present = _GATE.present(text)
    if "escapes" in present or "quoted" in present:
        yield from _escaped(text)
    for name, expression, decoded in (("bytes", _BYTES, _of_bytes), ("bits", _BITS, _of_bits)):
        for match in expression.finditer(text) if name in present else ():
            if plain := decoded(match[0]):
                yield _Run(*match.span(), plain)
    for match in _DIGITS.finditer(text) if "digits" in present else ():
        if not SERIES.search(text, max(0, match.start() - _CUE_REACH), match.start()):
            yield _Run(*match.span(), "".join(filter(str.isdigit, match[0])), kind="CREDIT_CARD")
    for match in _BLOCK.finditer(text):
        yield from _packed(text, *match.span(), unpack or _unpacked)


def _packed(text: str, start: int, end: int, unpack: Callable[[str], str]) -> Iterator[_Run]:
    """A block of base64 as one, else what its lines hold."""
    if plain := unpack(text[start:end]):
        yield _Run(start, end, plain)
    elif "\n" in text[start:end]:
        for line in _LINE.finditer(text, start, end):
            if plain := unpack(line[0]):
                yield _Run(*line.span(), plain)


def _unpacked_in_one_case(token: str) -> str:
    digits = token.removeprefix("0x")
    return _unpacked(token) if digits in (digits.lower(), digits.upper()) else ""


def _unpacked(token: str) -> str:
    if _BASE32.fullmatch(token):
        return _of_base32(token.rstrip("="))
    if match := _HEX.fullmatch(token):
        plain = _readable(binascii.unhexlify(match[1]))
        if plain or len(token) < 24:
            return plain
    return "" if token in (token.lower(), token.upper()) or token[1:].islower() else decode(token)


def _of_base32(token: str) -> str:
    whole = len(token) // 8 * 8 + (0, 0, 2, 2, 4, 5, 5, 7)[len(token) % 8]
    return _readable(b32decode(token[:whole] + "=" * (-whole % 8)))


def _of_bytes(listed: str) -> str:
    """The text of numbers that are its bytes or characters, in hex if any looks like it, else in ten."""
    words = _BETWEEN.split(listed)
    bare = [word.lower().removeprefix("0x") for word in words]
    bases = (16,) if any(word.isalnum() and not word.isdigit() for word in words) else (10, 16)
    for base in bases:
        if (base == 10 or all(len(word) == 2 for word in bare)) and (
            plain := text_of([int(one, base) for one in bare])
        ):
            return plain
    return ""


def text_of(numbers: Sequence[int]) -> str:
    """The text whose bytes, or whose characters, these are; nothing where they are none."""
    if max(numbers) < 256:
        return _readable(bytes(numbers))
    text = "".join(map(chr, numbers)) if max(numbers) < _HIGHEST else ""
    return text if _is_text(text) else ""


def _of_bits(listed: str) -> str:
    return _readable(bytes(int(octet, 2) for octet in re.findall("[01]{8}", listed)))


def _readable(raw: bytes) -> str:
    """The text of bytes in UTF-8, cut anywhere, or in UTF-16; nothing for other bytes."""
    lead = next((at for at, byte in enumerate(raw[:4]) if not 0x80 <= byte < 0xC0), 0)
    try:
        text = raw[lead:].decode("utf-8")
    except UnicodeDecodeError as error:
        text = "" if error.start + lead < len(raw) - 3 else raw[lead : lead + error.start].decode("utf-8")
    if _is_text(text):
        return text
    for order in ("utf-16-le", "utf-16-be"):
        wide = raw[: len(raw) // 2 * 2].decode(order, "replace")
        if _is_text(wide) and sum(char < "\x7f" or "\u0400" <= char < "\u0460" for char in wide) * 3 > len(wide) * 2:
            return wide
    return ""


def _is_text(text: str) -> bool:
    return len(text) >= _SHORTEST and (text.isprintable() or all(c.isprintable() or c in "\n\t\r" for c in text))


def _escaped(text: str) -> Iterator[_Run]:
    edits = [(*match.span(), plain) for match in _ESCAPE.finditer(text) if (plain := _plain(match)) is not None]
    if any(plain for _, _, plain in edits):
        view = assemble(text, edits)
        yield _Run(0, len(text), view.text, view)


def _plain(match: "re.Match[str]") -> str | None:
    """What an escape stands for; None where it is no character that is seen."""
    kind, odd = match.lastgroup, match[0]
    if kind == "soft":
        return ""
    if kind == "point":
        number = int(odd[2:].strip("{}"), 16)
        plain = chr(number) if number < 0x110000 else ""
    else:
        plain = _of_escapes(odd[odd.index("?", 2) + 3 : -2].replace("_", " ") if kind == "word" else odd)
    return plain if plain and plain.isprintable() else None


_ESCAPED = re.compile(rb"\\{1,2}x([0-9A-Fa-f]{2})|\\{1,2}([0-3][0-7]{2})|=([0-9A-Fa-f]{2})")


def _of_escapes(odd: str) -> str:
    """Escaped bytes are UTF-8, where they can be; in JavaScript each is a character."""
    raw = _ESCAPED.sub(lambda m: bytes([int(m[2], 8) if m[2] else int(m[1] or m[3], 16)]), odd.encode())
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _entities(text: str, run: _Run, hits: Sequence[Entity]) -> Iterator[Entity]:
    """What is masked for the values in one run: the run, or the places of those that no other finder can see."""
    if run.view is not None:
        for hit in hits:
            start, end = run.view.span(hit.start, hit.end)
            if text[start:end] != run.plain[hit.start : hit.end]:
                source = f"escaped: {hit.source}"
                yield Entity(hit.type, start, end, text[start:end], hit.score, source, hit.checked)
        return
    if run.kind:
        hits = [hit for hit in hits if hit.type == run.kind and hit.end - hit.start == len(run.plain)]
    if hits:
        best = max(hits, key=lambda e: (e.checked, e.score, e.end - e.start))
        yield Entity(best.type, run.start, run.end, text[run.start : run.end], 0.9, f"encoded: {best.source}")
