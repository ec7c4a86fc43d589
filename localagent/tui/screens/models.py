"""The models that can be chosen, with what each can do; also the first thing a newcomer without a model sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from localagent.i18n import t
from localagent.tui.driver import Driver, ModelRow
from localagent.tui.harmless import assemble
from localagent.tui.widgets.hints import Hints
from localagent.tui.widgets.phase import megabytes
from localagent.tui.widgets.status import human


class ModelsScreen(ModalScreen[str]):
    """Returns the name of the model that was chosen."""

    CSS_PATH = "models.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "key.close"),
        Binding("enter", "choose", "key.choose"),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
    ]

    def __init__(self, driver: Driver, first: bool = False) -> None:
        super().__init__()
        self._driver = driver
        self._first = first
        self._rows: list[ModelRow] = []
        self._shown: list[ModelRow] = []
        self._eager = self._looked = False
        self._mistake = ""  # of a models.toml that was changed; the list is then of the one before

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(t("models.title"), classes="title")
            if self._first:
                yield Static(t("models.first"), classes="about")
            yield Input(placeholder=t("models.search"), compact=True)
            yield OptionList(markup=False)
            yield Static(t("models.looking"), id="state", markup=False)
            yield Hints()

    async def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self.query_one(Input).focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        from localagent.tui.lines import TROUBLES, error_line

        try:
            await self._driver.reread()
        except TROUBLES as error:
            self._mistake = error_line(error)
        self._rows = await self._driver.models()
        self._looked = True
        self._list(self.query_one(Input).value)
        if self._eager:
            self.action_choose()

    def _state(self, word: str) -> str:
        """What is wrong, or what else could be had; a newcomer is told."""
        if self._mistake:
            return self._mistake
        if not self._rows:
            return t("models.none")
        if not self._shown:
            return t("models.no_match", word=word)
        return t("models.rest") if self._first else ""

    def _list(self, word: str) -> None:
        self._shown = [row for row in self._rows if word.casefold() in f"{row.name} {row.backend}".casefold()]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(line(row)) for row in self._shown])
        current = next((n for n, row in enumerate(self._shown) if row.current), 0)
        options.highlighted = current if self._shown else None
        self.query_one("#state", Static).update(self._state(word))

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._looked:
            self._list(event.value)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def on_input_submitted(self) -> None:
        self.action_choose()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._take(self._shown[event.option_index])

    def action_choose(self) -> None:
        """Takes the model in hand; where the list is still on its way, as soon as it is there."""
        self._eager = not self._rows
        at = self.query_one(OptionList).highlighted
        if at is not None and at < len(self._shown):
            self._take(self._shown[at])

    def _take(self, row: ModelRow) -> None:
        if row.offer:
            self.run_worker(self._pull(row), exclusive=True)
        else:
            self.dismiss(row.name)

    async def _pull(self, row: ModelRow) -> None:
        from localagent.tui.lines import TROUBLES, error_line
        from localagent.tui.progress import Phase
        from localagent.tui.widgets.phase import words

        state = self.query_one("#state", Static)
        try:
            async for step in self._driver.pull(row.name):
                state.update(words(Phase("pulling", step.done, step.total, step.note or row.name)))
        except TROUBLES as error:
            state.update(error_line(error))
            return
        self.dismiss(row.name)


def line(row: ModelRow) -> Content:
    """Two lines about a model: its name and what it is, then what it can do, or how it is had."""
    sign = ("● ", "$text-success") if row.current else ("▲ ", "$text-warning") if row.where == "cloud" else ("  ", "")
    gone = row.reachable is False and not row.offer
    note = " · ".join(part for part in (t("models.gone") if gone else "", row.note) if part)
    offer = (t("models.fetch"), "$text-accent") if row.offer else ("", "")
    return assemble(
        sign,
        (row.name, "$foreground-muted" if gone else "bold"),
        (f"  {note}" if note else "", "$text-warning" if gone else "$foreground-muted"),
        "\n    ",
        offer,
        (" · " * bool(row.offer) + " · ".join(filter(None, _facts(row))), "$foreground-muted"),
    )


_TOOLS = {"native": "models.tools", "none": "models.no_tools"}  # all other ways are dialects, written as text


def _facts(row: ModelRow) -> Iterator[str]:
    able = row.capabilities
    yield t(f"where.{row.where}")
    yield row.backend
    if not row.offer:
        yield t("models.context", n=human(able.context)) if able.context else t("models.unknown_context")
    yield t(_TOOLS.get(row.tools, "models.text_tools")) if row.tools else ""
    yield t("models.thinking") if able.thinking else ""
    yield t("models.images") if able.images else ""
    yield f"{able.parameters:.2g}B" if able.parameters else ""
    yield megabytes(row.size) if row.size else ""
    yield t("models.loaded") if able.loaded else ""
