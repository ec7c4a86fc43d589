"""JSON Schemas of real tools, made fit for a grammar: references written out, objects closed, lengths bounded.

The result allows no value that the original forbids, apart from keywords that no grammar knows; it may allow less.
"""

from __future__ import annotations

from typing import Any

_DEPTH = 4  # how often a schema that refers to itself is written out
_LONGEST_COUNTED = 1000  # a longer bound on a string makes the grammar large and is left to jsonschema
_UNION = ("anyOf", "oneOf", "allOf")
_FORMATS = frozenset(("date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"))
_DROPPED = frozenset(("$defs", "definitions", "title", "description", "default", "examples", "$schema", "$id",
                      "$comment", "deprecated", "readOnly", "writeOnly", "discriminator"))  # fmt: skip

Schema = dict[str, Any]


def prepared(schema: Schema) -> Schema:
    """The schema for a grammar. What refers to nothing allows anything, as jsonschema decides afterwards."""
    found = _walk(schema, schema, ())
    return found if isinstance(found, dict) else {}


def _walk(node: Any, root: Schema, trail: tuple[str, ...]) -> Any:
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _followed(node, root, trail)
    found = {key: value for key, value in node.items() if key not in _DROPPED}
    for key in _UNION:
        if isinstance(found.get(key), list):
            found[key] = [_walk(item, root, trail) for item in found[key]]
    for key in ("items", "additionalProperties", "not"):
        if isinstance(found.get(key), dict):
            found[key] = _walk(found[key], root, trail)
    if isinstance(found.get("prefixItems"), list):
        found["prefixItems"] = [_walk(item, root, trail) for item in found["prefixItems"]]
    return _closed(_bounded(found), root, trail)


def _followed(node: Schema, root: Schema, trail: tuple[str, ...]) -> Any:
    ref = node["$ref"]
    if not isinstance(ref, str) or trail.count(ref) >= _DEPTH:
        return False if isinstance(ref, str) else {}
    target: Any = root
    for part in ref.removeprefix("#").strip("/").split("/") if ref not in ("#", "") else ():
        part = part.replace("~1", "/").replace("~0", "~")
        target = target.get(part) if isinstance(target, dict) else None
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _walk({**target, **beside} if isinstance(target, dict) else {}, root, (*trail, ref))


def _bounded(found: Schema) -> Schema:
    if isinstance(found.get("maxLength"), int) and found["maxLength"] > _LONGEST_COUNTED:
        del found["maxLength"]
    if "format" in found and found["format"] not in _FORMATS:
        del found["format"]
    if found.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    found.pop("nullable", None)
    return found


def _closed(found: Schema, root: Schema, trail: tuple[str, ...]) -> Schema:
    """Only the named properties may be written: a model must not invent parameters."""
    properties = found.get("properties")
    if not isinstance(properties, dict):
        if found.get("type") == "object" and "additionalProperties" not in found and not _has_union(found):
            found["additionalProperties"] = True
        return found
    found["properties"] = {key: _walk(value, root, trail) for key, value in properties.items()}
    if not _has_union(found) and not found.get("patternProperties"):
        found.setdefault("additionalProperties", False)
        if found["additionalProperties"] is True:
            found["additionalProperties"] = False
    return found


def _has_union(found: Schema) -> bool:
    return any(key in found for key in _UNION)
