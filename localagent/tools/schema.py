"""From a declared table of parameters to the JSON Schema that a model sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from localagent.messages import ToolSpec
from localagent.tools.words import describe

Profile = Literal["nano", "minimal", "full"]


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a tool; its description, where it needs one, stands in prompts/tools/."""

    name: str
    type: str | dict[str, Any] = "string"
    required: bool = False
    choices: tuple[str, ...] = ()


def object_schema(params: Sequence[Param], texts: dict[str, str] | None = None) -> dict[str, Any]:
    """A closed object with the parameters in the order of the table."""
    schema: dict[str, Any] = {"type": "object", "properties": {p.name: _property(p, texts or {}) for p in params}}
    required = [p.name for p in params if p.required]
    return {**schema, "required": required} if required else schema


def _property(param: Param, texts: dict[str, str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": param.type} if isinstance(param.type, str) else dict(param.type)
    if param.choices:
        schema["enum"] = list(param.choices)
    if param.name in texts:
        schema["description"] = texts[param.name]
    return schema


def spec_of(name: str, params: Sequence[Param], profile: Profile = "full") -> ToolSpec:
    """The tool as a model sees it; the smallest profile has the shortest words and only what is required."""
    words = describe(name)
    if profile == "nano":
        kept = [p for p in params if p.required or p.name in words.get("nano_parameters", ())]
        return ToolSpec(name, words.get("nano", words["text"]), object_schema(kept))
    return ToolSpec(name, words["text"], object_schema(params, words.get("parameters")))
