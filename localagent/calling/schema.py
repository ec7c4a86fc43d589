"""Arguments fitted to a tool's schema: the coercion that it directs, where that loses nothing."""

from __future__ import annotations

import json
import re
from typing import Any

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.numerals import Padded, RawFloat, whole
from localagent.calling.schema_check import is_valid
from localagent.calling.schema_read import Schema, describe, followed, types_of
from localagent.calling.strings import join_surrogates

_INTEGER = re.compile(r"[+-]?\d{1,300}(?:\.0+)?\Z")
_NUMBER = re.compile(r"[+-]?(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:[eE][+-]?\d{1,3})?\Z")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def fit(value: Any, schema: Any, root: Schema, *, text: bool = False) -> Any:
    """`value` in the type that `schema` wants where that loses nothing, else as it is.

    `text` says that the value was written without a type, as between tags.
    """
    schema = followed(schema, root)
    if not schema:
        return _untyped(value, text=text)
    for part in schema.get("allOf", ()):
        value = fit(value, part, root, text=text)
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return _fit_variant(value, variants, root, text=text)
    if "enum" in schema or "const" in schema:
        return _fit_enum(value, schema.get("enum", [schema.get("const")]))
    types = types_of(schema)
    if accepts(value, types) or not types:
        return _inside(value, schema, root)
    for name in types:
        converted = _convert(value, name)
        if converted is not None and accepts(converted, (name,)):
            return _inside(converted, schema, root)
    if isinstance(value, Padded) or (isinstance(value, RawFloat) and "integer" in types):
        raise Broken("invalid", value.raw[:80], expected=describe(schema, root))
    return value


def accepts(value: Any, types: tuple[str, ...]) -> bool:
    """Whether `value` is of one of the JSON Schema types; a boolean is never a number."""
    for name in types:
        if isinstance(value, bool):
            if name == "boolean":
                return True
        elif isinstance(value, _TYPES.get(name, ())) or (
            name == "integer" and isinstance(value, float) and whole(value) is not None
        ):
            return True
    return False


def plain(value: Any) -> Any:
    """`value` in plain types only, its strings encodable; raises Broken where one is not."""
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, RawFloat):
        return float(value)
    if isinstance(value, Padded):
        raise Broken("ambiguous", value.raw[:80])
    if isinstance(value, dict):
        return {join_surrogates(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _untyped(value: Any, *, text: bool) -> Any:
    if text and isinstance(value, str) and value[:1] in "{[":
        return _json(value, value)
    return value


def _fit_variant(value: Any, variants: list[Any], root: Schema, *, text: bool) -> Any:
    typed = [types_of(followed(variant, root)) for variant in variants]
    first = [variant for variant, types in zip(variants, typed, strict=True) if accepts(value, types)]
    for variant in (*first, *variants):
        try:
            fitted = fit(value, variant, root, text=text)
            valid = is_valid(plain(fitted), variant, root)
        except Broken:
            continue
        if valid:
            return fitted
    return value


def _fit_enum(value: Any, options: list[Any]) -> Any:
    if isinstance(value, RawFloat) and value.is_integer() and whole(value) is None:
        raise Broken("invalid", value.raw[:80], expected="one of " + ", ".join(map(str, options)))
    if any(value == option and isinstance(value, bool) == isinstance(option, bool) for option in options):
        return value
    if not isinstance(value, str):
        return value
    wanted = value.strip().casefold()
    same = [option for option in options if option is not None and _spelling(option).casefold() == wanted]
    return same[0] if len(same) == 1 else value


def _spelling(option: Any) -> str:
    return option if isinstance(option, str) else json.dumps(option)


def _inside(value: Any, schema: Schema, root: Schema) -> Any:
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [fit(item, schema["items"], root) for item in value]
    if isinstance(value, dict):
        return fit_members(value, schema, root)
    if isinstance(value, float) and types_of(schema) == ("integer",):
        return whole(value)
    return value


def _fit_at(key: str, value: Any, schema: Any, root: Schema, *, text: bool) -> Any:
    try:
        return fit(value, schema, root, text=text)
    except Broken as broken:
        broken.path = f"{key}.{broken.path}" if broken.path else key
        raise


def fit_members(value: dict[str, Any], schema: Schema, root: Schema, *, text: bool = False) -> dict[str, Any]:
    """Every member of an object fitted; null for an optional one that allows no null is left out."""
    properties = schema.get("properties") or {}
    required = schema.get("required") or ()
    result = {}
    for key, item in value.items():
        part = followed(properties.get(key), root)
        fitted = _fit_at(key, item, part, root, text=text)
        if fitted is None and part and key not in required and not _allows_null(part, root):
            continue
        result[key] = fitted
    return result


def _allows_null(schema: Schema, root: Schema) -> bool:
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return any(_allows_null(followed(variant, root), root) for variant in variants)
    return "null" in types_of(schema) or None in schema.get("enum", ()) or not (types_of(schema) or "enum" in schema)


def _convert(value: Any, wanted: str) -> Any:
    """`value` as a JSON Schema type without loss, None where there is no such reading."""
    if wanted == "string":
        return _number_as_text(value)
    if not isinstance(value, str):
        return None
    word = value.strip()
    if wanted == "integer" and _INTEGER.match(word):
        return int(word.split(".")[0])
    if wanted == "number" and _NUMBER.match(word):
        number = int(word) if word.lstrip("+-").isdigit() else float(word)
        return None if abs(number) == float("inf") else number
    if wanted == "boolean":
        return {"true": True, "false": False}.get(word.lower())
    if wanted in ("object", "array") and word[:1] in ("{", "["):
        return _json(word, None)
    return None


def _number_as_text(value: Any) -> str | None:
    if isinstance(value, RawFloat | Padded):
        return value.raw
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _json(word: str, otherwise: Any) -> Any:
    try:
        return jsonladder.read_all(word).value
    except Broken:
        return otherwise
