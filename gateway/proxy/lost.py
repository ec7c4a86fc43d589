"""What a process that died could not write: the rows that close its requests, written by its parent."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from gateway.errors import LedgerError
from gateway.ledger import Ledger
from gateway.proxy.budget import add_uses
from gateway.proxy.logs import event

_OPEN = (
    "SELECT id, json_extract(data, '$.client') FROM events WHERE kind = 'gateway_request' AND data IS NOT NULL"
    " AND at >= :since AND json_extract(data, '$.process') = :process AND id NOT IN"
    " (SELECT json_extract(data, '$.request') FROM events WHERE kind = 'gateway_reply' AND data IS NOT NULL"
    " AND at >= :since) ORDER BY id"
)
_UNKNOWN = ("input_tokens", "output_tokens", "cost_usd", "seconds", "first_seconds")


def close_lost(path: Path, process: int, since: float) -> None:
    """Closes the requests that a dead process, which began at `since` (epoch), left open; a ledger that cannot be
    written is told in the log, and they stay open."""
    try:
        with Ledger(path) as ledger:
            found = ledger.connection.execute(_OPEN, {"process": process, "since": since}).fetchall()
            rows = [("gateway_reply", _row(id_, client)) for id_, client in found]
            if rows:
                ledger.append_all(rows, also=lambda connection, _: add_uses(connection, rows, time.time()))
    except LedgerError as error:
        event("lost_unrecorded", pid=process, error=type(error).__name__)


def _row(request: int, client: str) -> dict[str, Any]:
    said = {"request": request, "client": client, "outcome": "lost", "status": 0, "bytes": 0}
    return said | dict.fromkeys(_UNKNOWN)
