"""What the ledger holds of a request: one row before it leaves, one row when it has ended. Never a value or a text.

One thread writes, and all rows that wait are made durable together: many requests at once cost one sync of the disk.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gateway.errors import GatewayError
from gateway.ledger import Ledger
from gateway.proxy.plan import Plan

Done = Callable[[int, GatewayError | None], None]


@dataclass(slots=True)
class Outcome:
    """How a request ended: done, refused (by the upstream), failed, cut (mid-stream) or cancelled (by the client)."""

    outcome: str = "failed"
    status: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0
    first_seconds: float | None = None


def request_row(plan: Plan) -> dict[str, Any]:
    """The row that is durable before anything leaves."""
    return {
        "client": plan.client,
        "model": plan.model,
        "protocol": plan.protocol,
        "upstream": plan.upstream.name,
        "masked": plan.counts,
        "bytes": len(plan.body),
    }


def reply_row(request: int, outcome: Outcome) -> dict[str, Any]:
    """The row that closes it."""
    return {
        "request": request,
        "outcome": outcome.outcome,
        "status": outcome.status,
        "input_tokens": outcome.input_tokens,
        "output_tokens": outcome.output_tokens,
        "seconds": round(outcome.seconds, 4),
    }


class Recorder:
    """Writes rows in the order in which they come."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._waiting: queue.SimpleQueue[tuple[str, dict[str, Any], Done | None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._thread.start()

    async def before(self, row: dict[str, Any]) -> int:
        """The id of the request's row, once it is durable; LedgerError if it cannot be written."""
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

        self._waiting.put(("gateway_request", row, done))
        return await future

    def after(self, row: dict[str, Any]) -> None:
        """The row that closes a request; it is written soon and surely, whoever went away meanwhile."""
        self._waiting.put(("gateway_reply", row, None))

    def close(self) -> None:
        """Writes what waits and ends."""
        self._waiting.put(None)
        self._thread.join()

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
        try:
            ids = self._ledger.append_all([(kind, row) for kind, row, _ in batch])
            error = None
        except GatewayError as caught:
            ids, error = [0] * len(batch), caught
        for (_, _, done), id_ in zip(batch, ids, strict=True):
            if done is not None:
                done(id_, error)
