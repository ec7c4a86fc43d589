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
    version = _refuse_foreign(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version == len(MIGRATIONS):
        return
    if version:
        _copy(connection, path, version)
    _migrate(connection)


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the file, before anything is written into it."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    version = _version(connection)  # read last: another process that begins the file makes both in one transaction
    if tables and not (version and {"events", "head"} <= tables):
        raise LedgerCorruptError(f"{path} is a database of something else; choose another file")
    if version > len(MIGRATIONS):
        raise LedgerCorruptError(
            f"the ledger {path} was written by a newer version (schema {version}, this one knows {len(MIGRATIONS)}); "
            "update localagent"
        )
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number, step in enumerate(MIGRATIONS[_version(connection) :], start=_version(connection) + 1):
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite has rolled back by itself when the disk is full
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


@migration
def m006_figures(connection: sqlite3.Connection) -> None:
    """One row a run and one a tool of it, derived from the events, so that figures cost the same in any ledger."""
    connection.execute(
        "CREATE TABLE run_figures (run TEXT PRIMARY KEY, session TEXT NOT NULL, first_event INTEGER NOT NULL,"
        " started REAL NOT NULL, ended REAL, model TEXT NOT NULL, task TEXT NOT NULL, tools TEXT NOT NULL,"
        " outcome TEXT, steps INTEGER, input_tokens INTEGER, output_tokens INTEGER, evaluated_tokens INTEGER,"
        " cost_usd REAL, error TEXT, rejected INTEGER NOT NULL DEFAULT 0, repaired INTEGER NOT NULL DEFAULT 0,"
        " fallbacks INTEGER NOT NULL DEFAULT 0, condensed INTEGER NOT NULL DEFAULT 0)"
    )
    connection.execute("CREATE INDEX run_figures_session ON run_figures (session)")
    connection.execute(
        "CREATE TABLE tool_use (run TEXT NOT NULL, tool TEXT NOT NULL, session TEXT NOT NULL, calls INTEGER NOT NULL,"
        " failed INTEGER NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (run, tool)) WITHOUT ROWID"
    )
    connection.execute("CREATE INDEX tool_use_session ON tool_use (session)")
    for statement in FILL_FIGURES:
        connection.execute(statement)
    for name in ("runs", "replies", "tool_runs"):
        connection.execute(f"DROP VIEW {name}")
    for name, query in _VIEWS.items():
        connection.execute(f"CREATE VIEW {name} AS {query}")


FILL_FIGURES = (
    "INSERT OR IGNORE INTO run_figures (run, session, first_event, started, model, task, tools)"
    " SELECT run, session, id, at, coalesce(json_extract(data, '$.model'), ''),"
    " coalesce(json_extract(data, '$.task'), ''), coalesce(json_extract(data, '$.tools'), '[]')"
    " FROM events WHERE kind = 'run_started' AND data IS NOT NULL ORDER BY id",
    "UPDATE run_figures SET (ended, outcome, model, steps, input_tokens, output_tokens, evaluated_tokens, cost_usd,"
    " error) = (f.at, json_extract(f.data, '$.result.outcome'), json_extract(f.data, '$.result.model'),"
    " json_extract(f.data, '$.result.steps'), json_extract(f.data, '$.result.usage.input_tokens'),"
    " json_extract(f.data, '$.result.usage.output_tokens'), json_extract(f.data, '$.result.usage.evaluated_tokens'),"
    " json_extract(f.data, '$.result.cost_usd'), json_extract(f.data, '$.result.error.message'))"
    " FROM (SELECT run, at, data FROM events WHERE kind = 'run_finished' AND data IS NOT NULL) f"
    " WHERE f.run = run_figures.run",
    "UPDATE run_figures SET rejected = n.rejected, repaired = n.repaired, fallbacks = n.fallbacks,"
    " condensed = n.condensed FROM (SELECT run, sum(kind = 'reply_rejected') AS rejected, sum(kind = 'fell_back')"
    " AS fallbacks, sum(kind = 'condensed') AS condensed, sum(kind = 'replied' AND json_extract(data, '$.repairs')"
    " IS NOT NULL) AS repaired FROM events WHERE kind IN ('reply_rejected', 'fell_back', 'condensed', 'replied')"
    " AND data IS NOT NULL GROUP BY run) n WHERE n.run = run_figures.run",
    "INSERT OR IGNORE INTO tool_use (run, tool, session, calls, failed, seconds)"
    " SELECT run, json_extract(t.value, '$.name'), session, count(*), sum(NOT json_extract(t.value, '$.ok')),"
    " sum(json_extract(t.value, '$.seconds')) FROM events, json_each(data, '$.result.tools') t"
    " WHERE kind = 'run_finished' AND data IS NOT NULL GROUP BY run, 2",
)  # fmt: skip
_VIEWS = {
    "runs": "SELECT run, session, datetime(started, 'unixepoch') AS started, round(ended - started, 3) AS seconds,"
    " coalesce(outcome, 'unfinished') AS outcome, model, task, steps, input_tokens, output_tokens, evaluated_tokens,"
    " cost_usd, rejected, repaired, fallbacks, condensed, error FROM run_figures",
    "steps": "SELECT id, datetime(at, 'unixepoch') AS at, session, run, json_extract(data, '$.model') AS model,"
    " json_extract(data, '$.message.content') AS text, coalesce(json_array_length(data, '$.message.calls'), 0)"
    " AS calls,"
    " json_extract(data, '$.usage.input_tokens') AS input_tokens, json_extract(data, '$.usage.output_tokens')"
    " AS output_tokens, json_extract(data, '$.usage.evaluated_tokens') AS evaluated_tokens,"
    " json_extract(data, '$.seconds') AS seconds, json_extract(data, '$.tokens_per_second') AS tokens_per_second,"
    " json_extract(data, '$.cost_usd') AS cost_usd FROM events WHERE kind = 'replied' AND data IS NOT NULL",
    "tool_calls": "SELECT id, datetime(at, 'unixepoch') AS at, session, run, json_extract(data, '$.result.name')"
    " AS tool, (SELECT json_extract(s.data, '$.call.arguments') FROM events s WHERE s.session = e.session"
    " AND s.id < e.id AND s.kind = 'tool_started' AND json_extract(s.data, '$.call.id') ="
    " json_extract(e.data, '$.result.call_id') ORDER BY s.id DESC LIMIT 1) AS arguments,"
    " coalesce(json_extract(data, '$.result.ok'), 0) AS ok, json_extract(data, '$.failure') AS failure,"
    " json_extract(data, '$.seconds') AS seconds, json_extract(data, '$.result.content') AS result"
    " FROM events e WHERE kind = 'tool_finished' AND data IS NOT NULL",
    "messages": "SELECT id, datetime(at, 'unixepoch') AS at, session, run, CASE kind WHEN 'replied' THEN 'assistant'"
    " WHEN 'tool_finished' THEN 'tool' WHEN 'condensed' THEN 'summary' ELSE CASE WHEN json_extract(data, '$.source')"
    " = 'person' THEN 'person' ELSE 'house' END END AS speaker, coalesce(json_extract(data, '$.message.content'),"
    " json_extract(data, '$.result.content'), json_extract(data, '$.summary')) AS text FROM events"
    " WHERE kind IN ('message_added', 'replied', 'tool_finished', 'condensed') AND data IS NOT NULL",
    "costs": "SELECT date(started, 'unixepoch') AS day, model, count(*) AS runs, sum(steps) AS steps,"
    " sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, round(sum(cost_usd), 6) AS cost_usd"
    " FROM run_figures WHERE ended IS NOT NULL GROUP BY day, model",
}  # fmt: skip
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
