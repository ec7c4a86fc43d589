"""A server that is a program of this machine: started in a session of its own, its words bounded, its end told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.clock import ends_within
from localagent.mcp.listing import clean_lines
from localagent.mcp.sieve import shallow

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

LINE_BYTES = 32 * 1024 * 1024  # of one message; a longer one ends the server
READ_BYTES = 65_536
LOG_BYTES = 1_000_000  # of what it says on standard error, per start
TAIL_CHARS = 600
GRACE_SECONDS = 1.0
PASSED_ON = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")


class Words:
    """What a server said on standard error: its beginning in a file, its end at hand."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tail = ""
        self._written = 0

    async def follow(self, stream: asyncio.StreamReader) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("wb") as log:
            while data := await stream.read(READ_BYTES):
                self.tail = (self.tail + data.decode("utf-8", "replace"))[-TAIL_CHARS:]
                log.write(data[: max(0, LOG_BYTES - self._written)])
                log.flush()
                self._written += len(data)

    def last_line(self) -> str:
        lines = [line.strip() for line in self.tail.splitlines() if line.strip()]
        return clean_lines(lines[-1])[-300:] if lines else ""


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a server gets to know: a handful of variables and what its entry names, no keys or tokens of others."""
    return {**{name: os.environ[name] for name in PASSED_ON if name in os.environ}, **own}


@asynccontextmanager
async def stdio(
    argv: Sequence[str], env: Mapping[str, str], cwd: str, words: Words, ended: Callable[[int], None]
) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a running server, as the SDK wants them; `ended` is told the exit status.

    Raises OSError where it cannot be started. Leaving ends its whole process group.
    """
    import anyio

    process = await asyncio.create_subprocess_exec(
        *argv,
        env=environment(env),
        cwd=cwd,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None, "started with pipes"
    assert process.stdout is not None, "started with pipes"
    assert process.stderr is not None, "started with pipes"
    to_client, heard = anyio.create_memory_object_stream[Any](0)
    from_client, said = anyio.create_memory_object_stream[Any](0)
    tasks = [
        asyncio.create_task(_read(process, to_client, words)),
        asyncio.create_task(_write(process.stdin, said)),
        asyncio.create_task(words.follow(process.stderr)),
    ]
    watch = asyncio.create_task(_watch(process, tasks[0], ended))
    try:
        yield heard, from_client
    finally:
        if tasks[0].done():  # it has ended by itself, and how it did is worth a moment
            await asyncio.wait([watch], timeout=GRACE_SECONDS)
        watch.cancel()  # how it ends from here on is our doing
        await _leave(process, [*tasks, watch])
        for stream in (to_client, heard, from_client, said):
            stream.close()


async def _watch(process: asyncio.subprocess.Process, reader: asyncio.Task[None], ended: Callable[[int], None]) -> None:
    """Tells how the server ended; one that stays after its last word, or after too long a one, is ended."""
    over = asyncio.create_task(process.wait())
    await asyncio.wait({over, reader}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({over, reader}, timeout=GRACE_SECONDS)  # what it said before it ended still counts
    if not over.done():
        _signal(process.pid, signal.SIGKILL)
    ended(await over)


async def _read(process: asyncio.subprocess.Process, to_client: MemoryObjectSendStream[Any], words: Words) -> None:
    """Lines to messages; a line that is no message is told as the exception that it is; too long a one ends all."""
    import anyio

    assert process.stdout is not None, "started with pipes"
    async with to_client:
        lines = _Lines(process.stdout)
        try:
            while line := await lines.next():
                if line.strip():
                    await to_client.send(_message(line))
        except asyncio.LimitOverrunError:
            words.tail = f"a message of more than {LINE_BYTES >> 20} MB"
            _signal(process.pid, signal.SIGKILL)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            pass  # we are leaving
        while await process.stdout.read(READ_BYTES):  # asyncio tells of an end only when the pipe is empty
            pass


def _message(line: bytes) -> Any:
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        less = shallow(line)
        return error if less is None else SessionMessage(jsonrpc_message_adapter.validate_json(less, by_name=False))


@dataclass(slots=True)
class _Lines:
    """The lines of a stream. What is not read yet waits in the server's pipe, so that one that floods is held up."""

    stream: asyncio.StreamReader
    _held: bytearray = field(default_factory=bytearray)

    async def next(self) -> bytes:
        """The next line, b"" at the end. Raises LimitOverrunError."""
        looked = 0
        while (end := self._held.find(b"\n", looked)) < 0:
            looked = len(self._held)
            if looked > LINE_BYTES:
                raise asyncio.LimitOverrunError("too long a line", looked)
            data = await self.stream.read(READ_BYTES)
            if not data:
                end = looked - 1
                break
            self._held += data
        line = bytes(self._held[: end + 1])
        del self._held[: end + 1]
        return line


async def _write(stream: asyncio.StreamWriter, said: MemoryObjectReceiveStream[Any]) -> None:
    with suppress(ConnectionError):
        async for message in said:
            stream.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await stream.drain()


async def _leave(process: asyncio.subprocess.Process, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Closes its input, waits, then ends the group politely and hard: it never outlives us, whoever cancels."""
    try:
        if process.stdin is not None:
            process.stdin.close()
        for number in (None, signal.SIGTERM):
            if number is not None:
                _signal(process.pid, number)
            if await ends_within(GRACE_SECONDS, process.wait()):
                break
    finally:
        _signal(process.pid, signal.SIGKILL)
        for task in tasks:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await ends_within(GRACE_SECONDS, process.wait())  # a stray child that left the group may hold the pipes open
    process._transport.close()  # type: ignore[attr-defined]  # nothing public closes what such a child holds


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


__all__ = ["Words", "environment", "stdio"]
