"""Servers of a test: the fake one with a behaviour, opened in a folder of its own and closed again."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the mcp extra is not installed")

from localagent.mcp.servers import Servers, open_servers
from localagent.ports import ToolContext

FAKE = Path(__file__).parents[2] / "fakes" / "mcp_server.py"
Open = Callable[..., Servers]


def entry(*behaviour: str, **more: Any) -> dict[str, Any]:
    """The fake server as mcp.json has it."""
    return {"command": sys.executable, "args": [str(FAKE), *behaviour], "timeout": 20, **more}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@asynccontextmanager
async def listening(port: int, *command: str, seconds: float, **more: Any) -> AsyncIterator[None]:
    """A program that serves on the port, waited for at most so long and ended afterwards."""
    process = subprocess.Popen(command, **more)
    try:
        for _ in range(round(seconds / 0.05)):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            await asyncio.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(tmp_path, scratch=tmp_path / "scratch", result_chars=2000)


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Open]:
    """`opened(name=entry(…))`: servers that are closed when the test ends."""
    made: list[Servers] = []

    def make(**entries: dict[str, Any]) -> Servers:
        own = tmp_path / "mcp.json"
        own.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
        servers = open_servers(own=own, shared=None, workspace=tmp_path, state=tmp_path / "state")
        made.append(servers)
        return servers

    yield make
    for servers in made:
        await servers.close()
