"""The end of a run by the model's own word, with a result of the asked shape."""

from __future__ import annotations

from typing import Any

from localagent.messages import ToolSpec
from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool
from localagent.tools.words import say

_NOTES = ("title", "description", "$comment", "$schema", "$id")
REFERENCES = 8  # from one to the next, before it is taken for a circle
_SHARED = ("$defs", "definitions")


def finish(profile: Profile, schema: dict[str, Any] | None = None) -> BuiltinTool:
    """With a schema of an object the arguments are the result; any other result stands under `result`."""
    spec = spec_of("finish", (Param("result", required=True),), profile)
    whole = None if schema is None else _of_object(schema)
    if schema is not None:
        spec = ToolSpec(spec.name, spec.description, whole or _wrapped(schema))

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        return Outcome(say("finished"), output=arguments if whole else arguments["result"])

    return BuiltinTool(spec, "finish", action)


def _of_object(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The schema as one of an object, written at the top as arguments are, None where it may be of something else.

    A schema that only refers to one of its definitions is that definition; properties without a type are an object's.
    """
    shared, top = {key: schema[key] for key in _SHARED if key in schema}, schema
    for _ in range(REFERENCES):
        if "$ref" in top and not set(top) - {"$ref", *_NOTES, *_SHARED}:
            top = _at(schema, top["$ref"])
    kind = top.get("type", "object" if "properties" in top else None)
    return {**shared, **top, "type": "object"} if kind == "object" and "$ref" not in top else None


def _at(schema: dict[str, Any], reference: str) -> dict[str, Any]:
    """The part of the schema that a reference leads to; that it leads somewhere was checked when it was read."""
    part: Any = schema
    for step in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
        part = part[step.replace("~1", "/").replace("~0", "~")]
    return part if isinstance(part, dict) else {}


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """An object around the schema; its definitions move up, where its references look for them."""
    inner = {key: value for key, value in schema.items() if key not in (*_SHARED, "$schema", "$id")}
    shared = {key: schema[key] for key in _SHARED if key in schema}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **shared}
