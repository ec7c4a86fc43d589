"""What was typed before, newest last; kept in a file of one JSON string a line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

KEPT = 1000


class Recall:
    """Walks through earlier prompts; what is being typed is kept as the newest."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lines: list[str] | None = None
        self._at = 0
        self._draft = ""

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = _read(self._path)
            self._at = len(self._lines)
        return self._lines

    def add(self, text: str) -> None:
        lines = self.lines
        if text.strip() and (not lines or lines[-1] != text):
            lines.append(text)
            if self._path:
                with suppress(OSError):  # what the disk does not take is recalled as long as the app runs
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                    with self._path.open("a", encoding="utf-8", errors="replace") as file:
                        file.write(json.dumps(text, ensure_ascii=False) + "\n")
        self._at, self._draft = len(lines), ""

    def move(self, by: int, current: str) -> str | None:
        """The prompt `by` steps away, None at either end."""
        lines = self.lines
        if self._at == len(lines):
            self._draft = current
        target = self._at + by
        if not 0 <= target <= len(lines):
            return None
        self._at = target
        return self._draft if target == len(lines) else lines[target]


def _read(path: Path | None) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return []
    found = []
    for line in text.splitlines()[-KEPT:]:
        try:
            found.append(str(json.loads(line)))
        except json.JSONDecodeError:
            continue  # a line cut off by a crash
    return found
