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
    """The newest places for the words, which must all occur; a word at the end may be unfinished.

    What one session says twice in the same words is told once. Ranking would read every place: newest first costs
    the same in any ledger.
    """
    whole = " ".join(f'"{term}"' for term in re.findall(r"\w+", words))  # quoted: nothing typed is an operator
    if not whole:
        return []
    found = matching(ledger, whole, limit=limit, newest=True)
    return found if len(found) == limit else matching(ledger, f"{whole}*", limit=limit, newest=True)


def matching(
    ledger: Ledger,
    query: str,
    *,
    limit: int = 20,
    besides: str = "",
    workspace: str | None = None,
    newest: bool = False,
) -> list[Found]:
    """The best or the newest places for an FTS5 expression, in every session but one, of one workspace or of all."""
    refresh(ledger)
    found: dict[tuple[str, str], Found] = {}
    for row in _places(ledger, query, besides, workspace, limit * AGAIN, newest):
        hit = Found(*row)
        found.setdefault((hit.session, " ".join(hit.excerpt.strip("…").split())), hit)
        if len(found) == limit:
            break
    return list(found.values())


def _places(
    ledger: Ledger, query: str, besides: str, workspace: str | None, most: int, newest: bool
) -> Iterable[tuple[str, str, int, str, float]]:
    sql = (
        "SELECT s.session, coalesce(t.title, ''), s.event, snippet(search, 0, '[', ']', '…', 16), e.at FROM search s"
        " CROSS JOIN events e ON e.id = s.event LEFT JOIN sessions t ON t.session = s.session"
        " WHERE search MATCH ? AND s.session != ? AND (? IS NULL OR t.workspace = ?) ORDER BY"
        f" {'s.rowid DESC' if newest else 'rank'} LIMIT ?"
    )
    return ledger.connection.execute(sql, (query, besides, workspace, workspace, most))


def refresh(ledger: Ledger) -> None:
    """Puts the events since the last search into the index; takes no lock where there is none."""
    chunks = 0
    while _next_rows(ledger, most=1):
        chunks += 1
        with ledger.transaction() as connection:
            rows = _next_rows(ledger, most=CHUNK)
            texts = ((_said(kind, data), session, id_) for id_, session, kind, data in rows)
            connection.executemany(
                "INSERT INTO search (text, session, event) VALUES (?, ?, ?)", (t for t in texts if t[0])
            )
            connection.execute("UPDATE search_state SET event = max(event, ?)", (rows[-1][0] if rows else 0,))
    if chunks > 1:  # the index has many pieces then, and every search would look into each
        ledger.connection.execute("INSERT INTO search (search) VALUES ('optimize')")


def _next_rows(ledger: Ledger, most: int) -> list[tuple[int, str, str, str | None]]:
    marks = ",".join("?" * len(TEXT_KINDS))
    sql = (
        "SELECT id, session, kind, data FROM events WHERE id > (SELECT event FROM search_state)"
        f" AND kind IN ({marks}) ORDER BY id LIMIT {most}"
    )
    return ledger.connection.execute(sql, TEXT_KINDS).fetchall()


def _said(kind: str, data: str | None) -> str:
    """The words of a row, none where it was erased or damaged: `journal verify` names the damaged ones."""
    try:
        return _text(kind, json.loads(data)) if data else ""
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _text(kind: str, data: dict[str, Any]) -> str:
    if kind == "tool_finished":
        return str(data.get("full") or data["result"].get("content", ""))
    if kind == "condensed":
        return str(data["summary"])
    message = data["message"]
    calls = " ".join(
        f"{c['name']} {json.dumps(c.get('arguments', {}), ensure_ascii=False)}" for c in message.get("calls", ())
    )
    return f"{message.get('content', '')} {calls}".strip()


def forget(ledger: Ledger, session: str) -> None:
    """Takes an erased session out of the index and of the list."""
    with ledger.transaction() as connection:
        connection.execute("DELETE FROM search WHERE session = ?", (session,))
        for table in ("sessions", "run_figures", "tool_use"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))
    ledger.connection.execute("INSERT INTO search (search) VALUES ('optimize')")
