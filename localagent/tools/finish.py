"""The end of a run by the model's own word, with a result of the asked shape."""

from __future__ import annotations

from typing import Any

from localagent.messages import ToolSpec
from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool
from localagent.tools.words import say

_SHARED = ("$defs", "definitions")


def finish(profile: Profile, schema: dict[str, Any] | None = None) -> BuiltinTool:
    """With a schema of an object the arguments are the result; any other result stands under `result`."""
    spec = spec_of("finish", (Param("result", required=True),), profile)
    whole = schema is not None and schema.get("type") == "object"
    if schema is not None:
        spec = ToolSpec(spec.name, spec.description, dict(schema) if whole else _wrapped(schema))

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        return Outcome(say("finished"), output=arguments if whole else arguments["result"])

    return BuiltinTool(spec, "finish", action)


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """An object around the schema; its definitions move up, where its references look for them."""
    inner = {key: value for key, value in schema.items() if key not in (*_SHARED, "$schema", "$id")}
    shared = {key: schema[key] for key in _SHARED if key in schema}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **shared}
