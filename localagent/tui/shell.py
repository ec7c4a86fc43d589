"""`!command` in the prompt: runs in the workspace, is shown as a card, and goes with the next message.

`!!command` is only shown.
"""

from __future__ import annotations

import asyncio
import os
import signal
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from localagent.tui.blocks import SHELL, Card
from localagent.tui.facts import Changed, Fact, Opened

TOLD = 8000  # characters of an output that go with the next message
KEPT = 200_000  # characters of an output that its card keeps
PIECE = 65_536  # bytes read at once


class Shell:
    def __init__(self, folder: Path, tell: Callable[[Fact], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._untold: list[str] = []
        self._running: list[asyncio.subprocess.Process] = []

    def take(self) -> str:
        """What was run since the last message, to be put behind the next one."""
        told, self._untold = "".join(self._untold), []
        return told

    def take_back(self, told: str) -> None:
        """What was put behind a message that did not arrive goes with the next one."""
        self._untold.insert(0, told)

    def stop(self) -> None:
        """Ends what runs, with everything that it started."""
        for process in self._running:
            _kill(process)

    async def run(self, text: str) -> None:
        """Runs what stands behind the exclamation mark, until it ends."""
        secret = text.startswith("!!")
        command = text.lstrip("!").strip()
        card = Card(SHELL, arguments={"command": command}, state="running")
        self._tell(Opened(card))
        began = monotonic()
        status = await self._follow(command, card)
        card.seconds, card.state = monotonic() - began, "failed" if status else "done"
        self._tell(Changed(card))
        if not secret:
            self._untold.append(f"\n\n```\n$ {command}\n{card.output[-TOLD:].rstrip()}\n```")

    async def _follow(self, command: str, card: Card) -> int:
        """Puts what the command writes into its card as it comes; returns its exit status."""
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self._folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        self._running.append(process)
        decoder = getincrementaldecoder("utf-8")("replace")
        try:
            while piece := await process.stdout.read(PIECE):
                card.output = (card.output + decoder.decode(piece))[-KEPT:]
                self._tell(Changed(card))
            return await process.wait()
        finally:
            if process.returncode is None:
                _kill(process)
            self._running.remove(process)


def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends the whole group; the shell itself may be gone while something that it started writes on."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
