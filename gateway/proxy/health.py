"""/healthz, /readyz and /metrics: whether the process lives, whether it masks, and its figures."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.errors import GatewayError, RequestError
from gateway.proxy.access import peer_of
from gateway.proxy.desk import Desk
from gateway.proxy.errors import refusal
from gateway.proxy.metrics import CONTENT_TYPE
from gateway.trial import try_masking

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

_TRIAL_SECONDS = 5.0  # how long a trial that went well is believed
_PATIENCE = 10.0


@dataclass(slots=True)
class Health:
    """The state of one process."""

    desk: Desk
    _until: float = 0.0

    async def live(self, _: Request) -> Response:
        """The process answers."""
        from starlette.responses import JSONResponse

        return JSONResponse({"status": "ok"})

    async def ready(self, _: Request) -> Response:
        """200 after a trial masking; 503 with the reason where masking, the ledger or the time to stop forbids it."""
        from starlette.responses import JSONResponse

        if fault := await self._fault():
            return JSONResponse({"status": "not ready", "reason": fault}, 503, {"retry-after": "1"})
        return JSONResponse({"status": "ready"})

    async def figures(self, request: Request) -> Response:
        """Prometheus' text, for a client or a person on this machine."""
        from starlette.responses import Response

        if not self.desk.access.may_look(request.headers, peer_of(request)):
            return refusal("openai", RequestError(401, "figures are shown to this machine, or with a client's key"))
        return Response(self.desk.metrics.text(), media_type=CONTENT_TYPE)

    def routes(self) -> list[Route]:
        """The three paths."""
        from starlette.routing import Route

        paths = (("/healthz", self.live), ("/readyz", self.ready), ("/metrics", self.figures))
        return [Route(path, endpoint, methods=["GET"]) for path, endpoint in paths]

    async def _fault(self) -> str:
        if self.desk.stopping:
            return "stopping"
        if not await asyncio.to_thread(self.desk.recorder.recovered):
            return f"the ledger cannot be written ({self.desk.recorder.fault})"
        if time.monotonic() < self._until:
            return ""
        try:  # not in the threads that mask: a process at work on large bodies is ready
            async with asyncio.timeout(_PATIENCE):
                await asyncio.to_thread(try_masking, self.desk.masker)
        except (GatewayError, TimeoutError) as error:
            return f"a trial masking failed ({type(error).__name__})"
        self._until = time.monotonic() + _TRIAL_SECONDS
        return ""
