"""The settings as a form, drawn from the same list as their file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from localagent.i18n import t
from localagent.tui.harmless import assemble
from localagent.tui.screens.window import Window
from localagent.tui.settings import CHOICES, Settings

NAMES = tuple(field.name for field in fields(Settings))


class SettingsScreen(Window[Settings]):
    """Returns the settings as they were left."""

    TITLE_KEY = "settings.title"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "done", "key.save"),
        Binding("right,space", "turn(1)", "key.next"),
        Binding("left", "turn(-1)", "key.back"),
    ]

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def body(self) -> ComposeResult:
        yield OptionList(*(Option(self._line(name)) for name in NAMES), markup=False)
        yield Static(t("settings.note"), classes="faint")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.focus()
        options.highlighted = 0

    def _line(self, name: str) -> Content:
        value = getattr(self._settings, name)
        shown = ("✓" if value else "–") if isinstance(value, bool) else value or t("settings.default")
        return assemble((f"{f'‹ {shown} ›':<16}", "bold"), t(f"settings.{name}"))

    def on_option_list_option_selected(self) -> None:
        self.action_turn(1)

    def action_turn(self, by: int) -> None:
        """The next value of the setting in hand."""
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        name = NAMES[at]
        value = getattr(self._settings, name)
        choices: tuple[Any, ...] = CHOICES.get(name, (False, True))
        following = choices[(choices.index(value) + by) % len(choices)] if value in choices else choices[0]
        self._settings = replace(self._settings, **{name: following})
        options.replace_option_prompt_at_index(at, self._line(name))

    def action_done(self) -> None:
        self.dismiss(self._settings)
