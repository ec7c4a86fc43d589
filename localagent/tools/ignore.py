"""What .gitignore files hide from walking and searching."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

ALWAYS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".mypy_cache", ".ruff_cache"})


class Ignore:
    """Says whether a path is ignored, by the .gitignore files from the workspace down to its folder."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self._top = workspace.resolve() if folder.is_relative_to(workspace.resolve()) else folder
        self._specs: dict[Path, GitIgnoreSpec | None] = {}

    def __call__(self, path: Path, *, folder: bool) -> bool:
        """The last .gitignore that has something to say about the path decides, as in git."""
        if path.name in ALWAYS and folder:
            return True
        for parent in self._folders(path):
            spec = self._spec(parent)
            if spec is None:
                continue
            verdict = spec.check_file(path.relative_to(parent).as_posix() + ("/" if folder else "")).include
            if verdict is not None:
                return bool(verdict)
        return False

    def _folders(self, path: Path) -> Iterator[Path]:
        for parent in path.parents:
            yield parent
            if parent == self._top:
                return

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = _load(folder / ".gitignore")
        return self._specs[folder]


def walk(start: Path, workspace: Path) -> Iterator[Path]:
    """Files below `start` in a stable order, or `start` itself; links are not followed, ignored files left out."""
    if start.is_file():
        yield start
        return
    ignore = Ignore(start, workspace)
    for folder, folders, names in os.walk(start):
        base = Path(folder)
        folders[:] = sorted(name for name in folders if not ignore(base / name, folder=True))
        for name in sorted(names):
            path = base / name
            if not path.is_symlink() and not ignore(path, folder=False):
                yield path


def _load(file: Path) -> GitIgnoreSpec | None:
    if file.is_symlink() or not file.is_file():  # nor does git follow a link here
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(file.read_text(encoding="utf-8", errors="replace").splitlines())
