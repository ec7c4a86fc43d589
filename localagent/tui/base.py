"""What the parts of the app share: the driver once it is there, the widgets, and one way to run what may fail."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme

from localagent.i18n import t
from localagent.tui.harmless import Harmless
from localagent.tui.settings import Settings
from localagent.tui.themes import TERMINAL, themes

if TYPE_CHECKING:
    from localagent.tui.blocks import Note
    from localagent.tui.driver import Driver
    from localagent.tui.runner import Runner
    from localagent.tui.widgets.conversation import Conversation
    from localagent.tui.widgets.phase import PhaseLine
    from localagent.tui.widgets.prompt import Prompt

HARMLESS = Harmless()


class BaseApp(App[int]):
    """Holds what the actions need; `driver` and `runner` are None until the agent is put together."""

    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (60, "-roomy")]  # noqa: RUF012 - declared so by App

    VERTICAL_BREAKPOINTS = [(0, "-low"), (14, "-tall")]  # noqa: RUF012 - declared so by App

    main: Screen[Any]  # what stands under all other screens; it and its widgets are still there while the app ends
    conversation: Conversation
    prompt: Prompt
    phase_line: PhaseLine
    driver: Driver | None = None
    runner: Runner | None = None
    settings: Settings
    settings_path: Path | None

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), HARMLESS]

    def attempt(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs it in the background; what the agent refuses becomes a notification."""
        self.run_worker(self._attempt(work))

    async def _attempt(self, work: Coroutine[Any, Any, Any]) -> None:
        from localagent.tui.lines import TROUBLES, error_line

        try:
            await work
        except TROUBLES as error:
            self.notify(error_line(error), severity="error", timeout=10, markup=False)

    def ready(self) -> bool:
        """Whether there is an agent to act on; says so where there is none yet."""
        if self.runner is None:
            self.notify(t("note.starting"), timeout=2)
        return self.runner is not None

    def at_rest(self) -> bool:
        """Whether the history may be changed; says so where a run goes on."""
        if self.runner and self.runner.running:
            self.notify(t("note.running"), severity="warning", timeout=3)
            return False
        return self.ready()

    def give_back(self, text: str) -> None:
        """Puts what could not be sent back into the prompt, before what was written since."""
        self.prompt.fill("\n\n".join(filter(None, (text, self.prompt.text))))

    def note(self, kind: str, text: str) -> Note:
        """Puts a sentence of the house into the conversation."""
        from localagent.tui.blocks import Note
        from localagent.tui.facts import Opened

        note = Note(kind, text)
        self.conversation.post_message(Opened(note))
        return note

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        if os.environ.get("TMUX"):
            from localagent.tui import tmux

            self.run_worker(tmux.copy(text))

    def wear(self, name: str) -> None:
        """Puts on a theme: one of ours by its short name, or any that Textual knows."""
        ours: dict[str, Theme] = themes()
        if name in ours:
            self.register_theme(ours[name])
            self.theme = ours[name].name
        elif name == "terminal":
            self.theme = TERMINAL
        elif name in self.available_themes:
            self.theme = name
        else:
            self.wear("dark")

    def restand(self) -> None:
        """Brings the status line up to date."""
