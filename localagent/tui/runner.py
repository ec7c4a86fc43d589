"""Runs the agent for the screen: one run at a time, what is said meanwhile is queued or steered in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from time import monotonic
from typing import cast

from localagent.agent.attachments import is_image
from localagent.events import Event
from localagent.tui.adapter import Adapter
from localagent.tui.blocks import Block, Note, Picture, Said
from localagent.tui.driver import Driver
from localagent.tui.facts import Dropped, Ended, Fact, Opened, Returned
from localagent.tui.lines import TROUBLES, error_line

BREATH = 0.008  # seconds of reading events after which the keyboard gets its turn


class Runner:
    """`tell` receives every fact, in order; `before` is awaited before each run, when the history is at rest."""

    def __init__(
        self, driver: Driver, tell: Callable[[Fact], None], before: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self.driver = driver
        self.adapter = Adapter()
        self.running = False
        self._tell = tell
        self._before = before
        self._queue: list[tuple[Said, str, tuple[Path, ...]]] = []
        self._saying: Said | None = None  # what the run that goes on began with
        self._going_on = False
        self._last: tuple[str, tuple[Path, ...], str] | None = None

    def take_up(self, blocks: Sequence[Block]) -> None:
        """Another session's blocks stand there; what was said in the one before is not said again in this one."""
        self._last = None
        self.adapter.take_up(blocks)

    @property
    def queued(self) -> int:
        return len(self._queue)

    def say(self, text: str, attachments: tuple[Path, ...] = (), behind: str = "") -> Said:
        """Shows the message at once and queues it for the next run; `behind` goes to the agent, not to the screen."""
        texts = tuple(path.name for path in attachments if not is_image(path))
        said = Said(text, queued=self.running, attachments=texts)
        self._queue.append((said, behind, attachments))
        self._tell(Opened(said))
        for path in filter(is_image, attachments):
            self._tell(Opened(Picture(str(path))))
        return said

    def steer(self, text: str) -> None:
        """Puts the message into the run that goes on, at its next step."""
        said = Said(text, queued=True)
        self.adapter.expect(said)
        self._tell(Opened(said))
        self.driver.steer(text)

    def repeat(self) -> bool:
        """Queues the last task again."""
        if self._last is None or self.running:
            return False
        self.say(*self._last)
        return True

    def go_on(self) -> None:
        """Queues what the session was in the middle of when it was left."""
        self._going_on = True

    def cancel(self) -> None:
        self.driver.cancel()

    def unqueue(self) -> str:
        """Takes back what is queued or on its way into the run, so that it can be written anew."""
        steered = [said for said in self.adapter.expected() if said is not self._saying]
        waiting = [*steered, *(said for said, *_ in self._queue)]
        for said in waiting:
            self._tell(Dropped(said))
        self._queue.clear()
        return "\n\n".join(said.text for said in waiting)

    async def work(self) -> None:
        """Runs what is queued until nothing is left."""
        if self.running:
            return
        self.running = True
        try:
            while self._queue or self._going_on:
                if self._before:
                    await self._before()
                if self._going_on:
                    self._going_on = False
                    await self._take(None)
                else:
                    await self._run(*self._queue.pop(0))
        finally:
            self.running = False

    async def _run(self, said: Said, behind: str, attachments: tuple[Path, ...]) -> None:
        self._last = (said.text, attachments, behind)
        self.adapter.expect(said)
        await self._take(said, behind, attachments)

    async def _take(self, said: Said | None, behind: str = "", attachments: tuple[Path, ...] = ()) -> None:
        """One run, of what was said, or of what was cut off."""
        self._saying = said
        try:
            await self._read(self.driver.run(said.text + behind if said else None, attachments))
        except TROUBLES as error:
            self.adapter.phase.kind = ""
            self._tell(Opened(Note("failed", error_line(error))))
            if said in self.adapter.waiting:  # the history does not hold it, and what waits would fare alike
                self._saying = None
                unsaid = "".join((behind, *(more for _, more, _ in self._queue)))
                self._tell(Returned(self.unqueue(), unsaid))
        late = [steered for steered in self.adapter.expected() if steered is not said]
        self._queue[:0] = [(steered, "", ()) for steered in late]  # they came too late for this run

    async def _read(self, events: AsyncIterator[Event]) -> None:
        breath = monotonic()
        async with aclosing(cast("AsyncGenerator[Event, None]", events)) as stream:
            async for event in stream:
                for fact in self.adapter.read(event):
                    self._tell(fact)
                    if isinstance(fact, Ended):
                        return
                if monotonic() - breath > BREATH:
                    await asyncio.sleep(0)
                    breath = monotonic()
