"""The session behind the screen: what a cancelled run leaves is put right by the next one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from localagent.approvers import Nobody
from localagent.assemble import Settings, close, open_house
from localagent.errors import LocalAgentError
from localagent.events import Event, RunFinished, ToolStarted
from localagent.net.fence import installed
from localagent.session import Session

CALL = {"tool_calls": [{"name": "ask_user", "arguments": {"question": "Which?"}}]}


@pytest.fixture
async def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Session]:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    replies: list[dict[str, Any]] = [CALL, {"content": "Then something else."}]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(r) + "\n" for r in replies))
    gone = '[models.gone]\nbackend = "scripted"\nfile = "no such file.jsonl"\n'
    (tmp_path / "models.toml").write_text(f'[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n{gone}')
    house = open_house(tmp_path / "models.toml")
    yield Session(house, Settings(workspace=tmp_path, approver=Nobody("ask")))
    await close(house)


class Silent:
    """A person who never answers a question."""

    async def approve(self, request: object) -> Any:
        await asyncio.Event().wait()

    async def ask(self, question: str, options: object) -> str:
        await asyncio.Event().wait()
        return ""


async def read(session: Session, task: str, *, cancel_at: type | None = None) -> list[Event]:
    events = []
    async with aclosing(session.run(task)) as stream:  # type: ignore[type-var]
        async for event in stream:
            events.append(event)
            if cancel_at is not None and isinstance(event, cancel_at):
                session.cancel()
    return events


async def test_a_run_cancelled_in_a_tool_leaves_a_history_that_goes_on(session: Session) -> None:
    session.approver = Silent()
    cancelled = (await read(session, "first", cancel_at=ToolStarted))[-1]
    assert isinstance(cancelled, RunFinished)
    assert cancelled.result.outcome == "cancelled"
    session.approver = Nobody("ask")
    finished = (await read(session, "second"))[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.result.outcome, finished.result.output) == ("answered", "Then something else.")
    roles = [message.role for message in session.history()]
    assert roles == ["user", "assistant", "tool", "user", "assistant"]


async def test_a_model_that_cannot_be_had_leaves_the_seat_as_it_was(session: Session) -> None:
    session.approver = Silent()
    with pytest.raises(LocalAgentError, match="no such file"):
        await session.swap("gone")
    assert session.model == "script"


async def test_what_no_step_took_in_is_not_said_to_the_next_run(session: Session) -> None:
    session.approver = Silent()
    async with aclosing(session.run("first")) as stream:  # type: ignore[type-var]
        async for event in stream:
            if isinstance(event, ToolStarted):
                session.steer("too late")
                session.cancel()
    session.approver = Nobody("ask")
    await read(session, "second")
    said = [message.content for message in session.history() if message.role == "user"]
    assert said == ["first", "second"]


async def test_the_person_trusts_what_was_read_and_a_fork_has_read_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    calls = [("read_file", {"path": "m.eml"}), ("write_file", {"path": "a.txt", "content": "x"})]
    replies = [{"tool_calls": [{"name": n, "arguments": a}]} for n, a in (calls[0], calls[1], calls[1])]
    (tmp_path / "replies.jsonl").write_text(
        "".join(json.dumps(r) + "\n" for r in (*replies[:2], {"content": "no"}, replies[2], {"content": "yes"}))
    )
    (tmp_path / "models.toml").write_text('[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n')
    (tmp_path / "m.eml").write_text("From: eve@example.org\n\nhi\n")
    house = open_house(tmp_path / "models.toml")
    session = Session(house, Settings(workspace=tmp_path, approver=Nobody("edit"), mode="edit"))
    session.approver = Nobody("edit")
    try:
        await read(session, "read and write")
        assert not (tmp_path / "a.txt").exists()
        await session.fork(1)
        assert await session.trust() == ("m.eml",)
        assert await session.trust() == ()
    finally:
        await close(house)


async def test_a_changed_models_toml_moves_the_fence_too(session: Session, tmp_path: Path) -> None:
    fence = installed()
    assert fence is not None
    assert not fence.allows("api.example.org")
    session.approver = Nobody("ask")
    far = '[models.far]\nbackend = "openai"\nbase_url = "https://api.example.org/v1"\n'
    near = '[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n'
    (tmp_path / "models.toml").write_text(f'default = "script"\n[cloud]\nenabled = true\n{near}{far}')
    await read(session, "go on")
    assert fence.allows("api.example.org")
    (tmp_path / "models.toml").write_text(f'default = "script"\n[cloud]\nenabled = false\n{near}{far}')
    await read(session, "go on")
    assert not fence.allows("api.example.org")
