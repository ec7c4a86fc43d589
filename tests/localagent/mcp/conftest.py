"""Servers of a test: the fake one with a behaviour, opened in a folder of its own and closed again."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
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
