"""What the ledger holds of a request: one row before it leaves, one row when it has ended. Never a value or a text.

The thread that has masked a request writes its row, with all others that wait: two threads fewer have to be woken
before it leaves, and many requests at once cost one sync of the disk. A thread of their own writes the rows that close
requests, since nobody waits for those.
"""

from __future__ import annotations

import math
import os
import queue
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
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

_BYTES_A_TOKEN = 4
_NO_ROW = ""  # the kind of what only tries to write
_CLOSES = "gateway_reply"  # without it a request looks as if its process had died
_MOST_KEPT = 10_000
_CHECKPOINT_EVERY = 100  # transactions: about what SQLite does it at by itself, but then a request waits for it


@dataclass(slots=True)
class Outcome:
    """How a request ended.

    done, refused (by the upstream), failed, timeout, cut (mid-stream), cancelled (by the client), unsent (nothing
    left: the upstream was not reached, or the client had gone) or lost (its process died). `seconds` run from the
    departure, `bytes` are those of the answer, `events` those of a stream.
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
        "process": os.getpid(),
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


@dataclass(eq=False, slots=True)
class _Item:
    """A row that is to be written, its client's `rate`, which it may not exceed, and what became of it."""

    kind: str
    row: dict[str, Any]
    rate: int | None = None
    settled: bool = False
    id: int = 0
    error: GatewayError | None = None

    def settle(self, id_: int = 0, error: GatewayError | None = None) -> None:
        self.id, self.error, self.settled = id_, error, True


class Recorder:
    """Writes rows in the order in which they come. Rows that close a request wait where the disk is full."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._kept: list[_Item] = []
        self._turn = threading.Lock()  # of the ledger
        self._transactions = 0
        self._ledger.connection.execute("PRAGMA wal_autocheckpoint = 0")
        self.fault = ""  # the type of the last error, empty while rows are written
        self._come = threading.Semaphore(0)  # rows that nobody waits for
        self._ended = False
        self._tidy = sqlite3.connect(ledger.path, check_same_thread=False)  # of its own: it holds up nobody that writes
        self._thread = threading.Thread(target=self._write_closing, name="ledger", daemon=True)
        self._thread.start()

    def before(self, row: dict[str, Any], rate: int | None = None) -> int:
        """The id of the request's row, once it is durable; LedgerError if it cannot be written, RequestError 429 where
        it would be more than `rate` a minute, of all processes on this ledger. Waits for the disk."""
        return self._written(_Item("gateway_request", row, rate))

    def recovered(self) -> bool:
        """Whether rows are written, tried anew without one after a failure: who is not ready is sent no request. May
        wait for the disk."""
        if self.fault:
            with suppress(GatewayError):
                self._written(_Item(_NO_ROW, {}))
        return not self.fault

    def after(self, kind: str, row: dict[str, Any]) -> None:
        """A row that closes a request or says that none left; written soon and surely, whoever went away meanwhile."""
        self._waiting.put(_Item(kind, row))
        self._come.release()

    def close(self) -> None:
        """Writes what waits and ends."""
        self._ended = True
        self._come.release()
        self._thread.join()
        with self._turn:
            self._write()
        self._tidy.close()
        self._ledger.close()

    def _written(self, item: _Item) -> int:
        self._waiting.put(item)
        with self._turn:
            if not item.settled:  # whoever had the turn before may have written it
                self._write()
        if item.error is not None:
            raise item.error
        return item.id

    def _write_closing(self) -> None:
        while not self._ended:
            self._come.acquire()
            with self._turn:
                self._write()
            if self._transactions >= _CHECKPOINT_EVERY:
                self._transactions = 0
                with suppress(sqlite3.Error):  # a full disk is told by the next row that cannot be written
                    self._tidy.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _write(self) -> None:
        """Whatever waits, in one transaction. Only who has the turn may call it."""
        items, self._kept = self._kept, []
        with suppress(queue.Empty):
            while True:
                items.append(self._waiting.get_nowait())
        if items:
            self._append(items)
            self._transactions += 1

    def _append(self, batch: list[_Item]) -> None:
        try:
            ids = iter(self._insert(batch))
        except _OverError as over:
            for item in over.items:
                item.settle(error=over.error)
            return self._append([item for item in batch if not item.settled])
        except Exception as caught:  # noqa: BLE001 - whoever waits is told, and the thread outlives it
            return self._failed(batch, caught)
        self.fault = ""
        for item in batch:
            item.settle(0 if item.kind == _NO_ROW else next(ids, 0))

    def _insert(self, batch: Sequence[_Item]) -> list[int]:
        rows = [(item.kind, item.row) for item in batch if item.kind != _NO_ROW]

        def count(connection: sqlite3.Connection, _: int) -> None:
            add_uses(connection, rows, time.time())
            _check_rates(batch, Uses(connection))

        return self._ledger.append_all(rows, also=count)

    def _failed(self, batch: Sequence[_Item], caught: Exception) -> None:
        self.fault = type(caught).__name__
        event("ledger_failed", error=self.fault, rows=len(batch))
        if isinstance(caught, LedgerWriteError):  # the disk is full, or another process holds the file
            self._kept = [item for item in batch if item.kind == _CLOSES][:_MOST_KEPT]
        told = caught if isinstance(caught, GatewayError) else LedgerWriteError(f"no row was written ({self.fault})")
        for item in batch:
            item.settle(error=told)


class _OverError(Exception):
    """Requests that are more than their client's rate allows, as all processes of the ledger count it."""

    def __init__(self, items: list[_Item], error: RequestError) -> None:
        super().__init__()
        self.items, self.error = items, error


def _check_rates(batch: Sequence[_Item], uses: Uses) -> None:
    """In the transaction that counts them, so that no two processes let in the last one both."""
    bound = {str(item.row["client"]): item.rate for item in batch if item.rate is not None}
    for client, rate in bound.items():
        over = math.ceil(uses.rate(client) - rate)
        if over > 0:
            theirs = [item for item in batch if item.rate is not None and item.row["client"] == client]
            raise _OverError(theirs[-over:], over_rate(client, rate, uses))
