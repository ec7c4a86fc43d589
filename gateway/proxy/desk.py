"""What all requests of one process share: the door, the record, the figures, the maskers of the clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.config import Client, Config
from gateway.hashes import load_key
from gateway.ledger import Ledger
from gateway.mask import Masker
from gateway.proxy.access import Access
from gateway.proxy.budget import Uses
from gateway.proxy.metrics import Metrics
from gateway.proxy.record import Recorder
from gateway.proxy.tracing import Tracer

if TYPE_CHECKING:
    from gateway.proxy.forward import Caller

_LAST_SECONDS = 5.0
Maskers = Mapping[str, Masker]


@dataclass(slots=True)
class Desk:
    """`maskers` has one for each client that has a policy of its own; `key` is that of the hashes."""

    access: Access
    recorder: Recorder
    metrics: Metrics
    key: bytes
    masker: Masker
    maskers: Maskers
    reading: Ledger
    tracer: Tracer | None = None
    concurrent: int = 256
    at_work: int = 0
    stopping: bool = False

    def masker_of(self, client: Client) -> Masker:
        """The masker with the policy of a client."""
        return self.maskers.get(client.name, self.masker)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """While the process serves: figures are saved and traces sent; at the end what waits is written."""
        tasks = [asyncio.create_task(self.metrics.keep_saved())]
        if self.tracer:
            tasks.append(asyncio.create_task(self.tracer.keep_sent()))
        try:
            yield
        finally:
            self.stopping = True
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await self._empty()
            self.recorder.close()
            self.reading.close()

    async def _empty(self) -> None:
        """Requests that the end of the server has cut off still write their last row."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                while self.at_work:
                    await asyncio.sleep(0.01)


def open_desk(
    config: Config,
    masker: Masker,
    caller: Caller,
    *,
    maskers: Maskers | None = None,
    metrics: Metrics | None = None,
) -> Desk:
    """Opens the ledger, once to write and once to read, and its key. Raises LedgerError."""
    given = maskers or {}
    own = {c.name: given.get(c.name) or Masker(masker.detector, c.policy) for c in config.clients if c.policy}
    recorder = Recorder(Ledger(config.ledger))
    reading = Ledger(config.ledger)
    bound = any(c.rate is not None or c.tokens is not None or c.usd is not None for c in config.clients)
    return Desk(
        access=Access(config.clients, Uses(reading.connection) if bound else None),
        recorder=recorder,
        metrics=metrics or Metrics(),
        key=load_key(config.ledger),
        masker=masker,
        maskers=own,
        reading=reading,
        tracer=Tracer(config.telemetry, caller) if config.telemetry.otlp else None,
        concurrent=config.limits.concurrent,
    )
