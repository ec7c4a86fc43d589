"""JSON-RPC over standard input and output: what is no message of the protocol is answered as an error and passed over.

Stands in for the SDK's own transport, which hands on whatever parses and so ends with the first line that is no object.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


class Wire:
    """The SDK's Transport over two byte streams, one message a line. `reader` may hold a message of any length."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        await asyncio.shield(self._writer.drain())  # all that wait share one future, which a cancelled run would cancel

    async def receive(self) -> dict[str, Any] | None:
        """The next message, None at the end of input."""
        while line := await self._line():
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:
                await self._refuse(PARSE_ERROR, f"this line is no JSON: {error}")
                continue
            if problem := _problem(message):
                await self._refuse(INVALID_REQUEST, problem, message)
                continue
            return dict(message)
        return None

    async def close(self) -> None:
        """The stream ends with the process, which closes what it opened."""

    async def _line(self) -> bytes:
        parts: list[bytes] = []
        while True:
            try:
                return b"".join((*parts, await self._reader.readuntil(b"\n")))
            except asyncio.LimitOverrunError as error:
                parts.append(await self._reader.readexactly(error.consumed))
            except asyncio.IncompleteReadError as error:
                return b"".join((*parts, error.partial))

    async def _refuse(self, code: int, text: str, message: Any = None) -> None:
        id_ = message.get("id") if isinstance(message, dict) else None
        known = id_ if isinstance(id_, str | int) else None
        await self.send({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": text}})


def _problem(message: Any) -> str:
    """Why this is neither a request nor a notification nor a response; "" where it is one of them."""
    if not isinstance(message, dict):
        return "a message is one JSON object"
    if not isinstance(message.get("id"), str | int | None):
        return "the id of a message is a string or a number"
    if "method" in message:
        return "" if isinstance(message["method"], str) else "the method of a message is a string"
    if "id" in message and ("result" in message or isinstance(message.get("error"), dict)):
        return ""
    return "a message has a method, or an id with a result or an error"
