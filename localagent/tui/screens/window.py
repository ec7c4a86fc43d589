"""A window over the conversation: a title, a body, the keys; Escape closes it."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from localagent.i18n import t
from localagent.tui.widgets.hints import Hints

R = TypeVar("R")


class Window(ModalScreen[R]):
    """Subclasses name the title's key and compose the body."""

    CSS_PATH = "window.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "key.close")]
    TITLE_KEY: ClassVar[str] = ""

    def body(self) -> ComposeResult:
        yield from ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(t(self.TITLE_KEY), classes="title", markup=False)
            yield from self.body()
            yield Hints()

    def attempt(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs what the agent may refuse; the reason is shown."""
        self.run_worker(self._attempt(work))

    async def _attempt(self, work: Coroutine[Any, Any, Any]) -> None:
        from localagent.tui.lines import TROUBLES, error_line

        try:
            await work
        except TROUBLES as error:
            self.app.notify(error_line(error), severity="error", timeout=10, markup=False)
