"""Few tools are listed, many are found; either way they pass every guard, and the prefix never changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from localagent.agent.context import request_of
from localagent.assemble import Builder, Settings, drive
from localagent.events import ApprovalAsked, Event, Notice, ReplyRejected, RunFinished, ToolFinished, ToolStarted
from localagent.house import House, close, open_house
from localagent.messages import Message
from localagent.ports import Decision
from tests.fakes.tools import Person
from tests.localagent.mcp.conftest import FAKE, entry
from tests.localagent.mcp.test_connection import _children


def home(folder: Path, monkeypatch: pytest.MonkeyPatch, replies: list[dict[str, Any]], **mcp: Any) -> Path:
    """A LOCALAGENT_HOME with a scripted model and servers; returns the workspace."""
    base, work = folder / "home", folder / "work"
    base.mkdir(exist_ok=True)
    work.mkdir(exist_ok=True)
    (base / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
    models = 'default = "script"\n[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n'
    (base / "models.toml").write_text(models, encoding="utf-8")
    (base / "mcp.json").write_text(json.dumps({"mcpServers": {"fake": entry(**mcp.pop("entry", {}))}, **mcp}))
    monkeypatch.setenv("LOCALAGENT_HOME", str(base))
    return work


def calls(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def called(name: str, /, **arguments: Any) -> dict[str, Any]:
    return calls("call_tool", name=name, arguments=arguments)


async def run(work: Path, person: Person | None = None, **options: Any) -> list[Event]:
    house = open_house(work.parent / "home" / "models.toml")
    settings = Settings(workspace=work, approver=person or Person(), **options)
    try:
        return [event async for event in drive(house, settings, "go")]
    finally:
        await close(house)


async def seat_tools(work: Path, house: House) -> list[str]:
    agent, _ = await Builder(house, Settings(work, Person())).build()
    return list(agent.seat.tools)


def answers(events: list[Event]) -> list[ToolFinished]:
    return [event for event in events if isinstance(event, ToolFinished)]


async def test_many_tools_are_found_and_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [
        calls("find_tools", query="add numbers"),
        called("add", a="2", b=3),
        calls("mcp__fake__add", a=4, b=5),
        {"content": "nine"},
    ]
    person = Person(Decision(True))
    events = await run(home(tmp_path, monkeypatch, replies), person)
    found, first, second = answers(events)
    assert "mcp__fake__add: Add two whole numbers." in found.result.content
    assert ("\n5\n" in first.result.content, "\n9\n" in second.result.content) == (True, True)
    assert first.taint == "the MCP server fake"
    started = [e.call for e in events if isinstance(e, ToolStarted)]
    assert [(c.name, c.arguments) for c in started[1:]] == [
        ("mcp__fake__add", {"a": 2, "b": 3}),
        ("mcp__fake__add", {"a": 4, "b": 5}),
    ]
    assert [request.call.name for request in person.asked] == ["mcp__fake__add"] * 2
    assert '"a": 2' in person.asked[0].summary


@pytest.mark.parametrize("mode", ["ask", "read", "edit", "all"])
async def test_no_mode_lets_a_server_act_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Any) -> None:
    work = home(tmp_path, monkeypatch, [called("echo", text="x"), {"content": "no"}])
    (answer,) = answers(await run(work, mode=mode))
    assert answer.failure == "denied"


async def test_a_rule_of_the_person_allows_a_tool_and_deny_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = home(tmp_path, monkeypatch, [called("echo", text="x"), called("add", a=1, b=1), {"content": "."}])
    rules = '[[allow]]\ntool = "mcp__fake__*"\n[[deny]]\ntool = "mcp__fake__add"\n'
    (tmp_path / "home" / "approvals.toml").write_text(rules, encoding="utf-8")
    person = Person()
    first, second = answers(await run(work, person))
    assert (first.failure, second.failure) == ("", "denied")
    assert person.asked == []


async def test_a_server_that_is_trusted_does_not_taint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [called("echo", text="x"), calls("write_file", path="a", content="b"), {"content": "."}]
    for trust in (False, True):
        work = home(tmp_path, monkeypatch, replies, entry={"trust": trust, "readOnly": ["echo"]})
        events = await run(work, mode="edit")
        read, written = answers(events)
        assert read.failure == ""
        assert written.failure == ("" if trust else "denied")
        assert bool([e for e in events if isinstance(e, ApprovalAsked)]) is not trust


async def test_wrong_arguments_are_told_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = home(tmp_path, monkeypatch, [called("add", a="two", b=3), called("nonsense"), {"content": "."}])
    events = await run(work, Person(Decision(True)))
    first, second = answers(events)
    assert (first.failure, second.failure) == ("invalid", "invalid")
    assert "'a' of mcp__fake__add must be integer" in first.result.content
    assert not [event for event in events if isinstance(event, ToolStarted)]


async def test_few_tools_are_listed_and_their_arguments_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [calls("mcp__fake__add", a="x", b=1), calls("mcp__fake__add", a="1", b=1), {"content": "."}]
    work = home(tmp_path, monkeypatch, replies, toolsListed=20)
    events = await run(work, Person(Decision(True)))
    assert [event.kind for event in events if isinstance(event, ReplyRejected)] == ["invalid"]
    (answer,) = answers(events)
    assert "\n2\n" in answer.result.content


async def test_the_prefix_is_the_same_before_and_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = home(tmp_path, monkeypatch, [calls("mcp__fake__grow"), {"content": "."}], toolsListed=20)
    house = open_house(work.parent / "home" / "models.toml")
    try:
        agent, _ = await Builder(house, Settings(work, Person(Decision(True)))).build()
        before = request_of(agent.seat, [Message("user", "x")], session="s")
        runner = agent.seat.runners["mcp__fake__grow"]
        from localagent.messages import ToolCall

        await runner(ToolCall("call_1", "mcp__fake__grow", {}), agent.context)
        notice = await _notice(agent.outbox)
        assert "+new_0" in notice.text
        assert request_of(agent.seat, [Message("user", "x")], session="s") == before
        assert "mcp__fake__new_0" in await seat_tools(work, house), "the next seat has it"
    finally:
        await close(house)


async def _notice(outbox: Any) -> Notice:
    while not isinstance(event := await outbox.get(), Notice):
        pass
    return event


async def test_a_workspaces_servers_count_only_where_it_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from localagent.config.trust import trust

    work = home(tmp_path, monkeypatch, [{"content": "."}])
    (tmp_path / "home" / "mcp.json").unlink()
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"fake": entry()}}), encoding="utf-8")
    for expected in (False, True):
        house = open_house(work.parent / "home" / "models.toml")
        assert ("find_tools" in await seat_tools(work, house)) is expected
        await close(house)
        trust(work)


async def test_a_server_that_cannot_start_is_a_notice_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = home(tmp_path, monkeypatch, [{"content": "fine"}])
    (tmp_path / "home" / "mcp.json").write_text('{"mcpServers": {"gone": {"command": "no-such-thing"}}}')
    events = await run(work)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.outcome == "answered"
    assert any("no-such-thing" in event.text for event in events if isinstance(event, Notice))


async def test_a_changed_file_is_read_by_the_next_seat_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = home(tmp_path, monkeypatch, [{"content": "."}], toolsListed=20)
    file = tmp_path / "home" / "mcp.json"
    others = _children()
    house = open_house(tmp_path / "home" / "models.toml")
    try:
        assert "mcp__fake__echo" in await seat_tools(work, house)
        file.write_text(json.dumps({"mcpServers": {"other": entry(tools=["add"])}}), encoding="utf-8")
        tools = await seat_tools(work, house)
        assert ("mcp__other__add" in tools, "mcp__fake__echo" in tools) == (True, False)
        file.write_text(json.dumps({"mcpServers": {"gone": {"command": "no-such-thing"}}}), encoding="utf-8")
        assert "find_tools" not in await seat_tools(work, house)
        file.unlink()
        assert house.mcp
        assert "find_tools" not in await seat_tools(work, house)
    finally:
        await close(house)
    assert not _children() - others


async def test_a_server_that_was_down_is_tried_again_by_the_next_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = home(tmp_path, monkeypatch, [{"content": "."}])
    program = tmp_path / "server"
    (tmp_path / "home" / "mcp.json").write_text(json.dumps({"mcpServers": {"late": {"command": str(program)}}}))
    house = open_house(tmp_path / "home" / "models.toml")
    try:
        assert "mcp__late__echo" not in await seat_tools(work, house)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}"\n', encoding="utf-8")
        program.chmod(0o755)
        assert "find_tools" in await seat_tools(work, house)
    finally:
        await close(house)
