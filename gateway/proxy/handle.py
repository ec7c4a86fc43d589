"""The life of one request: read, plan (choose and mask), record, forward, restore, record."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gateway.config import Config
from gateway.errors import GatewayError
from gateway.mask import Masker
from gateway.proxy import forward
from gateway.proxy.answer import send_json, send_stream, send_whole
from gateway.proxy.errors import error_body, status_of
from gateway.proxy.plan import Plan, Route, make_plan
from gateway.proxy.reading import body_of, check_query
from gateway.proxy.record import Outcome, Recorder, reply_row, request_row
from gateway.proxy.reply import Restoring
from gateway.proxy.stream import streams

if TYPE_CHECKING:
    import httpx
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Gateway:
    """What every request needs: the configuration, the masker, the record, the pools of connections and threads."""

    config: Config
    masker: Masker
    recorder: Recorder
    http: httpx.AsyncClient
    threads: ThreadPoolExecutor


@dataclass(frozen=True, slots=True)
class Answer:
    """An ASGI application that answers one route."""

    gateway: Gateway
    route: Route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import ClientDisconnect, Request

        request = Request(scope, receive)
        try:
            plan = await self._plan(request)
            row = await self.gateway.recorder.before(request_row(plan))
        except ClientDisconnect:
            return
        except GatewayError as error:
            await _refuse(send, self.route.protocol, status_of(error), str(error))
        except Exception as error:  # noqa: BLE001 - fail closed, and a traceback would hold the text
            said = f"masking failed ({type(error).__name__}); nothing was sent on"
            await _refuse(send, self.route.protocol, 500, said)
        else:
            await _until_gone(receive, self._exchange(plan, row, request, send))

    async def _plan(self, request: Request) -> Plan:
        gateway = self.gateway
        check_query(request.url.query)
        raw = await body_of(request, gateway.config.limits)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(gateway.threads, make_plan, gateway.config, gateway.masker, self.route, raw)

    async def _exchange(self, plan: Plan, row: int, request: Request, send: Send) -> None:
        """Forwards and answers; the row that closes the request is written whatever happens."""
        started = time.monotonic()
        outcome = Outcome()
        try:
            await self._forward(plan, request, send, outcome)
        except asyncio.CancelledError:
            outcome.outcome = "cancelled"
            raise
        except GatewayError as error:
            outcome.status = status_of(error)
            await _refuse(send, plan.protocol, outcome.status, str(error))
        finally:
            outcome.seconds = time.monotonic() - started
            self.gateway.recorder.after(reply_row(row, outcome))

    async def _forward(self, plan: Plan, request: Request, send: Send, outcome: Outcome) -> None:
        url = forward.url_of(plan.upstream, plan.route.path, request.url.query)
        headers = forward.request_headers(plan.upstream, request.headers)
        reply = await forward.call(self.gateway.http, plan.upstream, "POST", url, headers, plan.body)
        try:
            restoring = Restoring(plan.vault.map, structured=plan.structured)
            events = reply.headers.get("content-type", "").startswith("text/event-stream")
            if reply.is_success and events and streams(plan.route.path):
                await send_stream(send, reply, plan, restoring, outcome)
            else:
                await send_whole(send, reply, plan, restoring, outcome)
        finally:
            await reply.aclose()


async def _until_gone(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Does the work; a client that goes away ends it, and with it the call upstream."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        task.cancel()  # does nothing to a task that is done
        await asyncio.wait({task})
    if not task.cancelled():
        task.result()


async def _refuse(send: Send, protocol: str, status: int, message: str) -> None:
    await send_json(send, status, error_body(protocol, status, message), {})
