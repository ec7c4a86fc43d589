"""Arguments held to a tool's schema by jsonschema, with the first thing that is wrong told by its path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from localagent.calling.broken import Broken
from localagent.calling.schema_read import Schema, describe, followed

PATTERN_SECONDS = 0.5


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


def is_valid(value: Any, schema: Any, root: Schema) -> bool:
    """Whether a part of a tool's schema takes `value`; a schema that is itself wrong takes any."""
    import jsonschema

    part = {**root, "properties": {}, "required": [], **followed(schema, root)}
    try:
        return bool(_validator(json.dumps(part)).is_valid(value))
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
