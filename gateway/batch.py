"""Masking files on all cores with bounded memory: `notes.csv` becomes `notes.masked.csv`, in the same format.

Worker processes detect; this process numbers, so that one file has one set of placeholders, numbered in its order.
The file is read twice: first everything is found, then everything is replaced, values that only a later part shows
included. Between the two passes lie offsets and placeholders in a temporary file, never a value.
"""

from __future__ import annotations

import codecs
import os
import pickle
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import IO, TextIO

from gateway.config import Config
from gateway.detect.entity import Entity
from gateway.detect.settings import DetectorSettings
from gateway.documents import Piece, pieces, why_no_text
from gateway.errors import ConfigError, GatewayError
from gateway.maps import write_map
from gateway.mask import Decision, Masker
from gateway.vault import Vault

BATCH = 65_536  # characters a worker gets at once
_FAULTY = 4
MASKED = ".masked"  # stands before the suffix of a result that lies beside its file
AHEAD = 3  # batches in flight per worker
Spans = list[tuple[int, int, str]]  # start, end, placeholder

_settings = DetectorSettings()  # of a worker process


def mask_files(
    files: Sequence[Path], config: Config, *, out: Path | None = None, map_file: Path | None = None, jobs: int = 0
) -> int:
    """Masks each file beside it or into the folder `out`. One map for all files, written to `map_file` if given.

    Returns the exit status: 4 if some line was not what its file promises and was masked as plain text, else 0.
    """
    files = files if out else [file for file in files if not _is_masked(file)]
    _check_files(files, out)
    jobs = jobs or _cores()
    vault = Vault(config.policy.language)
    pool = ProcessPoolExecutor(jobs, initializer=_start, initargs=(config.detect,))
    faults = 0
    try:
        for file in files:
            target = (out or file.parent) / (file.name if out else f"{file.stem}{MASKED}{file.suffix}")
            faults += _mask_file(file, target, Masker(_Found(), config.policy), vault, pool, jobs)
    except BrokenProcessPool:
        raise GatewayError("a worker was ended from outside, perhaps for want of memory; try --jobs 1") from None
    finally:
        pool.shutdown(cancel_futures=True)
    if map_file:
        write_map(map_file, vault)
    return _FAULTY if faults else 0


def _is_masked(file: Path) -> bool:
    """Whether it is what an earlier call left beside its file, which the same `notes/*.md` names as well."""
    if not file.stem.endswith(MASKED):
        return False
    sys.stderr.write(f"{file}: is the result of an earlier call; left out\n")
    return True


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_files(files: Sequence[Path], out: Path | None) -> None:
    for file in files:
        if not file.is_file():
            what = "is a folder: name its files" if file.is_dir() else "there is no such file"
            raise ConfigError(f"{file}: {what}")
        _check_text(file)
        if out and out.resolve() == file.parent.resolve():
            raise ConfigError(f"--out {out}: the masked file would replace {file.name}; name another folder")
    if out:
        out.mkdir(parents=True, exist_ok=True)


def _check_text(file: Path) -> None:
    """Raises ConfigError for a file that is no UTF-8 text: what cannot be read cannot be masked."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with file.open("rb") as source:
        try:
            while chunk := source.read(1 << 20):
                if reason := why_no_text(chunk):
                    raise ConfigError(f"{file}: {reason}")
                decoder.decode(chunk)
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            raise ConfigError(f"{file}: this is no UTF-8 text; only that can be masked (iconv converts)") from None


def _mask_file(file: Path, target: Path, masker: Masker, vault: Vault, pool: ProcessPoolExecutor, jobs: int) -> int:
    """The number of faulty pieces. The target appears whole at the end or not at all."""
    progress = _Progress(file)
    part = target.with_name(target.name + ".part")
    try:
        with (
            tempfile.TemporaryFile() as spool,
            _reading(file) as lines,
            part.open("w", encoding="utf-8", errors="surrogateescape", newline="") as result,
        ):
            for piece, entities in _detected(pieces(file, lines), pool, jobs):
                _decide(piece, entities, masker, vault, spool)
                progress.add(piece)
            spool.seek(0)
            lines.seek(0)
            for piece in pieces(file, lines):
                result.write(_finish(piece, masker, vault, spool, progress))
        part.replace(target)
    except GatewayError as error:
        raise type(error)(f"{file}: {error}") from None
    finally:
        part.unlink(missing_ok=True)
    progress.done(target)
    return progress.faults


def _reading(file: Path) -> TextIO:
    return file.open(encoding="utf-8", errors="surrogateescape", newline="")


def _detected(
    source: Iterable[Piece], pool: ProcessPoolExecutor, jobs: int
) -> Iterator[tuple[Piece, list[list[Entity]]]]:
    """Pieces in order with the entities of each field; only a few batches are in flight."""
    flying: deque[tuple[list[Piece], Future[list[tuple[Entity, ...]]]]] = deque()
    for batch in _batches(source):
        flying.append((batch, pool.submit(_find, [piece.view()[0] for piece in batch])))
        if len(flying) >= AHEAD * jobs:
            yield from _landed(*flying.popleft())
    while flying:
        yield from _landed(*flying.popleft())


def _batches(source: Iterable[Piece]) -> Iterator[list[Piece]]:
    batch: list[Piece] = []
    size = 0
    for piece in source:
        batch.append(piece)
        size += len(piece.raw)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _landed(batch: list[Piece], future: Future[list[tuple[Entity, ...]]]) -> Iterator[tuple[Piece, list[list[Entity]]]]:
    for piece, entities in zip(batch, future.result(), strict=True):
        yield piece, _by_field(piece, entities)


def _by_field(piece: Piece, entities: Iterable[Entity]) -> list[list[Entity]]:
    """Entities with offsets of their field; one over several fields is cut at their borders."""
    _, starts = piece.view()
    found: list[list[Entity]] = [[] for _ in piece.fields]
    index = 0
    for entity in entities:
        while index + 1 < len(starts) and starts[index + 1] <= entity.start:
            index += 1
        for place in range(index, len(starts)):
            if starts[place] >= entity.end:
                break
            text = piece.fields[place].text
            start, end = max(0, entity.start - starts[place]), min(len(text), entity.end - starts[place])
            if start < end and any(char.isalnum() for char in text[start:end]):
                whole = text[start:end] == entity.text
                key, form = (entity.key, entity.form) if whole else ("", "")
                found[place].append(replace(entity, start=start, end=end, text=text[start:end], key=key, form=form))
    return found


def _decide(piece: Piece, entities: list[list[Entity]], masker: Masker, vault: Vault, spool: IO[bytes]) -> None:
    kept: list[Spans] = []
    for field, found in zip(piece.fields, entities, strict=True):
        assert isinstance(masker.detector, _Found)
        masker.detector.next = _whole_number(found, field.text) if field.kind == "number" else tuple(found)
        decision = masker.decide(field.text, vault)
        masker.refuse_blocked(entity.type for entity in decision.spans)
        kept.append([(entity.start, entity.end, vault.placeholder(entity)) for entity in decision.spans])
    pickle.dump((vault.known.order, kept), spool)


def _whole_number(found: Sequence[Entity], text: str) -> tuple[Entity, ...]:
    """A bare JSON number is replaced as a whole or not at all."""
    return tuple(replace(entity, start=0, end=len(text), text=text, key="") for entity in found[:1])


def _finish(piece: Piece, masker: Masker, vault: Vault, spool: IO[bytes], progress: _Progress) -> str:
    order, kept = pickle.load(spool)  # written by this process, above
    texts = []
    for field, spans in zip(piece.fields, kept, strict=True):
        entities = [_entity(field.text, span, vault) for span in spans]
        masked = masker.finish(field.text, Decision(entities, order), vault, remember=False)
        texts.append(masked.text)
        progress.values += len(masked.entities)
    return piece.with_texts(texts)


def _entity(text: str, span: tuple[int, int, str], vault: Vault) -> Entity:
    start, end, placeholder = span
    kind, key = vault.type_of(placeholder), vault.key_of(placeholder)
    return Entity(kind, start, end, text[start:end], 1.0, "batch", key=key)


class _Found:
    """Hands the masker what a worker has found already."""

    def __init__(self) -> None:
        self.next: tuple[Entity, ...] = ()

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        return self.next


def _start(settings: DetectorSettings) -> None:
    """In a worker: an interrupt of the keyboard is for the main process, which ends its workers."""
    global _settings
    _settings = settings
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _find(texts: list[str]) -> list[tuple[Entity, ...]]:
    """In a worker: the detector is loaded with the first batch, so that what is missing is said by name."""
    from gateway.detect.engine import load_detector

    detector = load_detector(_settings)
    return [detector.find(text) for text in texts]


class _Progress:
    """Bytes looked at, on standard error; a line that moves on a terminal, else only the end."""

    def __init__(self, file: Path) -> None:
        self.values = self.faults = 0
        self._name, self._size = file.name, max(1, file.stat().st_size)
        self._read, self._shown, self._started = 0, 0.0, time.monotonic()

    def add(self, piece: Piece) -> None:
        self._read += len(piece.raw)
        if piece.fault:
            self.faults += 1
            self._say(f"{self._name}, {piece.fault}\n")
        if sys.stderr.isatty() and time.monotonic() - self._shown > 0.2:
            self._shown = time.monotonic()
            share = min(99, 100 * self._read // self._size)
            sys.stderr.write(f"\r{self._name}: {share} % of {self._size / 1e6:.1f} MB looked at")
            sys.stderr.flush()

    def _say(self, line: str) -> None:
        """A whole line, where the line that moves was."""
        sys.stderr.write(f"\r\033[K{line}" if self._shown else line)

    def done(self, target: Path) -> None:
        seconds = time.monotonic() - self._started
        values = "1 value" if self.values == 1 else f"{self.values} values"
        self._say(f"{self._name} -> {target}: {values} masked in {seconds:.1f} s\n")
