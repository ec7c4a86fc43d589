"""The worker process seen from the app: started when needed, asked one thing at a time, replaced when it died."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from localagent.errors import ModelUnavailableError
from localagent.models.llama_cpp import frames
from localagent.models.llama_cpp.frames import Frame
from localagent.models.llama_cpp.settings import LlamaCppSettings, to_json
from localagent.ports import Progress

_MODULE = "localagent.models.llama_cpp.worker"
_CLOSE_SECONDS = 8.0
_LAST_FRAMES = frozenset({"finish", "error", "cancelled", "counted", "loaded"})


class WorkerProcess:
    """At most one child at a time. Not for two askers at once: the caller takes turns."""

    def __init__(self, name: str, settings: LlamaCppSettings) -> None:
        self._name = name
        self._settings = settings
        self._child: asyncio.subprocess.Process | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._complaints: deque[str] = deque(maxlen=5)
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._readers: list[asyncio.Task[None]] = []
        self._asked = 0
        self.loaded = False

    async def ready(self) -> AsyncIterator[Progress]:
        """Starts the child and loads the model where that is to be done. Raises ModelUnavailableError."""
        if self.loaded and self._alive():
            return
        await self._start()
        async with self.ask({"op": "load", "settings": to_json(self._settings)}) as answers:
            async for frame in answers:
                if frame["ev"] == "progress":
                    yield Progress("loading", frame["done"], frame["total"])
                if frame["ev"] == "error":
                    raise ModelUnavailableError(self._cannot_load(frame))
                self.loaded = frame["ev"] == "loaded"

    @asynccontextmanager
    async def ask(self, frame: Frame) -> AsyncIterator[AsyncIterator[Frame]]:
        """Sends one operation; yields its answers. Leaving before the last one cancels it."""
        self._asked += 1
        state = {"open": True}
        await self._send({**frame, "id": self._asked})
        try:
            yield self._answers(self._asked, state)
        finally:
            if state["open"] and self._alive():
                self._write({"op": "cancel", "id": self._asked})

    async def close(self) -> None:
        """Lets the child save and end; kills one that takes too long."""
        child, self._child, self.loaded = self._child, None, False
        if child is None:
            return
        if self._loop is not asyncio.get_running_loop():
            _kill(child)
            return
        if child.stdin:
            child.stdin.close()
        try:
            await asyncio.wait_for(child.wait(), _CLOSE_SECONDS)
        except TimeoutError:
            _kill(child)
            await child.wait()
        await self._end_readers()

    async def _start(self) -> None:
        await self.close()
        self._complaints.clear()
        self._loop = asyncio.get_running_loop()
        pipe = asyncio.subprocess.PIPE
        self._child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", _MODULE, stdin=pipe, stdout=pipe, stderr=pipe, env=_environment()
        )
        self._frames = asyncio.Queue()
        self._readers = [
            asyncio.create_task(self._receive(self._child, self._frames)),
            asyncio.create_task(self._listen(self._child)),
        ]

    async def _receive(self, child: asyncio.subprocess.Process, queue: asyncio.Queue[Frame | None]) -> None:
        """Reads frames in a task of its own: a cancelled asker must not leave half of one in the pipe."""
        assert child.stdout is not None
        while (frame := await frames.receive(child.stdout)) is not None:
            queue.put_nowait(frame)
        queue.put_nowait(None)

    async def _listen(self, child: asyncio.subprocess.Process) -> None:
        """Keeps the last lines of standard error: where a library aborts, its reason is there."""
        assert child.stderr is not None
        while line := await child.stderr.readline():
            self._complaints.append(line.decode(errors="replace").strip())

    async def _end_readers(self) -> None:
        readers, self._readers = self._readers, []
        if readers:
            await asyncio.wait(readers, timeout=1.0)
        for reader in readers:
            reader.cancel()

    def _alive(self) -> bool:
        return self._child is not None and self._child.returncode is None and self._loop is asyncio.get_running_loop()

    def _write(self, frame: Frame) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        self._child.stdin.write(frames.pack(frame))

    async def _send(self, frame: Frame) -> None:
        assert self._child is not None
        assert self._child.stdin is not None
        try:
            self._write(frame)
            await self._child.stdin.drain()
        except ConnectionError:
            raise await self._death() from None

    async def _answers(self, asked: int, state: dict[str, bool]) -> AsyncIterator[Frame]:
        queue = self._frames
        while state["open"]:
            frame = await queue.get()
            if frame is None:
                state["open"] = False
                raise await self._death()
            if frame["id"] != asked:
                continue  # of a reply that was cancelled
            state["open"] = frame["ev"] not in _LAST_FRAMES
            yield frame

    async def _death(self) -> ModelUnavailableError:
        child, self._child, self.loaded = self._child, None, False
        assert child is not None
        status = await child.wait()
        await self._end_readers()
        reason = f": {self._complaints[-1]}" if self._complaints else ""
        return ModelUnavailableError(
            f"the process of {self._name} died ({_how(status)}{reason}); the next request starts a fresh one"
        )

    def _cannot_load(self, frame: Frame) -> str:
        if frame["kind"] in ("ModuleNotFoundError", "ImportError"):
            return f"{self._name} needs packages that are missing ({frame['text']}): pip install 'localagent[llama]'"
        if frame["kind"] == "FileNotFoundError":
            return f"{self._name}: there is no {self._settings.file}: fetch it with `localagent models pull`"
        return f"{self._name}: {self._settings.file} cannot be loaded: {frame['text']}"


def _environment() -> dict[str, str]:
    """llama.cpp must not spin while it waits, nor call a debugger when it aborts."""
    return {**os.environ, "OMP_WAIT_POLICY": "passive", "GGML_NO_BACKTRACE": "1", "PYTHONUNBUFFERED": "1"}


def _how(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _kill(child: Any) -> None:
    try:
        child.kill()
    except ProcessLookupError:
        pass
