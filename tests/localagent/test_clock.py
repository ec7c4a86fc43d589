"""Waiting for something, but not for ever: also in the clean-up of what is being cancelled."""

from __future__ import annotations

import asyncio

import pytest

from localagent.clock import ends_within


async def test_what_ends_in_time_is_said_and_what_does_not_is_cancelled() -> None:
    never = asyncio.Event()
    assert await ends_within(20, asyncio.sleep(0))
    assert not await ends_within(0.01, never.wait())
    with pytest.raises(ZeroDivisionError):
        await ends_within(20, _broken())


async def _broken() -> float:
    return 1 / 0


async def test_the_clean_up_of_a_cancelled_task_goes_on_after_a_wait_that_was_too_long() -> None:
    """asyncio.timeout fails this on the Python that Debian 12 brings."""
    steps: list[str] = []
    started = asyncio.Event()

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            steps.append(f"ended: {await ends_within(0.01, asyncio.Event().wait())}")
            steps.append("cleaned up")

    task = asyncio.create_task(work())
    await started.wait()
    task.cancel("why")
    with pytest.raises(asyncio.CancelledError, match="why"):
        await task
    assert steps == ["ended: False", "cleaned up"]
