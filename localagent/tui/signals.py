"""SIGTERM and a closed terminal leave as a person does: the run is ended and written, and the terminal is as it was."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import termios
import threading
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
PATIENCE = 5.0  # seconds in which the end of the run must be written where nobody looks on
SOON = 0.1


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """Calls `leave` with the exit status at the first signal; the second one of its kind ends the process at once."""
    loop = asyncio.get_running_loop()

    def heard(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        if number == signal.SIGHUP:
            _end_at_last(128 + number)
            draw_into_nothing()
            loop.call_later(SOON, draw_into_nothing)  # the signal may be faster than the end of the terminal
        leave(128 + number)

    for number in SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup asks for that one to be ignored
            loop.add_signal_handler(number, heard, number)


def draw_into_nothing() -> None:
    """Where the terminal is gone. Textual's writer would die of it, and whoever draws then waits for it for ever."""
    try:
        termios.tcgetattr(1)
    except termios.error as error:
        if error.args[0] == errno.EIO:
            nothing = os.open(os.devnull, os.O_WRONLY)
            for stream in (1, 2):
                os.dup2(nothing, stream)
            os.close(nothing)


def _end_at_last(status: int) -> None:
    end = threading.Timer(PATIENCE, os._exit, (status,))
    end.daemon = True
    end.start()
