"""Answers of a server behind an address: none may be endless or packed, and a refusal says what to do.

Loaded when the first such server is used.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from http import HTTPStatus

import httpx2

from localagent.mcp.failures import FORGOTTEN

ANSWER_BYTES = 32 * 1024 * 1024
REFUSED, BROKEN = -32001, -32603  # codes of JSON-RPC: not for us, and something is wrong over there


async def bound(response: httpx2.Response) -> None:
    """A hook of the client, called when the head of an answer is there."""
    kind = response.headers.get("content-type", "").lower()
    packed = response.headers.pop("content-encoding", "identity").lower() not in ("", "identity")
    assert isinstance(response.stream, httpx2.AsyncByteStream), "of an async client"
    status, session = response.status_code, "mcp-session-id" in response.request.headers
    if status in (401, 403) or (status == 404 and session) or (status >= 400 and status != 404 and "json" not in kind):
        response.headers["content-type"] = "application/json"
        response.stream = _Instead(response.stream, _refusal(status))
    elif packed:
        response.stream = _Bounded(response.stream, 0, "it is packed, which nobody asked for")
    elif not kind.startswith("text/event-stream"):  # of which each event is bounded
        response.stream = _Bounded(response.stream, ANSWER_BYTES, f"it has more than {ANSWER_BYTES >> 20} MB")


def _refusal(status: int) -> bytes:
    words = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "unknown"
    hint = "; does its entry in mcp.json have the right `headers`?" if status in (401, 403) else ""
    code = FORGOTTEN if status == 404 else REFUSED if status < 500 else BROKEN
    error = {"code": code, "message": f"the server answered {status} ({words}){hint}"}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


class _Bounded(httpx2.AsyncByteStream):
    """Raises httpx2.StreamError where there is more of it than may be."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int, why: str) -> None:
        self._inner, self._left, self._why = inner, most, why

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._left -= len(part)
            if self._left < 0:
                raise httpx2.StreamError(self._why)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Instead(httpx2.AsyncByteStream):
    """Other words in the place of those of the server."""

    def __init__(self, inner: httpx2.AsyncByteStream, said: bytes) -> None:
        self._inner, self._said = inner, said

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._said

    async def aclose(self) -> None:
        await self._inner.aclose()
