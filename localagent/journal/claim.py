"""One process at a time goes on with a session: two would answer its open calls twice and weave their messages.

The claim is a lock on a file below the data folder, which the kernel gives back whatever happens to the process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from localagent.errors import ResumeError


class Claims:
    """The sessions that this process holds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, TextIO] = {}

    def take(self, session: str) -> None:
        """Claims the session; one that is held already stays so. Raises ResumeError where another process has it."""
        if session not in self._held:
            self._held[session] = _locked(self._folder / session)

    def drop(self, session: str) -> None:
        if (file := self._held.pop(session, None)) is not None:
            Path(file.name).unlink(missing_ok=True)
            file.close()

    @contextmanager
    def hold(self, session: str) -> Iterator[None]:
        """Claims the session for as long as it takes. Raises ResumeError."""
        self.take(session)
        try:
            yield
        finally:
            self.drop(session)

    def close(self) -> None:
        for session in tuple(self._held):
            self.drop(session)


def claims_of(data: Path) -> Claims:
    """The claims of a data folder, none taken yet."""
    return Claims(data / "claims")


def _locked(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _in_use(path.name, file) from None
        if _is(path, file):
            with suppress(OSError):  # a full disk; the lock is the claim, the number only tells people who has it
                os.ftruncate(file.fileno(), 0)
                os.write(file.fileno(), str(os.getpid()).encode())
            return file
        file.close()


def _is(path: Path, file: TextIO) -> bool:
    """Whether the file is still the one at the path: who had it before may have taken it away meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _in_use(session: str, file: TextIO) -> ResumeError:
    with file:
        file.seek(0)
        holder = file.read().strip()
    return ResumeError(
        f"session {session} is in use by another localagent{f' (process {holder})' if holder else ''}: end it there, "
        f"or go on from a copy: localagent sessions fork {session}"
    )
