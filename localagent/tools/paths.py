"""Where a path of the model really points, and opening it there and nowhere else.

A tool reaches the workspace, the scratch folder (`@out/…`) and what the person opened (`context.roots`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from localagent.ports import ToolContext
from localagent.tools import in_place
from localagent.tools.ignore import walk
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

SCRATCH = "@out/"
OPTIONS = 3  # paths that a failure names
LOOKED_AT = 5000  # files, for a name that is not where it was said to be
LONGEST, LONGEST_NAME = 3000, 255  # bytes of a path below a workspace and of a name in it, as systems have them
READ_LIMIT = 64 * 1024 * 1024  # bytes


def locate(text: str, context: ToolContext) -> Path:
    """The real path, links followed, of a path as a model writes it; it need not exist or be allowed."""
    if "\0" in text:
        raise ToolFailure("invalid", say("bad_path"))
    text = text.strip()
    if len(os.fsencode(text)) > LONGEST or any(len(os.fsencode(part)) > LONGEST_NAME for part in text.split("/")):
        raise ToolFailure("invalid", say("bad_path"))
    if text.startswith(SCRATCH):
        return Path(os.path.realpath(context.scratch / text.removeprefix(SCRATCH)))
    try:
        return Path(os.path.realpath(context.workspace / (Path(text).expanduser() if text[:1] == "~" else text)))
    except RuntimeError:  # nobody's home
        raise ToolFailure("invalid", say("bad_path")) from None


def inside(path: Path, context: ToolContext) -> bool:
    """Whether a real path lies where this call may reach."""
    return any(path.is_relative_to(root) for root in _roots(context))


def _roots(context: ToolContext) -> Iterator[Path]:
    yield Path(os.path.realpath(context.workspace))
    if context.scratch != Path():
        yield Path(os.path.realpath(context.scratch))
    yield from context.roots


def resolve(text: str, context: ToolContext) -> Path:
    """`locate`, refused outside. Raises ToolFailure denied."""
    path = locate(text, context)
    if not inside(path, context):
        raise ToolFailure("denied", say("outside", path=text))
    return path


def shown(path: Path, context: ToolContext) -> str:
    """The path as the model should write it: relative inside the workspace, `@out/` for kept outputs."""
    workspace = Path(os.path.realpath(context.workspace))
    if path.is_relative_to(workspace):
        return path.relative_to(workspace).as_posix()
    scratch = Path(os.path.realpath(context.scratch))
    if context.scratch != Path() and path.is_relative_to(scratch):
        return SCRATCH + path.relative_to(scratch).as_posix()
    return str(path)


def missing(path: Path, context: ToolContext) -> ToolFailure:
    """The failure for a path that is not there, with the same name in other folders and the names that come nearest."""
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    near = [*_elsewhere(path, context), *(folder / name for name in _nearest(path.name, folder))][:OPTIONS]
    options = ", ".join(shown(option, context) for option in near)
    key = "not_found_near" if near else "not_found"
    return ToolFailure("not_found", say(key, path=shown(path, context), near=options, folder=shown(folder, context)))


def _elsewhere(path: Path, context: ToolContext) -> list[Path]:
    """Files of that name in other folders: small models leave the folder out."""
    workspace = Path(os.path.realpath(context.workspace))
    if not path.is_relative_to(workspace):
        return []
    wanted = path.name.casefold()
    same = (file for file in islice(walk(workspace, workspace), LOOKED_AT) if file.name.casefold() == wanted)
    return list(islice(same, OPTIONS))


def _nearest(name: str, folder: Path) -> list[str]:
    try:
        names = sorted(os.listdir(folder))[:LOOKED_AT]
    except OSError:
        return []
    folded = {entry.casefold(): entry for entry in names}
    return [folded[match] for match in get_close_matches(name.casefold(), folded, n=OPTIONS, cutoff=0.5)]


def read_bytes(path: Path, context: ToolContext, *, head: int = 0) -> bytes:
    """The file's content, or only its first `head` bytes.

    Raises ToolFailure: not_found, invalid for folders and devices, denied, too large.
    """
    fd = _open(path, os.O_RDONLY | os.O_NONBLOCK, context)
    try:
        _check_readable(os.fstat(fd), path, context, any_size=bool(head))
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(head or READ_LIMIT)
    finally:
        os.close(fd)


def _check_readable(info: os.stat_result, path: Path, context: ToolContext, *, any_size: bool) -> None:
    name = shown(path, context)
    if stat.S_ISDIR(info.st_mode):
        raise ToolFailure("invalid", say("is_folder", path=name))
    if not stat.S_ISREG(info.st_mode):
        raise ToolFailure("invalid", say("not_regular", path=name))
    if info.st_size > READ_LIMIT and not any_size:
        raise ToolFailure("invalid", say("too_large", path=name, size=info.st_size))


def _open(path: Path, flags: int, context: ToolContext) -> int:
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise missing(path, context) from None
    except OSError as error:
        raise os_failure(error, path, context) from None
    if not in_place.lies_at(fd, path):
        os.close(fd)
        raise ToolFailure("denied", say("moved", path=shown(path, context)))
    return fd


def os_failure(error: OSError, path: Path, context: ToolContext) -> ToolFailure:
    """What the operating system said, as a failure of its kind."""
    kind = "denied" if isinstance(error, PermissionError) else "failed"
    return ToolFailure(kind, say("os_error", path=shown(path, context), problem=error.strerror or str(error)))


@contextmanager
def _failing(path: Path, context: ToolContext) -> Iterator[None]:
    try:
        yield
    except in_place.MovedError:
        raise ToolFailure("denied", say("moved", path=shown(path, context))) from None
    except OSError as error:
        raise os_failure(error, path, context) from None


def write_bytes(path: Path, content: bytes, context: ToolContext) -> None:
    """Replaces the file in one step and keeps its mode; makes its folders. Raises ToolFailure."""
    with _failing(path, context):
        in_place.replace(path, content)


def remove(path: Path, context: ToolContext) -> None:
    """Deletes the file, in the folder that was checked. Raises ToolFailure."""
    with _failing(path, context):
        in_place.remove(path)
