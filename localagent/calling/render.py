"""Tools, calls and results as text, for models that get them in the prompt and not from their own template."""

from __future__ import annotations

import json
from collections.abc import Sequence

from localagent.calling.schema_read import describe
from localagent.config import prompts
from localagent.messages import ToolCall, ToolResult, ToolSpec

_LANGUAGES = {"react": ("en", "ru"), "react_several": ("en", "ru"), "hermes": ("en",)}


def render_tools(
    tools: Sequence[ToolSpec], dialect: str = "react", language: str = "en", *, several: bool = True
) -> str:
    """The format and the tools, with examples of a call and an answer; byte-stable for its arguments.

    `several` also shows calls that go together and when no tool fits: below a billion parameters a model takes it for
    advice to call nothing.

    The examples show a tool that is not among `tools`: the smallest models copy the values of an example into the
    calls that they make of the same tool.
    """
    name = dialect if dialect in _LANGUAGES else "react"
    name = "react_several" if name == "react" and several else name
    spoken = language if language in _LANGUAGES[name] else "en"
    return prompts.read(f"{name}.{spoken}.md").format(tools=render_list(tools))


def render_list(tools: Sequence[ToolSpec]) -> str:
    """The tools alone, one below the other, for a prompt that has examples of its own."""
    return "\n".join(map(render_tool, tools))


def render_tool(tool: ToolSpec) -> str:
    """One tool: its name, what it does, and a line for each parameter."""
    properties = tool.parameters.get("properties") or {}
    required = tool.parameters.get("required") or ()
    lines = [f"- {tool.name}: {tool.description}".rstrip(": ")]
    for name, part in properties.items():
        kind = describe(part, tool.parameters)
        if kind.startswith(("object", "array of object")):
            kind = json.dumps(part, ensure_ascii=False)
        told = part.get("description", "") if isinstance(part, dict) else ""
        lines.append(f"    {name} ({kind}{'' if name in required else ', optional'}) {told}".rstrip())
    return "\n".join(lines)


def render_calls(content: str, calls: Sequence[ToolCall], dialect: str = "react") -> str:
    """An assistant's message with its calls, as the model itself would have written it."""
    written = [_call(call, dialect) for call in calls]
    if dialect != "hermes" and content and not content.startswith("Thought:"):
        content = f"Thought: {content}"
    return "\n".join(part for part in (content, *written) if part)


def render_results(results: Sequence[ToolResult], dialect: str = "react") -> str:
    """What the tools answered, in the words that the format promised."""
    if dialect == "hermes":
        return "\n".join(f"<tool_response>\n{result.content}\n</tool_response>" for result in results)
    if len(results) == 1:
        return f"Observation: {results[0].content}"
    return "\n".join(f"Observation ({result.name}): {result.content}" for result in results)


def _call(call: ToolCall, dialect: str) -> str:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    if dialect == "hermes":
        return f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {arguments}}}\n</tool_call>'
    return f"Action: {call.name}\nAction Input: {arguments}"
