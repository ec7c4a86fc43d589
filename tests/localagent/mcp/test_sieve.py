"""A flood of notices does not reach the SDK, and what comes faster than it is worth waits in the server's pipe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCResponse

from localagent.mcp import sieve

CHANGED = "notifications/tools/list_changed"


def notice(method: str, **params: Any) -> SessionMessage:
    return SessionMessage(JSONRPCNotification(jsonrpc="2.0", method=method, params=params or None))


def answer(**result: Any) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result=result))


@asynccontextmanager
async def reading(*said: Any, left_out: list[str], changes: list[int]) -> AsyncIterator[Any]:
    """What the SDK would read of a server that said this."""
    sent, heard = anyio.create_memory_object_stream[Any](len(said))

    @asynccontextmanager
    async def transport() -> AsyncIterator[tuple[Any, Any]]:
        yield heard, None

    for one in said:
        sent.send_nowait(one)
    sent.close()
    streams = sieve.sieved(transport(), lambda: "2025-06-18", left_out.append, lambda: changes.append(1))
    async with streams as (stream, _), stream:
        yield stream


async def test_changes_are_counted_and_everything_else_comes_through() -> None:
    progress = notice("notifications/progress", progressToken=1, progress=1)
    listening = notice(CHANGED, _meta={"subscription": "s"})
    said = (notice(CHANGED), ValueError("junk"), notice(CHANGED), progress, listening, answer(content=[]))
    changes: list[int] = []
    async with reading(*said, left_out=[], changes=changes) as stream:
        assert [one async for one in stream] == [said[1], progress, listening, said[-1]]
    assert len(changes) == 2


async def test_a_flood_waits_and_an_answer_behind_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sieve, "PER_SECOND", 0.001)
    monkeypatch.setattr(sieve, "BURST", 10.0)
    changes: list[int] = []
    async with reading(*[notice(CHANGED)] * 50, answer(content=[]), left_out=[], changes=changes) as stream:
        read = asyncio.create_task(stream.receive())
        for _ in range(500):
            await asyncio.sleep(0)
        assert (len(changes), read.done()) == (10, False)
        read.cancel()


async def test_only_lists_are_sieved() -> None:
    left: list[str] = []
    call = answer(content=[{"type": "text", "text": "x"}], structuredContent={"tools": [7]})
    long = answer(tools=[{"name": f"t{at}", "inputSchema": {"type": "object"}} for at in range(5000)])
    async with reading(call, long, left_out=left, changes=[]) as stream:
        assert (await stream.receive()).message.result == call.message.result
        assert len((await stream.receive()).message.result["tools"]) == 1000
    assert left == []


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"result": []}', b'{"result": {"tools": 1}}']
)
def test_what_is_no_list_is_not_made_shallow(line: bytes) -> None:
    assert sieve.shallow(line) is None
