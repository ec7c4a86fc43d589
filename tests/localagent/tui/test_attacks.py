"""What people do to a screen without meaning harm: large pastes, many resizes, queues, odd text, leaving anywhere."""

from __future__ import annotations

import asyncio
from math import inf
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from localagent.events import RequestSent, RunStarted, Text, Thought, ToolOutput, ToolStarted, Working
from localagent.messages import ToolCall
from localagent.ports import ApprovalRequest
from localagent.tui.app import LocalAgentApp
from localagent.tui.blocks import Said
from localagent.tui.screens.pager import PagerScreen
from localagent.tui.widgets.approval import Approval
from localagent.tui.widgets.find import Find
from tests.fakes.driver import FakeDriver, Step, reply
from tests.localagent.tui.conftest import Open, press_at, screen_text, until

CALL = ToolCall("c1", "run_command", {"command": "make"})
PHASES: dict[str, list[Step]] = {
    "loading": [RequestSent(1, "small", 2), Working("loading", 5, 10), inf],
    "reading": [RequestSent(1, "small", 2), Working("reading", 5, 10), inf],
    "thinking": [Thought("hm"), inf],
    "answering": [Text("Once"), inf],
    "working": [ToolStarted(CALL, "execute"), ToolOutput("c1", "step"), inf],
    "waiting for you": [ApprovalRequest(CALL, "execute", "make", "it runs", segments=("make",)), reply("ok")],
    "Which?": [("Which?", ("a", "b")), reply("ok")],
}
ODD = {
    "long": "x" * 200_000,
    "wide": "漢字かな交じり文" * 40 + " 👩‍👩‍👧‍👦🇩🇪👍🏽 e\u0301\u0301\u0301 end",
    "right to left": "שלום עולם مرحبا بالعالم " * 20 + "end",
    "marks": "[bold]not markup[/] [@click=app.quit]leave[/] $error {name} %s \\[ end",
    "table": "| a |\n| --- |\n" + "| " + "y" * 5000 + " |\n\nend",
    "fences": "```\n" + "z" * 3000 + "\n````\n~~~\nnever closed end",
    "deep": "> " * 60 + "deep\n\n" + "- " * 40 + "deep end",
    "html": "<script>alert(1)</script> &amp; <b>b</b> end",
}


@pytest.mark.parametrize("phase", PHASES)
async def test_one_can_leave_in_every_phase(open_app: Open, phase: str) -> None:
    driver = FakeDriver([RunStarted("t", "small", "/p", "ask"), *PHASES[phase]])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: phase in screen_text(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_one_can_leave_while_the_agent_starts(tmp_path: Path) -> None:
    async def factory() -> FakeDriver:
        await asyncio.sleep(60)
        raise AssertionError

    app = LocalAgentApp(factory, None, tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"early", "enter", "ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
async def test_odd_text_is_shown_everywhere(open_app: Open, text: str) -> None:
    call = ToolCall("c1", "edit_file", {"path": text[:300], "new": text})
    ask = ApprovalRequest(call, "write", text[:300], text[:300])
    driver = FakeDriver([Thought(text), Text(text[:500]), 0.1, reply(text, (call,)), ask, reply("All done.")])
    async with open_app(driver) as (app, pilot):
        app.prompt.fill(text[:1000])
        await pilot.press("enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await press_at(pilot, "y", inf)  # what is typed at once is not meant for the question
        await until(pilot, lambda: any("All done." in getattr(block, "text", "") for block in app.conversation.blocks))
        await pilot.press("ctrl+t", "ctrl+up", "up", "up", "o")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen))
        await pilot.press("escape", "escape", "ctrl+f", *"end")
        await until(pilot, lambda: bool(app.query(Find)) and app.query_one(Find).query_one(Input).value == "end")
        assert app.is_running


async def test_a_storm_of_resizes_while_text_streams(open_app: Open) -> None:
    stream: list[Step] = [step for n in range(150) for step in (Text(f"word{n} "), 0.01)]
    driver = FakeDriver([*stream, reply("".join(f"word{n} " for n in range(150)))])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        for n in range(40):
            await pilot.resize_terminal(20 + (n * 37) % 180, 5 + (n * 13) % 60)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "word149" in screen_text(app))


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (20, 6), (500, 200)])
async def test_no_size_is_too_odd(open_app: Open, size: tuple[int, int]) -> None:
    call = ToolCall("c1", "run_command", {"command": "make"})
    ask = ApprovalRequest(call, "execute", "run make", "it runs", segments=("make",))
    driver = FakeDriver([reply("**Hello** `world`", (call,)), ask, reply("| a |\n| --- |\n| b |")])
    async with open_app(driver, size) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: any(panel.deaf.until < inf for panel in app.main.query(Approval)))
        await pilot.press("y")
        for key in ("f1", "f2", "f3", "f4"):
            await pilot.press(key)
            await until(pilot, lambda: len(app.screen_stack) == 2)
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)
        assert driver.answers
        assert app.is_running


async def test_five_megabytes_are_pasted_as_an_attachment(open_app: Open) -> None:
    body = "a line of a log with some words in it\n" * 140_000
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        app.post_message(events.Paste(body))
        await until(pilot, lambda: app.prompt.text == "[paste 1: 140000 lines]")
        await pilot.press(*" and more", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        (path,) = driver.tasks[0][1]
        assert path.stat().st_size == len(body)
        path.unlink()


async def test_a_hundred_messages_wait_and_are_answered_in_order(open_app: Open) -> None:
    gate = asyncio.Event()
    driver = FakeDriver([gate, reply("first")], [reply("next")])
    async with open_app(driver) as (app, pilot):
        for n in range(100):
            app.prompt.fill(f"message {n}")
            app.prompt.action_submit()
        await until(pilot, lambda: "queued" in screen_text(app))
        gate.set()
        await until(pilot, lambda: len(driver.tasks) == 100 and not app.runner.running, tries=1000)  # type: ignore[union-attr]
        assert [task for task, _ in driver.tasks] == [f"message {n}" for n in range(100)]
        assert [b.text for b in app.conversation.blocks if isinstance(b, Said)] == [t for t, _ in driver.tasks]


async def test_keys_and_commands_while_the_agent_starts(tmp_path: Path) -> None:
    driver, gate = FakeDriver([reply("ok")]), asyncio.Event()

    async def factory() -> FakeDriver:
        await gate.wait()
        return driver

    app = LocalAgentApp(factory, None, tmp_path)
    async with app.run_test() as pilot:
        for key in ("f1", "f2", "f3", "f4", "f6", "f7", "f9", "shift+tab", "ctrl+n", "ctrl+t", "ctrl+l", "ctrl+s"):
            await pilot.press(key, "escape")
        for line in ("/undo", "/model other", "!echo hi", "/nothing", "hello"):
            app.prompt.fill(line)
            await pilot.press("enter")
        gate.set()
        await until(pilot, lambda: [task for task, _ in driver.tasks] == ["hello"])
        await until(pilot, lambda: ("undo",) in driver.calls or "Not while" in screen_text(app))


async def test_an_earlier_message_is_not_edited_under_a_run(open_app: Open) -> None:
    driver = FakeDriver([reply("one")], [asyncio.Event()])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"first", "enter")
        await until(pilot, lambda: "one" in screen_text(app))
        await pilot.press(*"second", "enter")
        await until(pilot, lambda: len(driver.tasks) == 2)
        await pilot.press("ctrl+up", "up", "up", "e")
        await until(pilot, lambda: "Not while the agent works" in screen_text(app))
        assert driver.calls == []
        await pilot.press("escape")
