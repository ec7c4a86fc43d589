"""Tells a person who looked away that a run has ended."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from localagent.i18n import t

if TYPE_CHECKING:
    from textual.app import App


def notify_end(app: App[int], outcome: str, away: bool) -> None:
    """Rings the bell; a terminal that is not looked at also gets OSC 9, which most show as a desktop message."""
    app.bell()
    text = t(f"outcome.{outcome}")
    app.notify(text, timeout=4)
    if away and not app.is_headless and sys.__stdout__ is not None:
        sys.__stdout__.write(f"\x1b]9;localagent: {text}\x07")
        sys.__stdout__.flush()
