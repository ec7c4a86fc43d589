"""Whether the schema of a foreign tool can be worked with, before anything trusts it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

_DEEPEST = 40  # levels of dicts and lists; what real servers send stays below 20
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")  # keywords that apply to the same value


def why_unsound(parameters: Any) -> str:
    """Why no argument can be held to this schema, in words; "" where it is a JSON Schema that comes to an end."""
    try:
        return _why(json.dumps(parameters))
    except RecursionError:
        return "it is nested too deep"


@lru_cache(maxsize=256)
def _why(text: str) -> str:
    import jsonschema

    schema = json.loads(text)
    if not isinstance(schema, dict):
        return "it is not an object"
    if _too_deep(schema, _DEEPEST):
        return f"it is nested more than {_DEEPEST} levels deep"
    try:
        jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator).check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"{error.json_path.removeprefix('$.')}: {error.message[:120]}"
    if (ref := _dangling(schema)) is not None:
        return f"it refers to {ref[:120]}, which it does not hold"
    return "it refers to itself without an end" if _endless(schema) else ""


def _too_deep(value: Any, left: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    return left == 0 or any(_too_deep(part, left - 1) for part in _inside(value))


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _dangling(root: dict[str, Any]) -> str | None:
    refs = (part["$ref"] for part in _parts(root) if isinstance(part, dict) and isinstance(part.get("$ref"), str))
    return next((ref for ref in refs if not ref.startswith("#") or target(ref, root) is None), None)


def _endless(root: dict[str, Any]) -> bool:
    """Whether some part says of a value only that it must be what that part says."""
    done: set[int] = set()

    def returns(schema: Any, above: tuple[int, ...]) -> bool:
        if not isinstance(schema, dict) or id(schema) in done:
            return False
        if id(schema) in above:
            return True
        found = any(returns(part, (*above, id(schema))) for part in _same_value(schema, root))
        done.add(id(schema))
        return found

    return any(returns(part, ()) for part in _parts(root))


def _parts(value: Any) -> Iterator[Any]:
    yield value
    for part in _inside(value):
        yield from _parts(part)


def _same_value(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    if isinstance(schema.get("$ref"), str):
        yield target(schema["$ref"], root)
    for key in _IN_PLACE:
        part = schema.get(key)
        yield from part if isinstance(part, list) else (part,)


def target(ref: str, root: dict[str, Any]) -> Any:
    """What a local reference points to; None where it points to nothing."""
    found: Any = root
    for part in filter(None, ref.removeprefix("#").split("/")):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found
