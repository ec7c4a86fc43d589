"""One widget a file, its style beside it."""

from __future__ import annotations

from pathlib import Path


def style(module: str) -> str:
    """The sheet beside a widget's module; read when the module is first needed, not at start-up."""
    return Path(module).with_suffix(".tcss").read_text(encoding="utf-8")
