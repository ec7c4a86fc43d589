"""What a program and everything that it started cost, read from /proc."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def tree(roots: Iterable[int]) -> list[int]:
    """The processes and all below them; below one that has just ended there is nothing."""
    pids = list(roots)
    for pid in pids:
        with suppress(OSError):
            pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return pids
