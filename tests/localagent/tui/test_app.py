"""The main flows: ask, read, approve, answer, stop, swap."""

from __future__ import annotations

from localagent.events import RequestSent, RunStarted, Text, Thought
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until

START = (RunStarted("t", "small", "/p", "ask"), RequestSent(1, "small", 2, 100))


async def test_an_answer_streams_and_settles(open_app: Open) -> None:
    driver = FakeDriver([*START, Thought("hm"), Text("Hello "), Text("**world**"), 0.1, reply("Hello **world**")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Hello world" in screen_text(app) and not app.runner.running)
        assert driver.tasks == [("hi", ())]
        text = screen_text(app)
        assert "thought" in text
        assert "2.1k/8.2k" in text
        assert "34 tok/s" in text
