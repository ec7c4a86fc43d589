"""The way back to the person in the middle of a run."""

from __future__ import annotations

from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

_OPTIONS = {"type": "array", "items": {"type": "string"}}


def ask_user(profile: Profile) -> BuiltinTool:
    params = (Param("question", required=True), Param("options", _OPTIONS))
    return BuiltinTool(spec_of("ask_user", params, profile), "ask", _ask)


async def _ask(arguments: Arguments, context: ToolContext) -> Outcome:
    if context.ask is None:
        raise ToolFailure("denied", say("nobody"))
    answer = await context.ask(arguments["question"], tuple(arguments.get("options") or ()))
    return Outcome(answer or say("no_answer"))
