"""The same constraints in llama.cpp's GBNF, for a llama-server: its own process and its own risk.

GBNF has no negation, so that free text is recognised by its beginning: what does not begin as a call does is prose.
Repetitions stay below the 2,000 that llama.cpp allows; a pattern or format that is not known here is any string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from localagent.calling.grammar_schema import prepared
from localagent.ports import MORE_CALLS, Constraint

_BASE = {
    "ws": '( " " | "\\n" [ ]{0,16} )?',
    "char": '[^"\\\\\\x00-\\x1f] | "\\\\" ( ["\\\\/bfnrt] | "u" [0-9a-fA-F]{4} )',
    "string": '"\\"" char* "\\""',
    "integer": '"-"? ( "0" | [1-9] [0-9]{0,14} )',
    "number": 'integer ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,2} )?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "value": "object | array | string | number | boolean | null",
    "object": '"{" ws ( string ":" ws value ws ( "," ws string ":" ws value ws )* )? "}"',
    "array": '"[" ws ( value ws ( "," ws value ws )* )? "]"',
    "any": "[^\\x00]*",
    "line": "[^\\n]{1,600}",
}
_FORMATS = {
    "date": "[0-9]{4} [-] [0-1] [0-9] [-] [0-3] [0-9]",
    "uuid": "[0-9a-f]{8} [-] [0-9a-f]{4} [-] [0-9a-f]{4} [-] [0-9a-f]{4} [-] [0-9a-f]{12}",
}
_LONGEST = 1000
_SIMPLE = {"string", "integer", "number", "boolean", "null", "object", "array"}


def gbnf_of(constraint: Constraint) -> str | None:
    """A whole grammar with the rule `root`; None where nothing can be demanded."""
    rules = _Rules()
    if constraint.schema is not None:
        schema = prepared(constraint.schema)
        return rules.text(rules.of(schema, schema))
    if not constraint.tools:
        return None
    call, opening = _WRITERS.get(constraint.dialect, _bare)(rules, constraint)
    if constraint.required:
        return rules.text(call)
    return rules.text(f"{call} | {_not_beginning(opening)}")


def _react(rules: _Rules, constraint: Constraint) -> tuple[str, tuple[str, ...]]:
    inputs = []
    for tool in constraint.tools:
        schema = prepared(tool.parameters)
        inputs.append(f"{_literal(tool.name + chr(10) + 'Action Input: ')} {rules.of(schema, schema)}")
    call = rules.named("call", f"{_literal('Action: ')} ( {' | '.join(inputs)} )")
    ends = [_several(call, '"\\n"{1,2}') if constraint.several else call]
    if not constraint.required:
        ends += ['"Action: none" ( "\\n" "Final Answer: " any )?', '"Final Answer: " any']
    return f'( "Thought: " line "\\n" )? ( {" | ".join(ends)} )', ("Thought:", "Action:", "Final Answer:")


def _hermes(rules: _Rules, constraint: Constraint) -> tuple[str, tuple[str, ...]]:
    call = rules.named("call", f'"<tool_call>\\n" {_bare(rules, constraint)[0]} "\\n</tool_call>"')
    return _several(call, '"\\n"?'), ("<tool_call>",)


def _bare(rules: _Rules, constraint: Constraint) -> tuple[str, tuple[str, ...]]:
    calls = []
    for tool in constraint.tools:
        schema = prepared(tool.parameters)
        name = _literal(json.dumps(tool.name, ensure_ascii=False))
        calls.append(f'"{{\\"name\\": " {name} ", \\"arguments\\": " {rules.of(schema, schema)} "}}"')
    return f"( {' | '.join(calls)} )", ("{",)


def _several(call: str, between: str) -> str:
    return f"{call} ( {between} {call} ){{0,{MORE_CALLS}}} [\\n]{{0,2}}"


_WRITERS = {"react": _react, "hermes": _hermes, "qwen": _hermes}


class _Rules:
    """Collects rules; one for every schema that is referred to, so that recursion is recursion."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = dict(_BASE)
        self._named: dict[tuple[int, str], str] = {}

    def text(self, root: str) -> str:
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self._rules.items())]) + "\n"

    def named(self, name: str, body: str) -> str:
        """The name of a new rule."""
        self._rules[name] = body
        return name

    def of(self, schema: Any, root: dict[str, Any]) -> str:
        """An expression for the JSON texts that the schema allows."""
        if not isinstance(schema, dict) or not schema:
            return "value"
        if "$ref" in schema:
            return self._referred(str(schema["$ref"]), root)
        if "const" in schema or "enum" in schema:
            choices = [schema["const"]] if "const" in schema else schema["enum"]
            return "( " + " | ".join(_literal(json.dumps(c, ensure_ascii=False)) for c in choices) + " )"
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return "( " + " | ".join(self.of(choice, root) for choice in schema[key]) + " )"
        if schema.get("allOf"):
            return self.of(_merged(schema, root), root)
        return self._typed(schema, root)

    def _typed(self, schema: dict[str, Any], root: dict[str, Any]) -> str:
        kind = schema.get("type") or ("object" if "properties" in schema else None)
        if isinstance(kind, list):
            return "( " + " | ".join(self.of({**schema, "type": one}, root) for one in kind) + " )"
        if kind == "object" and schema.get("properties"):
            return self._object(schema, root)
        if kind == "array":
            return self._array(schema, root)
        if kind == "string":
            return _string(schema)
        if kind == "integer" and schema.get("minimum", -1) >= 0:
            return '( "0" | [1-9] [0-9]{0,14} )'
        return kind if kind in _SIMPLE else "value"

    def _referred(self, ref: str, root: dict[str, Any]) -> str:
        key = (id(root), ref)
        if key not in self._named:
            name = self._named[key] = f"ref-{len(self._named)}"
            self._rules[name] = "value"
            self._rules[name] = self.of(_target(ref, root), root)
        return self._named[key]

    def _object(self, schema: dict[str, Any], root: dict[str, Any]) -> str:
        needed = [key for key in schema["properties"] if key in schema.get("required", ())]
        others = [key for key in schema["properties"] if key not in needed]
        pair = {key: self._pair(key, value, root) for key, value in schema["properties"].items()}
        comma = '"," ws '
        if needed:
            body = f" {comma}".join(pair[key] for key in needed)
            body += "".join(f" ( {comma}{pair[key]} )?" for key in others)
        else:
            starts = [
                pair[key] + "".join(f" ( {comma}{pair[later]} )?" for later in others[n + 1 :])
                for n, key in enumerate(others)
            ]
            body = f"( {' | '.join(starts)} )?"
        return f'"{{" ws {body} "}}"'

    def _pair(self, key: str, schema: Any, root: dict[str, Any]) -> str:
        name = f"pair-{len(self._rules)}"
        self._rules[name] = ""
        self._rules[name] = f'{_literal(json.dumps(key, ensure_ascii=False))} ":" ws {self.of(schema, root)} ws'
        return name

    def _array(self, schema: dict[str, Any], root: dict[str, Any]) -> str:
        item = self.of(schema.get("items", {}), root)
        least = schema.get("minItems", 0)
        most = schema.get("maxItems")
        more = f"{{{max(0, least - 1)},{'' if most is None else max(0, most - 1)}}}"
        items = f'{item} ws ( "," ws {item} ws ){more}'
        if most == 0:
            return '"[" ws "]"'
        return f'"[" ws {items} "]"' if least else f'"[" ws ( {items} )? "]"'


def _string(schema: dict[str, Any]) -> str:
    if schema.get("format") in _FORMATS:
        return f'"\\"" {_FORMATS[schema["format"]]} "\\""'
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if not least and (most is None or most > _LONGEST):
        return "string"
    bound = "" if most is None or most > _LONGEST else str(most)
    return f'"\\"" char{{{min(least, _LONGEST)},{bound}}} "\\""'


def _target(ref: str, root: dict[str, Any]) -> Any:
    found: Any = root
    for part in filter(None, ref.removeprefix("#").split("/")):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found


def _merged(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        found = _target(part["$ref"], root) if "$ref" in part else part
        for key, value in (found or {}).items():
            both = {**merged.get(key, {}), **value} if isinstance(value, dict) else value
            both = [*merged.get(key, []), *value] if key == "required" else both
            merged[key] = both
    return merged


def _not_beginning(words: Sequence[str]) -> str:
    """Text that begins with none of `words`, or is only a part of one."""
    follow: dict[str, set[str]] = {}
    for word in words:
        for n, char in enumerate(word):
            follow.setdefault(word[:n], set()).add(char)
    choices = [f"{_literal(prefix)} [^{_class(chars)}\\x00] any" for prefix, chars in follow.items()]
    return " | ".join(choices)


def _class(chars: set[str]) -> str:
    return "".join(re.sub(r"([\]\[\\^-])", r"\\\1", char) for char in sorted(chars))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
