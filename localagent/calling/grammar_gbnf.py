"""The same constraints in llama.cpp's GBNF, for a llama-server: its own process and its own risk.

GBNF has no negation, so that free text is recognised by its beginning: what does not begin as a call does is prose.
Repetitions stay below the 2,000 that llama.cpp allows; a pattern or format that is not known here is any string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from localagent.calling.grammar_schema import prepared, prepared_parameters
from localagent.calling.schema_sound import target
from localagent.messages import ToolSpec
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
_MOST_PARTS = 5000  # of one schema: references in references can stand for more than any server reads
_SIMPLE = {"string", "integer", "number", "boolean", "null", "object", "array"}


def gbnf_of(constraint: Constraint) -> str | None:
    """A whole grammar with the rule `root`; None where nothing can be demanded."""
    rules = _Rules()
    if constraint.schema is not None:
        schema = prepared(constraint.schema)
        try:
            return rules.text(rules.of(schema, schema))
        except _UnwritableError:
            return None
    if not constraint.tools:
        return None
    call, opening = _WRITERS.get(constraint.dialect, _bare)(rules, constraint)
    if constraint.required:
        return rules.text(call)
    return rules.text(f"{call} | {_not_beginning(opening)}")


def _react(rules: _Rules, constraint: Constraint) -> tuple[str, tuple[str, ...]]:
    inputs = []
    for tool in constraint.tools:
        inputs.append(f"{_literal(tool.name + chr(10) + 'Action Input: ')} {rules.arguments(tool)}")
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
        name = _literal(json.dumps(tool.name, ensure_ascii=False))
        calls.append(f'"{{\\"name\\": " {name} ", \\"arguments\\": " {rules.arguments(tool)} "}}"')
    return f"( {' | '.join(calls)} )", ("{",)


def _several(call: str, between: str) -> str:
    return f"{call} ( {between} {call} ){{0,{MORE_CALLS}}} [\\n]{{0,2}}"


class _UnwritableError(Exception):
    """No finite grammar can hold what the schema wants."""


_WRITERS = {"react": _react, "hermes": _hermes, "qwen": _hermes}


class _Rules:
    """Collects rules; one for every schema that is referred to, so that recursion is recursion."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = dict(_BASE)
        self._named: dict[str, str] = {}  # by reference, of one schema
        self._left = _MOST_PARTS

    def text(self, root: str) -> str:
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self._rules.items())]) + "\n"

    def named(self, name: str, body: str) -> str:
        """The name of a new rule."""
        self._rules[name] = body
        return name

    def arguments(self, tool: ToolSpec) -> str:
        """An expression for a tool's arguments: any object where its schema cannot be written."""
        before = dict(self._rules)
        schema = prepared_parameters(tool)
        self._named, self._left = {}, _MOST_PARTS
        try:
            return self.of(schema, schema)
        except _UnwritableError:
            self._rules = before
            return "object"

    def of(self, schema: Any, root: dict[str, Any]) -> str:
        """An expression for the JSON texts that the schema allows. Raises _UnwritableError."""
        self._left -= 1 + len(schema.get("allOf", ()) if isinstance(schema, dict) else ())
        if self._left < 0:
            raise _UnwritableError
        if not isinstance(schema, dict) or not schema:
            return "value"
        if "$ref" in schema:
            return self._referred(str(schema["$ref"]), root)
        if "const" in schema or "enum" in schema:
            choices = [schema["const"]] if "const" in schema else schema["enum"]
            if not choices:
                raise _UnwritableError
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
        if ref not in self._named:
            name = self._named[ref] = self.named(f"ref-{len(self._rules)}", "value")
            self._rules[name] = self.of(target(ref, root), root)
        return self._named[ref]

    def _object(self, schema: dict[str, Any], root: dict[str, Any]) -> str:
        needed = [key for key in schema["properties"] if key in schema.get("required", ())]
        others = [key for key in schema["properties"] if key not in needed]
        pair = {key: self._pair(key, value, root) for key, value in schema["properties"].items()}
        comma = '"," ws '
        if needed:
            body = f" {comma}".join(pair[key] for key in needed)
            body += "".join(f" ( {comma}{pair[key]} )?" for key in others)
        else:
            body = f"( {self._some([pair[key] for key in others], comma)} )?"
        return f'"{{" ws {body} "}}"'

    def _some(self, pairs: Sequence[str], comma: str) -> str:
        """One or more of the pairs in their order: any may be the first, and each names the rule of those after it."""
        after, starts = "", []
        for pair in reversed(pairs):
            starts.append(f"{pair} {after}".rstrip())
            after = self.named(f"rest-{len(self._rules)}", f"( {comma}{pair} )? {after}".rstrip())
        return " | ".join(reversed(starts))

    def _pair(self, key: str, schema: Any, root: dict[str, Any]) -> str:
        name = f"pair-{len(self._rules)}"
        self._rules[name] = ""
        self._rules[name] = f'{_literal(json.dumps(key, ensure_ascii=False))} ":" ws {self.of(schema, root)} ws'
        return name

    def _array(self, schema: dict[str, Any], root: dict[str, Any]) -> str:
        item = self.named(f"item-{len(self._rules)}", "")  # one symbol: llama.cpp multiplies what a repetition holds
        self._rules[item] = self.of(schema.get("items", {}), root)
        least, most = _counted(schema, "minItems", "maxItems")
        more = f"{{{max(0, least - 1)},{'' if most is None else max(0, most - 1)}}}"
        items = f'{item} ws ( "," ws {item} ws ){more}'
        if most == 0:
            return '"[" ws "]"'
        return f'"[" ws {items} "]"' if least else f'"[" ws ( {items} )? "]"'


def _string(schema: dict[str, Any]) -> str:
    if schema.get("format") in _FORMATS:
        return f'"\\"" {_FORMATS[schema["format"]]} "\\""'
    least, most = _counted(schema, "minLength", "maxLength")
    if not least and most is None:
        return "string"
    return f'"\\"" char{{{least},{"" if most is None else most}}} "\\""'


def _counted(schema: dict[str, Any], least_key: str, most_key: str) -> tuple[int, int | None]:
    """How many are wanted; a large bound is left to jsonschema. Less than the minimum would hang llama.cpp's reader."""
    least, most = int(schema.get(least_key, 0)), schema.get(most_key)
    if most is not None and most < least:
        raise _UnwritableError
    return min(least, _LONGEST), None if most is None or most > _LONGEST else int(most)


def _merged(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        found = target(part["$ref"], root) if isinstance(part, dict) and "$ref" in part else part
        for key, value in found.items() if isinstance(found, dict) else ():
            merged[key] = _both(key, merged.get(key), value)
    return merged


def _both(key: str, before: Any, value: Any) -> Any:
    if isinstance(before, dict) and isinstance(value, dict):
        return {**before, **value}
    return [*(before or ()), *value] if key in ("required", "allOf") else value


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
