"""The real clock; tests bring their own. And waiting for something, but not for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any


async def ends_within(seconds: float, awaited: Coroutine[Any, Any, object]) -> bool:
    """Whether it ended in time, else it is cancelled; also while the task that waits is being cancelled itself.

    asyncio.timeout does not promise that: in Python 3.11.2 and before, the cancellation that came first goes on
    instead of a TimeoutError, and what was to follow in the clean-up never runs (CPython's issue 102780).
    """
    task = asyncio.ensure_future(awaited)
    try:
        await asyncio.wait({task}, timeout=seconds)
    finally:
        late = task.cancel()
    if not late:
        task.result()
    return not late


class SystemClock:
    """See ports.Clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
