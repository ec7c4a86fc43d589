"""Whether the schema of a foreign tool can be worked with, before anything trusts it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

_DEEPEST = 40  # levels of dicts and lists; what real servers send stays below 20
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")  # keywords that apply to the same value
_IN_PLACE_BY_NAME = ("dependentSchemas", "dependencies")
_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", *_IN_PLACE_BY_NAME)
_DATA = ("default", "const", "enum", "examples", "example")
_FOREIGN = ("$dynamicRef", "$recursiveRef", "extends")  # ways to refer that nothing here follows


def why_unsound(parameters: Any) -> str:
    """Why no argument can be held to this schema, in words; "" where it is a JSON Schema that comes to an end."""
    try:
        text = json.dumps(parameters, ensure_ascii=False)
        text.encode()
        return _why(text)
    except RecursionError:
        return "it is nested too deep"
    except (TypeError, ValueError):
        return "it is not JSON"


@lru_cache(maxsize=256)
def _why(text: str) -> str:
    import jsonschema

    schema = json.loads(text)
    if not isinstance(schema, dict):
        return "it is not an object"
    if _too_deep(schema, _DEEPEST):
        return f"it is nested more than {_DEEPEST} levels deep"
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    if validator is jsonschema.Draft3Validator:
        return "it follows draft 3 of JSON Schema, whose words meant other things"
    try:
        validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"{error.json_path.removeprefix('$.')}: {error.message[:120]}"
    return _why_its_references(schema)


def _why_its_references(schema: dict[str, Any]) -> str:
    parts = [part for part in _parts(schema) if isinstance(part, dict)]
    if foreign := next((key for part in parts for key in _FOREIGN if isinstance(part.get(key), str | dict)), ""):
        return f"{foreign} is not followed here"
    refs = (part["$ref"] for part in parts if isinstance(part.get("$ref"), str))
    if ref := next((ref for ref in refs if not ref.startswith("#") or target(ref, schema) is None), ""):
        return f"it refers to {ref[:120]}, which it does not hold"
    return "it refers to itself without an end" if _endless(parts, schema) else ""


def _too_deep(value: Any, left: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    return left == 0 or any(_too_deep(part, left - 1) for part in _inside(value))


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _endless(parts: Iterable[Any], root: dict[str, Any]) -> bool:
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

    return any(returns(part, ()) for part in parts)


def _parts(value: Any, *, by_name: bool = False) -> Iterator[Any]:
    """The schema and all schemas in it; `by_name` where the keys are names of parameters, such as "default"."""
    yield value
    if isinstance(value, dict):
        for key, part in value.items():
            if by_name or key not in _DATA:
                yield from _parts(part, by_name=not by_name and key in _BY_NAME)
    elif isinstance(value, list):
        for part in value:
            yield from _parts(part)


def _same_value(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[Any]:
    if isinstance(schema.get("$ref"), str):
        yield target(schema["$ref"], root)
    for key in _IN_PLACE:
        part = schema.get(key)
        yield from part if isinstance(part, list) else (part,)
    for key in _IN_PLACE_BY_NAME:
        if isinstance(named := schema.get(key), dict):
            yield from named.values()


def target(ref: str, root: dict[str, Any]) -> Any:
    """What a local reference points to; None where it points to nothing."""
    found: Any = root
    for part in filter(None, unquote(ref).removeprefix("#").split("/")):
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found
