"""Connections that stand still: an answer that its client does not read, a request whose head does not come.

Neither the server nor the system ends them: a client that answers their probes may hold a stream, its place among the
requests at work and the call upstream for ever. They are looked at from outside once a second, so that no request pays.
"""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

from gateway.config import Limits
from gateway.proxy.logs import event

_INT = struct.Struct("i")


class Stalled:
    """Looks at the connections of one server, each an HTTP protocol of uvicorn's, and cuts off what stands still."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._read = limits.write_seconds, limits.read_seconds
        self._clock = clock
        self._since: dict[Any, tuple[float, int]] = {}  # when it was last seen to move, and the bytes unread then

    def look(self, connections: Iterable[Any]) -> None:
        """Whoever reads nothing for `write_seconds`, or sends no whole head for `read_seconds`, has gone."""
        now, before = self._clock(), self._since
        self._since = {}
        for connection in tuple(connections):
            unread = _unread(connection.transport)
            if not unread and not _waits_for_head(connection):
                continue
            since, left = before.get(connection, (now, unread))
            if unread < left or bool(unread) != bool(left):
                since = now
            if now - since < (self._write if unread else self._read):
                self._since[connection] = since, unread
                continue
            event("connection_cut", reason="the answer is not read" if unread else "no request came", unread=unread)
            connection.transport.abort()  # a close would wait for what is not read


def _unread(transport: Any) -> int:
    """Bytes that the client has not taken, here and in the system's own buffer, which holds megabytes: without it a
    client that reads them slowly would seem to stand still."""
    taken = transport.get_extra_info("socket")
    here: int = transport.get_write_buffer_size()
    if taken is None or sys.platform != "linux":
        return here
    import fcntl
    import termios

    try:
        waiting = fcntl.ioctl(taken.fileno(), termios.TIOCOUTQ, bytes(_INT.size))
    except OSError:  # closed meanwhile
        return here
    in_system: int = _INT.unpack(waiting)[0]
    return here + in_system


def _waits_for_head(connection: Any) -> bool:
    """Whether nothing is asked and uvicorn does not count the time: it does behind an answer, until a byte comes."""
    cycle = connection.cycle
    return (cycle is None or cycle.response_complete) and connection.timeout_keep_alive_task is None
