"""Single lines that say something about a reply, a run or a plan."""

from __future__ import annotations

import re

from localagent.events import FellBack, Replied, RunResult
from localagent.i18n import t

_CHECKBOX = re.compile(r"^\s*(?:[-*]|\d+[.)])\s*\[(.)\]\s*(.+)$")
_STATES = {" ": "todo", "x": "done", "X": "done", ">": "doing", "~": "doing", "/": "doing", "-": "dropped"}


def plan_items(text: str) -> tuple[tuple[str, str], ...]:
    """The items of a plan written as a Markdown task list."""
    found = (_CHECKBOX.match(line) for line in text.splitlines())
    return tuple((_STATES.get(m[1], "todo"), m[2].strip()) for m in found if m)


def figures_line(event: Replied) -> str:
    """What a reply cost, in one line; what nobody knows is left out."""
    parts = [event.model]
    if event.usage.output_tokens is not None:
        parts.append(t("figures.tokens", n=event.usage.output_tokens))
    if event.tokens_per_second:
        parts.append(t("figures.speed", n=f"{event.tokens_per_second:.0f}"))
    if event.first_token_seconds is not None:
        parts.append(t("figures.first", n=f"{event.first_token_seconds:.1f}"))
    return " · ".join(parts)


def fell_back_line(event: FellBack) -> str:
    """Why another model goes on, or the same one again; "" where the person asked for it."""
    if event.why == "asked":
        return ""
    why = t(f"why.{event.why or 'failed'}", name=event.failed)
    again = event.failed == event.to
    return t("note.again" if again else "note.fell_back", why=why, to=event.to, reason=event.reason)


def outcome_line(result: RunResult) -> str:
    """One sentence about a run that did not end well."""
    problem = (result.error or {}).get("message", "")
    return " ".join(part for part in (t(f"outcome.{result.outcome}"), problem) if part)
