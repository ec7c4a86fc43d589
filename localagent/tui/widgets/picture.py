"""An image: in pixels where the terminal has them, in coloured half cells elsewhere, as a line where nothing can draw.

What knows a terminal's own images must ask it before Textual listens, so the app steps aside for a moment when the
first image comes; a terminal that does not say that it may know them is not asked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.blocks import Picture
from localagent.tui.halfcells import draw
from localagent.tui.harmless import assemble
from localagent.tui.imagefile import facts
from localagent.tui.themes import TERMINAL
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView

SMALL, LARGE = (60, 12), (160, 40)  # cells, folded and opened
PIXELS = ("kitty", "ghostty", "wezterm", "iterm", "foot", "konsole", "contour", "mintty")


class PictureView(BlockView[Picture]):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "key.larger"),
        Binding("o", "view", "key.view"),
    ]
    foldable = True

    def compose(self) -> ComposeResult:
        if image := _pixels(self.app, Path(self.block.path)):
            image.styles.height = SMALL[1]
            image.styles.width = "auto"
            yield image

    def render(self) -> Content:
        path = Path(self.block.path)
        told = facts(path)
        line = assemble((t("block.image"), "$text-accent"), f" {path.name} {told.words}")
        if self.children or not told.kind:
            return line
        width, height = LARGE if self.opened else SMALL
        drawn = _drawn(self.block.path, min(width, self.content_size.width or width), height, _few(self.app))
        return Content("\n").join([line, drawn]) if drawn else line

    def watch_opened(self, opened: bool) -> None:
        for image in self.children:
            image.styles.height = (LARGE if opened else SMALL)[1]

    def action_view(self) -> None:
        """Shows the file in the program that this machine has for it."""
        command = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
        try:
            subprocess.Popen(
                [command, self.block.path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError:
            self.app.copy_to_clipboard(self.block.path)
            self.app.notify(f"{t('note.copied')} {self.block.path}", timeout=4, markup=False)


def _few(app: App[Any]) -> bool:
    """Whether the terminal has too few colours for a picture."""
    known = "truecolor" if app.is_headless else app.console.color_system
    return known in (None, "standard") or app.theme == TERMINAL


@cache
def _drawn(path: str, width: int, height: int, few_colours: bool) -> Content | None:
    return None if few_colours else draw(Path(path), width, height)


def _pixels(app: App[Any], path: Path) -> Widget | None:
    """The terminal's own image, None where it has none or textual-image is not installed."""
    said = f"{os.environ.get('TERM', '')} {os.environ.get('TERM_PROGRAM', '')}".lower()
    if app.is_headless or "TMUX" in os.environ or not any(name in said for name in PIXELS):
        return None
    if find_spec("textual_image") is None:
        return None
    image: Widget = _own(app)(path)
    return image


@cache
def _own(app: App[Any]) -> Any:
    """The widget for this terminal, which is asked now, while the app does not read it."""
    with app.suspend():
        from textual_image.widget import Image
    return Image
