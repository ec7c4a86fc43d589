"""What changed in a workspace since the index last looked: one walk, a stat a file, and no reading."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from localagent.memory.store import UNSETTLED, Stamp
from localagent.tools.ignore import Ignore

IGNORE_FILE = ".gitignore"
TICK = 20_000_000  # nanoseconds: within one tick of the kernel's clock a second change leaves no trace
COARSE_TICK = 2_000_000_000  # of file systems that keep whole seconds
_LARGEST = (1 << 63) - 1
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Walk:
    """All files of the folders that are not hidden, relative to the workspace, with three numbers each: see Stamp.

    `folders` says of each folder that was met whether it is hidden. Two walks of one digest saw the same.
    """

    began: int
    files: list[str]
    numbers: array[int]
    folders: dict[str, bool]

    def digest(self) -> str:
        names = "\0".join(self.files).encode("utf-8", "surrogateescape")
        return blake2b(names + b"\0\0" + self.numbers.tobytes(), digest_size=20).hexdigest()

    def stamps(self) -> dict[str, Stamp]:
        """Without names that are no UTF-8, which have no place in the index."""
        rows = zip(self.files, self.numbers[::3], self.numbers[1::3], self.numbers[2::3], strict=True)
        return {path: (mtime, ctime, size) for path, mtime, ctime, size in rows if _has_utf8(path)}


@dataclass(slots=True)
class Changes:
    """`new` are files to look at, with their stamps; `ignored` those that .gitignore hides; `gone` are no more."""

    new: dict[str, Stamp] = field(default_factory=dict)
    ignored: dict[str, Stamp] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)


def walk(workspace: Path, folders: Mapping[str, bool]) -> Walk:
    """`folders` are those that the last walk met: as long as no .gitignore changes, they need not be judged again."""
    began, ignore = time.time_ns(), Ignore(workspace, workspace)
    files: list[str] = []
    numbers: list[int] = []
    met: dict[str, bool] = {}
    stack = [""]
    while stack:
        inside = stack.pop()
        for folder in _listed(f"{workspace}/{inside}", inside, files, numbers):
            known = folders.get(folder)
            met[folder] = hidden = ignore(workspace / folder, folder=True) if known is None else known
            if not hidden:
                stack.append(f"{folder}/")
    return Walk(began, files, _packed(numbers), met)


def _listed(place: str, inside: str, files: list[str], numbers: list[int]) -> list[str]:
    """Adds the files of one folder with their numbers, and returns its folders; none where it is gone or closed."""
    try:
        opened = os.open(place, _FOLDER)
    except OSError:
        return []
    folders: list[str] = []
    try:
        with os.scandir(opened) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    _add(entry, inside, files, numbers)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(inside + entry.name)
    finally:
        os.close(opened)
    return folders


def _add(entry: os.DirEntry[str], inside: str, files: list[str], numbers: list[int]) -> None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:  # gone since it was listed
        return
    files.append(inside + entry.name)
    numbers += (info.st_mtime_ns, info.st_ctime_ns, info.st_size)


def _packed(numbers: list[int]) -> array[int]:
    """In 64 bits, which hold times up to the year 2262: files from later have only the low ones."""
    try:
        return array("q", numbers)
    except OverflowError:
        return array("q", (number & _LARGEST for number in numbers))


def _compared(seen: Walk, known: Mapping[str, Stamp], workspace: Path) -> Changes:
    """What is to be done so that the index knows what the walk saw."""
    stamps, ignore = seen.stamps(), Ignore(workspace, workspace)
    changes = Changes(gone=sorted(known.keys() - stamps.keys()))
    for path, stamp in stamps.items():
        if known.get(path) != stamp:
            hidden = path not in known and ignore(workspace / path, folder=False)
            (changes.ignored if hidden else changes.new)[path] = _settled(stamp, seen.began)
    return changes


def _settled(stamp: Stamp, now: int) -> Stamp:
    """A file that changed just now may change again without a trace: its stamp then fits no file."""
    tick = TICK if stamp[1] % 1_000_000_000 else COARSE_TICK
    return stamp if stamp[1] < now - tick else (UNSETTLED, UNSETTLED, stamp[2])


def scan(seen: Walk, known: Mapping[str, Stamp], workspace: Path) -> tuple[Walk, Changes]:
    """What a walk found that is not known yet. A changed .gitignore makes every folder and file be judged anew."""
    changes = _compared(seen, known, workspace)
    if not known or not any(path.rpartition("/")[2] == IGNORE_FILE for path in (*changes.new, *changes.gone)):
        return seen, changes
    seen = walk(workspace, {})
    fresh = _compared(seen, {}, workspace)
    fresh.gone = sorted(known.keys() - fresh.new.keys() - fresh.ignored.keys())
    return seen, fresh


def _has_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
