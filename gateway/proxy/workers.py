"""Several processes at one address, forked once the models are loaded, so that they share that memory.

A process that dies is begun again. SIGTERM and SIGINT go on to all; where the parent itself is killed its pipe ends,
which every process watches.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType

from gateway.proxy.logs import event

_QUICK = 2.0  # seconds: a process that dies sooner is begun again after a pause
_PAUSE = 1.0


def can_fork() -> bool:
    """Whether the platform knows how to."""
    return hasattr(os, "fork")


def supervise(count: int, work: Callable[[int], int], taken: socket.socket, died: Callable[[int, float], None]) -> int:
    """Keeps `count` processes doing `work(pipe)` at an address until a signal ends them all; 0.

    `died` is told the number of one that failed or was killed, and when it began (epoch)."""
    watched, held = os.pipe()
    os.set_inheritable(watched, True)
    crew = _Crew(work, watched, held, taken, died)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, crew.stop)
    for _ in range(count):
        crew.begin()
    while crew.born:
        crew.mourn(*os.wait())
    os.close(watched)
    os.close(held)
    return 0


class _Crew:
    """The processes at work, and when each was begun."""

    def __init__(
        self,
        work: Callable[[int], int],
        watched: int,
        held: int,
        taken: socket.socket,
        died: Callable[[int, float], None],
    ) -> None:
        self.born: dict[int, float] = {}
        self._work, self._watched, self._held, self._taken, self._died = work, watched, held, taken, died
        self._stopping = False

    def begin(self) -> None:
        now = time.time()
        if (pid := os.fork()) == 0:
            self._be_one()
        self.born[pid] = now

    def mourn(self, pid: int, status: int) -> None:
        born = self.born.pop(pid, None)
        if born is None:  # the first process of a container is given every orphan in it
            return
        if not self._stopping:
            self._begin_again(pid, status, time.time() - born)
        if status:
            self._died(pid, born)

    def _begin_again(self, pid: int, status: int, lived: float) -> None:
        event("process_died", pid=pid, status=os.waitstatus_to_exitcode(status), seconds=round(lived, 1))
        if lived < _QUICK:
            time.sleep(_PAUSE)
        if not self._stopping:
            self.begin()

    def stop(self, _: int, __: FrameType | None) -> None:
        self._stopping = True
        self._taken.close()  # who comes now is turned away at once, not left waiting
        for pid in self.born:
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue

    def _be_one(self) -> None:
        """In the child: whatever happens, it never goes on as a second parent."""
        status = 1
        try:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.close(self._held)
            status = self._work(self._watched)
        finally:
            os._exit(status)
