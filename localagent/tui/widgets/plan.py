"""The plan over the prompt: one line with the item in hand, open for the whole list."""

from __future__ import annotations

from typing import Any

from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.harmless import assemble, styled
from localagent.tui.widgets import style

Items = tuple[tuple[str, str], ...]
SIGNS = {"todo": "○", "doing": "◐", "done": "●", "dropped": "–"}
LOOKS = {"todo": "", "doing": "bold $accent", "done": "$text-success", "dropped": "$foreground-muted strike"}


class Plan(Widget):
    DEFAULT_CSS = style(__file__)

    items: reactive[Items] = reactive((), layout=True)
    opened: reactive[bool] = reactive(False, layout=True)

    def render(self) -> Content:
        done = sum(state == "done" for state, _ in self.items)
        title = styled(t("plan.title", done=done, total=len(self.items)), "bold")
        if self.opened:
            return Content("\n").join([title, *(_line(*item) for item in self.items)])
        current = next((i for i in self.items if i[0] == "doing"), None)
        current = current or next((i for i in self.items if i[0] == "todo"), None)
        return Content("  ").join([title, _line(*current)] if current else [title])

    def on_click(self) -> None:
        self.opened = not self.opened


def _line(state: str, text: str) -> Content:
    return assemble((f"{SIGNS[state]} ", LOOKS[state]), (text, LOOKS[state]))


def show_plan(screen: Screen[Any], items: Items) -> None:
    """Puts the plan over the prompt, or brings it up to date; an empty one goes away."""
    found = screen.query(Plan)
    if found and items:
        found.first(Plan).items = items
    elif found:
        found.first(Plan).remove()
    elif items:
        plan = Plan()
        plan.items = items
        plan.opened = screen.size.height >= 36
        screen.mount(plan, before="#dock")
