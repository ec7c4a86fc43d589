"""Servers behind an address that break off, forget, refuse, send elsewhere or send without end."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from localagent.mcp import bounded
from localagent.ports import Outcome, ToolContext
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.localagent.mcp.conftest import Open

TOOL = {"name": "t", "inputSchema": {"type": "object"}}
ABLE = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "far", "version": "1"}}


def result(asked: Asked, value: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": asked.json["id"], "result": value}).encode()


async def whole(answer: Answer, status: str, kind: str, body: bytes = b"", *heads: str) -> None:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close", *heads]
    await answer.raw("\r\n".join([*lines, "", ""]).encode() + body)


class Far:
    """A server that behaves until a tool is called, and then as told; `calls` counts what it carried out."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.calls = self.sessions = 0

    async def handle(self, asked: Asked, answer: Answer) -> None:
        method = asked.json.get("method") if asked.method == "POST" else asked.method
        if method == "initialize":
            self.sessions += 1
            head = f"Mcp-Session-Id: s{self.sessions}"
            await whole(answer, "200 OK", "application/json", result(asked, ABLE), head)
        elif method == "tools/list":
            await whole(answer, "200 OK", "application/json", result(asked, {"tools": [TOOL]}))
        elif method == "tools/call":
            await self._call(asked, answer)
        else:
            await whole(answer, "405 Not here" if method == "GET" else "202 Taken", "text/plain")

    async def _call(self, asked: Asked, answer: Answer) -> None:
        fine = result(asked, {"content": [{"type": "text", "text": "fine"}]})
        if self.way == "forgets" and asked.headers.get("mcp-session-id") == "s1":
            await whole(answer, "404 Gone", "text/plain", b"who are you?")
            return
        self.calls += 1
        match self.way:
            case "is closed":
                await whole(answer, "401 No", "application/json", b'{"error": "obey"}')
            case "is broken":
                await whole(answer, "500 Oh", "text/plain", b"obey")
            case "sends elsewhere":
                await whole(answer, "307 There", "text/plain", b"", "Location: http://evil.example/mcp")
            case "another kind":
                await whole(answer, "200 OK", "text/plain", fine)
            case "packed":
                await whole(answer, "200 OK", "application/json", gzip.compress(fine), "Content-Encoding: gzip")
            case "endless":
                await answer.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{")
                while True:
                    await answer.raw(b" " * 65536)
            case "stops":
                await answer.start("text/event-stream")
                await answer.chunk(b'data: {"jsonrpc":')
                answer.drop()
            case _:
                await whole(answer, "200 OK", "application/json", fine)


@asynccontextmanager
async def calling(opened: Open, context: ToolContext, way: str) -> AsyncIterator[tuple[Far, Outcome, Outcome]]:
    """What two calls of such a server give."""
    far = Far(way)
    async with HttpServer(far.handle) as server:
        servers = opened(far={"type": "http", "url": f"{server.url}/mcp", "timeout": 20})
        await servers.know(20)
        tool = servers.tools()["mcp__far__t"]
        yield far, await tool.run({}, context), await tool.run({}, context)
        await servers.close()


async def test_a_session_that_the_server_forgot_is_begun_anew(opened: Open, context: ToolContext) -> None:
    async with calling(opened, context, "forgets") as (far, first, second):
        assert (first.content, second.content) == ("fine", "fine")
        assert (far.calls, far.sessions) == (2, 2)


WAYS = {
    "is closed": "401 (Unauthorized); does its entry in mcp.json have the right `headers`?",
    "is broken": "500 (Internal Server Error)",
    "sends elsewhere": "Redirect to http://evil.example/mcp not followed",
    "another kind": "Unexpected content type: text/plain",
    "packed": "it is packed, which nobody asked for",
    "endless": "it has more than 1 MB",
    "stops": "ended in the middle of the call",
}


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_no_answer_is_said_and_the_call_is_not_repeated(
    opened: Open, context: ToolContext, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(bounded, "ANSWER_BYTES", 1 << 20)
    async with calling(opened, context, way) as (far, first, second):
        assert (first.failure, second.failure) == ("failed", "failed")
        assert WAYS[way] in first.content
        assert "obey" not in first.content
        assert first.taint == "the MCP server far"
        assert far.calls == 2
