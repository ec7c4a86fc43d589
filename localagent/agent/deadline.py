"""The wall time of a run: what is still under way when it is over is cut off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

from localagent.agent.limits import Stop, Watch

Item = TypeVar("Item")
GRACE_SECONDS = 0.05


class TimeIsUpError(Exception):
    """Raised to the loop by `until`; `stop` says which limit it was."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.text)
        self.stop = stop


async def until(items: AsyncGenerator[Item, None], watch: Watch) -> AsyncGenerator[Item, None]:
    """The items as they come; a wait for the next one that goes on past the limit raises TimeIsUpError.

    Only the wait is cut: whoever reads the items is never interrupted. A limit that is over already is the loop's
    own to see before its next step, so that a reply or a tool that is done is still counted.
    """
    while True:
        left = watch.seconds_left()
        if left is None:
            async for item in items:
                yield item
            return
        clock = asyncio.timeout(max(left + GRACE_SECONDS, 0.0))
        try:
            async with clock:
                item = await anext(items)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if clock.expired():
                raise TimeIsUpError(watch.time_is_up()) from None
            raise
        yield item
