"""The files that `@` can name: those of the repository, or of the folder where there is none."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

LIMIT = 20_000
MARKS = ".,;:!?)]}'\""
_NAMED = re.compile(r"(?<!\S)[(\[]?@(?:\"([^\"\n]+)\"|([^\s\"]+))")
_OPEN = re.compile(r"(?:^|[\s(\[])@(?:\"([^\"\n]*)|([^\s\"]*))$")
SKIPPED = {"node_modules", "__pycache__", "venv", "target", "dist", "build"}


def names(folder: Path) -> list[str]:
    """Paths relative to `folder`, shortest first. Takes a moment in a large tree: call it in a thread."""
    found = _from_git(folder) or _from_walk(folder)
    return sorted(found[:LIMIT], key=lambda name: (name.count("/"), name))


def _from_git(folder: Path) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [name for name in done.stdout.decode("utf-8", "replace").split("\0") if name]


def _from_walk(folder: Path) -> list[str]:
    found: list[str] = []
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED]
        found += [os.path.relpath(os.path.join(root, name), folder) for name in files if not name.startswith(".")]
        if len(found) >= LIMIT:
            break
    return found


def mention(name: str) -> str:
    """How a message names a file: in quotes where it holds spaces."""
    return f'@"{name}"' if " " in name else f"@{name}"


def mentioned(before: str) -> str | None:
    """The file name that is being written at the end of the text, None where none is."""
    found = _OPEN.search(before)
    return None if found is None else (found[1] if found[1] is not None else found[2])


def named(text: str, folder: Path) -> list[Path]:
    """The files of the folder that a message names with `@`; a mark that ends the sentence is no part of the name."""
    words = [quoted or word for quoted, word in _NAMED.findall(text)]
    found = (folder / name for word in words for name in (word, word.rstrip(MARKS)))
    return [path for path in dict.fromkeys(found) if path.is_file()]
