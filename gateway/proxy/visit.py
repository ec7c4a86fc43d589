"""One request from its arrival to its end: who asks, and what is recorded, counted, logged and traced of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gateway.config import Client
from gateway.errors import RequestError
from gateway.mask import Masker
from gateway.proxy.access import ANYONE, check_model, check_provider_key, peer_of
from gateway.proxy.desk import Desk
from gateway.proxy.logs import event
from gateway.proxy.plan import Plan
from gateway.proxy.record import Asker, Outcome, refused_row, reply_row, request_row
from gateway.proxy.tracing import CLIENT, Trace

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Message, Send

_BUSY_SECONDS = 1
_TOO_OFTEN = 429


class Visit:
    """Call `enter`, `read`, `leave`, `left` and `end` in this order; `refuse` ends it where nothing left."""

    def __init__(self, desk: Desk, protocol: str, request: Request) -> None:
        self._desk = desk
        self._headers = request.headers
        self._peer = peer_of(request)
        self._asker = Asker(protocol=protocol, path=request.url.path)
        self._began, self._epoch = time.monotonic(), time.time()
        self._masked = self._left = 0.0
        self._ticket = threading.Lock()  # who takes it decides: the thread that writes the row, or a client that went
        self._trace: Trace | None = desk.tracer.begin(self._headers.get("traceparent", "")) if desk.tracer else None
        self._client: Client | None = None  # once it was admitted
        self._row = 0
        self._plan: Plan | None = None

    @property
    def masker(self) -> Masker:
        """Masks under the policy of this client."""
        return self._desk.masker_of(self._client or ANYONE)

    def enter(self) -> None:
        """Lets the request in; RequestError 401, 403, 429 or 503."""
        client = self._desk.access.identify(self._headers, self._peer)
        self._asker = replace(self._asker, client=client.name, policy=self._desk.masker_of(client).policy)
        if self._desk.at_work >= self._desk.concurrent:
            raise RequestError(503, "the gateway is at its limit of requests; try again", retry_after=_BUSY_SECONDS)
        self._desk.access.admit(client)
        self._client = client
        self._desk.at_work += 1
        self._desk.metrics.add("gateway_in_flight")

    def read(self, size: int) -> None:
        """The body has come."""
        self._asker = replace(self._asker, bytes=size)

    def leave(self, plan: Plan) -> None:
        """The last door: when this returns the row is durable and the request may leave. RequestError, LedgerError.
        Waits for the disk; `left` goes on in the event loop."""
        client = self._client or ANYONE
        check_model(client, plan.model)
        check_provider_key(client, plan.upstream, self._headers)
        row = request_row(plan, self._asker, self._desk.key)
        self._masked = time.time()
        if not self._ticket.acquire(blocking=False):
            raise RequestError(499, "the client went away; nothing was sent on")
        self._row = self._desk.recorder.before(row, client.rate)
        self._plan = plan

    def abandon(self) -> bool:
        """The client went away: True where that keeps the row from being written, False where it is too late."""
        return self._ticket.acquire(blocking=False)

    def left(self) -> None:
        """The row is there: the request is counted."""
        assert self._plan is not None
        self._desk.access.recorded(self._client or ANYONE)
        self._left = time.monotonic()
        self._desk.metrics.observe("gateway_added_seconds", self._left - self._began)
        for kind, count in self._plan.counts.items():
            self._desk.metrics.add("gateway_masked_total", count, type=kind)
        if self._trace:
            counts = {f"gateway.masked.{kind}": count for kind, count in self._plan.counts.items()}
            self._trace.add("mask", self._epoch, self._masked, counts)
            self._trace.add("record", self._masked, time.time())

    def watched(self, send: Send, outcome: Outcome) -> Send:
        """`send` that notes when the answer begins and how large it is."""

        streams = self._plan is not None and self._plan.stream

        async def watching(message: Message) -> None:
            if body := message.get("body", b""):
                if outcome.first_seconds is None:
                    outcome.first_seconds = time.monotonic() - self._left
                outcome.bytes += len(body)
                outcome.events += streams and body.count(b"data:")
            await send(message)

        return watching

    def end(self, outcome: Outcome) -> None:
        """A request that left has ended, in whatever way."""
        assert self._plan is not None
        outcome.seconds = time.monotonic() - self._left
        row = reply_row(self._row, self._asker, outcome, self._plan)
        self._desk.recorder.after("gateway_reply", row)
        self._count(row)
        if self._trace:
            began = time.time() - outcome.seconds
            self._trace.add("upstream", began, time.time(), {"gateway.upstream": self._plan.upstream.name}, CLIENT)
        self._close(outcome.outcome, outcome.status, row)

    def refuse(self, status: int, error: Exception) -> None:
        """Nothing left. Who was let in gets a row in the ledger; who was turned away at the door is only counted, and
        so is who asks too often, which is told there or when the row is to be written."""
        row = refused_row(self._asker, status, error)
        if self._client is not None:
            if status != _TOO_OFTEN:
                self._desk.recorder.after("gateway_refused", row)
            self._desk.access.recorded(self._client)
        self._close(row["outcome"], status, row)

    def gone(self) -> None:
        """The client went away before its request was whole."""
        if self._client is not None:
            self._desk.access.recorded(self._client)
        self._close("cancelled", 0, {})

    def _count(self, row: Mapping[str, Any]) -> None:
        metrics, client = self._desk.metrics, self._asker.client
        for direction in ("input", "output"):
            if count := row[f"{direction}_tokens"]:
                metrics.add("gateway_tokens_total", count, client=client, direction=direction)
        if row["cost_usd"]:
            metrics.add("gateway_cost_usd_total", row["cost_usd"], client=client)
        if row["first_seconds"] is not None:
            metrics.observe("gateway_first_seconds", row["first_seconds"])

    def _close(self, outcome: str, status: int, row: Mapping[str, Any]) -> None:
        plan, asker, metrics = self._plan, self._asker, self._desk.metrics
        seconds = time.monotonic() - self._began
        upstream, model = (plan.upstream.name, plan.model) if plan else ("", "")
        if self._client is not None:
            self._desk.at_work -= 1
            metrics.add("gateway_in_flight", -1)
        metrics.observe("gateway_request_seconds", seconds)
        labels = {"client": asker.client, "protocol": asker.protocol, "upstream": upstream}
        metrics.add("gateway_requests_total", 1, outcome=outcome, status=str(status), **labels)
        event(
            "request", id=self._row, path=asker.path, **labels, model=model, outcome=outcome, status=status,
            masked=dict(plan.counts) if plan else None, reason=row.get("reason"), asked_bytes=asker.bytes,
            input_tokens=row.get("input_tokens"), output_tokens=row.get("output_tokens"), seconds=round(seconds, 4),
            added=round(self._left - self._began, 4) if plan else None,
        )  # fmt: skip
        if self._trace and self._desk.tracer:
            said = {**labels, "outcome": outcome}
            attributes: dict[str, Any] = {f"gateway.{name}": value for name, value in said.items()}
            attributes |= {"http.route": asker.path, "http.response.status_code": status, "gen_ai.request.model": model}
            attributes |= {f"gen_ai.usage.{name}": row.get(name) for name in ("input_tokens", "output_tokens")}
            self._trace.end("request", self._epoch, time.time(), outcome not in ("done", "cancelled"), attributes)
            self._desk.tracer.finish(self._trace)
