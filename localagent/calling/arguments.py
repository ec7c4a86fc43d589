"""From what stands where arguments should be to a dict of them: objects, wrappers, bare texts, key: value lines."""

from __future__ import annotations

import re
from typing import Any

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.dialects import pythonic
from localagent.calling.names import fold, is_none
from localagent.calling.rawcall import RawCall
from localagent.calling.schema import fit_members, plain
from localagent.calling.schema_check import check
from localagent.calling.schema_read import describe
from localagent.messages import ToolSpec

_WRAPPERS = ("arguments", "args", "parameters", "params", "input", "action_input", "kwargs", "properties")
_OBJECT = re.compile(r"""\{\s*["'“]?([\w.\-]+)["'”]?\s*[:=]""")
_WRAPPING = re.compile(r"</?[\w|]{1,40}>|\bjson\b", re.IGNORECASE)
_PAIR = re.compile(r"""\s*["'`*]*([\w.\-]+)["'`*]*\s*[:=：]\s*(.*?)\s*,?\s*\Z""", re.DOTALL)
_LONE_PAIR = re.compile(r"[a-z][a-z0-9_]{0,40}:[ \t]+[^:\n]+\Z")
_CLOSING = {'"': '"', "'": "'", "“": "”"}


def checked(call: RawCall, tool: ToolSpec) -> dict[str, Any]:
    """The arguments of `call`, coerced and valid; raises Broken."""
    for key in call.beside:
        if key in (tool.parameters.get("properties") or {}):
            raise Broken("ambiguous", f"{key} beside the arguments", path=key)
    given = _mapping(call.arguments, call.form, tool)
    fitted = fit_members(given, tool.parameters, tool.parameters, text=call.form in ("xml", "text"))
    result: dict[str, Any] = plain(fitted)
    check(result, tool.parameters)
    return result


def _mapping(value: Any, form: str, tool: ToolSpec) -> dict[str, Any]:
    if value is None or value == "" or value == [] or value == {}:
        return {}
    if isinstance(value, dict):
        return {key: _untagged(item) for key, item in value.items()} if form == "xml" else _unwrapped(value, tool)
    if isinstance(value, str):
        return _from_text(value, tool)
    only = _only_required(tool)
    if only is None or (isinstance(value, list) and not _takes_list(only, tool)):
        raise Broken("not_an_object", _shape(value))
    return {only: value}


def _untagged(value: str) -> str:
    """One line padded on both sides is padding; anything else between tags is data."""
    if "\n" not in value and value[:1].isspace() and value[-1:].isspace():
        return value.strip()
    return value


def _unwrapped(value: dict[str, Any], tool: ToolSpec) -> dict[str, Any]:
    """{"arguments": {…}} and {"name": this tool, "arguments": {…}} without the wrapper."""
    properties = tool.parameters.get("properties") or {}
    rest = {key: item for key, item in value.items() if not (key not in properties and item == tool.name)}
    if len(rest) != 1:
        return value
    key, inner = next(iter(rest.items()))
    if key in properties or key not in (*_WRAPPERS, tool.name):
        return value
    if isinstance(inner, str) and inner.lstrip()[:1] == "{":
        inner = jsonladder.read_all(inner).value
    return inner if isinstance(inner, dict) else value


def _from_text(text: str, tool: ToolSpec) -> dict[str, Any]:
    word = text.strip().strip("`").strip()
    if not word.strip("()") or (is_none(word) and not _means_itself(word, tool)):
        return {}
    only = _only_required(tool)
    if word[0] == "{" or (word[0] == "[" and (only is None or _takes_list(only, tool) or word[1:2] in '["{')):
        return _mapping(jsonladder.read_all(word).value, "json", tool)
    if (written := pythonic.CALL.match(word)) and fold(written["name"]) == fold(tool.name):
        return _own_call(word, tool)
    properties = tool.parameters.get("properties") or {}
    if (inner := _embedded(word, properties)) is not None:
        return inner
    if (pairs := _pairs(word, properties)) is not None:
        return pairs
    if word[0] in _CLOSING:
        if (unquoted := _unquoted(word)) is not None:
            word = unquoted
        elif _CLOSING[word[0]] not in re.sub(r"\\.", "", word[1:]):
            raise Broken("cut_off", word[:60])
        if word[:1] == "{":
            return _mapping(jsonladder.read_all(word).value, "json", tool)
    if only is None:
        raise Broken("not_an_object", f'"{word[:60]}"')
    return {only: word}


def _own_call(word: str, tool: ToolSpec) -> dict[str, Any]:
    """`tide_times(harbour="Bergen")` as the input of that very tool."""
    calls, end = pythonic.read_statements(word, 0)
    if len(calls) != 1 or word[end:].strip():
        raise Broken("not_an_object", f'"{word[:60]}"')
    return _mapping(calls[0].arguments, calls[0].form, tool)


def _embedded(word: str, properties: dict[str, Any]) -> dict[str, Any] | None:
    """An object of declared parameters inside a text: read where only a wrapper is around it, else refused."""
    match = _OBJECT.search(word)
    if not match or match[1] not in properties:
        return None
    reading = jsonladder.read(word, match.start())
    around = word[: match.start()] + word[reading.end :]
    if not isinstance(reading.value, dict) or _WRAPPING.sub("", around).strip(" \n()<>`*"):
        raise Broken("not_an_object", f'"{word[:60]}"')
    return reading.value


def _pairs(word: str, properties: dict[str, Any]) -> dict[str, Any] | None:
    """`harbour: Bergen`, one declared parameter a line, or keywords as Python has them.

    One pair whose key is no parameter may be a text or a mistake, and is refused.
    """
    keywords = pythonic.read_keywords(word)
    if keywords is not None and all(key in properties for key in keywords):
        return keywords
    lone = _LONE_PAIR.match(word) and word.partition(":")[0] not in properties
    if lone or (keywords and not any(key in properties for key in keywords)):
        raise Broken("not_an_object", f'"{word[:60]}"')
    if re.match(r"""["'][\w.\- ]+["']\s*:""", word) and (first := _PAIR.match(word)) and first[1] in properties:
        value = jsonladder.read_all(word).value
        return value if isinstance(value, dict) else None
    result: dict[str, Any] = {}
    for line in word.splitlines():
        match = _PAIR.match(line.strip().lstrip("-*• "))
        if not match or match[1] not in properties or match[1] in result:
            return None
        value = _unquoted(match[2]) if match[2][:1] in ('"', "'") else match[2]
        if value is None or re.search(r"[,;]\s*[\w\"']+\s*[:=]", value):
            raise Broken("not_an_object", f'"{word[:60]}"')
        result[match[1]] = value
    return result or None


def _unquoted(word: str) -> str | None:
    """The string that `word` is one literal of, else None."""
    try:
        reading = jsonladder.read(word)
    except Broken:
        return None
    whole = isinstance(reading.value, str) and reading.end == len(word) and not reading.fragile
    return reading.value if whole else None


def _only_required(tool: ToolSpec) -> str | None:
    required = list(tool.parameters.get("required") or ())
    return str(required[0]) if len(required) == 1 else None


def _takes_list(name: str, tool: ToolSpec) -> bool:
    part = (tool.parameters.get("properties") or {}).get(name)
    return describe(part, tool.parameters).startswith("array")


def _means_itself(word: str, tool: ToolSpec) -> bool:
    """Whether "no" or "-" could be the value of the one parameter, because its enum has it."""
    only = _only_required(tool)
    part = (tool.parameters.get("properties") or {}).get(only) if only else None
    return isinstance(part, dict) and word in part.get("enum", ())


def _shape(value: Any) -> str:
    return "a list" if isinstance(value, list) else str(value)
