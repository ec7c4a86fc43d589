"""The shield: whether anything leaves this machine, what would be masked in the current text, and what has left."""

from __future__ import annotations

from collections import Counter
from time import localtime, strftime

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localagent.i18n import t
from localagent.tui.driver import Driver, Masked, Sent
from localagent.tui.harmless import assemble, styled
from localagent.tui.lines import TROUBLES, error_line
from localagent.tui.screens.pairs import counted, side
from localagent.tui.screens.window import Window


class ShieldScreen(Window[None]):
    TITLE_KEY = "shield.title"
    DEFAULT_CSS = """
    ShieldScreen Horizontal { height: auto; }
    ShieldScreen .side { width: 1fr; height: auto; padding: 0 1; background: $background; margin: 0 1 0 0; }
    """

    def __init__(self, driver: Driver, text: str) -> None:
        super().__init__()
        self._driver = driver
        self._text = text

    def body(self) -> ComposeResult:
        where = self._driver.where
        colour = "$text-warning" if where == "cloud" else "$text-success"
        with VerticalScroll():
            traffic = self._driver.traffic
            text = t("shield.left", host=traffic.host, n=traffic.requests) if traffic.requests else t(f"shield.{where}")
            yield Static(styled(text, colour))
            yield Static(t("shield.entities"), classes="head")
            yield Static(t("shield.working") if self._text else t("shield.empty"), id="found", markup=False)
            with Horizontal():
                yield Static("", id="yours", classes="side", markup=False)
                yield Static("", id="masked", classes="side", markup=False)
            yield Static(t("shield.log"), classes="head")
            yield Static("", id="log", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.query_one(Horizontal).display = False
        self.attempt(self._log())
        if self._text:
            self.run_worker(self._mask())

    async def _log(self) -> None:
        sent = await self._driver.sent()
        self.query_one("#log", Static).update(_log(sent) if sent else t("shield.nothing"))

    async def _mask(self) -> None:
        found = self.query_one("#found", Static)
        try:
            masked = await self._driver.mask(self._text)
        except TROUBLES as error:
            found.update(error_line(error))
            return
        found.update(_entities(masked))
        self.query_one(Horizontal).display = True
        values = [value for _, value, _ in masked.entities]
        marks = [mark for _, _, mark in masked.entities]
        self.query_one("#yours", Static).update(side(t("shield.yours"), self._text, values, "$text-warning"))
        self.query_one("#masked", Static).update(side(t("shield.sent"), masked.text, marks, "$text-success"))


def _entities(masked: Masked) -> Content:
    counts = Counter(kind for kind, _, _ in masked.entities)
    if not counts:
        return Content(t("shield.clean"))
    parts = [assemble((f"{count} ", "bold $accent"), kind) for kind, count in counts.most_common()]
    return Content("   ").join(parts)


def _log(sent: list[Sent]) -> Content:
    """The newest request first."""
    lines = []
    for row in reversed(sent):
        when = strftime("%Y-%m-%d %H:%M", localtime(row.when))
        lines.append(
            assemble(
                (f"{when}  ", "$foreground-muted"),
                (row.host, "bold"),
                f"  {row.model}  {t('shield.bytes', n=f'{row.bytes:,}')}  ",
                (counted(row.masked) or t("shield.unmasked"), "$text-success"),
            )
        )
    return Content("\n").join(lines)
