"""What stands in an empty conversation: where we are, and how to begin."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.harmless import assemble
from localagent.tui.widgets import style


class Welcome(Widget):
    DEFAULT_CSS = style(__file__)

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self._workspace = workspace

    def render(self) -> Content:
        folder = str(self._workspace).replace(str(Path.home()), "~", 1)
        keys = (("/", "welcome.commands"), ("@", "welcome.files"), ("!", "welcome.shell"), ("F1", "welcome.help"))
        lines = [
            assemble(("localagent", "bold $primary"), (f"  {folder}", "$foreground-muted")),
            Content(t("welcome.first")),
            Content(""),
            *(assemble((f"{key:<4}", "bold $accent"), (t(text), "$foreground-muted")) for key, text in keys),
        ]
        return Content("\n").join(lines)
