"""The person's own editor for a long prompt."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path


def edit(text: str, command: str | None = None) -> str:
    """Opens $VISUAL or $EDITOR on the text and returns what was saved. The terminal must be free."""
    command = command or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "nano"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prompt.md"
        path.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(command), str(path)], check=False)
        except FileNotFoundError:
            return text
        return path.read_text(encoding="utf-8").rstrip("\n")
