"""Walks a JSON body: every string, key and long number is text that is masked or restored, in the order of the body.

The only strings that stay as they are: a model's name, closed words of the protocols and signatures of the provider.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from gateway.errors import PayloadError

MAX_DEPTH = 100
_WORD = re.compile(r"[a-z][a-z_0-9]{0,40}")
_SIGNATURE = re.compile(r"[A-Za-z0-9+/=_-]*")
_CLOSED = {"role", "type"}
_DIGITS = 6
_PICTURES = ("image", "image_url", "input_image", "video")
_FILES = ("document", "file", "input_file", "container_upload", "audio", "input_audio")
_OPAQUE = frozenset((*_PICTURES, *_FILES))


def read(body: bytes) -> dict[str, Any]:
    """The object of a body; PayloadError for what has two readings: duplicate keys, other encodings, NaN, depth."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise PayloadError("the body is no UTF-8 JSON, so that it cannot be masked; send application/json") from None
    if not isinstance(value, dict):
        raise PayloadError("the body must be a JSON object")
    return value


def texts(value: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    """Every text of a value, keys before what they hold."""
    if depth > MAX_DEPTH:
        raise PayloadError(f"the body is nested deeper than {MAX_DEPTH}")
    if isinstance(value, dict):
        if value.get("type") in _OPAQUE:
            raise PayloadError("the body holds an image, a document or a sound, which cannot be masked; leave it out")
        for name, inner in value.items():
            yield name
            if not _fixed(name, inner, depth, value):
                yield from texts(inner, name, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, key, depth + 1)
    elif (text := _text(value)) is not None:
        yield text


def rewrite(value: Any, change: Callable[[str, str], str], key: str = "", depth: int = 0) -> Any:
    """A copy of `value`; `change(text, key)` is called in the order of `texts`, with the key that holds the text."""
    if isinstance(value, dict):
        result: dict[str, Any] = {}
        for name, inner in value.items():
            new = change(name, "")
            fixed = _fixed(name, inner, depth, value)
            result[new] = inner if fixed else rewrite(inner, change, name, depth + 1)
        if len(result) != len(value):
            raise PayloadError("two keys of an object became one; rename one of them")
        return result
    if isinstance(value, list):
        return [rewrite(inner, change, key, depth + 1) for inner in value]
    if (text := _text(value)) is None:
        return value
    changed = change(text, key)
    return value if changed == text else changed


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and len(str(value)) >= _DIGITS:
        return str(value)
    return None


def _fixed(name: str, value: Any, depth: int, parent: dict[str, Any]) -> bool:
    if not isinstance(value, str):
        return False
    if name in _CLOSED:
        return bool(_WORD.fullmatch(value))
    if name == "signature":
        return parent.get("type") == "thinking" and bool(_SIGNATURE.fullmatch(value))
    return depth == 0 and name == "model"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise PayloadError("the body holds an object with a key twice; it has two readings and is refused")
    return result


def _refuse(_: str) -> None:
    raise PayloadError("the body holds NaN or Infinity, which is no JSON")
