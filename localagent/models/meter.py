"""Time to the first token and tokens a second of one reply."""

from __future__ import annotations

import time

from localagent.messages import Usage
from localagent.ports import Finish, FinishReason


class Meter:
    """Starts when it is made; `token` is called for every piece of the reply."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._first: float | None = None

    def token(self) -> None:
        if self._first is None:
            self._first = time.monotonic()

    def finish(self, reason: FinishReason, usage: Usage, *, rate: float | None = None) -> Finish:
        """The last delta; `rate` is the runtime's own tokens a second, else it is computed."""
        if self._first is None:
            return Finish(reason, usage, None, rate)
        return Finish(reason, usage, self._first - self._start, rate or self._rate(usage.output_tokens))

    def _rate(self, tokens: int | None) -> float | None:
        seconds = time.monotonic() - (self._first or 0.0)
        if not tokens or tokens < 2 or seconds <= 0:
            return None
        return (tokens - 1) / seconds


__all__ = ["Meter"]
