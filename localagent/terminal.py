"""What models, files and people wrote, on its way to a terminal: nothing in it moves a cursor or talks to it."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import TextIO

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))  # order what is read anew
CONTROLS = (*range(9), 11, 12, 13, *range(14, 32), 127, *range(128, 160), *_BIDI)
_UNSAFE = dict.fromkeys(CONTROLS, "\ufffd")
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no terminal can be sent


def plain(text: str) -> str:
    """The text without control characters but for ends of lines and tabs; each stands as the replacement character."""
    return SURROGATE.sub("\ufffd", text).replace("\r\n", "\n").translate(_UNSAFE)


def in_line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain(text).split())


def put(text: str) -> None:
    """Writes a result to standard output: as it is into a file or a pipe, made plain for eyes."""
    sys.stdout.write(plain(text) if sys.stdout.isatty() else SURROGATE.sub("\ufffd", text))
    sys.stdout.flush()


def told(text: str) -> None:
    """Writes a line for people to standard error."""
    sys.stderr.write(plain(text))
    sys.stderr.flush()


def forget_typed(source: TextIO) -> None:
    """Drops what was typed at a terminal before a question stood there: it answers something else."""
    if source.isatty():
        import termios

        termios.tcflush(source, termios.TCIFLUSH)


async def hear(source: TextIO) -> str:
    """The next line of somebody at a terminal, "" at the end of input; a cancelled wait leaves nothing behind.

    A thread that reads could not be stopped, so that Ctrl-C at a question would wait for its answer.
    """
    if source.isatty():
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(source, ready.set)  # a terminal has something to read when the line is whole
        try:
            await ready.wait()
        finally:
            loop.remove_reader(source)
        return source.readline()
    return await asyncio.to_thread(source.readline)
