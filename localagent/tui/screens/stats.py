"""The journal's figures as bars."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localagent.i18n import t
from localagent.tui.driver import Driver, Series
from localagent.tui.screens.window import Window

EIGHTHS = " ▏▎▍▌▋▊▉█"
BAR = 40  # cells of the longest bar


class StatsScreen(Window[None]):
    TITLE_KEY = "stats.title"

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self._driver = driver

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("", id="figures", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.attempt(self._load())

    async def _load(self) -> None:
        series = [one for one in await self._driver.figures() if any(one.values)]
        charts = [chart(one) for one in series]
        self.query_one("#figures", Static).update(Content("\n\n").join(charts) if charts else t("stats.none"))


def chart(series: Series) -> Content:
    """A horizontal bar for every value, to an eighth of a cell."""
    top = max(series.values)
    wide = max(map(len, series.labels))
    lines = [Content.styled(series.name, "bold $primary")]
    for label, value in zip(series.labels, series.values, strict=True):
        lines.append(
            Content.assemble(
                (f"{label:>{wide}} ", "$foreground-muted"),
                (bar(value / top if top else 0), "$accent"),
                (f" {value:g} {series.unit}", "$foreground-muted"),
            )
        )
    return Content("\n").join(lines)


def bar(share: float) -> str:
    """A bar of this share of the full width."""
    eighths = round(share * BAR * 8)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
