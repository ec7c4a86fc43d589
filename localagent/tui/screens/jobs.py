"""Commands in the background as they run: state, time, and the end of what they write."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from localagent.i18n import t
from localagent.tui.driver import Driver
from localagent.tui.harmless import assemble
from localagent.tui.screens.window import Window
from localagent.tui.widgets.card import seconds

if TYPE_CHECKING:
    from localagent.tools.jobs import JobRow

LOOKS = 2  # a second
SHOWN_LINES = 400


class JobsScreen(Window[None]):
    TITLE_KEY = "jobs.title"
    CSS = """
    JobsScreen OptionList { height: auto; max-height: 40%; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f8", "end", "key.end_job")]

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self._driver = driver
        self._names: list[str] = []

    def body(self) -> ComposeResult:
        yield OptionList(markup=False)
        with VerticalScroll(can_focus=False):
            yield Static("", id="output", markup=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.query_one(VerticalScroll).anchor()
        self._look()
        self.set_interval(1 / LOOKS, self._look)

    def _look(self) -> None:
        rows, options = self._driver.jobs(), self.query_one(OptionList)
        if [row.name for row in rows] != self._names:
            self._names = [row.name for row in rows]
            options.clear_options()
            options.add_options([Option(_line(row)) for row in rows])
            options.highlighted = len(rows) - 1 if rows else None
        for index, row in enumerate(rows):
            options.replace_option_prompt_at_index(index, _line(row))
        options.display = bool(rows)
        at = options.highlighted
        shown = rows[at].output if at is not None else t("jobs.none")
        self.query_one("#output", Static).update("\n".join(shown.splitlines()[-SHOWN_LINES:]))

    def action_end(self) -> None:
        """Ends the job in hand."""
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.attempt(self._driver.stop_job(self._names[at]))


def _line(row: JobRow) -> Content:
    running = row.status is None
    state = t("jobs.running") if running else t("jobs.status", status=row.status)
    colour = "$text-accent" if running else "$text-success" if row.status == 0 else "$text-error"
    return assemble(
        (f"{'●' if running else '✓' if row.status == 0 else '✗'} ", colour),
        (" ".join(row.line.split())[:80], "bold"),
        (f"  {state}  {seconds(row.seconds)}", "$foreground-muted"),
    )
