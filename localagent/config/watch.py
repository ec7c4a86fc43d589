"""Whether a file has changed, cheap enough to ask before every run."""

from __future__ import annotations

from pathlib import Path

Stamp = tuple[int, int, int] | None  # nanoseconds of the last change, bytes, inode; None: no such file


def stamp_of(path: Path) -> Stamp:
    """What tells one version of the file from another: editors that replace the file change the inode."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


__all__ = ["Stamp", "stamp_of"]
