"""A small HTTP/1.1 server whose every byte a test decides, and which sees when its client goes away."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"{}")


class Answer:
    """What is sent back: whole, in chunks, or as raw bytes."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.started = False

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def whole(
        self, body: str | dict[str, Any], status: int = 200, kind: str = "application/json", **headers: str
    ) -> None:
        """`headers` by their names, with underscores for dashes."""
        data = (json.dumps(body) if isinstance(body, dict) else body).encode()
        more = "".join(f"\r\n{name.replace('_', '-')}: {value}" for name, value in headers.items())
        await self.raw(_head(status, kind, f"content-length: {len(data)}{more}") + data)

    async def start(self, kind: str, status: int = 200) -> None:
        self.started = True
        await self.raw(_head(status, kind, "transfer-encoding: chunked"))

    async def chunk(self, data: bytes | str) -> None:
        data = data.encode() if isinstance(data, str) else data
        await self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    def drop(self) -> None:
        """Closes the connection without another word."""
        self._writer.transport.abort()


Handler = Callable[[Asked, Answer], Awaitable[None]]


@dataclass(slots=True)
class HttpServer:
    """`async with HttpServer(handler) as server`; `left` holds when a client left before its answer was complete."""

    handler: Handler
    asked: list[Asked] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    url: str = ""
    _server: asyncio.Server | None = None
    _busy: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> HttpServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """The server dies: its connections end where they are."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for task in list(self._busy):
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._busy.add(task)
        try:
            while (asked := await _read(reader)) is not None:
                self.asked.append(asked)
                if not await self._answered(asked, reader, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._busy.discard(task)
            writer.transport.abort()

    async def _answered(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Runs the handler while it watches for the client's going away."""
        work = asyncio.ensure_future(self.handler(asked, Answer(writer)))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
                return not writer.transport.is_closing()
            self.left.append(time.monotonic())
            return False
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Asked(method, path, headers, body)


def _head(status: int, kind: str, more: str) -> bytes:
    return f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}\r\n\r\n".encode()


__all__ = ["Answer", "Asked", "Handler", "HttpServer"]
