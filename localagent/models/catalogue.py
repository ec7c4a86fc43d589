"""models.toml → models: entries, the fallback chain, and one built model a name and process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from localagent.config.models_toml import Entry, ModelsFile, is_loopback, read_models_toml
from localagent.config.paths import models_file
from localagent.config.validate import suggestion
from localagent.config.watch import stamp_of
from localagent.errors import ConfigError, UsageError
from localagent.models.backends import make_direct
from localagent.ports import Model


class Catalogue:
    """The models that can be used by name: those of the file, and those that were found on this machine.

    `find` says which models.toml counts now; without it the one that was read stays the one that counts.
    """

    def __init__(self, file: ModelsFile, find: Callable[[], Path] | None = None) -> None:
        self.file = file
        self._find = find or (lambda: self.file.path)
        self._found: dict[str, Entry] = {}
        self._built: dict[str, tuple[Entry, Model]] = {}
        self._windows: dict[str, int] = {}  # that the person widened since the file was read

    @property
    def names(self) -> tuple[str, ...]:
        """The file's models in its order, then the found ones."""
        return (*self.file.entries, *(name for name in self._found if name not in self.file.entries))

    @property
    def default(self) -> str:
        """The name of the model used without `--model`. Raises UsageError where there is none."""
        if not self.file.default:
            raise UsageError(f"{self.file.path} holds no model: write one [models.NAME], or take the file away")
        return self.file.default

    def entry(self, name: str) -> Entry:
        """Raises UsageError that lists the known names. `ollama/NAME` needs no entry."""
        entry = self._lookup(name)
        if entry is None:
            known = list(self.names)
            raise UsageError(f'there is no model "{name}"{suggestion(name, known)}; known: {", ".join(known)}')
        return entry

    def fallback_of(self, name: str) -> tuple[str, ...]:
        """The models to try when `name` fails, in order, without itself."""
        own = self.entry(name).fallback
        names = self.file.fallback if own is None else own
        return tuple(dict.fromkeys(other for other in names if other != name))

    def limits_of(self, name: str) -> dict[str, float]:
        """The file's limits, with those of the entry over them."""
        return {**self.file.limits, **self.entry(name).limits}

    def add_found(self, entries: Iterable[Entry]) -> None:
        """Offers models that local servers have; one that the file already reaches is not offered twice."""
        reached = {_source(entry) for entry in self.file.entries.values()}
        self._found.update({entry.name: entry for entry in entries if _source(entry) not in reached})

    def build(self, name: str, *, state_dir: Path) -> Model:
        """The model, made once a process and kept; nothing is loaded or reached yet.

        Raises ConfigError for a cloud model that may not be used and MissingExtraError for a missing package.
        """
        if name not in self._built:
            entry = self.entry(name)
            self._built[name] = (entry, self._make(entry, state_dir))
        return self._built[name][1]

    def hosts(self) -> frozenset[str]:
        """The hosts beyond loopback that the file lets this process reach, for the fence."""
        usable = (e for e in self.file.entries.values() if not e.cloud or self.file.cloud_enabled)
        return frozenset(e.host for e in usable if e.host and not is_loopback(e.host))

    def changed(self) -> bool:
        """Whether models.toml is another one than was read, or lies elsewhere now."""
        path = self._find()
        return path != self.file.path or stamp_of(path) != self.file.stamp

    async def reload(self) -> None:
        """Looks for the file and reads it again, and closes models whose entry went or changed; call it between runs.

        Raises ConfigError and changes nothing where the file cannot be used.
        """
        self.file = read_models_toml(self._find())
        self._windows.clear()
        await self._close_stale()

    async def widen(self, name: str, context: int) -> None:
        """Asks for this window, in tokens, until models.toml is changed or the process ends; call it between runs."""
        self._windows[name] = context
        await self._close_stale()

    async def _close_stale(self) -> None:
        stale = [name for name, (entry, _) in self._built.items() if self._lookup(name) != entry]
        for name in stale:
            _, model = self._built.pop(name)
            await model.close()

    async def close(self) -> None:
        """Closes every built model."""
        built, self._built = self._built, {}
        for _, model in built.values():
            await model.close()

    def _lookup(self, name: str) -> Entry | None:
        entry = self.file.entries.get(name) or self._found.get(name) or _implied(name)
        return replace(entry, context=self._windows[name]) if entry and name in self._windows else entry

    def _make(self, entry: Entry, state_dir: Path) -> Model:
        if entry.cloud:
            return self._cloud(entry, state_dir)
        return make_direct(entry, state_dir=state_dir)

    def _cloud(self, entry: Entry, state_dir: Path) -> Model:
        if not self.file.cloud_enabled:
            raise ConfigError(
                f"{entry.name} is a cloud model ({entry.host}) and cloud models are off: set `enabled = true` under "
                f"[cloud] in {self.file.path}, or `cloud = false` in its entry if the host is your own"
            )
        from localagent.models.cloud import build

        return build(entry, self.file, state_dir=state_dir)


def load_catalogue(path: str | os.PathLike[str] | None = None) -> Catalogue:
    """The catalogue of `path`, or of the models.toml that `paths.models_file` finds. Raises ConfigError."""
    return Catalogue(read_models_toml(models_file(path)), lambda: models_file(path))


def _source(entry: Entry) -> tuple[str, str, str]:
    """What tells one model from another, whatever its entry is called."""
    if entry.backend != "llama_cpp":
        return entry.backend, entry.base_url, entry.model
    from localagent.models.pull import path_of

    return entry.backend, "", str(path_of(entry).resolve())


def _implied(name: str) -> Entry | None:
    from localagent.models.discover import implied_entry

    return implied_entry(name)
