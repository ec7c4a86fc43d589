"""The ledger: append-only events in one SQLite file, chained by hashes, shared by any number of processes.

Each row's `hash` covers the row before it, its own place, time, session, run, kind and the hash of its data.
The data's hash is salted, and salt and data can be erased together: the chain still holds afterwards, and what
was erased cannot be guessed from the hash. One row in `head` holds the newest id and hash, so that a cut tail is found.

`append` returns when the event is durable (WAL, synchronous=FULL).
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.errors import LedgerCorruptError, LedgerWriteError
from gateway.ledger_schema import prepare

GENESIS = "0" * 64
_SURROGATE = re.compile("[\ud800-\udfff]")
BUSY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Row:
    """One event as it lies in the ledger; `data` is None where it was erased. `at` is seconds since the epoch."""

    id: int
    at: float
    session: str
    run: str
    kind: str
    data: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that does not fit the chain."""

    id: int
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `verify` found. `erased` counts rows whose data was erased on purpose."""

    rows: int
    erased: int
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


class Ledger:
    """An open ledger; opening raises LedgerCorruptError for a file that is none, LedgerWriteError without rights."""

    def __init__(self, path: Path | str, *, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(path)
        self._clock = clock
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise LedgerWriteError(f"cannot open the ledger {self.path}: {error}; check the folder's rights") from error
        with self._translated():
            prepare(self.connection, self.path)

    def append(self, kind: str, data: dict[str, Any], *, session: str = "", run: str = "") -> int:
        """Makes one event durable and returns its id."""
        return self.append_all([(kind, data)], session=session, run=run)[0]

    def append_all(
        self,
        events: Iterable[tuple[str, dict[str, Any]]],
        *,
        session: str = "",
        run: str = "",
        also: Callable[[sqlite3.Connection, int], None] | None = None,
    ) -> list[int]:
        """Makes several events durable in one transaction; `also` writes derived rows in the same one."""
        with self.transaction() as connection:
            ids = self._append(connection, events, session, run)
            if also is not None:
                also(connection, ids[-1] if ids else 0)
        return ids

    def _append(
        self, connection: sqlite3.Connection, events: Iterable[tuple[str, dict[str, Any]]], session: str, run: str
    ) -> list[int]:
        head = connection.execute("SELECT id, hash FROM head").fetchone()
        if head is None:
            raise LedgerCorruptError(f"the ledger {self.path} has lost its head; run `localagent journal verify`")
        last, previous = head
        ids: list[int] = []
        for kind, data in events:
            last, previous = self._insert(connection, last + 1, previous, (session, run, kind), data)
            ids.append(last)
        connection.execute("UPDATE head SET id = ?, hash = ?", (last, previous))
        return ids

    def _insert(
        self, connection: sqlite3.Connection, id_: int, previous: str, who: tuple[str, str, str], data: dict[str, Any]
    ) -> tuple[int, str]:
        text = _dumps(data)
        salt = secrets.token_hex(8)
        at = self._clock()
        data_hash = _data_hash(salt, text)
        hash_ = _row_hash(previous, id_, at, who, data_hash)
        connection.execute(
            "INSERT INTO events (id, at, session, run, kind, data, salt, data_hash, hash) VALUES (?,?,?,?,?,?,?,?,?)",
            (id_, at, *who, text, salt, data_hash, hash_),
        )
        return id_, hash_

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, whole or not at all."""
        with self._translated():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                if self.connection.in_transaction:  # SQLite has rolled back by itself when the disk is full
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "decode" in str(error):  # SQLite's sentence holds the text itself
                raise LedgerCorruptError(
                    f"a row of the ledger {self.path} is no text any more; `journal verify` names it"
                ) from None
            raise LedgerWriteError(f"the ledger {self.path} cannot be written: {error}; {_advice(error)}") from error
        except sqlite3.DatabaseError as error:
            raise LedgerCorruptError(
                f"the ledger {self.path} is damaged or no ledger: {error}; move it away, a new one is begun"
            ) from error

    def rows(self, *, session: str | None = None, after: int = 0, kinds: Iterable[str] | None = None) -> Iterator[Row]:
        """Rows in their order, of one session or of all."""
        where: list[str] = ["id > ?"]
        values: list[Any] = [after]
        if session is not None:
            where.append("session = ?")
            values.append(session)
        if kinds is not None:
            wanted = list(kinds)
            where.append(f"kind IN ({','.join('?' * len(wanted))})")
            values.extend(wanted)
        sql = f"SELECT id, at, session, run, kind, data FROM events WHERE {' AND '.join(where)} ORDER BY id"
        with self._translated():
            for id_, at, session_, run, kind, data in self.connection.execute(sql, values):
                yield Row(id_, at, session_, run, kind, _loads(data, id_))

    def erase(self, session: str, *, reason: str) -> int:
        """Erases the data of all events of a session, records that it did, and returns how many rows it emptied."""
        with self._translated():
            self.connection.execute("PRAGMA secure_delete = ON")
        with self.transaction() as connection:
            cursor = connection.execute(
                "UPDATE events SET data = NULL, salt = NULL WHERE session = ? AND data IS NOT NULL", (session,)
            )
            count = cursor.rowcount
            self._append(connection, [("erased", {"session": session, "rows": count, "reason": reason})], "", "")
        with self._translated():
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def verify(self) -> Verdict:
        """Reads the whole chain and names every row that was changed, is missing, or stands in another place."""
        with self._translated():
            state = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        faults = [] if state == "ok" else [Fault(0, f"the file is damaged: {state}")]
        with self._lenient():
            return self._follow(faults)

    @contextmanager
    def _lenient(self) -> Iterator[None]:
        """What is no UTF-8 is read all the same, and cannot have the hash that it should have."""
        self.connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            yield
        finally:
            self.connection.text_factory = str

    def _follow(self, faults: list[Fault]) -> Verdict:
        count = 0
        empty: list[tuple[int, str]] = []
        told: set[str] = set()  # sessions whose erasure the chain tells
        expected, previous = 1, GENESIS
        sql = "SELECT id, at, session, run, kind, data, salt, data_hash, hash FROM events ORDER BY id"
        with self._translated():
            for id_, at, session, run, kind, data, salt, data_hash, hash_ in self.connection.execute(sql):
                count += 1
                if id_ != expected:
                    faults.append(Fault(expected, f"rows {expected} to {id_ - 1} are missing"))
                if kind == "erased" and data is not None:
                    told.add(_erased_session(data))
                if data is None:
                    empty.append((id_, session))
                elif _data_hash(salt or "", data) != data_hash:
                    faults.append(Fault(id_, "its data was changed"))
                if id_ == expected and _row_hash(previous, id_, at, (session, run, kind), data_hash) != hash_:
                    faults.append(Fault(id_, "it was changed, or it does not follow the row before it"))
                expected, previous = id_ + 1, hash_
            head = self.connection.execute("SELECT id, hash FROM head").fetchone()
        faults += [Fault(id_, "its data is gone, and no erasure tells why") for id_, who in empty if who not in told]
        if head != (expected - 1, previous):
            faults.append(Fault(expected, f"the chain ends at row {expected - 1}, its head says {head and head[0]}"))
        return Verdict(count, len(empty), tuple(faults))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _data_hash(salt: str, text: str) -> str:
    return hashlib.sha256(f"{salt}\n{text}".encode()).hexdigest()


def _row_hash(previous: str, id_: int, at: float, who: tuple[str, str, str], data_hash: str) -> str:
    return hashlib.sha256(json.dumps([previous, id_, at, *who, data_hash]).encode()).hexdigest()


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _dumps(data: dict[str, Any]) -> str:
    try:
        text = _encode(data)
    except ValueError:  # NaN is no JSON, and SQLite would not read the row
        data = json.loads(json.dumps(data), parse_constant=lambda _: None)
        text = _encode(data)
    # SQLite takes no lone surrogates; as an escape they come back as they were.
    return json.dumps(data, separators=(",", ":")) if _SURROGATE.search(text) else text


def _loads(text: str | None, id_: int) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise LedgerCorruptError(f"row {id_} of the ledger holds no JSON; run `localagent journal verify`") from error
    return data


def _erased_session(text: str) -> str:
    """The session that an erasure names, "" where the row was changed: it has its fault already."""
    try:
        return str(json.loads(text)["session"])
    except (ValueError, KeyError, TypeError):
        return ""


def _advice(error: sqlite3.OperationalError) -> str:
    text = str(error)
    if "full" in text:
        return "free some disk space; nothing that was acknowledged is lost"
    if "disk I/O" in text:
        return "the disk is full or failing; nothing that was acknowledged is lost"
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return "make the file and its folder writable, or set LOCALAGENT_HOME to another folder"
    if "locked" in text or "busy" in text:
        return f"another process held it for more than {BUSY_SECONDS} s; try again"
    return "run `localagent journal verify`"
