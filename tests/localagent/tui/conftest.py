"""The app on a scripted driver, at a size of choice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from localagent.i18n import use
from localagent.tui.app import LocalAgentApp
from tests.fakes.driver import FakeDriver

Open = Callable[..., AbstractAsyncContextManager[tuple[LocalAgentApp, Pilot[int]]]]


@pytest.fixture(autouse=True)
def english() -> None:
    use("en")


@pytest.fixture
def open_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    monkeypatch.setenv("LANG", "en_US.UTF-8")

    @asynccontextmanager
    async def opened(
        driver: FakeDriver, size: tuple[int, int] = (80, 24)
    ) -> AsyncIterator[tuple[LocalAgentApp, Pilot[int]]]:
        async def factory() -> FakeDriver:
            return driver

        app = LocalAgentApp(factory, tmp_path / "home", tmp_path)
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            yield app, pilot

    return opened


def screen_text(app: LocalAgentApp) -> str:
    """What stands on the screen, line by line."""
    height = app.size.height
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines[:height])


async def press_at(pilot: Pilot[int], key: str, pressed: float) -> None:
    """A key that was pressed at a time of the monotonic clock, whenever the machine comes to it."""
    event = events.Key(key, key if len(key) == 1 else None)
    event.time = pressed
    pilot.app.post_message(event)
    await pilot.pause()


async def until(pilot: Pilot[int], true: Callable[[], bool], tries: int = 1000) -> None:
    """Waits until the screen has come so far."""
    for _ in range(tries):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("the screen never came so far:\n" + screen_text(pilot.app))  # type: ignore[arg-type]
