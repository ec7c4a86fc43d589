"""Retrieval and indexing: `python -m tests.bench.bench_memory`. Ratios inside one run; nothing here is fetched.

recall@5 on the office's papers of memory_set, by words alone (FTS5) and with vectors; the speed of indexing beside a
bare FTS5 insert of the same text; and what looking at an unchanged folder of 10,000 files costs beside walking it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from localagent.memory.index import embed, refresh
from localagent.memory.passages import passages
from localagent.memory.search import by_words, search
from localagent.memory.store import Store
from localagent.models.embed.sentence import SentenceEncoder, weights_file
from localagent.ports import Embedder
from tests.bench.memory_set import PAPERS, files, questions

ROUNDS = 5
FOLDERS, FILES_EACH = 100, 100
DOCUMENTS = 400


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(retrieval(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        indexing(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        unchanged(Path(folder))


async def retrieval(folder: Path) -> None:
    work = written(folder / "work", files().items())
    store = Store(folder / "index.db")
    refresh(store, work)
    count = store.counts()["passages"]
    paths = {id_: row[0] for id_ in range(1, count + 1) if (row := store.passage(id_))}
    asked = questions()
    words = sum(bool(right & {paths[id_] for id_ in by_words(store, question, 5)}) for question, right in asked)
    print(f"recall@5 of {len(asked)} questions in English and Russian over {len(paths)} passages")
    print(f"  by words alone (FTS5 with stems)  {words / len(asked):.3f}")
    if not weights_file().is_file():
        print("  by meaning: no model here; localagent memory pull fetches one")
        return
    encoder = SentenceEncoder()
    await encoder.embed(["first"])  # reads the weights
    began = time.process_time()
    await embed(store, encoder)
    seconds = time.process_time() - began
    found = sum([bool(right & await top(store, question, encoder)) for question, right in asked])
    print(f"  words and meaning ({encoder.name})  {found / len(asked):.3f}")
    print(
        f"  {seconds / len(paths) * 1000:.1f} ms a passage of {sum(map(len, files().values())) // len(paths)} characters"
    )


async def top(store: Store, question: str, embedder: Embedder) -> set[str]:
    return {found.path for found in await search(store, question, embedder, limit=5)}


def indexing(folder: Path) -> None:
    texts = [document(number) for number in range(DOCUMENTS)]
    work = written(folder / "work", ((f"{n % 20}/{n}.md", text) for n, text in enumerate(texts)))
    pieces = [(passage.text,) for text in texts for passage in passages(text)]
    bare, ours = [], []
    for number in range(ROUNDS):
        bare.append(timed(lambda n=number: insert(folder / f"bare{n}.db", pieces)))  # type: ignore[misc]
        ours.append(timed(lambda n=number: refresh(Store(folder / f"ours{n}.db"), work)))  # type: ignore[misc]
    size = sum(len(text.encode()) for text in texts) / 1e6
    ratio = min(ours) / min(bare)
    print(
        f"\nindexing {DOCUMENTS} files, {size:.1f} MB, {len(pieces)} passages, without vectors, best of {ROUNDS}, CPU time"
    )
    print(f"  bare FTS5 insert of the same passages  {size / min(bare):.1f} MB/s")
    print(f"  index, reading the files included      {size / min(ours):.1f} MB/s  ({1 / ratio:.2f} of the bare speed)")


def document(number: int) -> str:
    """A long document: papers in both languages, each with its number in it, so that no two are alike."""
    parts = []
    for at in range(40):
        paper = PAPERS[(number * 7 + at * 3) % len(PAPERS)]
        parts.append(
            f"## {paper.name} {number}.{at}\n\n{paper.en or paper.ru}\n\n{paper.ru or paper.en} №{number}-{at}"
        )
    return "\n\n".join(parts) + "\n"


def insert(file: Path, rows: Iterable[tuple[str]]) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?)", rows)
    connection.execute("COMMIT")
    connection.close()


def unchanged(folder: Path) -> None:
    work = folder / "work"
    written(work, ((f"{d:03}/{f:03}.md", f"text {d} {f}\n") for d in range(FOLDERS) for f in range(FILES_EACH)))
    store = Store(folder / "index.db")
    first = timed(lambda: refresh(store, work))
    paths = [f"{work}/{name}" for name in store.stamps()]
    again, walked, named, looked = [], [], [], []
    for _ in range(ROUNDS):
        named.append(timed(lambda: walk(work, stats=False)))
        looked.append(timed(lambda: [os.stat(path) for path in paths]))
        walked.append(timed(lambda: walk(work, stats=True)))
        again.append(timed(lambda: refresh(store, work)))
    print(
        f"\nan unchanged folder of {FOLDERS * FILES_EACH:,} files, best of {ROUNDS}, CPU time (first time {first:.2f} s)"
    )
    print(f"  os.scandir, names only        {min(named) * 1000:.1f} ms")
    rows = {
        "os.stat of each, no walk": looked,
        "os.scandir with each stat": walked,
        "index, nothing has changed": again,
    }
    for name, times in rows.items():
        ratios = (
            f"{min(times) / min(walked):.2f} of the walk with stats, {min(times) / min(named):.1f} of that by names"
        )
        print(f"  {name:28}  {min(times) * 1000:.1f} ms  ({ratios})")


def walk(folder: Path, *, stats: bool) -> int:
    """What anybody must do who wants to know whether a file changed; without `stats` it cannot be known."""
    count, stack = 0, [str(folder)]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(entry.path)
                else:
                    count += entry.stat(follow_symlinks=False).st_mtime_ns > 0 if stats else 1
    return count


def written(folder: Path, texts: Iterable[tuple[str, str]]) -> Path:
    for name, text in texts:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def timed(work: Callable[[], object]) -> float:
    """Seconds of CPU: what others compute here at the same time does not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
