"""All sessions: search, resume, fork, rename, export, delete, replay."""

from __future__ import annotations

from time import localtime, strftime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from localagent.i18n import t
from localagent.tui.driver import Driver, SessionRow
from localagent.tui.harmless import assemble
from localagent.tui.screens.window import Window


class SessionsScreen(Window[str]):
    """Returns the session to resume."""

    TITLE_KEY = "sessions.title"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "resume", "key.choose"),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("f5", "replay", "key.replay"),
        Binding("f6", "rename", "key.rename"),
        Binding("f7", "export", "key.export"),
        Binding("f8", "delete", "key.delete"),
    ]

    def __init__(self, driver: Driver, busy: bool = False) -> None:
        """`busy`: a run goes on, so that the open session cannot be deleted now."""
        super().__init__()
        self._driver = driver
        self._busy = busy
        self._rows: list[SessionRow] = []
        self._shown: list[SessionRow] = []
        self._renaming: SessionRow | None = None
        self._deleting: SessionRow | None = None

    def body(self) -> ComposeResult:
        yield Input(placeholder=t("sessions.search"), compact=True)
        yield OptionList(markup=False)
        yield Static("", id="state", classes="faint", markup=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self.query_one(Input).focus()
        self.attempt(self._load())

    async def _load(self) -> None:
        self._rows = await self._driver.sessions()
        self._list(self._rows)
        if not self._rows:
            self._say(t("sessions.none"))

    def _list(self, rows: list[SessionRow], excerpts: dict[str, str] | None = None) -> None:
        self._shown = rows
        options = self.query_one(OptionList)
        options.clear_options()
        found = excerpts or {}
        options.add_options([Option(line(row, found.get(row.session, ""))) for row in rows])
        options.highlighted = 0 if rows else None

    def _say(self, text: str) -> None:
        self.query_one("#state", Static).update(text)

    async def on_input_changed(self, event: Input.Changed) -> None:
        if self._renaming:
            return
        if len(event.value) < 2:
            self._list(self._rows)
            return
        hits = {hit.session: hit.excerpt for hit in await self._driver.search(event.value)}
        word = event.value.casefold()
        rows = [row for row in self._rows if row.session in hits or word in row.title.casefold()]
        self._list(rows, hits)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def _current(self) -> SessionRow | None:
        at = self.query_one(OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self._renaming:
            self.attempt(self._rename(self._renaming, event.value.strip()))
        else:
            self.action_resume()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index].session)

    def action_resume(self) -> None:
        if row := self._current():
            self.dismiss(row.session)

    def action_replay(self) -> None:
        if row := self._current():
            from localagent.tui.screens.replay import ReplayScreen

            self.app.push_screen(ReplayScreen(self._driver, row.session))

    def action_rename(self) -> None:
        if row := self._current():
            self._renaming = row
            field = self.query_one(Input)
            field.placeholder, field.value = t("sessions.name"), row.title
            field.select_all()

    async def _rename(self, row: SessionRow, title: str) -> None:
        if title:
            await self._driver.rename(row.session, title)
        await self._named()

    async def _named(self) -> None:
        """The field is for searching again."""
        field = self.query_one(Input)
        field.placeholder, field.value = t("sessions.search"), ""
        self._renaming = None
        await self._load()

    async def action_dismiss(self, result: str | None = None) -> None:
        """Escape in the middle of a new name leaves the old one."""
        if self._renaming:
            await self._named()
        else:
            await super().action_dismiss(result)

    def action_export(self) -> None:
        if row := self._current():
            self.attempt(self._export(row))

    async def _export(self, row: SessionRow) -> None:
        self._say(t("note.exported", path=await self._driver.export(row.session)))

    def action_delete(self) -> None:
        """Asks first; the same key again deletes."""
        row = self._current()
        if row and self._busy and row.session == self._driver.session:
            self._say(t("note.running"))
        elif row and self._deleting is row:
            self._deleting = None
            self.attempt(self._delete(row))
        elif row:
            self._deleting = row
            self._say(t("sessions.delete", title=row.title))

    async def _delete(self, row: SessionRow) -> None:
        await self._driver.delete(row.session)
        await self._load()
        self._say(t("note.deleted"))


def line(row: SessionRow, excerpt: str = "") -> Content:
    """Two lines about a session: its title and outcome, then when, with what, and what it cost."""
    facts = [strftime("%Y-%m-%d %H:%M", localtime(row.updated)), row.model]
    facts.append(f"${row.cost_usd:.2f}" if row.cost_usd else "")
    outcome = t(f"outcome.{row.outcome}") if row.outcome else ""
    second = excerpt.replace("\n", " ") or " · ".join(fact for fact in facts if fact)
    return assemble(
        (row.title.splitlines()[0] if row.title else row.session, "bold"),
        (f"  {outcome}", "$text-success" if row.outcome in ("done", "answered") else "$text-warning"),
        (f"\n  {second}", "$foreground-muted"),
    )
