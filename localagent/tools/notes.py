"""The session's notebook: what must survive when the head of a long history is condensed."""

from __future__ import annotations

from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

FILE = "notes.md"


def notes(profile: Profile) -> BuiltinTool:
    """Only ever touches the session's own folder, so that it counts as reading."""
    return BuiltinTool(spec_of("notes", (Param("add"),), profile), "read", _notes)


async def _notes(arguments: Arguments, context: ToolContext) -> Outcome:
    """Adds a line unless it is there already: a repeated call changes nothing."""
    if not context.scratch.parts:
        raise ToolFailure("failed", say("no_scratch"))
    file = context.scratch / FILE
    there = file.read_text(encoding="utf-8") if file.exists() else ""
    line = "- " + " ".join((arguments.get("add") or "").split())
    if line != "- " and line not in there.split("\n"):
        context.scratch.mkdir(parents=True, exist_ok=True)
        there += line + "\n"
        file.write_text(there, encoding="utf-8")
    return Outcome(there.strip() or say("no_notes"))
