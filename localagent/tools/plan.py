"""The model's plan and notes. Each answer is the whole of them, at the end of the history; both survive condensing.

One tool for both: every tool is paid for in each first request.
"""

from __future__ import annotations

import re
from pathlib import Path

from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

FILE = "plan.md"
NOTES = "notes.md"
LINE_CHARS, ALL_CHARS = (
    1000,
    4000,
)  # of an item or a note, and of all items or notes: they stand in every condensed prompt
_ITEM = re.compile(r"^- \[([ x])\] (.+)$", re.MULTILINE)
Items = tuple[tuple[str, bool], ...]


def plan(profile: Profile) -> BuiltinTool:
    """Only ever touches the session's own folder, so that it counts as reading."""
    params = (
        Param("items", {"type": "array", "items": {"type": "string"}}),
        Param("done", {"type": "array", "items": {"type": "integer"}}),
        Param("note"),
    )
    return BuiltinTool(spec_of("plan", params, profile), "read", _plan)


def items_of(text: str) -> Items:
    """The items of a written plan: (text, whether it is done). What follows a blank line is notes."""
    return tuple((item.strip(), mark == "x") for mark, item in _ITEM.findall(text.split("\n\n", 1)[0]))


async def _plan(arguments: Arguments, context: ToolContext) -> Outcome:
    """Repeating a call changes nothing."""
    if not context.scratch.parts:
        raise ToolFailure("failed", say("no_scratch"))
    items = _planned(arguments, _read(context.scratch / FILE))
    notes = _noted(arguments.get("note") or "", _read(context.scratch / NOTES))
    if not items and (arguments.get("done") or not notes):
        raise ToolFailure("invalid", say("no_plan"))
    text = "\n".join(f"- [{'x' if done else ' '}] {item}" for item, done in items)
    for content in (text, notes):
        if len(content) > ALL_CHARS or any(len(line) > LINE_CHARS for line in content.split("\n")):
            raise ToolFailure("invalid", say("long_plan", line=LINE_CHARS, most=ALL_CHARS))
    context.scratch.mkdir(parents=True, exist_ok=True)
    for name, content in ((FILE, text), (NOTES, notes)):
        if content:
            (context.scratch / name).write_text(content + "\n", encoding="utf-8", errors="replace")
    return Outcome("\n\n".join(filter(None, (text or say("no_plan"), notes))))


def _planned(arguments: Arguments, before: str) -> Items:
    """A new list takes the old one's place; what was done and is still in it stays done."""
    items = items_of(before)
    if told := [" ".join(item.split()) for item in arguments.get("items") or ()]:
        old = dict(items)
        items = tuple((item, old.get(item, False)) for item in dict.fromkeys(told) if item)
    ticked = set(arguments.get("done") or ())
    if items and (wrong := sorted(n for n in ticked if not 1 <= n <= len(items))):
        raise ToolFailure("invalid", say("no_plan_item", number=wrong[0], count=len(items)))
    return tuple((item, done or number in ticked) for number, (item, done) in enumerate(items, 1))


def _noted(note: str, before: str) -> str:
    """The notes with one more line, unless it is there already."""
    line = "- " + " ".join(note.split())
    return before if line == "- " or line in before.split("\n") else f"{before}\n{line}".strip()


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""
