"""The journal's figures as charts: the last days as columns, outcomes, models and tools as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localagent.i18n import t
from localagent.tui.charts import chart
from localagent.tui.driver import Driver
from localagent.tui.screens.window import Window

if TYPE_CHECKING:
    from localagent.journal.series import Series


class StatsScreen(Window[None]):
    TITLE_KEY = "stats.title"

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self._driver = driver
        self._series: list[Series] = []

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("", id="figures", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.attempt(self._load())

    def on_resize(self) -> None:
        self._draw()

    async def _load(self) -> None:
        self._series = [one for one in await self._driver.figures() if any(one.values)]
        self._draw()
        if not self._series:
            self.query_one("#figures", Static).update(t("stats.none"))

    def _draw(self) -> None:
        width = self.query_one(VerticalScroll).content_size.width
        if self._series and width:
            charts = [chart(one, width - 2) for one in self._series]
            self.query_one("#figures", Static).update(Content("\n\n").join(charts))
