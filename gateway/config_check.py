"""Whether a gateway.toml is well formed: the first complaint, with its line, its key and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from gateway.errors import ConfigError
from gateway.finite import Place, not_finite
from gateway.labels import FAMILIES, RUSSIAN_LABELS

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
    for place, message in _mistakes(table):
        raise ConfigError(f"{name}, line {line_of(text, place)}: {message}")


def _mistakes(table: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """What the schema cannot say."""
    names: set[str] = set()
    for number, upstream in enumerate(table.get("upstream", ())):
        place: Place = ("upstream", number)
        if upstream.get("pass_through") and "api_key_env" in upstream:
            yield (*place, "pass_through"), "upstream: found api_key_env and pass_through, allowed is one of them"
        if upstream["name"] in names:
            yield (*place, "name"), f"upstream: found two called {upstream['name']}, allowed is a name for each"
        names.add(upstream["name"])
        if not _is_base(upstream["base_url"]):
            yield (*place, "base_url"), "upstream: base_url is an address alone, without a user, a password, ? or #"
    yield from _mistakes_of_clients(table)
    for found, wrong in not_finite(table):
        yield found, f"{'.'.join(map(str, found))}: found {wrong}, allowed is a number"
    declared = {one.get("type") for kind in ("pattern", "words") for one in table.get("detect", {}).get(kind, ())}
    policies: dict[Place, Any] = {("policy",): table.get("policy", {})}
    for client, value in table.get("clients", {}).items():
        policies["clients", client, "policy"] = value.get("policy", {}) if isinstance(value, dict) else {}
    for place, policy in policies.items():
        deny = policy.get("deny", {})
        for kind in policy.keys() - declared - set(deny if isinstance(deny, dict) else ()):
            if kind.isupper() and (meant := _meant(kind)):
                yield (*place, kind), f"{'.'.join(map(str, place))}: no finder names a type {kind}; write {meant}"


def _is_base(url: str) -> bool:
    """Whether paths may be put behind it; what is said of it in the log holds no password."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname and (parts.port is None or parts.port)) and not re.search(r"[\s@?#]", url)
    except ValueError:
        return False


def _mistakes_of_clients(table: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    owners: dict[str, str] = {}
    for name, value in table.get("clients", {}).items():
        key = value["key"] if isinstance(value, dict) else value
        if key in owners:
            yield ("clients", name), f"clients.{name}: has the key of {owners[key]}, allowed is a key for each"
        owners[key] = name


def _meant(kind: str) -> str:
    """The entity type that a mistaken name stands for; empty where the name is one, or may be one of Presidio's."""
    types = [family[0] for family in FAMILIES]
    if kind in RUSSIAN_LABELS:
        return ""
    if short := next((family[0] for family in FAMILIES if kind in family[1:]), ""):
        return short
    country = kind[2:3] == "_"
    close = [one for one in types if not country or one[:3] == kind[:3]]
    return next(iter(get_close_matches(kind, close, n=1, cutoff=0.85)), "") if kind not in types else ""


def _explain(error: Any) -> tuple[Place, str]:
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
    close = get_close_matches(word, known, n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _shown(value: object, place: Place) -> str:
    if _is_key(place):
        return "something else"  # it may be a key in clear
    return repr(value) if isinstance(value, str | int | float | bool) else type(value).__name__


def _is_key(place: Place) -> bool:
    return place[:1] == ("clients",) and (len(place) == 2 or place[2:] == ("key",))


_LIKE = {  # what each text with a pattern may look like: an example tells more than the pattern
    "base_url": "https://api.example.org/v1",
    "otlp": "http://127.0.0.1:4318",
    "api_key_env": "OPENAI_API_KEY",
    "key": "keyring, or file: and a path",
    "type": "PROJECT_NAME",
}


def _allowed(error: Any) -> str:
    rules: dict[str, str] = {
        "type": "{}",
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "minItems": "{} or more",
    }
    if _is_key(tuple(error.absolute_path)):
        return '"sha256:" and 64 hexadecimal digits, or a table with such a key'
    if error.validator == "enum":
        return ", ".join(str(value) for value in error.validator_value)
    if error.validator == "pattern":
        return f"a text like {_LIKE.get(error.absolute_path[-1], error.validator_value)}"
    return str(rules.get(error.validator, f"{error.validator} {{}}")).format(error.validator_value)


def line_of(text: str, place: Place) -> int:
    """The line (from 1) where a key of a TOML text stands, or its table where the key itself is not written so."""
    best, best_size = 1, 0
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            path: Place = tuple(part.strip(" \"'") for part in header[2].split("."))
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
