"""Walks a JSON body: every string, key and long number is a leaf that is masked, in the order of the body.

What stays as it is: the model's name, closed words of the protocols (`vocabulary.py`) and what a provider has signed.
A signed thought goes back byte for byte or, when it holds anything that must not leave, not at all.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gateway.errors import PayloadError
from gateway.vocabulary import KEYS, NAMES, PICTURES, PROSE, WORDS

MAX_DEPTH = 100
SHORTEST_NUMBER = 6
"""Characters of a number from which on it is looked at."""
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # the escape of half a character, alone or beside the other half
_BASE64 = re.compile(r"(?:data:[\w.+/-]*(?:;[\w.=-]+)*;base64,)?[A-Za-z0-9+/_\r\n-]*+={0,2}\s*", re.ASCII)
_CIPHER = 40  # characters from which on chance alone does not make words
_SERIES = 100  # items; a card has fewer
_BEGINNING = 4096  # characters of a file that tell whether it is text
_PICTURE = 100  # characters of the smallest file
_RESTRICTED = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
_LATE = ("messages", "input")  # what grows from turn to turn is numbered last
_DATA = ("input", "metadata", "parameters", "input_schema", "schema", "arguments")
_CALLABLE = ("role", "type", "parameters", "input_schema", "arguments", "input", "function", "json_schema")
_BYTES = ("data", "file_data", "url", "image_url")
_SEALED = {
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "reasoning": ("encrypted_content",),
    "compaction": ("encrypted_content",),
    "web_search_result": ("encrypted_content",),
    "web_search_result_location": ("encrypted_index",),
    "encrypted_code_execution_result": ("encrypted_stdout",),
    "advisor_redacted_result": ("encrypted_content",),
    "program": ("fingerprint",),
    "reasoning.text": ("text", "signature"),
    "reasoning.encrypted": ("data",),
}
_NO_PICTURES = (
    "the body holds an image, a document or a sound, which cannot be masked; leave it out, "
    'or let them pass with [policy] images = "pass"'
)
_BEGINS = ("data:", "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "SUQz", "T2dnUw", "Qk0")
"""How PNG, JPEG, GIF, WebP and WAV, PDF, zip, MP3, Ogg and BMP begin in base64."""
_SEALED_ANYWHERE = ("fallback_credit_token",)
_LOST: Any = object()


@dataclass(frozen=True, slots=True)
class Leaf:
    """One text of a body. `kind` is key, prose, field, name, number, digits or sealed; leaves of one `group` are one
    context, those of one `container` are siblings. Digits are a number too short to be looked at alone.

    `late` marks what grows from turn to turn.
    """

    text: str
    key: str
    kind: str
    group: int
    late: bool
    container: int = 0


Visit = Callable[[Leaf], str | None]
"""The new text; None takes the object that holds the leaf out of its list."""


def read(body: bytes) -> dict[str, Any]:
    """The object of a body; PayloadError for what has two readings: duplicate keys, other encodings, NaN, halves."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise PayloadError("the body is no UTF-8 JSON, so that it cannot be masked; send application/json") from None
    if not isinstance(value, dict):
        raise PayloadError("the body must be a JSON object")
    if _HALF.search(body):
        write(value)
    return value


def write(table: dict[str, Any]) -> bytes:
    """The bytes of a body; PayloadError for half a character, which has no bytes."""
    try:
        return json.dumps(table, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise PayloadError("a text holds half a character (a lone surrogate); take it out") from None


def rewrite(table: dict[str, Any], visit: Visit, *, images: str = "block", depth: int = MAX_DEPTH) -> dict[str, Any]:
    """A copy of a body in which `visit` has changed the leaves; `images` is "pass" where pictures may leave."""
    walk = _Walk(visit, images, depth)
    result: dict[str, Any] = {}
    for name, value in table.items():
        walk.group += 1
        walk.late = name in _LATE
        new = walk.name(name)
        plain = name == "model" and isinstance(value, str)
        result[new] = value if plain else walk.value(value, name, table, 1, _is_data(name, value))
    if _LOST in result.values():
        raise PayloadError("the body holds a sealed field with a value in it, which cannot be masked; leave it out")
    if len(result) != len(table):
        raise PayloadError("two keys of the body became one; rename one of them")
    return result


class _Walk:
    def __init__(self, visit: Visit, images: str, deepest: int) -> None:
        self._visit, self._images, self._deepest = visit, images, deepest
        self.group, self.late = 0, False
        self._container = self._containers = 0

    def name(self, name: str) -> str:
        return name if name in KEYS else self._leaf(name, "", "key")

    def value(self, value: Any, key: str, parent: dict[str, Any], depth: int, data: bool) -> Any:
        if isinstance(value, str):
            return self._string(value, key, parent, data)
        if isinstance(value, dict):
            return self._object(value, depth, data)
        if isinstance(value, list):
            return self._list(value, key, parent, depth, data)
        return self._number(value, key)

    def _list(self, value: list[Any], key: str, parent: dict[str, Any], depth: int, data: bool) -> list[Any]:
        self._check_depth(depth)
        if _is_series(value):
            return list(value)
        result = []
        container = self._new_container()
        for inner in value:
            self.group += depth == 1
            self._container = container
            if (new := self.value(inner, key, parent, depth + 1, data)) is not _LOST:
                result.append(new)
        return result

    def _object(self, table: dict[str, Any], depth: int, data: bool) -> Any:
        self._check_depth(depth)
        picture = not data and table.get("type") in PICTURES and not _is_readable(table)
        if picture and self._images != "pass":
            raise PayloadError(_NO_PICTURES)
        result: dict[str, Any] = {}
        lost = False
        container = self._new_container()
        for name, inner in table.items():
            self._container = container
            new = self.name(name)
            if picture and name in (*_BYTES, "source", "file", "input_audio"):
                result[new] = self._picture(inner, name, depth + 1)
                continue
            result[new] = self.value(inner, name, table, depth + 1, data or _is_data(name, inner))
            lost = lost or result[new] is _LOST
        if len(result) != len(table):
            raise PayloadError("two keys of an object became one; rename one of them")
        return _LOST if lost else result

    def _picture(self, value: Any, key: str, depth: int) -> Any:
        """What is inside a picture that may pass: its bytes stay, everything else is text."""
        self._check_depth(depth)
        if isinstance(value, dict):
            return {self.name(name): self._picture(inner, name, depth + 1) for name, inner in value.items()}
        is_bytes = isinstance(value, str) and key in _BYTES and _BASE64.fullmatch(value) and not _is_packed_text(value)
        return value if is_bytes else self.value(value, key, {}, depth, False)

    def _string(self, text: str, key: str, parent: dict[str, Any], data: bool) -> Any:
        if not text or (text in WORDS and not data):
            return text
        if not data and _is_sealed(key, parent):
            if _is_cipher(text):
                return text
            return _LOST if self._visit(Leaf(text, key, "sealed", self.group, self.late)) is None else text
        if not data and _is_restricted(key, text, parent):
            return self._leaf(text, key if "role" in parent else "", "name")
        prose = key in PROSE and not data
        if not prose and not data and _is_picture(text):
            if self._images != "pass":
                raise PayloadError(_NO_PICTURES)
            if not _is_packed_text(text):
                return text
        return self._leaf(text, key, "prose" if prose else "field")

    def _number(self, value: Any, key: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        text = str(value)
        if len(text) < SHORTEST_NUMBER and not isinstance(value, int):
            return value
        changed = self._leaf(text, key, "digits" if len(text) < SHORTEST_NUMBER else "number")
        return value if changed == text else changed

    def _new_container(self) -> int:
        self._containers += 1
        return self._containers

    def _check_depth(self, depth: int) -> None:
        if depth > self._deepest:
            raise PayloadError(f"the body is nested deeper than {self._deepest}")

    def _leaf(self, text: str, key: str, kind: str) -> str:
        return self._visit(Leaf(text, key, kind, self.group, self.late, self._container)) or ""


def _is_data(key: str, value: Any) -> bool:
    """Whether this is an object of the client's own: no word of the protocol means anything in there."""
    return key in _DATA and isinstance(value, dict)


def _is_readable(table: dict[str, Any]) -> bool:
    """A document that is text, or that is made of blocks which are looked at one by one."""
    source = table.get("source")
    return isinstance(source, dict) and source.get("type") in ("text", "content")


def _is_series(values: list[Any]) -> bool:
    """Whether this is a long list of small numbers, and no text as its bytes: nobody reads a value out of that."""
    if len(values) < _SERIES or not all(type(value) is int and -10_000 < value < 100_000 for value in values):
        return False
    from gateway.detect.encoded import text_of  # re2 is heavy

    return min(values) < 0 or not text_of(values)


def _is_picture(text: str) -> bool:
    """Whether this is a file in base64, whatever the object that holds it calls itself."""
    return len(text) > _PICTURE and text.startswith(_BEGINS) and _BASE64.fullmatch(text) is not None


def _is_packed_text(text: str) -> bool:
    """Whether the bytes of this base64 begin as text: a table, an SVG. It can be read, so that it is."""
    from gateway.detect.encoded import decode  # re2 is heavy

    return bool(decode((text.partition(";base64,")[2] or text)[:_BEGINNING]))


def _is_sealed(key: str, parent: dict[str, Any]) -> bool:
    """Whether a provider has signed or encrypted this: a change would break it."""
    return key in _SEALED_ANYWHERE or key in _SEALED.get(str(parent.get("type")), ())


def _is_cipher(text: str) -> bool:
    """Whether this is a signature or a ciphertext in base64: what looks like a value in there does so by chance."""
    if len(text) < _CIPHER or not _BASE64.fullmatch(text):
        return False
    from gateway.detect.encoded import decode  # re2 is heavy

    upper, lower, digits = (sum(map(test, text)) / len(text) for test in (str.isupper, str.islower, str.isdigit))
    return min(upper, lower) > 0.25 and 0.05 < digits < 0.3 and not decode(text)


def _is_restricted(key: str, text: str, parent: dict[str, Any]) -> bool:
    named = key == "name" and (len(parent) == 1 or any(word in parent for word in _CALLABLE))
    return (named or key in NAMES) and bool(_RESTRICTED.fullmatch(text))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise PayloadError("the body holds an object with a key twice; it has two readings and is refused")
    return result


def _refuse(_: str) -> None:
    raise PayloadError("the body holds NaN or Infinity, which is no JSON")


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise PayloadError("the body holds a number that is too large")
    return value
