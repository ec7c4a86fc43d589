"""Whether a gateway.toml is well formed: the first complaint, with its line, its key and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gateway.errors import ConfigError

__all__ = ["check_schema", "line_of"]


def check_schema(table: Mapping[str, Any], text: str, name: str) -> None:
    import json
    from importlib.resources import files

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    schema = json.loads(files("gateway").joinpath("gateway.schema.json").read_text("utf-8"))
    error = best_match(Draft202012Validator(schema).iter_errors(table))
    if error is not None:
        place, message = _explain(error)
        raise ConfigError(f"{name}, line {line_of(text, place)}: {message}")
    for number, upstream in enumerate(table.get("upstream", ())):
        if upstream.get("pass_through") and "api_key_env" in upstream:
            line = line_of(text, ("upstream", number, "pass_through"))
            raise ConfigError(
                f"{name}, line {line}: upstream: found api_key_env and pass_through, allowed is one of them"
            )


def _explain(error: Any) -> tuple[tuple[str | int, ...], str]:
    place = tuple(error.absolute_path)
    key = ".".join(str(part) for part in place)
    if error.validator == "additionalProperties":
        typed = "patternProperties" in error.schema
        known = [*error.schema.get("properties", {}), *(["entity types in capitals"] if typed else [])]
        unknown = next(name for name in error.instance if name not in known and not (typed and name.isupper()))
        where = ".".join((key, unknown)) if key else unknown
        return (*place, unknown), f"{where}: unknown key; allowed are {', '.join(known)}{_near(unknown, known)}"
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return place, f"{key}: {missing} is missing; needed are {', '.join(error.validator_value)}"
    return place, f"{key}: found {_shown(error.instance, place)}, allowed is {_allowed(error)}"


def _near(word: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _shown(value: object, place: tuple[str | int, ...]) -> str:
    if place[:1] == ("clients",):
        return "something else"  # it may be a key in clear
    return repr(value) if isinstance(value, str | int | float | bool) else type(value).__name__


def _allowed(error: Any) -> str:
    rules: dict[str, str] = {
        "type": "{}",
        "pattern": "a text like {}",
        "minimum": "at least {}",
        "maximum": "at most {}",
    }
    if tuple(error.absolute_path)[:1] == ("clients",):
        return '"sha256:" and 64 hexadecimal digits, or a table with such a key'
    if error.validator == "enum":
        return ", ".join(str(value) for value in error.validator_value)
    return str(rules.get(error.validator, f"{error.validator} {{}}")).format(error.validator_value)


def line_of(text: str, place: tuple[str | int, ...]) -> int:
    """The line (from 1) where a key of a TOML text stands, or its table where the key itself is not written so."""
    best, best_size = 1, 0
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            path: tuple[str | int, ...] = tuple(part.strip(" \"'") for part in header[2].split("."))
            if header[1] == "[[":
                counts[path] = counts.get(path, -1) + 1
                path = (*path, counts[path])
            table, found = path, path
        elif key := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            found = (*table, *(part.strip("\"'") for part in key[1].split(".")))
        else:
            continue
        if len(found) > best_size and place[: len(found)] == found:
            best, best_size = number, len(found)
    return best
