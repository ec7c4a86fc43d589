"""Vectors from a GGUF, computed by llama.cpp in a process of its own."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.errors import ModelUnavailableError
from localagent.models.embed.form import as_told, unit_rows
from localagent.models.llama_cpp import frames

if TYPE_CHECKING:
    import numpy as np

_MODULE = "localagent.models.embed.worker"


class GgufEmbedder:
    """At most one child at a time; a second asker waits."""

    floor = 0.0

    def __init__(self, name: str, file: Path, *, threads: int | None = None) -> None:
        self.name = f"{name}:{file.name}"
        self._file, self._threads = file, threads
        self._child: asyncio.subprocess.Process | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray[Any, np.dtype[np.float32]]:
        """See ports.Embedder. Raises ModelUnavailableError."""
        import numpy as np

        told = as_told(self._file.name, texts, query=query)
        async with self._turn:
            answer = await self._ask({"texts": told})
        if "error" in answer:
            raise ModelUnavailableError(f"{self.name} gives no vectors: {answer['error']}")
        rows = np.frombuffer(base64.b64decode(answer["vectors"]), dtype=np.float32).reshape(len(told), -1)
        return unit_rows(rows.tolist())

    async def close(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            child.kill()
            if self._loop is asyncio.get_running_loop():
                await child.wait()

    async def _ask(self, frame: frames.Frame) -> frames.Frame:
        child = await self._started()
        assert child.stdin is not None, "started with pipes"
        assert child.stdout is not None, "started with pipes"
        try:
            child.stdin.write(frames.pack(frame))
            await child.stdin.drain()
            answer = await frames.receive(child.stdout)
        except (OSError, asyncio.CancelledError):  # a half-read answer would be taken for the next one's
            await self.close()
            raise
        if answer is None:
            await self.close()
            raise ModelUnavailableError(f"{self.name}: llama.cpp ended while it read the texts; is the file whole?")
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        if self._child is None or self._child.returncode is not None or self._loop is not asyncio.get_running_loop():
            self._loop = asyncio.get_running_loop()
            threads = self._threads or max(1, (os.cpu_count() or 2) // 2)
            self._child = await asyncio.create_subprocess_exec(
                sys.executable, "-m", _MODULE, str(self._file), str(threads),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                env={**os.environ, "OMP_WAIT_POLICY": "passive", "GGML_NO_BACKTRACE": "1"},
            )  # fmt: skip
        return self._child
