"""What models, files and servers wrote never reaches the terminal as a command to it, wherever it is shown."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from localagent.events import (
    FileChanged,
    Notice,
    PlanChanged,
    RequestSent,
    RunStarted,
    Text,
    Thought,
    ToolFinished,
    ToolOutput,
    ToolStarted,
)
from localagent.messages import Message, ToolCall, ToolResult
from localagent.ports import ApprovalRequest, Change
from localagent.tools.jobs import JobRow
from localagent.tui.app import LocalAgentApp
from localagent.tui.driver import SessionRow
from localagent.tui.screens.pager import PagerScreen
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until

EVIL = "\x1b]0;owned\x07 \x1b[2J\x1b]52;c;aGk=\x07 \x9b31m\x90q \x00\b\r\x7f \u202etxt.exe\u2066 \udc9f end"
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CALL = ToolCall("c1", f"run{EVIL}", {"command": EVIL, EVIL: [EVIL]})
CHANGE = Change(
    Path(f"/project/{EVIL.replace('/', '')}.txt"),
    f"a{EVIL}\n".encode("utf-8", "replace"),
    EVIL.encode("utf-8", "replace"),
)


def harmful(app: LocalAgentApp) -> list[str]:
    """The characters on the screen that are commands to a terminal, or that it cannot be sent."""
    text = screen_text(app).replace("\n", "")
    return [hex(ord(c)) for c in text if unicodedata.category(c) in ("Cc", "Cs") or c in BIDI]


async def test_the_filter_is_needed(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: without it the screen would be full of them."""
    monkeypatch.setattr(LocalAgentApp, "get_line_filters", lambda self: [])
    async with open_app(FakeDriver([reply(EVIL)])) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "end" in screen_text(app))
        assert "0x1b" in harmful(app)


async def test_nothing_of_a_run_speaks_to_the_terminal(open_app: Open) -> None:
    driver = FakeDriver(
        [
            RunStarted(EVIL, EVIL, "/p", "ask"), RequestSent(1, EVIL, 2), Thought(EVIL), Text(EVIL),
            Notice("mcp", EVIL), PlanChanged(((EVIL, False),)),
            reply(f"# {EVIL}\n\n```{EVIL}\n{EVIL}\n```\n[{EVIL}](http://{EVIL})", (CALL,)),
            ApprovalRequest(CALL, "execute", EVIL, EVIL, segments=(EVIL,)),
            ApprovalRequest(CALL, "write", EVIL, EVIL, (CHANGE,)),
            (EVIL, (EVIL, "other")),
            ToolStarted(CALL, "write"), ToolOutput("c1", EVIL), 0.3, FileChanged("c1", EVIL, None, None),
            ToolFinished(ToolResult("c1", "run", EVIL), 0.2, full=EVIL * 3), reply("All done."),
        ]
    )  # fmt: skip
    async with open_app(driver, (100, 40)) as (app, pilot):
        app.prompt.fill(EVIL)
        await pilot.pause()
        assert harmful(app) == []
        await pilot.press("enter")
        for question, key in (("$ ", "y"), ("+1", "y"), ("other", "enter")):
            await until(pilot, lambda question=question: question in screen_text(app))  # type: ignore[misc]
            await pilot.pause(0.1)
            assert harmful(app) == []
            await pilot.press(key)
        await until(pilot, lambda: "All done." in screen_text(app))
        assert harmful(app) == []
        await pilot.press("ctrl+t", "ctrl+l", "ctrl+up", "up", "enter")
        await pilot.pause(0.1)
        assert harmful(app) == []
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, PagerScreen) and "end" in screen_text(app))
        assert harmful(app) == []


async def test_nothing_of_the_other_screens_speaks_to_the_terminal(open_app: Open, tmp_path: Path) -> None:
    driver = FakeDriver([])
    driver.rows = [replace(row, name=f"{row.name}{EVIL}", note=EVIL) for row in driver.rows]
    driver.past = [SessionRow("s0", EVIL, 1.0, "done", EVIL)]
    driver.messages = [Message("user", EVIL), Message("assistant", EVIL)]
    driver.job_rows = (JobRow("j", EVIL, None, 3.0, EVIL),)
    (tmp_path / f"a{EVIL[:20].replace('/', '')}.txt").touch()
    async with open_app(driver, (100, 40)) as (app, pilot):
        for key in ("f2", "f3", "f4", "f6"):
            await pilot.press(key)
            await until(pilot, lambda: len(app.screen_stack) == 2)
            await app.workers.wait_for_complete([worker for worker in app.workers if worker.node is app.screen])
            await pilot.pause()
            assert harmful(app) == [], key
            await pilot.press("escape")
        for say in (lambda: app.notify(EVIL, markup=False), lambda: app.post_message(events.Paste(EVIL))):
            say()
            await pilot.pause()
            assert harmful(app) == []
        app.prompt.fill("")
        await pilot.press("@", "a")
        await until(pilot, lambda: app.prompt.completing)
        assert harmful(app) == []
