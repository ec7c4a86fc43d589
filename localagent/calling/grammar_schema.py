"""JSON Schemas of real tools, made fit for a grammar: objects closed, lengths bounded, annotations left out.

The result allows less than the original, apart from keywords that no grammar knows; jsonschema always checks again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from localagent.calling.schema_sound import why_unsound
from localagent.messages import ToolSpec

_LARGEST = 10**15 - 1  # of an integer without a bound of its own
_LONGEST_COUNTED = 1000  # a longer bound on a string makes the grammar large and is left to jsonschema
_MAPS = ("properties", "patternProperties", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not")
_ENDS = (("array", "maxItems", "minItems", 8), ("string", "maxLength", "minLength", 80))
_FORMATS = frozenset(("date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"))
_ANNOTATIONS = frozenset(
    (
        *("title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"),
        *("$schema", "$id", "$comment", "discriminator", "x-guidance", "nullable"),
    )
)

Schema = dict[str, Any]


def prepared_parameters(tool: ToolSpec, at: str = "") -> Schema:
    """The schema of a tool's arguments for a grammar; of any object where the tool's own cannot be worked with."""
    if why_unsound(tool.parameters):
        return {"type": "object"}
    schema: Schema = prepared(tool.parameters, at)
    return schema


def kept_short(tool: ToolSpec) -> ToolSpec:
    """The tool with an end for every list and text of its schema that has none: for a model that ran on without one."""
    parameters: Schema = _short(tool.parameters)
    return replace(tool, parameters=parameters)


def _short(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    found = {key: _walked(key, value, _short) for key, value in schema.items()}
    kinds = found.get("type")
    for kind, bound, least, most in _ENDS:
        if (kinds == kind or (isinstance(kinds, list) and kind in kinds)) and not found.get(least):
            found.setdefault(bound, most)
    return found


def _walked(key: str, value: Any, change: Callable[[Any], Any]) -> Any:
    """A keyword's value with the schemas in it changed."""
    if key in _MAPS and isinstance(value, dict):
        return {name: change(inner) for name, inner in value.items()}
    if key in (*_LISTS, "allOf") and isinstance(value, list):
        return [change(inner) for inner in value]
    return change(value) if key in _SINGLES else value


def prepared(schema: Any, at: str = "", *, closed: bool = True) -> Any:
    """The schema for a grammar. `at` is the JSON pointer where it will lie: its references follow it there."""
    if not isinstance(schema, dict):
        return schema
    found = {key: _part(key, value, at, closed) for key, value in schema.items() if key not in _ANNOTATIONS}
    ref = found.get("$ref")
    if isinstance(ref, str) and ref.startswith("#"):
        found["$ref"] = f"#{at}{ref[1:]}".rstrip("/")
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    _bound(found)
    if closed and isinstance(found.get("properties"), dict) and not found.keys() & {"patternProperties", "allOf"}:
        found.setdefault("additionalProperties", False)
    return found


def _part(key: str, value: Any, at: str, closed: bool) -> Any:
    within = closed and key != "allOf"  # each part of allOf names only some of the properties
    return _walked(key, value, lambda inner: prepared(inner, at, closed=within))


def _bound(found: Schema) -> None:
    """What a grammar cannot hold is left to the check after it; what it would let run on for ever gets an end."""
    kinds = found.get("type")
    if kinds == "integer" or (isinstance(kinds, list) and "integer" in kinds):
        found.setdefault("minimum", -_LARGEST)
        found.setdefault("maximum", _LARGEST)
    longest = found.get("maxLength")
    if isinstance(longest, int) and longest > _LONGEST_COUNTED:
        del found["maxLength"]
    if "format" in found and found["format"] not in _FORMATS:
        del found["format"]
