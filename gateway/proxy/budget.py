"""What a client has used, read from the ledger: a restart forgets nothing, and processes on one ledger share it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gateway.errors import LedgerError, RequestError

_MINUTE = 60
_DAY_MINUTES = 24 * 60
Event = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Used:
    """What was used since midnight (UTC)."""

    tokens: int
    usd: float


class Uses:
    """Reads the table `gateway_use`: one row a client and minute, written with the events. Raises LedgerError."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection = connection
        self._clock = clock

    def rate(self, client: str) -> float:
        """Requests of the last minute: those of this minute, and the share of the one before that is still in sight."""
        now = self._clock()
        minute, into = divmod(now, _MINUTE)
        rows = self._read(
            "SELECT minute, requests FROM gateway_use WHERE client = ? AND minute >= ?", (client, int(minute) - 1)
        )
        return sum(float(n) if at == int(minute) else float(n) * (1 - into / _MINUTE) for at, n in rows)

    def today(self, client: str) -> Used:
        """Tokens and cost since midnight."""
        first = int(self._clock() // _MINUTE) // _DAY_MINUTES * _DAY_MINUTES
        [(tokens, usd)] = self._read(
            "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0.0) FROM gateway_use"
            " WHERE client = ? AND minute >= ?",
            (client, first),
        )
        return Used(int(tokens), float(usd))

    def _read(self, sql: str, values: tuple[str, int]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise LedgerError(f"what was used cannot be read from the ledger ({type(error).__name__})") from None

    def until_next_minute(self) -> int:
        """Seconds, at least one."""
        return _MINUTE - int(self._clock()) % _MINUTE

    def until_midnight(self) -> int:
        """Seconds, at least one."""
        return _DAY_MINUTES * _MINUTE - int(self._clock()) % (_DAY_MINUTES * _MINUTE)


def over_rate(client: str, rate: int, uses: Uses) -> RequestError:
    """What a client is told that asks too often."""
    return RequestError(
        429, f"the client {client} may ask {rate} times a minute; try again later", retry_after=uses.until_next_minute()
    )


def add_uses(connection: sqlite3.Connection, events: Iterable[Event], now: float) -> None:
    """Adds what rows of the ledger say to the table, in the transaction that writes them."""
    minute = int(now // _MINUTE)
    for kind, data in events:
        closing = kind == "gateway_reply"
        connection.execute(
            "INSERT INTO gateway_use (client, minute, requests, tokens, cost_usd) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (client, minute) DO UPDATE SET requests = requests + excluded.requests,"
            " tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd",
            (data.get("client", ""), minute, int(not closing), _tokens(data), data.get("cost_usd") or 0.0),
        )


def _tokens(data: dict[str, Any]) -> int:
    return (data.get("input_tokens") or 0) + (data.get("output_tokens") or 0)
