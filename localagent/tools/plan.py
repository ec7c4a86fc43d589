"""The model's plan: a list that it writes and ticks off. Each answer is the whole of it, at the end of the history."""

from __future__ import annotations

import re

from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

FILE = "plan.md"
_ITEM = re.compile(r"^- \[([ x])\] (.+)$", re.MULTILINE)
Items = tuple[tuple[str, bool], ...]


def plan(profile: Profile) -> BuiltinTool:
    """Only ever touches the session's own folder, so that it counts as reading."""
    params = (
        Param("items", {"type": "array", "items": {"type": "string"}}),
        Param("done", {"type": "array", "items": {"type": "integer"}}),
    )
    return BuiltinTool(spec_of("plan", params, profile), "read", _plan)


def items_of(text: str) -> Items:
    """The items of a written plan: (text, whether it is done)."""
    return tuple((item.strip(), mark == "x") for mark, item in _ITEM.findall(text))


async def _plan(arguments: Arguments, context: ToolContext) -> Outcome:
    """A new list takes the old one's place; what was done and is still in it stays done. Repeating changes nothing."""
    if not context.scratch.parts:
        raise ToolFailure("failed", say("no_scratch"))
    file = context.scratch / FILE
    items = items_of(file.read_text(encoding="utf-8")) if file.exists() else ()
    if told := [" ".join(item.split()) for item in arguments.get("items") or ()]:
        before = dict(items)
        items = tuple((item, before.get(item, False)) for item in dict.fromkeys(told) if item)
    if not items:
        raise ToolFailure("invalid", say("no_plan"))
    ticked = set(arguments.get("done") or ())
    if wrong := sorted(n for n in ticked if not 1 <= n <= len(items)):
        raise ToolFailure("invalid", say("no_plan_item", number=wrong[0], count=len(items)))
    text = "\n".join(
        f"- [{'x' if done or number in ticked else ' '}] {item}" for number, (item, done) in enumerate(items, 1)
    )
    context.scratch.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n", encoding="utf-8")
    return Outcome(text)
