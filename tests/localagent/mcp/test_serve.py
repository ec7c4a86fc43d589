"""The agent as a server: another client, the SDK's own, gives it tasks and asks its journal."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.localagent.mcp.test_offer import calls, home

ROOT = Path(__file__).parents[3]


@asynccontextmanager
async def client(base: Path, work: Path, *options: str) -> AsyncIterator[Client]:
    arguments = ["-m", "localagent.cli", "mcp", "--models", str(base / "models.toml"), "--cwd", str(work), *options]
    env = {"LOCALAGENT_HOME": str(base), "PYTHONPATH": str(ROOT)}
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=env)
    async with Client(stdio_client(parameters), mode="legacy") as connected:
        yield connected


def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replies: list[dict[str, Any]]) -> tuple[Path, Path]:
    work = home(tmp_path, monkeypatch, replies)
    (tmp_path / "home" / "mcp.json").unlink()
    (work / "rent.txt").write_text("The rent is 900 euros.\n", encoding="utf-8")
    return tmp_path / "home", work


async def test_a_task_is_done_with_progress_and_found_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [calls("read_file", path="rent.txt"), {"content": "The rent is 900 euros."}]
    base, work = ready(tmp_path, monkeypatch, replies)
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with client(base, work) as connected:
        listed = await connected.list_tools()
        assert {tool.name for tool in listed.tools} == {"run_task", "search_journal", "list_sessions", "show_session"}
        done = await connected.call_tool("run_task", {"task": "What is the rent?"}, progress_callback=progress)
        result = done.structured_content
        assert (result["outcome"], result["output"]) == ("answered", "The rent is 900 euros.")
        assert "read_file: ok" in told
        found = await connected.call_tool("search_journal", {"words": "rent euros"})
        assert found.structured_content["result"][0]["session"] == result["session"]
        sessions = await connected.call_tool("list_sessions", {})
        assert sessions.structured_content["result"][0]["title"] == "What is the rent?"
        shown = await connected.call_tool("show_session", {"session": result["session"][:12]})
        assert "The rent is 900 euros." in shown.content[0].text


async def test_a_run_of_a_client_only_reads_unless_the_person_says_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = [calls("write_file", path="rent.txt", content="0"), {"content": "tried"}]
    base, work = ready(tmp_path, monkeypatch, replies)
    async with client(base, work) as connected:
        done = await connected.call_tool("run_task", {"task": "cheat"})
    assert [tool["ok"] for tool in done.structured_content["tools"]] == [False]
    assert "900" in (work / "rent.txt").read_text(encoding="utf-8")
    async with client(base, work, "--approve", "edit") as connected:
        await connected.call_tool("run_task", {"task": "write"})
    assert (work / "rent.txt").read_text(encoding="utf-8") == "0"


async def test_no_other_folder_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, work = ready(tmp_path, monkeypatch, [{"content": "x"}])
    async with client(base, work) as connected:
        (work / "way").symlink_to("/")
        for folder in ("..", "/", "none", "way", "\0", "a" * 5000):
            refused = await connected.call_tool("run_task", {"task": "look", "folder": folder})
            assert refused.is_error
            assert "no folder in" in refused.content[0].text
        empty = await connected.call_tool("run_task", {"task": " \n"})
        assert (empty.is_error, "the task is empty" in empty.content[0].text) == (True, True)


async def test_what_fails_is_told_as_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, work = ready(tmp_path, monkeypatch, [{"error": "crash"}])
    async with client(base, work) as connected:
        done = await connected.call_tool("run_task", {"task": "x"})
        assert done.structured_content["outcome"] == "failed"
        missing = await connected.call_tool("show_session", {"session": "zzz"})
        assert missing.is_error
        assert "no session begins with" in json.dumps(missing.content[0].text)


async def test_a_client_that_changes_its_mind_cancels_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, work = ready(tmp_path, monkeypatch, [{"content": "slow " * 200, "delay": 0.5, "chunk": 5}])

    async def outcomes(connected: Client) -> list[str]:
        listed = await connected.call_tool("list_sessions", {})
        return [row["outcome"] for row in listed.structured_content["result"]]

    async with client(base, work) as connected:
        task = asyncio.create_task(connected.call_tool("run_task", {"task": "talk"}))
        while await outcomes(connected) != ["unfinished"]:
            await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        while await outcomes(connected) == ["unfinished"]:
            await asyncio.sleep(0.05)
        assert await outcomes(connected) == ["cancelled"]
