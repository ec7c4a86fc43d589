"""OpenTelemetry traces, sent as OTLP JSON over HTTP to the collector of [telemetry]; spans hold no text of a request.

Written by hand, since the SDK's packages cost more than these lines: a span is made when its request has ended, a task
sends what waits every two seconds, and what the collector does not take is dropped, never waited for.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gateway.config import Telemetry
from gateway.proxy.logs import event

if TYPE_CHECKING:
    from gateway.proxy.forward import Caller

Value = str | int | float
SERVER, INTERNAL, CLIENT = 2, 1, 3  # the kinds of OpenTelemetry's protocol
_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_FLUSH_SECONDS = 2.0
_KEPT = 4096
_BATCH = 512
_TIMEOUT = 5.0
_JSON = {"content-type": "application/json"}


@dataclass(slots=True)
class Trace:
    """The spans of one request. Times are seconds since the epoch."""

    trace: str
    parent: str
    span: str = field(default_factory=lambda: secrets.token_hex(8))
    spans: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, name: str, start: float, end: float, attributes: Mapping[str, Value] | None = None, kind: int = INTERNAL
    ) -> None:
        """A part of the request."""
        what = (name, kind, start, end)
        self.spans.append(_span(self.trace, secrets.token_hex(8), self.span, what, attributes or {}))

    def end(self, name: str, start: float, end: float, failed: bool, attributes: Mapping[str, Value | None]) -> None:
        """The request itself."""
        span = _span(self.trace, self.span, self.parent, (name, SERVER, start, end), attributes)
        self.spans.append(span | {"status": {"code": 2 if failed else 0}})


class Tracer:
    """Begins traces and sends them."""

    def __init__(self, settings: Telemetry, caller: Caller) -> None:
        self._url = settings.otlp.rstrip("/") + ("" if settings.otlp.endswith("/v1/traces") else "/v1/traces")
        self._resource = {"attributes": _attributes({"service.name": settings.service})}
        self._caller = caller
        self._waiting: deque[dict[str, Any]] = deque(maxlen=_KEPT)

    def begin(self, traceparent: str = "") -> Trace:
        """A trace that goes on with the caller's, or a new one."""
        match = _PARENT.fullmatch(traceparent)
        return Trace(match[1], match[2]) if match else Trace(secrets.token_hex(16), "")

    def finish(self, trace: Trace) -> None:
        """Its spans will be sent."""
        self._waiting.extend(trace.spans)

    async def keep_sent(self) -> None:
        """Sends until it is cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(_FLUSH_SECONDS)
                await self.flush()
        finally:
            await self.flush()

    async def flush(self) -> None:
        """Sends what waits; a collector that does not take it is told of in the log."""
        import httpx

        while self._waiting:
            spans = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
            scope = {"scope": {"name": "gateway"}, "spans": spans}
            body = {"resourceSpans": [{"resource": self._resource, "scopeSpans": [scope]}]}
            try:
                reply = await self._caller.send("POST", self._url, _JSON, json.dumps(body).encode(), seconds=_TIMEOUT)
                await reply.aread()
            except (httpx.HTTPError, OSError) as error:
                event("traces_dropped", spans=len(spans), error=type(error).__name__)
                return
            if not reply.is_success:
                event("traces_dropped", spans=len(spans), status=reply.status_code)
                return


def _span(
    trace: str, id_: str, parent: str, what: tuple[str, int, float, float], attributes: Mapping[str, Value | None]
) -> dict[str, Any]:
    name, kind, start, end = what
    return {
        "traceId": trace,
        "spanId": id_,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(int(start * 1e9)),
        "endTimeUnixNano": str(int(end * 1e9)),
        "attributes": _attributes(attributes),
    }


def _attributes(values: Mapping[str, Value | None]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _typed(value)} for key, value in values.items() if value is not None]


def _typed(value: Value) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}
