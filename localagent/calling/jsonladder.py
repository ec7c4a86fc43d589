"""The JSON ladder: strict, then repairs with one reading, then Python literals; then stop and say where."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any

from localagent.calling.broken import Broken
from localagent.calling.lenient import LOST_BRACE, Reader
from localagent.calling.numerals import RawFloat
from localagent.calling.strings import is_mangled, join_surrogates

_ESCAPED_START = re.compile(r'[{\[][\s{\[]*(?:\\[nrt]\s*)*\\"')
_ENTITY_START = re.compile(r"[{\[][\s{\[]*&(?:quot|#34|#39|apos);")
_WINDOW = 4096
_LONGEST_TOKEN = 12  # of a literal or an escape, which a window may cut
_LOST_START = re.compile(r"""["'][\w.\- ]{1,60}["']\s*[:：]""")


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, the offset after it, and what had to be repaired to read it."""

    value: Any
    end: int
    repairs: tuple[str, ...] = ()
    fragile: bool = False


def read(text: str, at: int = 0) -> Reading:
    """The value that begins at `at`; raises Broken. What follows the value is the caller's."""
    if _ESCAPED_START.match(text, at):
        return _read_undone(text, at, _unescape(text[at:]), "escaped quotes")
    if _ENTITY_START.match(text, at):
        return _read_undone(text, at, html.unescape(text[at:]), "HTML entities")
    try:
        value, end = _strict(text, at)
    except RecursionError:
        raise Broken("too_deep", text[at : at + 20]) from None
    except ValueError:
        return read_lenient(text, at)
    if _is_mangled(value):
        return read_lenient(text, at)
    return Reading(value, end)


def _strict(text: str, at: int) -> tuple[Any, int]:
    """Strict JSON at `at`, tried on a window first: an error of the decoder counts all the lines before it."""
    window = text[at : at + _WINDOW]
    try:
        value, end = _STRICT.raw_decode(window)
    except json.JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated") or error.pos > _WINDOW - _LONGEST_TOKEN
        if len(window) < _WINDOW or not cut:
            raise
        return _STRICT.raw_decode(text, at)
    return value, at + end


def read_lenient(text: str, at: int = 0, *, bare_values: bool = False) -> Reading:
    """Like `read`, without trying strict JSON first; `bare_values` takes words without quotes as strings."""
    reader = Reader(text, at, bare_values=bare_values)
    if _LOST_START.match(text, at):
        value: Any = _without_brace(reader)
    else:
        value = reader.value()
    return Reading(value, reader.at, tuple(reader.repairs), reader.fragile)


def read_all(text: str) -> Reading:
    """The value that is the whole of `text`."""
    stripped = text.strip()
    reading = read(stripped)
    rest = stripped[reading.end :].strip()
    if rest.strip("}]` \n"):
        raise Broken("syntax", rest[:40])
    return reading


def _without_brace(reader: Reader) -> Any:
    """`"a": 1, "b": 2` with the outer braces, or the first of them, lost."""
    if not (reader.text.endswith(("}", "]", '"', "'")) or reader.text[reader.at :].rstrip()):
        raise Broken("syntax", reader.text[reader.at : reader.at + 40])
    value = reader.members({}, 1)
    reader.repairs.pop(LOST_BRACE, None)
    reader.repairs["lost braces"] = None
    return value


def _read_undone(text: str, at: int, undone: str, repair: str) -> Reading:
    """Reads `undone`, the text from `at` with one layer of escaping taken off."""
    reading = read_lenient(undone)
    tail = undone[reading.end :]
    return Reading(reading.value, max(at, len(text) - len(tail)), (*reading.repairs, repair), reading.fragile)


def _unescape(text: str) -> str:
    return re.sub(r'\\(["\\nrt])', lambda m: {"n": "\n", "r": "\n", "t": "\t"}.get(m[1], m[1]), text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and (result[key] != value or type(result[key]) is not type(value)):
            raise Broken("duplicate_key", key, path=key)
        result[join_surrogates(key)] = join_surrogates(value) if isinstance(value, str) else value
    return result


def _not_finite(word: str) -> Any:
    raise Broken("not_finite", word)


def _float(raw: str) -> RawFloat:
    if len(raw) > 300 or float(raw) in (float("inf"), float("-inf")):
        raise Broken("not_finite", raw[:40])
    return RawFloat(raw)


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_float)


def _is_mangled(value: Any) -> bool:
    if isinstance(value, str):
        return is_mangled(value)
    if isinstance(value, dict):
        return any(map(_is_mangled, value.values()))
    return isinstance(value, list) and any(map(_is_mangled, value))
