"""TOML files checked against a JSON Schema; what is wrong is said with file, line, key, found and allowed.

The `title` of a schema node is the sentence of what is allowed there.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from gateway.finite import not_finite
from localagent.config.toml_lines import line_of
from localagent.errors import ConfigError

_ABOUT_A_TABLE = ("required", "anyOf")  # say what it has not, at its own line


def read_toml(path: Path, schema: str) -> tuple[dict[str, Any], str]:
    """The parsed file and its text. `schema` names a file beside this module. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: no UTF-8 text: byte 0x{error.object[error.start]:02x}") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}:{_syntax_line(error, text)}: no valid TOML: {error}") from error
    except RecursionError:
        raise ConfigError(f"{path}: tables or lists in it are nested too deep") from None
    for place, number in not_finite(data):
        raise wrong(path, text, place, str(number), "a finite number")
    check(data, text, path, schema)
    return data, text


def check(data: dict[str, Any], text: str, path: Path, schema: str) -> None:
    """Raises ConfigError for the first line that breaks the schema, and counts the others.

    An unknown key goes before a missing one, whatever says that it is missing: most often it is that one, misspelt.
    """
    errors = sorted(
        _validator(schema).iter_errors(data),
        key=lambda e: (e.validator in _ABOUT_A_TABLE, line_of(text, _where(e)), str(e.message)),
    )
    if not errors:
        return
    first = errors[0]
    where = _where(first)
    others = len(errors) - 1
    more = f" (and {others} more {'mistake' if others == 1 else 'mistakes'})" if others else ""
    raise wrong(path, text, where, *_found_allowed(first), more=more)


def wrong(path: Path, text: str, where: tuple[str | int, ...], found: str, allowed: str, more: str = "") -> ConfigError:
    """The one form of a configuration error."""
    key = ".".join(str(part) for part in where) or "the file"
    return ConfigError(f"{path}:{line_of(text, where)}: {key}: found {found}; allowed: {allowed}{more}")


def suggestion(name: str, known: list[str]) -> str:
    """` (did you mean "x"?)` where one known name is close, else nothing."""
    close = difflib.get_close_matches(name, known, n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


@cache
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((Path(__file__).parent / schema).read_text(encoding="utf-8")))


def _where(error: Any) -> tuple[str | int, ...]:
    path = tuple(error.absolute_path)
    return (*path, _extra(error)) if error.validator == "additionalProperties" else path


def _extra(error: Any) -> str:
    known = error.schema.get("properties", {})
    return next(str(key) for key in error.instance if key not in known)


def _found_allowed(error: Any) -> tuple[str, str]:
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        return f"an unknown key{suggestion(_extra(error), known)}", ", ".join(known)
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"no `{missing[0]}`", _missing(error)
    return _shown(error.instance), error.schema.get("title") or _from_schema(error)


def _missing(error: Any) -> str:
    return error.schema.get("title") or f"a table with {', '.join(error.validator_value)}"


def _from_schema(error: Any) -> str:
    if error.validator == "enum":
        return ", ".join(str(value) for value in error.validator_value)
    return f"{error.validator} {error.validator_value}"


def _shown(value: Any) -> str:
    """The value as TOML would write it, cut."""
    if isinstance(value, dict):
        return "a table"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _syntax_line(error: tomllib.TOMLDecodeError, text: str) -> int:
    words = str(error).partition("(at line ")[2]
    number = words.partition(",")[0]
    return int(number) if number.isdigit() else text.count("\n") + 1


__all__ = ["check", "read_toml", "suggestion", "wrong"]
