"""What a tool's schema says: its references followed, the types that it takes, a few words for a person or a model."""

from __future__ import annotations

from typing import Any

from localagent.calling.schema_sound import target

Schema = dict[str, Any]


def describe(schema: Any, root: Schema) -> str:
    """What a schema wants, in a few words: "integer", "one of Dim, Bright, Off", "array of strings"."""
    schema = followed(schema, root)
    if not schema:
        return "any value"
    if "enum" in schema:
        return "one of " + ", ".join(str(option) for option in schema["enum"])
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(describe(variant, root) for variant in variants))
    types = types_of(schema)
    if types == ("array",):
        inner = followed(schema.get("items"), root)
        return f"array of {describe(inner, root)}s" if inner and "enum" not in inner else "array"
    words = " or ".join(types) or "any value"
    limits = [
        f"{key} {schema[key]}" for key in ("minimum", "maximum", "minLength", "maxLength", "pattern") if key in schema
    ]
    return f"{words} ({', '.join(limits)})" if limits else words


def followed(schema: Any, root: Schema) -> Schema:
    """`schema` with local references followed; {} for what cannot be."""
    for _ in range(16):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = target(reference, root)
    return {}


def types_of(schema: Schema) -> tuple[str, ...]:
    """The JSON Schema types that it takes, also where only its keywords tell; () for any."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,)
    if isinstance(declared, list):
        return tuple(declared)
    return ("object",) if "properties" in schema else ("array",) if "items" in schema else ()
