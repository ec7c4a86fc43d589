"""What the ledger holds of a request: one row before it leaves, one row when it has ended. Never a value or a text.

One thread writes, and all rows that wait are made durable together: many requests at once cost one sync of the disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gateway.config import Price
from gateway.errors import BlockedError, GatewayError, LedgerWriteError
from gateway.hashes import of_issued
from gateway.ledger import Ledger
from gateway.policy import Policy
from gateway.proxy.budget import add_uses
from gateway.proxy.logs import event
from gateway.proxy.plan import Plan

Done = Callable[[int, GatewayError | None], None]
_BYTES_A_TOKEN = 4
_NO_ROW = ""  # the kind of what only tries to write


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
    row = {**_asked(asker), "outcome": "refused", "status": status, "reason": type(error).__name__}
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
    """Writes rows in the order in which they come."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: queue.SimpleQueue[tuple[str, dict[str, Any], Done | None] | None] = queue.SimpleQueue()
        self.fault = ""  # the type of the last error, empty while rows are written
        self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._thread.start()

    async def before(self, row: dict[str, Any]) -> int:
        """The id of the request's row, once it is durable; LedgerError if it cannot be written."""
        return await self._written("gateway_request", row)

    async def recovered(self) -> bool:
        """Whether rows are written, tried anew without one after a failure: who is not ready is sent no request."""
        if self.fault:
            with suppress(GatewayError):
                await self._written(_NO_ROW, {})
        return not self.fault

    async def _written(self, kind: str, row: dict[str, Any]) -> int:
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

        self._waiting.put((kind, row, done))
        return await future

    def after(self, kind: str, row: dict[str, Any]) -> None:
        """A row that closes a request or says that none left; written soon and surely, whoever went away meanwhile."""
        self._waiting.put((kind, row, None))

    def close(self) -> None:
        """Writes what waits and ends."""
        self._waiting.put(None)
        self._thread.join()
        self._ledger.close()

    def _write(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            ended = False
            while not self._waiting.empty():
                if (item := self._waiting.get()) is None:
                    ended = True
                    break
                batch.append(item)
            self._append(batch)
            if ended:
                return

    def _append(self, batch: list[tuple[str, dict[str, Any], Done | None]]) -> None:
        rows = [(kind, row) for kind, row, _ in batch if kind != _NO_ROW]
        ids: Iterator[int] = iter(())
        error: GatewayError | None = None
        try:
            ids = iter(
                self._ledger.append_all(rows, also=lambda connection, _: add_uses(connection, rows, time.time()))
            )
            self.fault = ""
        except Exception as caught:  # noqa: BLE001 - whoever waits is told, and the thread outlives it
            self.fault = type(caught).__name__
            error = (
                caught if isinstance(caught, GatewayError) else LedgerWriteError(f"no row was written ({self.fault})")
            )
            event("ledger_failed", error=self.fault, rows=len(rows))
        for kind, _, done in batch:
            id_ = 0 if kind == _NO_ROW else next(ids, 0)
            if done is not None:
                done(id_, error)
