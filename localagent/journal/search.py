"""Full text over all sessions. The index is filled when a search is asked for, with what is new since the last one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateway.ledger import Ledger

TEXT_KINDS = ("message_added", "replied", "tool_finished", "condensed")
CHUNK = 2000
AGAIN = 5  # times that one thing may be found again before others are missed


@dataclass(frozen=True, slots=True)
class Found:
    """A place where the words stand; `excerpt` marks them with [ ]."""

    session: str
    title: str
    event: int
    excerpt: str
    at: float = 0.0  # seconds since the epoch


def search(ledger: Ledger, words: str, *, limit: int = 20) -> list[Found]:
    """The best places for the words, which must all occur; a word at the end may be unfinished.

    What one session says twice in the same words is told once.
    """
    query = _query(words)
    return matching(ledger, query, limit=limit) if query else []


def matching(
    ledger: Ledger, query: str, *, limit: int = 20, besides: str = "", workspace: str | None = None
) -> list[Found]:
    """The best places for an FTS5 expression, in every session but one, of one workspace or of all."""
    refresh(ledger)
    found: dict[tuple[str, str], Found] = {}
    for row in _places(ledger, query, besides, workspace, limit * AGAIN):
        hit = Found(*row)
        found.setdefault((hit.session, " ".join(hit.excerpt.strip("…").split())), hit)
        if len(found) == limit:
            break
    return list(found.values())


def _places(
    ledger: Ledger, query: str, besides: str, workspace: str | None, most: int
) -> Iterable[tuple[str, str, int, str, float]]:
    sql = (
        "SELECT s.session, coalesce(t.title, ''), s.event, snippet(search, 0, '[', ']', '…', 16), e.at FROM search s"
        " JOIN events e ON e.id = s.event LEFT JOIN sessions t ON t.session = s.session"
        " WHERE search MATCH ? AND s.session != ? AND (? IS NULL OR t.workspace = ?) ORDER BY rank LIMIT ?"
    )
    return ledger.connection.execute(sql, (query, besides, workspace, workspace, most))


def _query(words: str) -> str:
    """FTS5 syntax of plain words: nothing that the person types can be an operator."""
    terms = re.findall(r"\w+", words)
    return " ".join(f'"{term}"' for term in terms[:-1]) + (f' "{terms[-1]}"*' if terms else "")


def refresh(ledger: Ledger) -> None:
    """Puts the events since the last search into the index."""
    while True:
        with ledger.transaction() as connection:
            seen = connection.execute("SELECT event FROM search_state").fetchone()[0]
            rows = list(_next_rows(ledger, seen))
            if not rows:
                return
            connection.executemany(
                "INSERT INTO search (text, session, event) VALUES (?, ?, ?)",
                [(text, session, id_) for id_, session, text in rows if text],
            )
            connection.execute("UPDATE search_state SET event = ?", (rows[-1][0],))


def _next_rows(ledger: Ledger, seen: int) -> list[tuple[int, str, str]]:
    marks = ",".join("?" * len(TEXT_KINDS))
    sql = f"SELECT id, session, kind, data FROM events WHERE id > ? AND kind IN ({marks}) ORDER BY id LIMIT {CHUNK}"
    rows = ledger.connection.execute(sql, (seen, *TEXT_KINDS)).fetchall()
    return [(id_, session, _text(kind, json.loads(data)) if data else "") for id_, session, kind, data in rows]


def _text(kind: str, data: dict[str, Any]) -> str:
    if kind == "tool_finished":
        return str(data.get("full") or data["result"].get("content", ""))
    if kind == "condensed":
        return str(data["summary"])
    message = data["message"]
    calls = " ".join(f"{c['name']} {c.get('arguments', '')}" for c in message.get("calls", ()))
    return f"{message.get('content', '')} {calls}".strip()


def forget(ledger: Ledger, session: str) -> None:
    """Takes an erased session out of the index and of the list."""
    with ledger.transaction() as connection:
        connection.execute("DELETE FROM search WHERE session = ?", (session,))
        for table in ("sessions", "run_figures", "tool_use"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    ledger.connection.execute("INSERT INTO search (search) VALUES ('optimize')")
