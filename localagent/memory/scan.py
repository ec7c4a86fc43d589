"""What changed in a workspace since the index last looked: one walk, a stat a file, and no reading."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from localagent.memory.store import Stamp
from localagent.tools.ignore import Ignore

IGNORE_FILE = ".gitignore"


@dataclass(slots=True)
class Changes:
    """`new` are files to look at, with their stamps; `ignored` those that .gitignore hides; `gone` are no more."""

    new: dict[str, Stamp] = field(default_factory=dict)
    ignored: dict[str, Stamp] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    seen: int = 0


def scan(workspace: Path, known: Mapping[str, Stamp]) -> Changes:
    """Paths are relative to the workspace. A changed .gitignore makes every file be asked about anew."""
    changes = _walk(workspace, known)
    if known and any(path.rpartition("/")[2] == IGNORE_FILE for path in (*changes.new, *changes.gone)):
        fresh = _walk(workspace, {})
        fresh.gone = [path for path in known if path not in fresh.new and path not in fresh.ignored]
        return fresh
    return changes


def _walk(workspace: Path, known: Mapping[str, Stamp]) -> Changes:
    changes, ignore = Changes(), Ignore(workspace, workspace)
    missing = set(known)
    stack = [""]
    while stack:
        inside = stack.pop()
        try:
            entries = os.scandir(workspace / inside)
        except OSError:  # gone or closed since it was listed
            continue
        with entries:
            for entry in entries:
                path = inside + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not ignore(workspace / path, folder=True):
                        stack.append(path + "/")
                elif entry.is_file(follow_symlinks=False):
                    _look(entry, path, workspace, known, ignore, changes)
                    missing.discard(path)
    changes.gone = sorted(missing)
    return changes


def _look(
    entry: os.DirEntry[str], path: str, workspace: Path, known: Mapping[str, Stamp], ignore: Ignore, changes: Changes
) -> None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return
    stamp = (max(info.st_mtime_ns, info.st_ctime_ns), info.st_size)  # cp -p and others set only the first as they like
    changes.seen += 1
    if known.get(path) != stamp and _has_utf8(path):
        hidden = path not in known and ignore(workspace / path, folder=False)
        (changes.ignored if hidden else changes.new)[path] = stamp


def _has_utf8(path: str) -> bool:
    """A name that is no UTF-8 has no place in the index."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
