"""`!command` in the prompt: runs in the workspace, is shown as a card, and goes with the next message.

`!!command` is only shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from localagent.tui.blocks import Card
from localagent.tui.facts import Changed, Fact, Opened

TOLD = 8000  # characters of an output that go with the next message


class Shell:
    def __init__(self, folder: Path, tell: Callable[[Fact], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._untold: list[str] = []

    def take(self) -> str:
        """What was run since the last message, to be put before the next one."""
        told, self._untold = "".join(self._untold), []
        return told

    async def run(self, text: str) -> None:
        """Runs what stands behind the exclamation mark, until it ends."""
        secret = text.startswith("!!")
        command = text.lstrip("!").strip()
        card = Card("!", arguments={"command": command}, state="running")
        self._tell(Opened(card))
        began = monotonic()
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self._folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        card.output = output.decode("utf-8", "replace")
        card.seconds, card.state = monotonic() - began, "failed" if process.returncode else "done"
        self._tell(Changed(card))
        if not secret:
            self._untold.append(f"```\n$ {command}\n{card.output[-TOLD:].rstrip()}\n```\n\n")
