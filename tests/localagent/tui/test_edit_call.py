"""A call that the person changes before it runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import TextArea

from localagent.events import RequestSent, RunStarted, ToolFinished, ToolStarted
from localagent.messages import ToolCall, ToolResult
from localagent.ports import ApprovalRequest, Decision
from localagent.tui.widgets.arguments import ArgumentsEditor, problem
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until

SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string"}, "seconds": {"type": "integer"}},
    "required": ["command"],
}
RUN = ToolCall("c1", "run_command", {"command": "rm -r build"})
ASK = ApprovalRequest(RUN, "execute", "rm -r build", "it runs a command", segments=("rm -r build",), parameters=SCHEMA)
EDITED = replace(RUN, arguments={"command": "ls build"})


def driver() -> FakeDriver:
    done = ToolFinished(ToolResult("c1", "run_command", "ok"), 0.2)
    start = (RunStarted("t", "small", "/p", "ask"), RequestSent(1, "small", 2, 100))
    return FakeDriver([*start, reply("", (RUN,)), ASK, ToolStarted(EDITED, "execute"), done, reply("Done.")])


async def test_the_arguments_are_edited_and_run(open_app: Open) -> None:
    fake = driver()
    async with open_app(fake) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await pilot.press("e")
        await until(pilot, lambda: '"command": "rm -r build"' in screen_text(app))
        app.query_one(ArgumentsEditor).query_one(TextArea).text = '{"command": "ls build"}'
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Done." in screen_text(app))
        assert fake.answers == [Decision(True, arguments={"command": "ls build"})]
        assert "ls build" in screen_text(app)
        assert "rm -r" not in screen_text(app)


async def test_what_the_tool_refuses_is_said_and_does_not_run(open_app: Open) -> None:
    fake = driver()
    async with open_app(fake) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await pilot.press("e")
        await until(pilot, lambda: bool(app.query(ArgumentsEditor)))
        app.query_one(ArgumentsEditor).query_one(TextArea).text = '{"seconds": 3}'
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "command is missing" in screen_text(app))
        assert fake.answers == []
        await pilot.press("escape")
        await until(pilot, lambda: "$ rm -r build" in screen_text(app))
        await pilot.press("y")
        await until(pilot, lambda: fake.answers == [Decision(True, "once")])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"command": "ls"}', ""),
        ('{"command": "ls", "seconds": 3}', ""),
        ('{"command": }', "Line 1, column 13"),
        ("[]", "one JSON object"),
        ('{"command": "ls", "x": 1}', "no argument x"),
        ('{"command": ["ls"]}', "command must be"),
        ("{}", "command is missing: string"),
    ],
)
def test_problems_are_named(text: str, part: str) -> None:
    said = problem(text, SCHEMA)
    assert part in said
    assert bool(said) == bool(part)
