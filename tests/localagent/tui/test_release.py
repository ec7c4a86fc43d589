"""The question before a cloud: both sides, the answer, the status line afterwards."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from localagent.events import CloudRequest, FellBack
from localagent.i18n import use
from localagent.ports import Decision, Outgoing, OutgoingText
from localagent.tui.screens.release import ReleaseScreen
from localagent.tui.widgets.deaf import QUIET
from tests.fakes.driver import FakeDriver, Step, reply
from tests.localagent.tui.conftest import Open, press_at, screen_text, until
from tests.localagent.tui.test_snapshots import FOLDER, SIZES, compare, settled

HOST = "api.example.org"
NOTES = "Customer: Anna Kern\nMail: anna@kern.example\nOpen: 312.40"
MASKED = "Customer: <PERSON_1>\nMail: <EMAIL_ADDRESS_1>\nOpen: 312.40"
OUTGOING = Outgoing(
    HOST,
    "claude",
    (
        OutgoingText("system", "You are localagent. " * 40, "You are localagent. " * 40),
        OutgoingText("tools", "Reads a file.", "Reads a file."),
        OutgoingText(
            "user",
            "Write a reminder to Anna Kern, please.",
            "Write a reminder to <PERSON_1>, please.",
            (("PERSON", "Anna Kern", "<PERSON_1>"),),
        ),
        OutgoingText("assistant", "path: notes.txt", "path: notes.txt"),
        OutgoingText(
            "tool",
            NOTES,
            MASKED,
            (("PERSON", "Anna Kern", "<PERSON_1>"), ("EMAIL_ADDRESS", "anna@kern.example", "<EMAIL_ADDRESS_1>")),
        ),
    ),
    {"EMAIL_ADDRESS": 1, "PERSON": 2},
)
SENT = CloudRequest(HOST, "claude", 4210, 5, {"PERSON": 2})


def script(*more: Step) -> list[Step]:
    return [OUTGOING, *more, reply("Done.")]


async def opened(app: Any, pilot: Any) -> None:
    app.prompt.fill("Remind her")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, ReleaseScreen) and HOST in screen_text(app))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_shows_what_is_and_what_would_be_sent(open_app: Open, size: tuple[int, int]) -> None:
    driver = FakeDriver(script())
    async with open_app(driver, size) as (app, pilot):
        await opened(app, pilot)
        text = screen_text(app)
        kept = FOLDER / f"release-{size[0]}x{size[1]}.txt"
        compare(kept, await settled(pilot, app, kept))
        for word in (HOST, "2 PERSON", "Write a reminder to"):
            assert word in text
        await pilot.press("y")
        await until(pilot, lambda: bool(driver.answers))
    assert driver.answers == [Decision(True, "session")]


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_a_no_keeps_it_in_the_house_and_says_who_goes_on(open_app: Open, key: str) -> None:
    moved = FellBack("claude", "small", "you kept this text in the house", "cloud")
    driver = FakeDriver(script(moved))
    async with open_app(driver) as (app, pilot):
        await opened(app, pilot)
        await pilot.press(key)
        await until(pilot, lambda: "you kept this text in the house" in screen_text(app))
        assert "masked →" not in screen_text(app)
    assert driver.answers == [Decision(False, "session")]


async def test_the_status_line_says_that_text_has_left(open_app: Open) -> None:
    async with open_app(FakeDriver(script(SENT, SENT))) as (app, pilot):
        assert "● offline" in screen_text(app)
        await opened(app, pilot)
        await pilot.press("y")
        await until(pilot, lambda: f"▲ masked → {HOST} (2)" in screen_text(app))
        await pilot.press("f4")
        await until(pilot, lambda: "2 requests" in screen_text(app))


async def test_keys_meant_for_the_prompt_send_nothing(open_app: Open) -> None:
    driver = FakeDriver([OUTGOING, reply("Done.")])
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("Remind her")
        app.prompt.action_submit()
        app.prompt.fill("yes and")
        await until(pilot, lambda: isinstance(app.screen, ReleaseScreen) and app.screen.deaf.until < inf)
        assert isinstance(app.screen, ReleaseScreen)
        deaf = app.screen.deaf
        stood = deaf.until - QUIET
        for pressed in (stood - 1, stood + 0.1, stood + 0.1 + QUIET - 0.1):
            await press_at(pilot, "y", pressed)
        await press_at(pilot, "n", deaf.until)
        await until(pilot, lambda: bool(driver.answers))
        assert driver.answers == [Decision(False, "session")]


async def test_a_cancelled_run_closes_the_question(open_app: Open) -> None:
    driver = FakeDriver([OUTGOING])
    async with open_app(driver) as (app, pilot):
        await opened(app, pilot)
        for worker in app.workers:
            if worker.group == "run":
                worker.cancel()
        await until(pilot, lambda: not isinstance(app.screen, ReleaseScreen))


async def test_it_speaks_russian(open_app: Open) -> None:
    async with open_app(FakeDriver(script())) as (app, pilot):
        use("ru")
        await opened(app, pilot)
        assert "Можно этому уйти?" in screen_text(app)
        await pilot.press("n")
        await until(pilot, lambda: not isinstance(app.screen, ReleaseScreen))
