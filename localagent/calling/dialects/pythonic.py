"""Calls written as Python: name(key="value"), alone, in a list, or in a tool_code fence. Nothing is evaluated."""

from __future__ import annotations

import re
from typing import Any

from localagent.calling.broken import Broken
from localagent.calling.lenient import Reader
from localagent.calling.rawcall import RawCall, form_of

CALL = re.compile(r"(?P<name>[^\W\d][\w.\-]*)[ \t]*\(")
_KEYWORD = re.compile(r"([^\W\d]\w*)\s*=(?!=)")
_ASSIGNED = re.compile(r"[ \t]*[^\W\d]\w*[ \t]*=[ \t]*(?=[^\W\d][\w.]*\()")
_PRINT = re.compile(r"print[ \t]*\([ \t]*(?=[^\W\d][\w.]*[ \t]*\()")
_PRINTED = re.compile(r"\s*print\([^\W\d]\w*\)")
_SEPARATORS = re.compile(r"[\s;,]*")


def read_list(text: str, at: int) -> tuple[list[RawCall], int]:
    """`[a(x=1), b()]` from its bracket on."""
    calls: list[RawCall] = []
    at += 1
    while True:
        at = _SEPARATORS.match(text, at).end()  # type: ignore[union-attr]
        if text.startswith("]", at):
            return calls, at + 1
        if not (match := CALL.match(text, at)):
            raise Broken("cut_off" if at >= len(text) or text[at:].isidentifier() else "syntax", text[at : at + 40])
        call, at = _read(text, match)
        calls.append(call)


def read_statements(text: str, at: int) -> tuple[list[RawCall], int]:
    """Calls one after the other, also assigned or printed, as Gemma's tool_code has them."""
    calls: list[RawCall] = []
    end = at
    while True:
        start = _SEPARATORS.match(text, end).end()  # type: ignore[union-attr]
        if calls and (printed := _PRINTED.match(text, start)):
            end = printed.end()
            continue
        if assigned := _ASSIGNED.match(text, start):
            start = assigned.end()
        shown = _PRINT.match(text, start)
        match = CALL.match(text, shown.end() if shown else start)
        if not match or (calls and not _separated(text, end, start)):
            return calls, end
        call, end = _read(text, match)
        if shown:
            end = _close_print(text, end)
        calls.append(call)


def read_keywords(text: str) -> dict[str, Any] | None:
    """`place="Skur", guests=4` as the whole of a text; None when it is something else."""
    if not _KEYWORD.match(text.lstrip()):
        return None
    try:
        arguments, end, _ = _arguments(f"{text.strip()})", 0)
    except Broken:
        return None
    return arguments if end == len(text.strip()) + 1 and isinstance(arguments, dict) else None


def _separated(text: str, end: int, start: int) -> bool:
    return any(char in text[end:start] for char in "\n;,")


def _close_print(text: str, at: int) -> int:
    if not text.startswith(")", at):
        raise Broken("expression", text[at : at + 40])
    return at + 1


def _read(text: str, match: re.Match[str]) -> tuple[RawCall, int]:
    name = match["name"]
    try:
        arguments, end, repairs = _arguments(text, match.end())
    except Broken as broken:
        broken.tool = name
        raise
    return RawCall(name, arguments, form_of(arguments), repairs, "pythonic"), end


def _arguments(text: str, at: int) -> tuple[Any, int, tuple[str, ...]]:
    """The arguments from after the opening parenthesis on: a dict, or the one value given by position."""
    reader = Reader(text, at)
    named: dict[str, Any] = {}
    placed: list[Any] = []
    while True:
        reader.skip()
        if reader.peek() == ")":
            break
        _argument(reader, named, placed)
        reader.skip()
        if reader.peek() == ",":
            reader.at += 1
        elif reader.peek() != ")":
            raise Broken("cut_off" if not reader.peek() else "expression", text[at : at + 40])
    if len(placed) > 1 or (placed and named):
        raise Broken("positional", text[at : reader.at])
    repairs = tuple(repair for repair in reader.repairs if repair not in ("quotes", "Python constants", "separators"))
    return (placed[0] if placed else named), reader.at + 1, repairs


def _argument(reader: Reader, named: dict[str, Any], placed: list[Any]) -> None:
    keyword = _KEYWORD.match(reader.text, reader.at)
    if not keyword:
        placed.append(reader.value("("))
        return
    reader.at = keyword.end()
    try:
        value = reader.value("(")
    except Broken as broken:
        broken.path = broken.path or keyword[1]
        broken.kind = "expression" if broken.kind == "unquoted" else broken.kind
        raise
    if keyword[1] in named:
        raise Broken("duplicate_key", keyword[1], path=keyword[1])
    named[keyword[1]] = value
