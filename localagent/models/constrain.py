"""A Constraint as servers take it: GBNF for llama.cpp, a JSON Schema for the others."""

from __future__ import annotations

import importlib
from typing import Any

from localagent.messages import ToolSpec
from localagent.ports import Constraint


def call_schema(tools: tuple[ToolSpec, ...]) -> dict[str, Any]:
    """JSON Schema of one call as the text readers know it: an object of name and arguments."""
    return {"anyOf": [_call(tool) for tool in tools]}


def gbnf(constraint: Constraint) -> str:
    """The grammar of the constraint in llama.cpp's notation, "" where it cannot be written as one."""
    try:
        grammar = importlib.import_module("localagent.calling.grammar")
    except ModuleNotFoundError:
        return ""
    text: str = grammar.gbnf(constraint) or ""
    return text


def _call(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": tool.parameters},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


__all__ = ["call_schema", "gbnf"]
