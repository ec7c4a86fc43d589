"""A JSON Schema that a person gives for a result: read and checked, references and all, before anything runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from localagent.errors import ConfigError


def read_schema(file: str) -> dict[str, Any]:
    """The JSON Schema of a file. Raises ConfigError with what is wrong and where."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        schema = json.loads(Path(file).read_text(encoding="utf-8-sig"))
        Draft202012Validator.check_schema(schema)
        _check_references(schema, schema)
    except OSError as error:
        raise ConfigError(f"--schema {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"--schema {file} is no JSON: {error}") from None
    except RecursionError:
        raise ConfigError(f"--schema {file} is nested too deep to be checked") from None
    except SchemaError as error:
        raise ConfigError(
            f"--schema {file} is no JSON Schema: {error.message} at /{'/'.join(map(str, error.path))}"
        ) from None
    if not isinstance(schema, dict):
        raise ConfigError(f"--schema {file} holds {schema!r}; allowed here: an object with a type")
    return schema


def _check_references(node: Any, root: Any) -> None:
    """Raises ConfigError for a reference that leads nowhere in the file: its part could never be checked."""
    if isinstance(node, list):
        for part in node:
            _check_references(part, root)
    if not isinstance(node, dict):
        return
    if isinstance(reference := node.get("$ref"), str):
        target: Any = root
        steps = reference.removeprefix("#").strip("/").split("/") if reference != "#" else []
        for step in steps if reference.startswith("#") else ["?"]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, dict) or name not in target:
                raise ConfigError(
                    f"--schema: the reference {reference!r} leads nowhere in the file; allowed: #/$defs/NAME"
                )
            target = target[name]
    for part in node.values():
        _check_references(part, root)
