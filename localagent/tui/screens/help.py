"""Help: the keys that work where the person is, all others, the commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from localagent.i18n import t
from localagent.tui.commands import COMMANDS
from localagent.tui.harmless import assemble
from localagent.tui.screens.window import Window

KEYS = 20  # cells of the widest column of keys


class HelpScreen(Window[None]):
    TITLE_KEY = "help.title"

    def __init__(self, over: Screen[Any]) -> None:
        super().__init__()
        self._here = [active.binding for active in over.active_bindings.values()]

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(t("help.here"), classes="head")
            yield Static(self._keys(self._here), markup=False)
            yield Static(t("help.commands"), classes="head")
            yield Static(_table((f"/{c.name}", t(c.about)) for c in COMMANDS), markup=False)
            yield Static(t("help.prompt"), classes="head")
            yield Static(_table((("@", t("help.files")), ("!", t("help.shell")), ("^p", t("help.palette")))))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def _keys(self, bindings: Iterable[Binding]) -> Content:
        named = sorted((b for b in bindings if b.description.startswith("key.")), key=lambda b: not b.show)
        keys: dict[str, list[str]] = {}
        for binding in named:
            keys.setdefault(t(binding.description), []).append(self.app.get_key_display(binding))
        return _table((" ".join(dict.fromkeys(found)), about) for about, found in keys.items())


def _table(rows: Iterable[tuple[str, str]]) -> Content:
    pairs = list(rows)
    wide = min(KEYS, max((len(key) for key, _ in pairs), default=0)) + 2
    return Content("\n").join([assemble((f"{key:<{wide}}", "$accent"), about) for key, about in pairs])
