"""A file at its real path and nowhere else: what is opened, replaced or removed is never reached through a link.

A link that is put in the way between a check and the opening is found, because the open folder is asked where it lies.
Everything raises OSError; MovedError where a folder above the file is not where it was.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class MovedError(OSError):
    """The file or a folder above it was replaced by a link, or moved."""


def lies_at(fd: int, path: Path) -> bool:
    """Whether what was opened is at this real path, no link in a folder above it having been followed."""
    try:
        return os.readlink(f"/proc/self/fd/{fd}") == str(path)
    except FileNotFoundError:  # no /proc: the check before the opening has to do
        return True


@contextmanager
def folder(path: Path, *, make: bool = False) -> Iterator[int]:
    """The open folder, made where it is not there and `make` says so."""
    if os.path.realpath(path) != str(path):
        raise MovedError(0, "a folder above it is a link by now")
    if make:
        path.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not lies_at(fd, path):
            raise MovedError(0, "a folder above it is a link by now")
        yield fd
    finally:
        os.close(fd)


def content(path: Path) -> bytes | None:
    """What the file holds, None where nothing is there; whatever is no ordinary file raises OSError."""
    try:
        with folder(path.parent) as parent:
            fd = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MovedError(0, "it is a link by now") if error.errno == errno.ELOOP else error from None
    with os.fdopen(fd, "rb") as file:
        _check_ordinary(os.fstat(fd))
        return file.read()


def replace(path: Path, new: bytes, *, mode: int | None = None) -> None:
    """Replaces the file in one step; makes its folders. Without `mode` it keeps its own, and a read-only one stays."""
    with folder(path.parent, make=True) as parent:
        part = f".{path.name[:100]}.{os.getpid()}.part"
        rights = _rights(path.name, parent) if mode is None else mode
        _forget(part, parent)  # of a process that was killed and had our number, as in a container
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, rights, dir_fd=parent)
        try:
            with os.fdopen(fd, "wb") as file:
                os.fchmod(fd, rights)
                file.write(new)
                file.flush()
                os.fsync(fd)
            os.replace(part, path.name, src_dir_fd=parent, dst_dir_fd=parent)
        except OSError:
            _forget(part, parent)
            raise


def remove(path: Path) -> None:
    """Deletes the file; one that is not there is fine."""
    with suppress(FileNotFoundError), folder(path.parent) as parent:
        _forget(path.name, parent)


def _forget(name: str, parent: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=parent)


def _check_ordinary(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(21, "it is a folder")
    if not stat.S_ISREG(info.st_mode):
        raise OSError(22, "it is no ordinary file")


def _rights(name: str, parent: int) -> int:
    try:
        info = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(21, "it is a folder")
    if not info.st_mode & 0o222:
        raise PermissionError(13, "the file is read-only")
    return stat.S_IMODE(info.st_mode)
