"""How many threads to compute with, while others may want the same cores.

llama.cpp's threads wait for each other after every operation: with one core taken by somebody else, two threads
are up to ten times slower than one. The load is therefore measured all the time, from /proc/stat.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_BUSY = 0.35  # cores of others from which on a thread is given up
_WINDOW = 0.4  # seconds between two looks
_ROUND, _PROBE = 256, 3  # tokens between two comparisons of one thread with many, and the tokens that each gets


class Threads:
    """Gives the number to use now; a fixed number stays what it is."""

    def __init__(self, fixed: int | None) -> None:
        self._fixed = fixed
        self._cores = cores()
        self._seen = _sample()
        self._pace: dict[int, float] = {}
        self._tokens = 0
        self._count = fixed or (1 if os.environ.get("CI") else _quiet_share(self._cores))

    def for_one(self) -> int:
        """The number for a single token. Its work is so small that one thread is often faster: both are tried."""
        most = self.now()
        if self._fixed is not None or most == 1:
            return most
        place, self._tokens = self._tokens % _ROUND, self._tokens + 1
        if place < 2 * _PROBE:
            return 1 if place < _PROBE else most
        return min((1, most), key=lambda count: self._pace.get(count, 0.0))

    def took(self, count: int, seconds: float) -> None:
        """Remembers what a single token cost with `count` threads."""
        self._pace[count] = (self._pace.get(count, seconds) + seconds) / 2

    @property
    def most(self) -> int:
        return self._fixed or self._cores

    def now(self) -> int:
        """The number for the next piece of work; costs nothing when asked again within the window."""
        if self._fixed is None and self._seen is not None and time.monotonic() - self._seen[0] >= _WINDOW:
            before, self._seen = self._seen, _sample()
            if self._seen is not None:
                self._count = _share(self._cores, _cores_of_others(before, self._seen))
        return self._count


def cores() -> int:
    """Physical cores that this process may use: its CPU set without second hardware threads, and its quota."""
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    siblings = {_siblings(cpu) for cpu in allowed}
    return max(1, min(len(siblings), int(_quota() or len(allowed))))


def _siblings(cpu: int) -> str:
    try:
        return Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)


def _quota() -> float | None:
    """Cores granted by the control group, None where there is no limit."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return None


def _quiet_share(total: int) -> int:
    """The first guess, from the load of the last minute."""
    try:
        return _share(total, os.getloadavg()[0])
    except OSError:
        return total


def _share(total: int, others: float) -> int:
    return max(1, total - int(others + 1 - _BUSY))


def _sample() -> tuple[float, float, float] | None:
    """Seconds now, busy seconds of all allowed CPUs, and of this process."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return None
    allowed = {f"cpu{cpu}" for cpu in os.sched_getaffinity(0)}
    fields = [line.split() for line in lines if line.startswith("cpu")]
    ticks = sum(sum(map(int, f[1:4])) + int(f[6]) + int(f[7]) for f in fields if f[0] in allowed)
    own = time.process_time()
    return time.monotonic(), ticks / os.sysconf("SC_CLK_TCK"), own


def _cores_of_others(before: tuple[float, float, float], after: tuple[float, float, float]) -> float:
    seconds = after[0] - before[0]
    return max(0.0, (after[1] - before[1]) - (after[2] - before[2])) / seconds
