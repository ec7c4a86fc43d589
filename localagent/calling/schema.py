"""Arguments against a tool's schema: lossless coercion that the schema directs, then jsonschema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.numerals import Padded, RawFloat, whole
from localagent.calling.strings import join_surrogates

Schema = dict[str, Any]
PATTERN_SECONDS = 0.5
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
    schema = _followed(schema, root)
    if not schema:
        return _untyped(value, text=text)
    for part in schema.get("allOf", ()):
        value = fit(value, part, root, text=text)
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return _fit_variant(value, variants, root, text=text)
    if "enum" in schema or "const" in schema:
        return _fit_enum(value, schema.get("enum", [schema.get("const")]))
    types = _types(schema)
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


def check(arguments: dict[str, Any], parameters: Schema) -> None:
    """Raises Broken for the first thing in `arguments` that the schema of a tool refuses."""
    properties = parameters.get("properties")
    closed = parameters.get("additionalProperties") in (None, False) and not parameters.get("patternProperties")
    if isinstance(properties, dict) and closed:
        for key in arguments:
            if key not in properties:
                raise Broken("unknown_parameter", key, path=key, expected=", ".join(properties) or "none")
    for key in parameters.get("required", ()):
        if key not in arguments:
            raise Broken("missing", "", path=key, expected=describe((properties or {}).get(key), parameters))
    _check_schema(arguments, parameters)


def describe(schema: Any, root: Schema) -> str:
    """What a schema wants, in a few words: "integer", "one of Dim, Bright, Off", "array of strings"."""
    schema = _followed(schema, root)
    if not schema:
        return "any value"
    if "enum" in schema:
        return "one of " + ", ".join(str(option) for option in schema["enum"])
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(describe(variant, root) for variant in variants))
    types = _types(schema)
    if types == ("array",):
        inner = _followed(schema.get("items"), root)
        return f"array of {describe(inner, root)}s" if inner and "enum" not in inner else "array"
    words = " or ".join(types) or "any value"
    limits = [
        f"{key} {schema[key]}" for key in ("minimum", "maximum", "minLength", "maxLength", "pattern") if key in schema
    ]
    return f"{words} ({', '.join(limits)})" if limits else words


def _followed(schema: Any, root: Schema) -> Schema:
    """`schema` with local references followed; {} for what cannot be."""
    for _ in range(16):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        target: Any = root
        for step in reference[1:].strip("/").split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            target = target.get(step) if isinstance(target, dict) and step else target
        schema = target
    return {}


def _types(schema: Schema) -> tuple[str, ...]:
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,)
    if isinstance(declared, list):
        return tuple(declared)
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()


def _untyped(value: Any, *, text: bool) -> Any:
    if text and isinstance(value, str) and value[:1] in "{[":
        return _json(value, value)
    return value


def _fit_variant(value: Any, variants: list[Any], root: Schema, *, text: bool) -> Any:
    typed = [_types(_followed(variant, root)) for variant in variants]
    first = [variant for variant, types in zip(variants, typed, strict=True) if accepts(value, types)]
    for variant in (*first, *variants):
        try:
            fitted = fit(value, variant, root, text=text)
            valid = _is_valid(plain(fitted), variant, root)
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
    if isinstance(value, float) and _types(schema) == ("integer",):
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
        part = _followed(properties.get(key), root)
        fitted = _fit_at(key, item, part, root, text=text)
        if fitted is None and part and key not in required and not _allows_null(part, root):
            continue
        result[key] = fitted
    return result


def _allows_null(schema: Schema, root: Schema) -> bool:
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return any(_allows_null(_followed(variant, root), root) for variant in variants)
    return "null" in _types(schema) or None in schema.get("enum", ()) or not (_types(schema) or "enum" in schema)


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


def _is_valid(value: Any, schema: Any, root: Schema) -> bool:
    import jsonschema

    try:
        return bool(
            _validator(json.dumps({**root, "properties": {}, "required": [], **_followed(schema, root)})).is_valid(
                value
            )
        )
    except (jsonschema.SchemaError, _unresolvable()):
        return True


def _check_schema(arguments: dict[str, Any], parameters: Schema) -> None:
    """Full JSON Schema; a schema that is itself wrong checks nothing beyond what was checked before."""
    import jsonschema

    try:
        errors = list(_validator(json.dumps(parameters)).iter_errors(arguments))
    except (jsonschema.SchemaError, _unresolvable(), re.error):
        return
    if not errors:
        return
    error = jsonschema.exceptions.best_match(errors)
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).lstrip(".")
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        raise Broken("missing", "", path=f"{path}.{missing}".lstrip("."))
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        unknown = next((key for key in error.instance if key not in known), "")
        raise Broken("unknown_parameter", unknown, path=f"{path}.{unknown}".lstrip("."), expected=", ".join(known))
    got = json.dumps(error.instance, ensure_ascii=False, default=str)
    raise Broken("invalid", got[:80], path=path, expected=describe(error.schema, parameters))


def _unresolvable() -> type[Exception]:
    from referencing.exceptions import Unresolvable

    return Unresolvable


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Any:
    """A compiled validator that never fetches a remote reference."""
    import jsonschema
    from referencing import Registry

    schema = json.loads(schema_text)
    cls = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    cls.check_schema(schema)
    bounded: Any = jsonschema.validators.extend(cls, {"pattern": _pattern})  # type: ignore[no-untyped-call]
    return bounded(schema, registry=Registry(), format_checker=cls.FORMAT_CHECKER)


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """jsonschema's `pattern` with a ceiling of time: the text is a model's, and a pattern may run away on it."""
    import jsonschema
    import regex

    if not validator.is_type(instance, "string"):
        return
    try:
        if not regex.search(pattern, instance, timeout=PATTERN_SECONDS):
            yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")
    except TimeoutError:
        yield jsonschema.ValidationError(f"the pattern {pattern!r} takes too long on this text")
