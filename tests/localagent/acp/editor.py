"""An editor for tests: the SDK's own client, which drives `localagent acp` over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import acp
from acp import schema


class Editor:
    """Collects what it is told; `answers` chooses the options of the permissions it is asked for, in order."""

    def __init__(self, *answers: str) -> None:
        self.updates: list[Any] = []
        self.asked: list[schema.ToolCallUpdate] = []
        self.offered: list[list[str]] = []
        self.agent: Any = None
        self.session = ""
        self._answers = list(answers)

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_: Any
    ) -> schema.RequestPermissionResponse:
        self.asked.append(tool_call)
        self.offered.append([option.kind for option in options])
        if not self._answers:
            await asyncio.sleep(60)
        chosen = schema.AllowedOutcome(outcome="selected", option_id=self._answers.pop(0))
        return schema.RequestPermissionResponse(outcome=chosen)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)

    def of(self, kind: str) -> list[Any]:
        """The updates of one kind, such as "plan"."""
        return [update for update in self.updates if update.session_update == kind]

    def said(self) -> str:
        return "".join(update.content.text for update in self.of("agent_message_chunk"))

    async def say(self, text: str) -> schema.PromptResponse:
        answer: schema.PromptResponse = await self.agent.prompt(session_id=self.session, prompt=[acp.text_block(text)])
        return answer

    async def until(self, true: Callable[[], bool]) -> None:
        for _ in range(500):
            if true():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"the agent never came so far: {self.updates}")


@asynccontextmanager
async def editor(folder: Path, *answers: str) -> AsyncIterator[Editor]:
    """An editor with a session of the agent in `folder`."""
    async with connected(folder, *answers) as one:
        one.session = (await one.agent.new_session(cwd=str(folder), mcp_servers=[])).session_id
        yield one


@asynccontextmanager
async def connected(folder: Path, *answers: str) -> AsyncIterator[Editor]:
    """An editor that has said hello."""
    one = Editor(*answers)
    env = {**os.environ, "LOCALAGENT_HOME": str(folder / "home"), "LANG": "en_US.UTF-8"}
    command = [sys.executable, "-m", "localagent.cli", "acp", "--models", str(folder / "models.toml")]
    async with acp.spawn_agent_process(
        one, *command, env=env, transport_kwargs={"stderr": None}, use_unstable_protocol=True
    ) as (agent, _):
        one.agent = agent
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        yield one
