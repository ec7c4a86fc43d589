"""Opens the other screens, each imported when it is first wanted, and takes their answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.screen import Screen

from localagent.i18n import t
from localagent.tui.base import BaseApp
from localagent.tui.commands import COMMANDS, Command
from localagent.tui.settings import CHOICES

if TYPE_CHECKING:
    from localagent.tui.blocks import Block
    from localagent.tui.settings import Settings


class ScreenActions(BaseApp):
    """Actions of the app that open a screen."""

    _wanted = ""  # the model that takes the seat after this run

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the command palette offers."""
        for command in COMMANDS:
            yield SystemCommand(t(command.about), f"/{command.name}", partial(self.run_command, command, ""))
        yield SystemCommand(t("command.screenshot"), t("command.screenshot_about"), self.deliver_screenshot)

    def run_command(self, command: Command, rest: str) -> None:
        """Does what a command means; `rest` is what was typed behind its name, and comes back where it takes none."""
        if rest and not command.takes:
            self.give_back(f"/{command.name} {rest}")
            self.notify(t("note.takes_nothing", name=command.name), severity="warning", markup=False)
            return
        action = getattr(self, f"action_{command.action}")
        result = action(rest) if command.takes else action()
        if result is not None:
            self.attempt(result)

    def action_help(self) -> None:
        from localagent.tui.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    def action_models(self, name: str = "", first: bool = False) -> None:
        """The model picker, or the model of that name at once."""
        if not self.ready() or self.driver is None:
            return
        if name:
            self.attempt(self.swap(name))
            return
        from localagent.tui.screens.models import ModelsScreen

        self.push_screen(ModelsScreen(self.driver, first), self._model_chosen)

    def _model_chosen(self, name: str | None) -> None:
        if name:
            self.attempt(self.swap(name))
        else:
            self.restand()  # models.toml may have been read again for the list

    async def swap(self, name: str) -> None:
        """Puts another model into the seat, where a run goes on as soon as it is over."""
        if self.runner and self.runner.running:
            self._wanted = name
            self.note("info", t("note.swap_later", name=name))
        else:
            await self._swap(name)

    async def swap_wanted(self) -> None:
        """Does what was asked for while a run went on."""
        name, self._wanted = self._wanted, ""
        if name:
            await self._attempt(self._swap(name))

    async def _swap(self, name: str) -> None:
        assert self.driver is not None
        self.phase_line.say(t("phase.swapping", name=name))
        try:
            await self.driver.swap(name)
        finally:
            self.phase_line.say("")
        said = t("note.swapped", name=self.driver.model)
        if self.conversation.blocks:
            self.note("info", said)
        else:
            self.notify(said, markup=False)  # a note would take the place of what a newcomer reads
        self.restand()

    def action_sessions(self) -> None:
        if not self.ready() or self.driver is None:
            return
        from localagent.tui.screens.sessions import SessionsScreen

        running = self.runner is not None and self.runner.running
        self.push_screen(SessionsScreen(self.driver, running), partial(self._session_chosen, self.driver.session))

    def _session_chosen(self, before: str, session: str | None) -> None:
        """Goes on with the session; the one that was open may have been deleted, and then an empty one is shown."""
        assert self.driver is not None
        if session and self.at_rest():
            self.attempt(self.resume_session(session))
        elif self.driver.session != before:
            self.attempt(self.show_history())

    async def show_history(self) -> None:
        """Implemented beside the other actions on sessions."""
        raise NotImplementedError

    async def resume_session(self, session: str) -> None:
        """Implemented beside the other actions on sessions."""
        raise NotImplementedError

    def action_shield(self) -> None:
        if not self.ready() or self.driver is None:
            return
        from localagent.tui.screens.shield import ShieldScreen

        self.push_screen(ShieldScreen(self.driver, self._shield_text()))

    def _shield_text(self) -> str:
        """What would be sent next: the prompt, or the person's newest message."""
        from localagent.tui.blocks import Said

        said = next((b for b in reversed(self.conversation.blocks) if isinstance(b, Said)), None)
        return self.prompt.text.strip() or (said.text if said else "")

    def action_stats(self) -> None:
        if not self.ready() or self.driver is None:
            return
        from localagent.tui.screens.stats import StatsScreen

        self.push_screen(StatsScreen(self.driver))

    def action_jobs(self) -> None:
        if not self.ready() or self.driver is None:
            return
        from localagent.tui.screens.jobs import JobsScreen

        self.push_screen(JobsScreen(self.driver))

    def action_replay(self) -> None:
        if not self.ready() or self.driver is None:
            return
        from localagent.tui.screens.replay import ReplayScreen

        self.push_screen(ReplayScreen(self.driver, self.driver.session))

    def action_settings(self) -> None:
        from localagent.tui.screens.settings import SettingsScreen

        self.push_screen(SettingsScreen(self.settings), self._settings_chosen)

    def _settings_chosen(self, settings: Settings | None) -> None:
        from localagent.i18n import use
        from localagent.tui.settings import save

        if settings is None or settings == self.settings:
            return
        self.settings = settings
        use(settings.language)
        self.wear(settings.theme or "dark")
        self.refresh(layout=True)
        self.restand()
        if self.settings_path:
            self.attempt(asyncio.to_thread(save, self.settings_path, settings))

    def action_theme(self, name: str = "") -> None:
        """Puts on the named theme, or lets the person choose."""
        ours = CHOICES["theme"][1:]
        if not name:
            self.search_themes()
        elif name in ours or name in self.available_themes:
            self.wear(name)
        else:
            problem = t("note.no_theme", name=name, names=", ".join(ours))
            self.notify(problem, severity="error", markup=False)

    def action_find(self, text: str = "") -> None:
        from localagent.tui.widgets.find import Find

        if not self.screen.query(Find):
            self.screen.mount(Find(self.conversation, text), before="#dock")

    def open_pager(self, block: Block) -> None:
        from localagent.tui.screens.pager import PagerScreen

        self.push_screen(PagerScreen(block))
