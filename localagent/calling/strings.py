"""Escapes in string literals: decoded whole, taken literally whole, or refused. Never half."""

from __future__ import annotations

import re

from localagent.calling.broken import Broken

_SIMPLE = {'"': '"', "'": "'", "/": "/", "\\": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "`": "`"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))?", re.DOTALL)
_ABSOLUTE = re.compile(r"[A-Za-z]:\\|\\\\[\w.$-]+\\")
_RELATIVE = re.compile(r"[\w.~ -]+(?:\\[\w.~ -]+)+\Z")
_CUT_UNICODE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?:(?![0-9a-fA-F]{4})\d|[0-9a-fA-F]{0,3}(?!\w)|\{)")
_UNMEANT = re.compile(r"(?<!\\)(?:\\\\)*\\[bf]|\w\\r(?=\w)")  # \bword\b, \frac, src\resources
_UNMEANT_READ = re.compile(r"[\b\f]|\w\r(?=\w)")
_MANGLED = re.compile(r"[A-Za-z]:[\b\f\n\r\t]|[A-Za-z]:\\[^\n]*[\b\f\r\t]")
# A path inside a text, some of whose letters after a backslash happen to be escapes.
_INNER = re.compile(
    r"(?<![^\s\"'=(])[A-Z]:(?=[^.\s]*\\[bfnrt])(?:\\[\w-]+)+\.\w{1,4}\b|\A[^\\]*(?<![^\s\"'=(])[A-Z]:\\t[\w-]+[^\\]*\Z"
)
_INNER_READ = re.compile(
    r"(?<![^\s\"'=(])[A-Z]:(?:[\b\f\n\r\t\\][\w-]+)+\.\w{1,4}\b|\A[^\t\n\r]*(?<![^\s\"'=(])[A-Z]:\t[\w-]+[^\t\n\r]*\Z"
)
_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile(r"[\ud800-\udfff]")


def decode(raw: str) -> str:
    """The value of the literal whose text between the quotes is `raw`."""
    if "\\" not in raw:
        return raw
    invalid, accidental, doubled = _census(raw)
    if invalid and _CUT_UNICODE.search(raw) and not _ABSOLUTE.match(raw):
        raise Broken("bad_escape", raw[:60])
    if (_ABSOLUTE.match(raw) and (invalid or accidental)) or (invalid and _RELATIVE.match(raw)):
        return _literal_path(raw, doubled)
    if invalid and re.search(r"(?<!\\)(?:\\\\)*\\u(?![0-9a-fA-F]{4})", raw):
        raise Broken("bad_escape", raw[:60])
    if _UNMEANT.search(raw) or _INNER.search(raw):
        raise Broken("bad_escape", raw[:60])
    return join_surrogates(_ESCAPE.sub(_one, raw))


def is_mangled(value: str) -> bool:
    r"""Whether a valid literal gave control characters that nobody means: "C:\temp" read as C:, TAB, emp."""
    return bool(_MANGLED.match(value) or _UNMEANT_READ.search(value) or _INNER_READ.search(value))


def join_surrogates(value: str) -> str:
    """`value` with surrogate pairs joined; a lone one cannot be written anywhere and is refused."""
    if not _LONE.search(value):
        return value
    joined = _SURROGATES.sub(lambda m: m[0].encode("utf-16", "surrogatepass").decode("utf-16"), value)
    if _LONE.search(joined):
        raise Broken("bad_escape", "half of a surrogate pair")
    return joined


def _census(raw: str) -> tuple[bool, bool, bool]:
    """Which escapes occur: invalid ones, control characters (maybe by accident), doubled backslashes."""
    invalid = accidental = doubled = False
    for match in _ESCAPE.finditer(raw):
        letter = match[2]
        if match[1]:
            accidental = True
        elif letter is None or letter not in _SIMPLE:
            invalid = True
        elif letter == "\\":
            doubled = True
        elif letter in "bfnrt":
            accidental = True
    return invalid, accidental, doubled


def _literal_path(raw: str, doubled: bool) -> str:
    if doubled and not raw.startswith("\\\\"):
        raise Broken("bad_escape", raw[:60])
    if raw.find("\\\\", 1) > 0 or '\\"' in raw:
        raise Broken("bad_escape", raw[:60])
    return raw


def _one(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _SIMPLE.get(match[2], match[0]) if match[2] else match[0]
