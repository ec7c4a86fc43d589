"""What is wrong with a reply that meant to call a tool, in words that let the model put it right."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from localagent.calling.broken import Broken, Kind
from localagent.config import prompts
from localagent.messages import ToolSpec

_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_SAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """`message` is for the model; the rest says the same to code. `valid` lists what may stand there."""

    kind: Kind
    message: str
    path: str = ""
    got: str = ""
    expected: str = ""
    valid: tuple[str, ...] = ()
    example: str = ""
    tool: str | None = None


def describe(broken: Broken, tool: ToolSpec | None, tools: Sequence[ToolSpec], language: str = "en") -> Problem:
    """`broken` as a Problem in `language` ("en" or "ru"); `tool` is the tool that was meant, when it is known."""
    example = minimal_call(tool) if tool else ""
    names = tuple(candidate.name for candidate in tools)
    valid = _valid(broken, tool, names)
    template = _sections(language)[broken.kind]
    message = template.format(
        tool=tool.name if tool else broken.tool or "",
        path=broken.path,
        got=broken.got,
        expected=broken.expected,
        valid=", ".join(valid) or "-",
        names=", ".join(names) or "-",
        example=example,
    )
    if example and broken.kind not in ("length", "empty", "no_action"):
        message += "\n" + _sections(language)["example"].format(example=example)
    return Problem(
        broken.kind,
        message,
        broken.path,
        broken.got,
        broken.expected,
        valid,
        example,
        tool.name if tool else broken.tool,
    )


def minimal_call(tool: ToolSpec) -> str:
    """The shortest call that the tool's schema accepts, as JSON."""
    return json.dumps({"name": tool.name, "arguments": minimal_arguments(tool)}, ensure_ascii=False)


def minimal_arguments(tool: ToolSpec) -> dict[str, Any]:
    """Values for the required parameters of a tool, and for no others."""
    sample = _sample({"type": "object", **tool.parameters}, tool.parameters, 0)
    return sample if isinstance(sample, dict) else {}


def _valid(broken: Broken, tool: ToolSpec | None, names: tuple[str, ...]) -> tuple[str, ...]:
    if broken.kind in ("unknown_tool", "placeholder", "no_tool"):
        return names
    properties = (tool.parameters.get("properties") or {}) if tool else {}
    if broken.kind == "invalid" and "enum" in (properties.get(broken.path) or {}):
        return tuple(str(option) for option in properties[broken.path]["enum"])
    return tuple(properties)


def _sample(schema: Any, root: dict[str, Any], depth: int) -> Any:
    if not isinstance(schema, dict) or depth > 6:
        return "text"
    if reference := schema.get("$ref"):
        target: Any = root
        for step in str(reference).lstrip("#/").split("/"):
            target = target.get(step, {}) if isinstance(target, dict) else {}
        return _sample(target, root, depth + 1)
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return _sample(variants[0], root, depth + 1)
    return _sample_of_type(schema, root, depth)


def _sample_of_type(schema: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        properties = schema.get("properties") or {}
        return {key: _sample(properties.get(key), root, depth + 1) for key in schema.get("required", ())}
    if kind == "array":
        return [_sample(schema.get("items"), root, depth + 1)] * max(1, schema.get("minItems", 1))
    if kind in ("integer", "number") and isinstance(schema.get("minimum"), int | float):
        return schema["minimum"]
    return _SAMPLES.get(kind, "text")


@lru_cache(maxsize=4)
def _sections(language: str) -> dict[str, str]:
    text = prompts.read(f"calling.{language if language in ('en', 'ru') else 'en'}.md") + "\n"
    return {name: body.strip() for name, body in _SECTION.findall(text)}
