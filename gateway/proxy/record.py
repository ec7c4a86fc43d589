"""What the ledger holds of a request: one row before it leaves, one row when it has ended. Never a value or a text.

One thread writes, and all rows that wait are made durable together: many requests at once cost one sync of the disk.
"""

from __future__ import annotations

import asyncio
import math
import queue
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gateway.config import Price
from gateway.errors import BlockedError, GatewayError, LedgerWriteError, RequestError
from gateway.hashes import of_issued
from gateway.ledger import Ledger
from gateway.policy import Policy
from gateway.proxy.budget import Uses, add_uses, over_rate
from gateway.proxy.logs import event
from gateway.proxy.plan import Plan

Done = Callable[[int, GatewayError | None], None]
Item = tuple[str, dict[str, Any], Done | None, int | None]
"""Kind and row, who waits for it, and the client's rate, which it may not exceed."""
_BYTES_A_TOKEN = 4
_NO_ROW = ""  # the kind of what only tries to write
_CLOSES = "gateway_reply"  # without it a request looks as if its process had died
_MOST_KEPT = 10_000
_CHECKPOINT_EVERY = 100  # transactions: about what SQLite does it at by itself, but then a request waits for it


@dataclass(slots=True)
class Outcome:
    """How a request ended.

    done, refused (by the upstream), failed, timeout, cut (mid-stream) or cancelled (by the client). `seconds` run from
    the departure, `bytes` are those of the answer, `events` those of a stream.
    """

    outcome: str = "failed"
    status: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    first_seconds: float | None = None
    bytes: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, how, and under which policy. `bytes` are those of the body as it came."""

    client: str = ""
    path: str = ""
    protocol: str = ""
    policy: Policy = field(default_factory=Policy)
    bytes: int = 0


def request_row(plan: Plan, asker: Asker, key: bytes) -> dict[str, Any]:
    """The row that is durable before anything leaves."""
    return {
        **_asked(asker),
        "model": plan.model,
        "upstream": plan.upstream.name,
        "local": plan.upstream.local,
        "stream": plan.stream,
        "masked": dict(plan.counts),
        "decisions": {kind: asker.policy.action(kind) for kind in plan.counts},
        "hashes": _hashes(plan, key),
        **_passed(plan, key),
        **({"left_out": plan.left_out} if plan.left_out else {}),
        "bytes": len(plan.body),
    }


def refused_row(asker: Asker, status: int, error: Exception) -> dict[str, Any]:
    """The row of a request that did not leave."""
    reason = str(error) if isinstance(error, GatewayError) else type(error).__name__  # another's words may hold a value
    row = {**_asked(asker), "outcome": "refused", "status": status, "reason": reason}
    return {**row, "outcome": "blocked", "blocked": error.types} if isinstance(error, BlockedError) else row


def reply_row(request: int, asker: Asker, outcome: Outcome, plan: Plan) -> dict[str, Any]:
    """The row that closes a request. Where the upstream counted no tokens they are estimated from the sizes."""
    given = (outcome.input_tokens, outcome.output_tokens)
    estimated = given == (None, None) and outcome.outcome in ("done", "cut", "cancelled")
    tokens = _estimate(plan, outcome) if estimated else given
    return {
        "request": request,
        "client": asker.client,
        "outcome": outcome.outcome,
        "status": outcome.status,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        **({"estimated": True} if estimated else {}),
        "cost_usd": cost(plan.upstream.price, tokens),
        "bytes": outcome.bytes,
        "seconds": round(outcome.seconds, 4),
        "first_seconds": None if outcome.first_seconds is None else round(outcome.first_seconds, 4),
    }


def cost(price: Price | None, tokens: tuple[int | None, int | None]) -> float | None:
    """US dollars; None without a price."""
    if price is None:
        return None
    return round(((tokens[0] or 0) * price.input + (tokens[1] or 0) * price.output) / 1e6, 9)


def _estimate(plan: Plan, outcome: Outcome) -> tuple[int, int]:
    """Four bytes are a token; in a stream each event is about one."""
    return len(plan.body) // _BYTES_A_TOKEN, outcome.events or outcome.bytes // _BYTES_A_TOKEN


def _asked(asker: Asker) -> dict[str, Any]:
    return {
        "client": asker.client,
        "protocol": asker.protocol,
        "path": asker.path,
        "policy": asker.policy.name,
        "asked_bytes": asker.bytes,
    }


def _hashes(plan: Plan, key: bytes) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, identity, forms in plan.vault.issued():
        if kind != "PLACEHOLDER":
            found.setdefault(kind, []).extend(of_issued(key, forms, identity))
    return found


def _passed(plan: Plan, key: bytes) -> dict[str, Any]:
    """What was found and left in clear, as the policy says: counts and hashes."""
    counts: Counter[str] = Counter()
    found: dict[str, list[str]] = {}
    for (kind, text), count in plan.vault.passed.items():
        counts[kind] += count
        found.setdefault(kind, []).extend(of_issued(key, [text], ""))
    return {"passed": dict(counts), "passed_hashes": found} if counts else {}


class Recorder:
    """Writes rows in the order in which they come. Rows that close a request wait where the disk is full."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: queue.SimpleQueue[Item | None] = queue.SimpleQueue()
        self._kept: list[Item] = []
        self._transactions = 0
        self._ledger.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.fault = ""  # the type of the last error, empty while rows are written
        self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._thread.start()

    async def before(self, row: dict[str, Any], rate: int | None = None) -> int:
        """The id of the request's row, once it is durable; LedgerError if it cannot be written, RequestError 429 where
        it would be more than `rate` a minute, of all processes on this ledger."""
        return await self._written("gateway_request", row, rate)

    async def recovered(self) -> bool:
        """Whether rows are written, tried anew without one after a failure: who is not ready is sent no request."""
        if self.fault:
            with suppress(GatewayError):
                await self._written(_NO_ROW, {})
        return not self.fault

    async def _written(self, kind: str, row: dict[str, Any], rate: int | None = None) -> int:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()

        def settle(id_: int, error: GatewayError | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(id_)
            else:
                future.set_exception(error)

        def done(id_: int, error: GatewayError | None) -> None:
            loop.call_soon_threadsafe(settle, id_, error)

        self._waiting.put((kind, row, done, rate))
        return await future

    def after(self, kind: str, row: dict[str, Any]) -> None:
        """A row that closes a request or says that none left; written soon and surely, whoever went away meanwhile."""
        self._waiting.put((kind, row, None, None))

    def close(self) -> None:
        """Writes what waits and ends."""
        self._waiting.put(None)
        self._thread.join()
        self._ledger.close()

    def _write(self) -> None:
        ended = False
        while not ended:
            items = [self._waiting.get()]
            while not self._waiting.empty():
                items.append(self._waiting.get())
            ended = None in items
            batch = [*self._kept, *(item for item in items if item is not None)]
            self._kept = []
            if batch:
                self._append(batch)
                self._checkpoint()

    def _checkpoint(self) -> None:
        """Moves the log into the file, when those who waited for their rows have been told."""
        self._transactions += 1
        if self._transactions % _CHECKPOINT_EVERY == 0:
            with suppress(sqlite3.Error):  # a full disk is told by the next row that cannot be written
                self._ledger.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _append(self, batch: list[Item]) -> None:
        try:
            ids = iter(self._insert(batch))
        except _OverError as over:
            _settle(over.items, over.error)
            return self._append([item for item in batch if item not in over.items])
        except Exception as caught:  # noqa: BLE001 - whoever waits is told, and the thread outlives it
            return self._failed(batch, caught)
        self.fault = ""
        for kind, _, done, _ in batch:
            id_ = 0 if kind == _NO_ROW else next(ids, 0)
            if done is not None:
                done(id_, None)

    def _insert(self, batch: list[Item]) -> list[int]:
        rows = [(kind, row) for kind, row, _, _ in batch if kind != _NO_ROW]

        def count(connection: sqlite3.Connection, _: int) -> None:
            add_uses(connection, rows, time.time())
            _check_rates(batch, Uses(connection))

        return self._ledger.append_all(rows, also=count)

    def _failed(self, batch: list[Item], caught: Exception) -> None:
        self.fault = type(caught).__name__
        event("ledger_failed", error=self.fault, rows=len(batch))
        if isinstance(caught, LedgerWriteError):  # the disk is full, or another process holds the file
            self._kept = [item for item in batch if item[0] == _CLOSES][:_MOST_KEPT]
        told = caught if isinstance(caught, GatewayError) else LedgerWriteError(f"no row was written ({self.fault})")
        _settle(batch, told)


class _OverError(Exception):
    """Requests that are more than their client's rate allows, as all processes of the ledger count it."""

    def __init__(self, items: list[Item], error: RequestError) -> None:
        super().__init__()
        self.items, self.error = items, error


def _check_rates(batch: list[Item], uses: Uses) -> None:
    """In the transaction that counts them, so that no two processes let in the last one both."""
    bound = {str(row["client"]): rate for _, row, _, rate in batch if rate is not None}
    for client, rate in bound.items():
        over = math.ceil(uses.rate(client) - rate)
        if over > 0:
            theirs = [item for item in batch if item[3] is not None and item[1]["client"] == client]
            raise _OverError(theirs[-over:], over_rate(client, rate, uses))


def _settle(batch: list[Item], error: GatewayError) -> None:
    for _, _, done, _ in batch:
        if done is not None:
            done(0, error)
