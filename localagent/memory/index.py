"""Keeps the index of a workspace in step with its files, and its vectors with its passages."""

from __future__ import annotations

import hashlib
import math
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.memory.documents import Document, read_documents, readers
from localagent.memory.passages import Passage, passages
from localagent.memory.scan import scan, walk
from localagent.memory.store import Stamp, Store, Taken, damaged
from localagent.tools.documents import is_document
from localagent.tools.in_place import lies_at
from localagent.tools.text import decode, is_binary

if TYPE_CHECKING:
    from localagent.ports import Embedder

TEXT_LIMIT = 4 * 1024 * 1024  # bytes; larger text files are data
NO_DOCUMENTS = (".svg", ".map", ".lock", ".min.js", ".min.css", "-lock.json", "-lock.yaml", ".sum")
DOCUMENT_LIMIT = 64 * 1024 * 1024
BYTES_A_TRANSACTION = 32 * 1024 * 1024
FILES_A_TRANSACTION = 1000
PASSAGES_A_BATCH = 32
Report = Callable[[str, int, int], None]  # what is done, how many are done, how many there are


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did; `waiting` files are left for the next one, since time was up."""

    seen: int
    changed: int
    removed: int
    passages: int
    seconds: float
    waiting: int = 0


def refresh(
    store: Store,
    workspace: Path,
    report: Report = lambda what, done, total: None,
    *,
    seconds: float = math.inf,
) -> Refreshed:
    """Takes in what changed and forgets what is gone. A damaged index is begun anew, and `rebuilt` says so."""
    try:
        return _refresh(store, workspace.resolve(), report, seconds)
    except sqlite3.DatabaseError as error:
        if not damaged(error):
            raise
        store.reset(str(error))
        return _refresh(store, workspace.resolve(), report, seconds)


def _refresh(store: Store, workspace: Path, report: Report, seconds: float) -> Refreshed:
    began = time.monotonic()
    store.use_readers(readers())
    digest, folders = store.walked()
    seen = walk(workspace, folders)
    if seen.digest() == digest:
        return Refreshed(len(seen.files), 0, 0, 0, time.monotonic() - began)
    version, known = store.version(), store.stamps()
    seen, changes = scan(seen, known, workspace)
    written = changed = done = 0
    for batch in _batches(sorted(changes.new.items())):
        taken = _taken(workspace, batch)
        with store.transaction():
            version, known = _in_index(store, version, known)
            fresh = _really_changed(store, taken, known)
            written += store.put(fresh, known=known)
        changed += sum(not item.skipped for item in fresh)
        done += len(batch)
        report("indexing", done, len(changes.new))
        if time.monotonic() - began > seconds:
            break
    with store.transaction():
        version, known = _in_index(store, version, known)
        store.put([Taken(path, stamp, skipped="ignored") for path, stamp in changes.ignored.items()], known=known)
        for path in changes.gone:
            store.drop(path)
        store.settle(seen.digest(), seen.folders, seen.stamps())
    took, waiting = time.monotonic() - began, len(changes.new) - done
    return Refreshed(len(seen.files), changed, len(changes.gone), written, took, waiting)


def _in_index(store: Store, version: int, known: dict[str, Stamp]) -> tuple[int, dict[str, Stamp]]:
    """What the index knows, read anew where another process has written into it meanwhile."""
    now = store.version()
    return (version, known) if now == version else (now, store.stamps())


def _batches(files: Sequence[tuple[str, Stamp]]) -> Iterator[Sequence[tuple[str, Stamp]]]:
    """Files that are written in one transaction: as many as keep within a number of bytes."""
    start = size = 0
    for at, (_, stamp) in enumerate(files):
        size += stamp[2]
        if size >= BYTES_A_TRANSACTION or at + 1 - start >= FILES_A_TRANSACTION:
            yield files[start : at + 1]
            start, size = at + 1, 0
    if start < len(files):
        yield files[start:]


def _really_changed(store: Store, taken: Sequence[Taken], known: Container[str]) -> list[Taken]:
    """Without the files that were only touched."""
    digests = store.digests([item.path for item in taken if item.path in known])
    fresh = []
    for item in taken:
        if item.digest is not None and digests.get(item.path) == item.digest:
            store.touch(item.path, item.stamp)
        else:
            fresh.append(item)
    return fresh


def _taken(workspace: Path, batch: Sequence[tuple[str, Stamp]]) -> list[Taken]:
    """The files read and cut into passages, each with its reason where it has none."""
    taken: list[Taken] = []
    documents: dict[int, Document] = {}
    for path, stamp in batch:
        place = Path(workspace, path)
        try:
            content = _content(place, stamp[2])
            if is_document(place, content):
                documents[len(taken)] = (place, content)
            found = () if len(taken) in documents else _passages_of(content)
            taken.append(Taken(path, stamp, hashlib.blake2b(content, digest_size=16).digest(), "", found))
        except OSError:
            taken.append(Taken(path, stamp, skipped="unreadable"))
        except Unfit as unfit:
            taken.append(Taken(path, stamp, skipped=str(unfit)))
    for at, (text, reason) in zip(documents, read_documents(list(documents.values())), strict=True):
        read = tuple(passages(text))
        taken[at] = replace(taken[at], skipped=reason, passages=read, digest=None if reason else taken[at].digest)
    return taken


class Unfit(Exception):
    """A file that has no text to index; its text is the reason, a word or two."""


def _content(path: Path, size: int) -> bytes:
    if path.name.endswith(NO_DOCUMENTS):
        raise Unfit("no document")
    if size > DOCUMENT_LIMIT:
        raise Unfit("too large")
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise Unfit("no regular file")
        if not lies_at(fd, path):  # a folder above became a link since the walk
            raise Unfit("unreadable")
        return file.readall()


def _passages_of(content: bytes) -> tuple[Passage, ...]:
    if is_binary(content):
        raise Unfit("binary")
    if len(content) > TEXT_LIMIT:
        raise Unfit("too large")
    return tuple(passages(decode(content).text))


async def embed(
    store: Store,
    embedder: Embedder,
    *,
    seconds: float | None = None,
    report: Report = lambda what, done, total: None,
) -> int:
    """Gives passages their vectors, for at most so many seconds; returns how many still wait."""
    store.use_embedder(embedder.name)
    began = time.monotonic()
    total = store.counts()["passages"]
    last = 0
    while batch := store.without_vectors(last, PASSAGES_A_BATCH):
        last = batch[-1][0]
        vectors = await embedder.embed([_told(title, text) for _, title, text in batch])
        packed = vectors.astype("float16")
        rows = zip(batch, packed, strict=True)
        store.put_vectors([(id_, text, vector.tobytes()) for (id_, _, text), vector in rows])
        report("embedding", store.counts()["vectors"], total)
        if seconds is not None and time.monotonic() - began > seconds:
            break
    found = store.counts()
    return found["passages"] - found["vectors"]


def _told(title: str, text: str) -> str:
    """What stands for a passage in its vector: its heading, then its words."""
    heading = title.partition(": ")[2]
    return f"{heading}. {text}" if heading and heading not in text else text
