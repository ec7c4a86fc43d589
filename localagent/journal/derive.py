"""Rows that follow from events, written in the same transaction: of a session, of a run, of the tools of a run.

Lists and figures are read from them, so that they cost the same in any ledger.
"""

from __future__ import annotations

import json
import sqlite3
import time

from localagent.events import Event, Forked, HandedOff, RunFinished, RunResult, RunStarted

TITLE_CHARS = 80
HEADS = (RunStarted, RunFinished, Forked, HandedOff)  # the events that something follows from


def derive(connection: sqlite3.Connection, session: str, run: str, event: Event, first: int) -> None:
    """Writes what follows from an event; `first` is the id of the first event of the transaction."""
    match event:
        case RunStarted():
            _begun(connection, session, run, event, first)
        case RunFinished(result=result):
            _ended(connection, session, run, result)
        case Forked(parent=parent):
            now = time.time()
            connection.execute(
                "INSERT INTO sessions SELECT ?, title, ?, ?, workspace, model, 0, 0, '', 0, 0, 0, session"
                " FROM sessions WHERE session = ?",
                (session, now, now, parent),
            )
        case HandedOff(run=handed):
            connection.execute("UPDATE sessions SET outcome = 'handed_off' WHERE session = ?", (session,))
            connection.execute("UPDATE run_figures SET outcome = 'handed_off' WHERE run = ?", (handed,))


def _begun(connection: sqlite3.Connection, session: str, run: str, event: RunStarted, first: int) -> None:
    now = time.time()
    if not event.resumed:
        connection.execute(
            "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, 1, 0, '', 0, 0, 0, '') ON CONFLICT (session) DO UPDATE"
            " SET updated = excluded.updated, model = excluded.model, runs = runs + 1, outcome = ''",
            (session, title_of(event.task), now, now, event.workspace, event.model),
        )
    connection.execute(
        "INSERT OR IGNORE INTO run_figures (run, session, first_event, started, model, task, tools)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (run, session, first, now, event.model, event.task, json.dumps(event.tools)),
    )


def _ended(connection: sqlite3.Connection, session: str, run: str, result: RunResult) -> None:
    now, usage = time.time(), result.usage
    connection.execute(
        "UPDATE sessions SET updated = ?, outcome = ?, steps = steps + ?, input_tokens = input_tokens + ?,"
        " output_tokens = output_tokens + ?, cost_usd = cost_usd + ? WHERE session = ?",
        (
            now, result.outcome, result.steps, usage.input_tokens or 0, usage.output_tokens or 0, result.cost_usd,
            session,
        ),
    )  # fmt: skip
    connection.execute(
        "UPDATE run_figures SET ended = ?, outcome = ?, model = ?, steps = ?, input_tokens = ?, output_tokens = ?,"
        " evaluated_tokens = ?, cost_usd = ?, error = ? WHERE run = ?",
        (
            now, result.outcome, result.model, result.steps, usage.input_tokens, usage.output_tokens,
            usage.evaluated_tokens, result.cost_usd, (result.error or {}).get("message"), run,
        ),
    )  # fmt: skip
    connection.execute(_COUNTS, (session, run, run))
    uses: dict[str, tuple[int, int, float]] = {}
    for use in result.tools:
        calls, failed, seconds = uses.get(use.name, (0, 0, 0.0))
        uses[use.name] = calls + 1, failed + (not use.ok), seconds + use.seconds
    connection.executemany(
        "INSERT OR REPLACE INTO tool_use (run, tool, session, calls, failed, seconds) VALUES (?, ?, ?, ?, ?, ?)",
        [(run, tool, session, *figures) for tool, figures in uses.items()],
    )


_COUNTS = (
    "UPDATE run_figures SET (rejected, repaired, fallbacks, condensed) = (SELECT"
    " coalesce(sum(kind = 'reply_rejected'), 0), coalesce(sum(kind = 'replied' AND json_extract(data, '$.repairs')"
    " IS NOT NULL), 0), coalesce(sum(kind = 'fell_back' AND json_extract(data, '$.why') IS NOT 'asked'), 0),"
    " coalesce(sum(kind = 'condensed'), 0) FROM events WHERE session = ? AND id >= first_event AND events.run = ?)"
    " WHERE run = ?"
)


def title_of(task: str) -> str:
    """A session's title is the first line of its first task: no call to a model is made for it."""
    line = next((line.strip() for line in task.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"
