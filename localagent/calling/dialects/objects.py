"""Calls written as JSON objects, under all the keys that models and vendors use."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from localagent.calling import names as tool_names
from localagent.calling.broken import Broken
from localagent.calling.lenient import LOST_BRACE
from localagent.calling.rawcall import RawCall, form_of

NAME_KEYS = (
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "action",
    "action_name",
    "recipient_name",
)
# Keys that name a tool only when their value is the name of one.
_WEAK_NAME_KEYS = ("method", "command", "api", "api_name", "call")
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input", "kwargs", "parameter", "argument")
ARGUMENT_KEYS = (*_ARGUMENTS, *(f"{of}_{word}" for of in ("action", "tool", "function") for word in _ARGUMENTS))
LIST_KEYS = ("tool_calls", "tool_uses", "function_calls", "calls", "actions")
WRAPPERS = ("tool_call", "function_call", "function", "action", "tool", "call", "tool_use", "command", "tool_calls")
_BESIDE = (
    "id",
    "type",
    "call_id",
    "tool_call_id",
    "index",
    "thought",
    "thoughts",
    "reasoning",
    "thinking",
    "content",
    "message",
    "response",
    "role",
)
_FIRST_KEY = re.compile(r"""(?:[\[{\s]|\\[nrt])*(?:\\?["'“]|&quot;)?([\w\- ]{1,40})(?:\\?["'”]|&quot;)?\s*[:：=]""")
_KEY_OF = {
    tool_names.fold(key): key for key in (*NAME_KEYS, *_WEAK_NAME_KEYS, *ARGUMENT_KEYS, *LIST_KEYS, *WRAPPERS, *_BESIDE)
}


def looks_like_call(text: str, at: int, names: Collection[str]) -> bool:
    """Whether the object or list that begins at `at` starts as a call does; looks at its first key only."""
    match = _FIRST_KEY.match(text, at, at + 200)
    return match is not None and (tool_names.fold(match[1]) in _KEY_OF or match[1] in names)


def calls_in(value: Any, names: Collection[str], repairs: tuple[str, ...] = ()) -> list[RawCall] | None:
    """The calls that a JSON value writes, None when it is no call."""
    if isinstance(value, list):
        found = [calls_in(item, names, repairs) for item in value]
        if not found or any(item is None for item in found):
            return None
        return [call for item in found if item for call in item]
    if not isinstance(value, dict) or not value:
        return None
    value = _with_our_keys(value)
    for key in LIST_KEYS:
        if isinstance(value.get(key), list):
            return calls_in(value[key], names, repairs)
    return _one(value, names, repairs)


def _with_our_keys(value: dict[str, Any]) -> dict[str, Any]:
    """{"Action": …, "actionInput": …} with the keys as we write them."""
    ours = {_KEY_OF.get(tool_names.fold(key), key): item for key, item in value.items()}
    return ours if len(ours) == len(value) else value


def _one(value: dict[str, Any], names: Collection[str], repairs: tuple[str, ...]) -> list[RawCall] | None:
    for key in WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, dict) and (len(value) == 1 or not _argument_keys(value)):
            return calls_in(inner, names, repairs)
    named = [key for key in NAME_KEYS if isinstance(value.get(key), str)]
    named = named or [key for key in _WEAK_NAME_KEYS if isinstance(value.get(key), str) and value[key] in names]
    if not named:
        return _by_tool_name(value, names, repairs)
    key = _name_key(value, named, names)
    name = value[key]
    given = _argument_keys(value)
    if not given:
        return _without_arguments(value, name, names, repairs)
    if len(given) > 1 and any(value[key] != value[given[0]] for key in given):
        raise Broken("ambiguous", " and ".join(given), tool=name)
    arguments = value[given[0]]
    beside = tuple(other for other in value if other not in (key, *given, *_BESIDE))
    return [RawCall(name, arguments, form_of(arguments), repairs, beside=beside)]


def _name_key(value: dict[str, Any], named: list[str], names: Collection[str]) -> str:
    """{"type": "function", "function": "x"} and {"action": "call", "tool": "x"}: the key that holds a tool's name."""
    return next((key for key in named if value[key] in names), named[0])


def _argument_keys(value: dict[str, Any]) -> list[str]:
    return [key for key in ARGUMENT_KEYS if key in value]


def _without_arguments(
    value: dict[str, Any], name: str, names: Collection[str], repairs: tuple[str, ...]
) -> list[RawCall] | None:
    """{"name": "list_devices"}: a call without arguments, if it names a tool and says nothing else."""
    if name not in names:
        return None
    if LOST_BRACE in repairs:
        raise Broken("cut_off", name, tool=name)
    others = [key for key in value if key not in _BESIDE and value[key] is not name]
    if others:
        raise Broken("not_an_object", f"{', '.join(others)} beside the name", tool=name)
    return [RawCall(name, None, "none", repairs)]


def _by_tool_name(value: dict[str, Any], names: Collection[str], repairs: tuple[str, ...]) -> list[RawCall] | None:
    """{"tide_times": {"harbour": "Bergen"}}: the key is the name."""
    if len(value) == 1:
        name, arguments = next(iter(value.items()))
        if name in names and isinstance(arguments, dict):
            return [RawCall(name, arguments, "json", (*repairs, "the name as a key"))]
    return None
