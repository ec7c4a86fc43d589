"""The tables of the ledger, as a numbered list of migrations that only grows.

Before an older file is changed, a copy is put beside it (`<name>.v<old>.bak`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from gateway.errors import LedgerCorruptError

Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: list[Migration] = []


def migration(function: Migration) -> Migration:
    """Adds the function to the list; its place is the schema's version."""
    MIGRATIONS.append(function)
    return function


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Brings the file to the newest version; does nothing but two reads where it is there already."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    version = _version(connection)
    if version > len(MIGRATIONS):
        raise LedgerCorruptError(
            f"the ledger {path} was written by a newer version (schema {version}, this one knows {len(MIGRATIONS)}); "
            "update localagent"
        )
    if version == len(MIGRATIONS):
        return
    if version:
        _copy(connection, path, version)
    _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _version(connection) and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise LedgerCorruptError(f"{path} is a database of something else; choose another file")
        for number, step in enumerate(MIGRATIONS[_version(connection) :], start=_version(connection) + 1):
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _copy(connection: sqlite3.Connection, path: Path, version: int) -> None:
    backup = path.with_name(f"{path.name}.v{version}.bak")
    if not backup.exists():
        connection.execute("VACUUM INTO ?", (str(backup),))


@migration
def m001_events(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE events (id INTEGER PRIMARY KEY, at REAL NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,"
        " kind TEXT NOT NULL, data TEXT, salt TEXT, data_hash TEXT NOT NULL, hash TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX events_session ON events (session, id)")
    connection.execute("CREATE INDEX events_kind ON events (kind, id)")
    connection.execute("CREATE TABLE head (id INTEGER NOT NULL, hash TEXT NOT NULL)")
    connection.execute("INSERT INTO head VALUES (0, ?)", ("0" * 64,))


@migration
def m002_sessions(connection: sqlite3.Connection) -> None:
    """One row a session, derived from its events, so that listing costs the same in any ledger."""
    connection.execute(
        "CREATE TABLE sessions (session TEXT PRIMARY KEY, title TEXT NOT NULL, started REAL NOT NULL,"
        " updated REAL NOT NULL, workspace TEXT NOT NULL, model TEXT NOT NULL, runs INTEGER NOT NULL,"
        " steps INTEGER NOT NULL, outcome TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,"
        " cost_usd REAL NOT NULL, parent TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX sessions_updated ON sessions (updated)")


@migration
def m003_search(connection: sqlite3.Connection) -> None:
    """Full text of what was said, filled from the events when a search is asked for."""
    connection.execute("CREATE VIRTUAL TABLE search USING fts5 (text, session UNINDEXED, event UNINDEXED)")
    connection.execute("CREATE TABLE search_state (event INTEGER NOT NULL)")
    connection.execute("INSERT INTO search_state VALUES (0)")


@migration
def m004_views(connection: sqlite3.Connection) -> None:
    """Plain names for people who open the file with sqlite-utils or Datasette."""
    for name, kind, columns in (
        ("runs", "run_finished", _RUNS),
        ("replies", "replied", _REPLIES),
        ("tool_runs", "tool_finished", _TOOL_RUNS),
        ("rejected_replies", "reply_rejected", _REJECTED),
        ("gateway_requests", "gateway_request", _REQUESTS),
    ):
        picked = ", ".join(f"json_extract(data, '$.{path}') AS {column}" for column, path in columns)
        connection.execute(
            f"CREATE VIEW {name} AS SELECT id, datetime(at, 'unixepoch') AS at, session, run, {picked}"
            f" FROM events WHERE kind = '{kind}' AND data IS NOT NULL"
        )


@migration
def m005_gateway_use(connection: sqlite3.Connection) -> None:
    """What each client of the gateway used in each minute, derived from the rows, so that a limit is one look-up."""
    connection.execute(
        "CREATE TABLE gateway_use (client TEXT NOT NULL, minute INTEGER NOT NULL, requests INTEGER NOT NULL,"
        " tokens INTEGER NOT NULL, cost_usd REAL NOT NULL, PRIMARY KEY (client, minute)) WITHOUT ROWID"
    )
    asked = ", ".join(f"json_extract(data, '$.{name}') AS {name}" for name in _ASKED)
    asked += ", json_extract(data, '$.outcome') AS refused"
    ended = ", ".join(f"json_extract(data, '$.{name}') AS {name}" for name in ("request", *_ENDED))
    connection.execute("DROP VIEW IF EXISTS gateway_requests")
    connection.execute(
        f"CREATE VIEW gateway_requests AS SELECT id, at, session, kind = 'gateway_request' AS sent,"
        f" {', '.join(_ASKED)}, coalesce(ended.outcome, refused, 'open') AS outcome,"
        f" {', '.join(f'ended.{name}' for name in _ENDED[1:])} FROM"
        f" (SELECT id, datetime(at, 'unixepoch') AS at, session, kind, {asked}"
        " FROM events WHERE kind IN ('gateway_request', 'gateway_refused') AND data IS NOT NULL) LEFT JOIN"
        f" (SELECT {ended} FROM events WHERE kind = 'gateway_reply' AND data IS NOT NULL) ended ON ended.request = id"
    )


_ASKED = ("client", "model", "protocol", "upstream", "masked", "bytes")
_ENDED = ("outcome", "status", "input_tokens", "output_tokens", "cost_usd", "seconds", "first_seconds")
_RUNS = (
    ("outcome", "result.outcome"), ("model", "result.model"), ("steps", "result.steps"),
    ("input_tokens", "result.usage.input_tokens"), ("output_tokens", "result.usage.output_tokens"),
    ("evaluated_tokens", "result.usage.evaluated_tokens"), ("cost_usd", "result.cost_usd"),
    ("error", "result.error.message"),
)  # fmt: skip
_REPLIES = (
    ("model", "model"), ("text", "message.content"), ("input_tokens", "usage.input_tokens"),
    ("output_tokens", "usage.output_tokens"), ("evaluated_tokens", "usage.evaluated_tokens"),
    ("seconds", "seconds"), ("tokens_per_second", "tokens_per_second"),
)  # fmt: skip
_TOOL_RUNS = (
    ("tool", "result.name"), ("ok", "result.ok"), ("seconds", "seconds"), ("failure", "failure"),
    ("content", "result.content"),
)  # fmt: skip
_REJECTED = (("model", "model"), ("kind", "kind"), ("problem", "problem"), ("attempt", "attempt"))
_REQUESTS = (
    ("client", "client"), ("model", "model"), ("protocol", "protocol"), ("outcome", "outcome"),
    ("masked", "masked"), ("seconds", "seconds"),
)  # fmt: skip
