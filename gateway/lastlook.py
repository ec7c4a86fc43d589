"""The last look: no value of the vault may stand in the bytes that are about to leave, in any form.

The bytes are read as JSON, with further JSON, URL and HTML escapes undone (also one inside another), and with every
base64 run decoded at all alignments; hex, base32, quoted-printable and lists of bytes are one more reading. Each is
searched by the index that masking uses (any case, any separators, numbers in any grouping, Russian cases), so that what
masking leaves on purpose is no leak here either.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from gateway.detect.encoded import other_than_base64
from gateway.errors import LeakError
from gateway.facts import Facts, Kept, facts_of
from gateway.vault import Vault

_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
_PLAIN = {"\\n": "\n", '\\"': '"', "\\t": "\t", "\\\\": "\\"}
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_SEAM = "}, {"  # between two messages as `payload.write` writes them
_READINGS = 12  # readings of one body: deeper nests of escapes than this are not text that anybody sends
_LONG = 65_536
_APART = "\nꙮ\n".encode()  # a word that no value goes over
_ENCODED = "another encoding"
_MIN_BYTES = 6  # shorter values turn up in decoded images by chance


@dataclass(frozen=True, slots=True)
class _Piece:
    """The facts of each reading, and where base64 may stand."""

    readings: tuple[Facts, ...]
    runs: tuple[tuple[int, int], ...]


class Pieces(Kept[_Piece]):
    """What the pieces of bodies hold: a longer conversation repeats most of them."""

    def __init__(self) -> None:
        super().__init__(_read)


def last_look(body: bytes, vault: Vault, pieces: Pieces | None = None) -> None:
    """LeakError, naming the type and never the value, if any value of the vault can be read in `body`."""
    if not vault.map:
        return
    pieces = pieces or Pieces()
    needles = [(form.encode(), placeholder) for placeholder in vault.map for form in vault.forms(placeholder)]
    needles = [(needle, placeholder) for needle, placeholder in needles if len(needle) >= _MIN_BYTES]
    for text in _cut(body.decode("utf-8", "replace"), vault):
        piece = pieces.of(text)
        if any(vault.known.may_find(facts) for facts in piece.readings):
            _look_into_readings(text, vault)
        _look_into_base64([text[start:end] for start, end in piece.runs], vault, needles)


def _cut(text: str, vault: Vault) -> list[str]:
    """The pieces of a body: its messages, mostly. No value reaches over a seam, unless one has so wide a gap itself."""
    return [text] if vault.known.widest >= len(_SEAM) else text.split(_SEAM)


def _read(text: str) -> _Piece:
    runs = [m.span() for m in _BASE64.finditer(text) if not (m[0].islower() or m[0].isupper())]
    return _Piece(tuple(facts_of(reading, numbered=False) for reading, _ in _readings(text)), tuple(runs))


def _look_into_readings(text: str, vault: Vault) -> None:
    for reading, way in _readings(text):
        least = _MIN_BYTES if way == _ENCODED else 0
        for hit in vault.find_known(reading):
            if len(hit.form.text.encode()) < least:
                continue
            if hit.form.looked and not _in_placeholder(reading, hit.start, hit.end, vault):
                raise _leak(vault, hit.form.owner, way)


def _in_placeholder(text: str, start: int, end: int, vault: Vault) -> bool:
    """Whether a hit is a word of a placeholder: who is called Date is not in `<DATE_OF_BIRTH_1>`."""
    return any(text.find(one, max(0, end - len(one)), start + len(one)) >= 0 for one in vault.map)


def _leak(vault: Vault, placeholder: str, way: str) -> LeakError:
    kind = vault.type_of(placeholder)
    return LeakError(f"a value of type {kind} was still in the outgoing request ({way}); nothing was sent")


def _readings(text: str) -> Iterator[tuple[str, str]]:
    first = _unescape(text)  # not as bytes: in `\nour` they hold the name Nour, which nobody reads there
    seen, queue = {first}, [(first, "as it is")]
    while queue and len(seen) <= _READINGS:
        reading, way = queue.pop(0)
        yield reading, way
        for name, decode in (("JSON escapes", _unescape), ("URL encoding", _unquote), ("HTML entities", html.unescape)):
            decoded = decode(reading)
            if decoded not in seen:
                seen.add(decoded)
                queue.append((decoded, name))
    if decoded := other_than_base64(first):
        yield decoded, _ENCODED


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: _PLAIN.get(match[0]) or str(json.loads(f'"{match[0]}"')), text)


def _unquote(text: str) -> str:
    return unquote(text, errors="replace") if _PERCENT.search(text) else text


def _look_into_base64(runs: Iterable[str], vault: Vault, needles: Sequence[tuple[bytes, str]]) -> None:
    """Short runs, of which a text has many, are looked into together."""
    short: list[bytes] = []
    for decoded in (_decode(run[shift:]) for run in runs for shift in range(4)):
        if len(decoded) <= _LONG:
            short.append(decoded)
        else:
            _look_for(needles, decoded, vault)
    together = _APART.join(short)
    _look_for(needles, together, vault)
    for hit in vault.find_known(together.decode("utf-8", "replace")):
        if hit.form.looked and len(hit.form.text.encode()) >= _MIN_BYTES:
            raise _leak(vault, hit.form.owner, "base64")


def _look_for(needles: Sequence[tuple[bytes, str]], decoded: bytes, vault: Vault) -> None:
    if found := next((placeholder for needle, placeholder in needles if needle in decoded), None):
        raise _leak(vault, found, "base64")


def _decode(run: str) -> bytes:
    run = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(run[: len(run) // 4 * 4] + _tail(run[len(run) // 4 * 4 :]))


def _tail(rest: str) -> str:
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""
