"""Grammars for llguidance: what a reply may be, so that a malformed call cannot be sampled.

The thought is free. Then comes a call, one of the tools with arguments that its schema allows, and after it the
end, or the next call of a model that can write several; or, where a call is not required, an answer in any words. A
reply that is held to a grammar is parsed and validated all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from localagent.calling.grammar_schema import prepared, prepared_parameters
from localagent.messages import ToolSpec
from localagent.ports import MORE_CALLS, Constraint

THOUGHT_CHARS = 400  # how much may be thought where a call must follow
_SPACE = r"[ \n]{0,3}"
_BEGINS = r"[ \n]*(\[[ \n]*)?\{|```(json)?[ \n]*[{\[]"  # how a bare call begins
_JSON_SPACE = r"([ ]|\n[ ]{0,16})?"  # between the tokens of a JSON text: what models write, and no more
_GUIDANCE = {"whitespace_pattern": _JSON_SPACE, "whitespace_flexible": True, "lenient": True}


_ANSWER = (  # no tool is left: the ReAct form with its answer
    f'start: ("Thought: " LINE "\\n")? "Final Answer: " REST\nLINE: /[^\\n]{{1,{THOUGHT_CHARS}}}/\nREST: /(.|\\n)+/\n'
)


def lark_of(constraint: Constraint, *, formed: bool = False) -> str | None:
    """The grammar as llguidance's Lark text; None where nothing can be demanded. Depends on its arguments alone.

    `formed` holds an answer to the ReAct form too, for models so small that they never begin it by themselves.
    """
    if constraint.schema is not None:
        return f"start: {_json(prepared(constraint.schema))}\n"
    if not constraint.tools:
        return _ANSWER if constraint.dialect == "react" else None
    if constraint.dialect == "react":
        return _formed(constraint) if formed or constraint.required else _react(constraint)
    return _DIALECTS.get(constraint.dialect, _native)(constraint.tools, constraint.required)


def call_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """The JSON Schema of a call written as one object; for servers that take a schema and no grammar."""
    if len(tools) == 1:
        return _call(tools[0])
    return {"anyOf": [_call(tool, f"/anyOf/{n}") for n, tool in enumerate(tools)]}


def gbnf(constraint: Constraint) -> str | None:
    """The same as llama.cpp's own notation, for llama-server; never for the llama.cpp of this process."""
    from localagent.calling.grammar_gbnf import gbnf_of

    return gbnf_of(constraint)


def _call(tool: ToolSpec, at: str = "") -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "name": {"const": tool.name},
            "arguments": prepared_parameters(tool, f"{at}/properties/arguments"),
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _react(constraint: Constraint) -> str:
    """Any text, but what begins as an action must go on as a valid one, and ends with it."""
    label, final = r"[ \t*#>\-]{0,4}Action[ ]?(\*\*)?:", r"[ \t*#>\-]{0,4}Final Answer[ ]?(\*\*)?:"
    return "\n".join(
        [
            f"start: action MARK ({_react_calls(constraint, 'NEXT MARK')} | none) | final REST | FREE",
            rf"action[lazy]: /((.|\n)*\n)?{label}/",
            rf"final[lazy]: /((.|\n)*\n)?{final}/",
            rf"NEXT: /\n{{1,2}}{label}/",
            r"REST: /(.|\n)*/",
            rf"FREE: /(.|\n)*/ & ~/((.|\n)*\n)?({label}|{final})(.|\n)*/",
            r'MARK: /(\*\*)?[ \t`"\n]{0,2}/',
            r'INPUT: /[ \t`"*]{0,2}\n{1,2}[ \t*]{0,2}Action Input[ ]?(\*\*)?:(\*\*)?[ \n]{0,2}/',
            r'none: "none" /[`"*.]{0,2}/ (/\n{1,2}Final Answer:/ REST)?',
            _react_call(constraint.tools),
        ]
    )


def _formed(constraint: Constraint) -> str:
    """One line of thought, then a call, or the final answer where it may be one: ReAct as the prompt shows it."""
    calls = _react_calls(constraint, "NEXT")
    end = f'"Action: " {calls}'
    if not constraint.required:
        end = f'("Action: " ({calls} | "none\\nFinal Answer: " REST) | "Final Answer: " REST)'
    return "\n".join(
        [
            f'start: ("Thought: " LINE "\\n")? {end}',
            f"LINE: /[^\\n]{{1,{THOUGHT_CHARS}}}/",
            r'NEXT: "\nAction: "',
            r'INPUT: "\nAction Input: "',
            r"REST: /(.|\n)*/",
            _react_call(constraint.tools),
        ]
    )


def _react_calls(constraint: Constraint, following: str) -> str:
    """One call, or several; the line of the last one may end before the model decides that it is the last."""
    return f"call ({following} call){{0,{MORE_CALLS}}} /\\n{{0,2}}/" if constraint.several else "call"


def _react_call(tools: Sequence[ToolSpec]) -> str:
    return f"call: {_any([f'{_quoted(tool.name)} INPUT {_json(prepared_parameters(tool))}' for tool in tools])}\n"


def _hermes(tools: Sequence[ToolSpec], required: bool) -> str:
    """Calls between tags; also one bare call as the whole reply, as models write that forget the tags."""
    calls = _any([_json(_call(tool)) for tool in tools])
    tagged = rf'call: /{_SPACE}/ {calls} /{_SPACE}/ "</tool_call>" (/{_SPACE}/ "<tool_call>" call)?'
    if required:
        return f"start: bound call\nbound[lazy]: /(.|\\n){{0,{THOUGHT_CHARS}}}<tool_call>/\n{tagged}\n"
    return (
        "start: opened call | bare | FREE\n"
        "opened[lazy]: /([ \\n]{0,2}|[^{`\\[ \\n](.|\\n)*)<tool_call>/\n"
        f"FREE: /(.|\\n)*/ & ~/((.|\\n)*<tool_call>|{_BEGINS})(.|\\n)*/\n"
        f"{tagged}\n{_fenced('bare', calls)}\n"
    )


def _bare(tools: Sequence[ToolSpec], required: bool) -> str:
    """A reply that is one JSON call, also in a fence; every other beginning is prose."""
    call = _fenced("call", _any([_json(_call(tool)) for tool in tools]))
    if required:
        return f"start: call\n{call}\n"
    return f"start: call | FREE\nFREE: /(.|\\n)*/ & ~/({_BEGINS})(.|\\n)*/\n{call}\n"


def _native(tools: Sequence[ToolSpec], required: bool) -> str:
    """The model's template asks for a form that is not known here: both are open, the plainer one is demanded."""
    return (_bare if required else _hermes)(tools, required)


def _fenced(name: str, calls: str) -> str:
    return rf'{name}: {calls} | "```json\n" {calls} "\n```" | "```\n" {calls} "\n```"'


_DIALECTS: dict[str, Callable[[Sequence[ToolSpec], bool], str]] = {
    "hermes": _hermes,
    "qwen": _hermes,
    "json": _bare,
}


def _json(schema: dict[str, Any]) -> str:
    return f"%json {json.dumps({**schema, 'x-guidance': _GUIDANCE}, ensure_ascii=False)}"


def _any(choices: Sequence[str]) -> str:
    return "(" + " | ".join(choices) + ")"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


__all__ = ["THOUGHT_CHARS", "call_schema", "gbnf", "lark_of"]
