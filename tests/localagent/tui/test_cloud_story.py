"""The whole way with the real agent behind the screen: ask a cloud, see what would leave, allow it, read the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from localagent.approvers import Nobody
from localagent.assemble import Settings
from localagent.house import open_house
from localagent.i18n import use
from localagent.session import Session
from localagent.tui.app import LocalAgentApp
from localagent.tui.screens.release import ReleaseScreen
from tests.fakes.cloud import Reply, bodies, openai_cloud
from tests.fakes.http_server import HttpServer
from tests.localagent.test_cloud import NAME, READ_THEN_WRITE, TASK, World
from tests.localagent.tui.conftest import screen_text, until


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[World, LocalAgentApp]:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    use("en")
    (tmp_path / "home").mkdir()
    world = World(tmp_path)

    async def factory() -> Session:
        settings = Settings(world.work, Nobody("ask"), mode="all")
        return Session(open_house(tmp_path / "models.toml"), settings, discover=False)

    return world, LocalAgentApp(factory, None, world.work)


@asynccontextmanager
async def prepared(world: World, replies: list[Reply]) -> AsyncIterator[HttpServer]:
    async with openai_cloud(replies) as server:
        world.models(server)
        yield server


async def test_what_the_person_allows_leaves_masked(app: tuple[World, LocalAgentApp]) -> None:
    world, screen = app
    async with prepared(world, READ_THEN_WRITE) as server, screen.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: screen.runner is not None)
        assert "▲ cloud, masked" in screen_text(screen)
        screen.prompt.fill(TASK)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(screen.screen, ReleaseScreen), tries=1000)
        await until(pilot, lambda: "<PERSON_1>" in screen_text(screen))
        assert server.asked == []
        await pilot.press("y")
        await until(pilot, lambda: f"Done for {NAME}" in screen_text(screen), tries=1000)
        assert "▲ masked → 127.0.0.1 (3)" in screen_text(screen)
        assert not any(NAME in body for body in bodies(server))
        await pilot.press("f4")
        await until(pilot, lambda: "3 requests" in screen_text(screen))


async def test_a_no_sends_nothing_and_the_next_try_asks_again(app: tuple[World, LocalAgentApp]) -> None:
    world, screen = app
    async with prepared(world, [{"text": "never"}]) as server, screen.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: screen.runner is not None)
        for _ in range(2):
            screen.prompt.fill(f"Say hello to {NAME}.")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(screen.screen, ReleaseScreen), tries=1000)
            await pilot.press("n")
            await until(pilot, lambda: screen.runner is not None and not screen.runner.running, tries=500)
            assert "kept this text in the house" in " ".join(screen_text(screen).split())
        assert server.asked == []
        assert "masked →" not in screen_text(screen)
