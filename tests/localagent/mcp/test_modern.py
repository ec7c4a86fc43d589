"""A server of the SDK, which speaks the newest protocol, over stdio and streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from localagent.mcp.servers import Servers
from localagent.mcp.tool import ResourcesTool
from localagent.ports import ToolContext
from tests.localagent.mcp.conftest import Open, free_port, listening
from tests.localagent.mcp.test_connection import use

MODERN = Path(__file__).parents[2] / "fakes" / "mcp_modern.py"


@contextlib.asynccontextmanager
async def address() -> AsyncIterator[str]:
    pytest.importorskip("uvicorn", reason="the gateway extra is not installed")
    port = free_port()
    async with listening(port, sys.executable, str(MODERN), str(port), seconds=15):
        yield f"http://127.0.0.1:{port}/mcp"


async def check(servers: Servers, context: ToolContext, told: list[str]) -> None:
    assert servers.connections[0].listing is not None
    assert servers.connections[0].listing.version == "2026-07-28"
    assert '"degrees": 22' in (await use(servers, "weather", context, city="Oslo", days=2)).content
    assert len((await use(servers, "long", context, size=10_000_000)).content) < 3000
    assert "validation error" in (await use(servers, "weather", context, town="x")).content
    await use(servers, "grow", context)
    for _ in range(100):
        await asyncio.sleep(0.02)
        if told:
            break
    assert "+fresh" in told[0]
    resources = ResourcesTool(servers.with_resources())
    assert "memo://{name}" in (await resources.run({"server": "fake"}, context)).content
    assert "memo of x" in (await resources.run({"server": "fake", "uri": "memo://x"}, context)).content
    assert (await resources.run({"server": "fake", "uri": "none://x"}, context)).failure == "failed"


async def test_over_stdio(opened: Open, context: ToolContext) -> None:
    servers, told = opened(fake={"command": sys.executable, "args": [str(MODERN)]}), []
    servers.people.notify = told.append
    await servers.know(30)
    await check(servers, context, told)


async def test_over_http(opened: Open, context: ToolContext) -> None:
    async with address() as url:
        servers, told = opened(fake={"type": "http", "url": url}), []
        servers.people.notify = told.append
        await servers.know(30)
        await check(servers, context, told)


async def test_a_host_is_open_only_while_its_server_is_in_use(opened: Open) -> None:
    from localagent.net import fence

    wall = fence.install(fence.installed().hosts if fence.installed() else ())  # type: ignore[union-attr]
    servers: Any = opened(far={"url": "https://mcp.example.invalid/mcp"})
    assert not wall.allows("mcp.example.invalid")
    await servers.know(20)
    assert servers.connections[0].state == "failed"
    assert not wall.allows("mcp.example.invalid")
    assert "mcp.example.invalid" not in wall.refused, "it was open while it was tried"
