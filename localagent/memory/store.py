"""The index of one workspace in a SQLite file of the data folder: files, their passages, full text and vectors.

Everything in it can be computed again, so that a file that is damaged or of another version is thrown away.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from localagent.memory.passages import Passage

VERSION = 3
BUSY_SECONDS = 30
Stamp = tuple[int, int, int]  # times of the last change of content and of entry in nanoseconds, size in bytes
NO_READER = "missing package"
UNSETTLED = -1  # as the times of a stamp that fits no file

_SCHEMA = """
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL,
    size INTEGER NOT NULL, digest BLOB, skipped TEXT NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE INDEX files_first ON files (first);
CREATE VIRTUAL TABLE words USING fts5 (text, title, line UNINDEXED, last UNINDEXED,
    tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_FORGETS = "CREATE TRIGGER walk_{0} AFTER {0} ON files BEGIN DELETE FROM facts WHERE name = 'walk'; END"


@dataclass(frozen=True, slots=True)
class Taken:
    """A file as it is taken into the index. `skipped` says why it has no passages, "" where it has."""

    path: str
    stamp: Stamp
    digest: bytes | None = None
    skipped: str = ""
    passages: tuple[Passage, ...] = ()


class Store:
    """An open index. `rebuilt` says why an older file was thrown away, "" where it was not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rebuilt = ""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = self._open()
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
            self.reset(str(error))

    def _open(self) -> sqlite3.Connection:
        self._file = _inode(self.path)
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise sqlite3.DatabaseError(f"it is of version {version}, this is {VERSION}")
            if version == 0:
                for statement in (*_SCHEMA.split(";\n"), *map(_FORGETS.format, ("INSERT", "UPDATE", "DELETE"))):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def reset(self, why: str) -> None:
        """Throws the file away and begins anew, unless another process already has."""
        if hasattr(self, "connection"):
            self.connection.close()
        if self._file == _inode(self.path):
            delete(self.path)
        self.rebuilt = why
        self.connection = self._open()

    def version(self) -> int:
        """Another number whenever somebody else has written into the index."""
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, whole or not at all."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def stamps(self) -> dict[str, Stamp]:
        """Every file that was looked at, with its stamp then."""
        rows = self.connection.execute("SELECT path, mtime, ctime, size FROM files")
        return {path: (mtime, ctime, size) for path, mtime, ctime, size in rows}

    def walked(self) -> tuple[str, dict[str, bool]]:
        """The digest of the walk that the files are in step with and the folders that it met; "" and none without."""
        row = self.connection.execute("SELECT value FROM facts WHERE name = 'walk'").fetchone()
        digest, folders = json.loads(row[0]) if row else ("", {})
        return digest, folders

    def settle(self, digest: str, folders: Mapping[str, bool], stamps: Mapping[str, Stamp]) -> None:
        """Remembers a walk where the files are in step with it: whoever changes them afterwards forgets it."""
        if self.stamps() == stamps:
            walk = json.dumps((digest, folders))
            self.connection.execute("INSERT OR REPLACE INTO facts VALUES ('walk', ?)", (walk,))

    def digests(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The digests of those of the files that have passages."""
        sql = "SELECT digest FROM files WHERE path = ? AND skipped = ''"
        rows = ((path, self.connection.execute(sql, (path,)).fetchone()) for path in paths)
        return {path: row[0] for path, row in rows if row}

    def touch(self, path: str, stamp: Stamp) -> None:
        """The file was touched, its content is the same."""
        self.connection.execute("UPDATE files SET mtime = ?, ctime = ?, size = ? WHERE path = ?", (*stamp, path))

    def put(self, taken: Sequence[Taken], *, known: Container[str] = ()) -> int:
        """Takes files in anew and returns how many passages they have; vectors of passages that stay are kept.

        The passages of a file are rows of `words` that follow each other, `count` of them from `first`.
        """
        kept = {item.path: self.drop(item.path) for item in taken if item.path in known}
        before = passage = self._last_passage()
        files, words, vectors = [], [], []
        for item in taken:
            held, title = kept.get(item.path), _title(item)
            files.append((item.path, *item.stamp, item.digest, item.skipped, passage + 1, len(item.passages)))
            for line, last, heading, text in item.passages:
                passage += 1
                title = title or heading
                words.append((passage, text, title, line, last))
                if held and (title, text) in held:
                    vectors.append((passage, held[title, text]))
                title = ""
        insert = self.connection.executemany
        insert(
            "INSERT INTO files (path, mtime, ctime, size, digest, skipped, first, count)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            files,
        )
        insert("INSERT INTO words (rowid, text, title, line, last) VALUES (?, ?, ?, ?, ?)", words)
        insert("INSERT INTO vectors VALUES (?, ?)", vectors)
        return passage - before

    def _last_passage(self) -> int:
        return int(self.connection.execute("SELECT coalesce(max(rowid), 0) FROM words").fetchone()[0])

    def drop(self, path: str) -> dict[tuple[str, str], bytes]:
        """Forgets a file; returns the vectors that its passages had, by title and text."""
        row = self.connection.execute("SELECT first, first + count - 1 FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return {}
        sql = (
            "SELECT title, text, vector FROM words JOIN vectors ON passage = words.rowid WHERE passage BETWEEN ? AND ?"
        )
        kept = {(title, text): vector for title, text, vector in self.connection.execute(sql, row)}
        self.connection.execute("DELETE FROM words WHERE rowid BETWEEN ? AND ?", row)
        self.connection.execute("DELETE FROM vectors WHERE passage BETWEEN ? AND ?", row)
        self.connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return kept

    def passage(self, id_: int) -> tuple[str, int, int, str, str] | None:
        """Path, first and last line, title and text; None where it went meanwhile."""
        sql = (
            "SELECT path, line, last, title, text FROM words, files WHERE words.rowid = ?"
            " AND files.first <= words.rowid AND words.rowid < files.first + files.count"
        )
        row: tuple[str, int, int, str, str] | None = self.connection.execute(sql, (id_,)).fetchone()
        return row

    def use_embedder(self, name: str) -> None:
        """Vectors of another model are worth nothing: they go."""
        self._agree("embedder", name, "DELETE FROM vectors")

    def use_readers(self, names: str) -> None:
        """Where a package was installed since, what nobody could read is looked at again."""
        again = f"UPDATE files SET mtime = {UNSETTLED}, ctime = {UNSETTLED} WHERE skipped = '{NO_READER}'"
        self._agree("readers", names, again)

    def _agree(self, name: str, value: str, otherwise: str) -> None:
        """A fact that the index was made with; where it was another one, something has to be done."""
        row = self.connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        if row is None or row[0] != value:
            with self.transaction() as connection:
                connection.execute(otherwise)
                connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def without_vectors(self, after: int, limit: int) -> list[tuple[int, str, str]]:
        """Passages beyond `after` that wait for their vector: id, title, text."""
        sql = (
            "SELECT rowid, title, text FROM words WHERE rowid > ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors WHERE passage = words.rowid) ORDER BY rowid LIMIT ?"
        )
        return self.connection.execute(sql, (after, limit)).fetchall()

    def put_vectors(self, rows: Sequence[tuple[int, str, bytes]]) -> None:
        """Vectors by passage and its text; a passage that went or became another one meanwhile is passed over."""
        sql = (
            "INSERT OR REPLACE INTO vectors SELECT ?1, ?3"
            " WHERE EXISTS (SELECT 1 FROM words WHERE rowid = ?1 AND text = ?2)"
        )
        with self.transaction() as connection:
            connection.executemany(sql, rows)

    def counts(self) -> dict[str, int]:
        """Files, passages and vectors."""
        sql = "SELECT count(*), coalesce(sum(count), 0) FROM files WHERE skipped = ''"
        files, passages = self.connection.execute(sql).fetchone()
        vectors = self.connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        return {"files": files, "passages": passages, "vectors": vectors}

    def skipped(self) -> dict[str, int]:
        """How many files have no passages, by reason."""
        sql = "SELECT skipped, count(*) FROM files WHERE skipped != '' GROUP BY skipped ORDER BY 2 DESC"
        return dict(self.connection.execute(sql).fetchall())

    def close(self) -> None:
        self.connection.close()


def _title(item: Taken) -> str:
    """The first passage of a file can be found by the file's name as well."""
    heading = item.passages[0].heading if item.passages else ""
    return f"{item.path}: {heading}" if heading else item.path


def damaged(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is worth nothing: what is locked, closed or full is no damage, nor is a mistake of ours."""
    return type(error) is sqlite3.DatabaseError


def _inode(path: Path) -> int | None:
    return path.stat().st_ino if path.exists() else None


def delete(path: Path) -> None:
    """Removes the file of an index that is not open, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def store_file(data: Path, workspace: Path) -> Path:
    """Where the index of a workspace lies: its name, and a hash of its place."""
    place = hashlib.sha256(str(workspace.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return data / "memory" / f"{workspace.resolve().name[:40]}-{place}.db"
