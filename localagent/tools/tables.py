"""Questions in SQL to CSV, XLSX and SQLite files, which are never written to."""

from __future__ import annotations

import csv
import io
import itertools
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.ports import Outcome, ToolContext
from localagent.tools.apart import apart, reach
from localagent.tools.paths import read_bytes, resolve, shown
from localagent.tools.result import fit
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import decode
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure, path_argument
from localagent.tools.words import say

if TYPE_CHECKING:
    from sqlite_utils import Database

ROWS = 200
CELL_CHARS = 2000
SECONDS = 20.0
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def query_table(profile: Profile) -> BuiltinTool:
    params = (Param("path", required=True), Param("sql"))
    return BuiltinTool(spec_of("query_table", params, profile), "read", _query_table, paths=path_argument)


async def _query_table(arguments: Arguments, context: ToolContext) -> Outcome:
    path = resolve(arguments["path"], context)
    text = await apart(SECONDS, _answer, path, arguments.get("sql") or "", reach(context))
    content, full = fit(text, context)
    return Outcome(content, full=full, sources=(shown(path, context),))


def _answer(path: Path, sql: str, context: ToolContext) -> str:
    """The rows, or without SQL the tables with their columns."""
    database = _open(path, context)
    try:
        if not sql.strip():
            return _described(database)
        return _rows(database, sql)
    except sqlite3.Error as error:
        raise ToolFailure(
            "invalid", say("sql_error", problem=error, tables=_tables_of(database, path, context))
        ) from None
    finally:
        database.close()


def _tables_of(database: Database, path: Path, context: ToolContext) -> str:
    """`_described`, where the file is a database at all."""
    try:
        return _described(database)
    except sqlite3.Error as error:
        raise ToolFailure("invalid", say("damaged", path=shown(path, context), problem=error)) from None


def _open(path: Path, context: ToolContext) -> Database:
    from sqlite_utils import Database

    if read_bytes(path, context, head=16) == b"SQLite format 3\0":
        return Database(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False))
    database = Database(sqlite3.connect(":memory:", check_same_thread=False))
    try:
        for name, rows in _tables(path, read_bytes(path, context), context):
            _fill(database, name, rows)
    except (csv.Error, ValueError) as error:  # a line that never ends, or more columns than a table may have
        raise ToolFailure("invalid", say("damaged", path=shown(path, context), problem=error)) from None
    return database


def _tables(path: Path, content: bytes, context: ToolContext) -> Iterator[tuple[str, list[Sequence[Any]]]]:
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv", ".txt"):
        yield _identifier(path.stem), _csv_rows(decode(content).text)
    elif kind in (".xlsx", ".xlsm"):
        from localagent.tools.documents import sheets

        for name, rows in sheets(content, shown(path, context)):
            yield _identifier(name), [row for row in rows if any(cell is not None for cell in row)]
    else:
        raise ToolFailure("invalid", say("no_table", path=shown(path, context)))


def _csv_rows(text: str) -> list[Sequence[Any]]:
    try:
        dialect: Any = csv.Sniffer().sniff(text[:20_000], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    return [row for row in csv.reader(io.StringIO(text, newline=""), dialect) if row]


def _identifier(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_") or "data"


def _fill(database: Database, name: str, rows: list[Sequence[Any]]) -> None:
    """The first row names the columns; text that is a number becomes one where a whole column is."""
    if not rows:
        return
    header = _unique([_identifier(str(cell)) if cell is not None else "column" for cell in rows[0]])
    table = database.table(name)
    if len(rows) == 1:
        table.create(dict.fromkeys(header, str))
        return
    columns = [_typed([row[i] if i < len(row) else None for row in rows[1:]]) for i in range(len(header))]
    table.insert_all(dict(zip(header, values, strict=True)) for values in zip(*columns, strict=True))


def _unique(names: Sequence[str]) -> list[str]:
    out: dict[str, str] = {}  # by what SQLite takes for the same name
    for name in names:
        fresh = next(
            c for c in itertools.chain([name], (f"{name}_{n}" for n in itertools.count(2))) if c.casefold() not in out
        )
        out[fresh.casefold()] = fresh
    return list(out.values())


def _typed(values: list[Any]) -> list[Any]:
    """A column as numbers where every filled cell is one and none has a leading zero or plus sign."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    if len(texts) != len([value for value in values if value not in (None, "")]):
        return [value if value is None or isinstance(value, int | float | str) else str(value) for value in values]
    for pattern, kind in ((r"-?(0|[1-9]\d{0,17})", int), (r"-?(0|[1-9]\d*)\.\d+|-?(0|[1-9]\d{0,17})", float)):
        if texts and all(re.fullmatch(pattern, value.strip()) for value in texts):
            return [kind(value) if isinstance(value, str) and value.strip() else None for value in values]
    return [value if value != "" else None for value in values]


def _rows(database: Database, sql: str) -> str:
    connection = database.conn
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
    try:
        cursor = connection.execute(sql)
        rows = cursor.fetchmany(ROWS + 1)
        names = [column[0] for column in cursor.description or ()]
    finally:
        connection.set_authorizer(None)
    if not rows:
        return say("no_rows")
    lines = [" | ".join(names), *(" | ".join(_cell(value) for value in row) for row in rows[:ROWS])]
    return "\n".join(lines + ([say("more_rows", count=ROWS)] if len(rows) > ROWS else []))


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    text = "" if value is None else str(value).replace("\n", " ")
    return text if len(text) <= CELL_CHARS else f"{text[:CELL_CHARS]}…"


def _described(database: Database) -> str:
    rows = [f"{t.name}({', '.join(t.columns_dict)}): {t.count} rows" for t in database.tables]
    return "\n".join(rows) or say("no_rows")
