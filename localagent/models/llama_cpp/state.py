"""Prefix states on disk: what a session's context held, so that it is not computed again.

A state is two files: `<session>.<model>.kv` as llama.cpp writes it, and beside it a JSON with its tokens, size and
checksum. llama.cpp trusts what it reads, so a file that does not match its checksum is never given to it.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from localagent.models.llama_cpp.prompt import common_prefix

_WORTH = 32  # tokens that must be gained before a state is read
_SAMPLE = 1 << 16


class Saves(Protocol):
    """The part of an engine that is kept."""

    @property
    def window(self) -> int: ...

    def save(self, path: Path) -> int: ...

    def restore(self, path: Path) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Entry:
    data: Path
    tokens: list[int]
    size: int
    crc: int


class StateStore:
    """The states of one model in a folder that other models share; the least recently used go first."""

    def __init__(self, folder: Path, model: str, budget: int) -> None:
        self._folder = folder
        self._model = model
        self._budget = budget

    def save(self, session: str, engine: Saves, tokens: Sequence[int]) -> bool:
        """Keeps the context of `session`; false where the disk does not take it."""
        data = self._path(session)
        scratch = data.with_suffix(".new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            size = engine.save(scratch)
            if not size or scratch.stat().st_size > self._budget:
                scratch.unlink(missing_ok=True)
                return False
            entry = {"tokens": list(tokens), "size": scratch.stat().st_size, "crc": _crc(scratch)}
            _meta(data).unlink(missing_ok=True)  # in between there is a state without its JSON, which nobody reads
            scratch.replace(data)
            _write(_meta(data), entry)
            self._shrink(keep=data)
        except OSError:
            return False
        return True

    def restore(self, engine: Saves, held: Sequence[int], wanted: Sequence[int]) -> bool:
        """Loads the state that shares most with `wanted`, of any session, if that is worth it beside what is held."""
        best, gain = None, common_prefix(held, wanted) + _WORTH
        for entry in self._entries():
            shared = common_prefix(entry.tokens, wanted)
            if shared >= gain and len(entry.tokens) <= engine.window:
                best, gain = entry, shared + 1
        if best is None or not _intact(best) or not engine.restore(best.data):
            if best is not None:
                _remove(best.data)
            return False
        best.data.touch()
        return True

    def _entries(self) -> Iterator[_Entry]:
        for data in self._folder.glob(f"*.{self._model}.kv"):
            try:
                values = json.loads(_meta(data).read_text())
                yield _Entry(data, values["tokens"], values["size"], values["crc"])
            except (OSError, ValueError, KeyError, TypeError):
                continue

    def _path(self, session: str) -> Path:
        return self._folder / f"{session_key(session)}.{self._model}.kv"

    def _shrink(self, keep: Path) -> None:
        files = sorted(self._folder.glob("*.kv"), key=lambda path: path.stat().st_mtime, reverse=True)
        total = keep.stat().st_size
        for path in files:
            if path == keep:
                continue
            total += path.stat().st_size
            if total > self._budget:
                _remove(path)


def session_key(session: str) -> str:
    """The file name of a session, whatever its id is made of."""
    return hashlib.sha256(session.encode()).hexdigest()[:16]


def forget(folder: Path, session: str) -> None:
    """Removes every state of a session, for all models: its tokens are its text."""
    for data in folder.glob(f"{session_key(session)}.*.kv"):
        _remove(data)


def model_key(file: Path, window: int, version: str) -> str:
    """Tells models apart: size and samples of the file, the window, and llama.cpp's version, which sets the format."""
    size = file.stat().st_size
    digest = hashlib.sha256(f"{size} {window} {version}".encode())
    with file.open("rb") as stream:
        for start in (0, size // 2, max(0, size - _SAMPLE)):
            stream.seek(start)
            digest.update(stream.read(_SAMPLE))
    return digest.hexdigest()[:16]


def _meta(data: Path) -> Path:
    return data.with_suffix(".json")


def _write(path: Path, entry: dict[str, object]) -> None:
    scratch = path.with_suffix(".json.new")
    scratch.write_text(json.dumps(entry))
    scratch.replace(path)


def _intact(entry: _Entry) -> bool:
    try:
        return entry.data.stat().st_size == entry.size and _crc(entry.data) == entry.crc
    except OSError:
        return False


def _crc(path: Path) -> int:
    value = 0
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            value = zlib.crc32(chunk, value)
    return value


def _remove(data: Path) -> None:
    for path in (_meta(data), data):
        path.unlink(missing_ok=True)
