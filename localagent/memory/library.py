"""The memory of one workspace: its index, brought up to date before each search, and who makes the vectors."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.errors import LocalAgentError
from localagent.memory.index import Refreshed, Report, embed, refresh
from localagent.memory.search import Found, search
from localagent.memory.store import Store, delete, store_file

if TYPE_CHECKING:
    from localagent.ports import Embedder

PATIENCE = 20.0  # seconds that a search may spend on files that are new, and again on their vectors


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gave. `waiting` counts passages without a vector; `notes` are sentences for the person.

    `no_model`: there is no embedder at all. A person and a model are told so in words of their own, not in `notes`.
    """

    found: tuple[Found, ...]
    meaning: bool  # whether vectors took part
    waiting: int
    notes: tuple[str, ...]
    no_model: bool


class Library:
    """Opened when it is first needed; `embedder` is asked for then."""

    def __init__(self, data: Path, workspace: Path, embedder: Callable[[], Embedder | None]) -> None:
        self.data = data
        self.workspace = workspace.resolve()
        self.file = store_file(data, workspace)
        self._embedder_of = embedder
        self._embedder: Embedder | None = None
        self._store: Store | None = None
        self._turn = asyncio.Lock()

    async def refresh(self, report: Report = lambda what, done, total: None, *, seconds: float = math.inf) -> Refreshed:
        """Takes in what changed, for about so many seconds; blocks nobody."""
        return await asyncio.to_thread(refresh, self._opened(), self.workspace, report, seconds=seconds)

    async def embed(self, seconds: float | None = None, report: Report = lambda what, done, total: None) -> int | None:
        """Vectors for what has none; how many still wait, None without an embedder. Raises ModelError."""
        self._embedder = self._embedder or self._embedder_of()
        if self._embedder is None:
            return None
        return await embed(self._opened(), self._embedder, seconds=seconds, report=report)

    async def search(self, question: str, *, limit: int = 5, report: Report = lambda what, done, total: None) -> Answer:
        """The index is brought up to date first; an embedder that fails leaves the search to the words."""
        async with self._turn:
            done = await self.refresh(report, seconds=PATIENCE)
            notes, waiting, embedder, no_model = [], None, None, False
            if done.waiting:
                notes.append(f"{done.waiting} files are not indexed yet; localagent memory index takes them in")
            try:
                waiting = await self.embed(PATIENCE, report)
                no_model = waiting is None
                embedder = None if no_model else self._embedder
                found = await search(self._opened(), question, embedder, limit=limit)
            except LocalAgentError as error:
                notes.append(f"search goes by words alone: {error}")
                embedder = None
                found = await search(self._opened(), question, limit=limit)
            if self.rebuilt:
                notes.append(self.rebuilt)
        return Answer(tuple(found), embedder is not None, waiting or 0, tuple(notes), no_model)

    @property
    def rebuilt(self) -> str:
        """A sentence that says why an older index was thrown away, "" where it was not."""
        why = self._store.rebuilt if self._store else ""
        return f"the index was damaged and has been built anew ({why})" if why else ""

    def embedder_name(self) -> str | None:
        """Which model makes the vectors, None for none."""
        self._embedder = self._embedder or self._embedder_of()
        return self._embedder.name if self._embedder else None

    def counts(self) -> dict[str, int]:
        return self._opened().counts()

    def skipped(self) -> dict[str, int]:
        return self._opened().skipped()

    def forget(self) -> bool:
        """Deletes the index; whether there was one."""
        if self._store is not None:
            self._store.close()
            self._store = None
        there = self.file.exists()
        delete(self.file)
        return there

    async def close(self) -> None:
        if self._store is not None:
            self._store.close()
        if self._embedder is not None:
            await self._embedder.close()

    def _opened(self) -> Store:
        self._store = self._store or Store(self.file)
        return self._store
