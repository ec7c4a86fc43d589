"""The real clock; tests bring their own."""

import time


class SystemClock:
    """See ports.Clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
