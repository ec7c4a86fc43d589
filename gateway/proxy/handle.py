"""The life of one request: read, plan (choose and mask), record, forward, restore, record."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gateway.config import Config
from gateway.errors import GatewayError, RequestError, UpstreamError
from gateway.proxy import forward
from gateway.proxy.answer import STOPPED, in_time, send_json, send_stream, send_whole
from gateway.proxy.desk import Desk
from gateway.proxy.errors import error_body, status_of
from gateway.proxy.plan import Plan, Route, make_plan
from gateway.proxy.reading import body_of, check_query
from gateway.proxy.record import Outcome
from gateway.proxy.reply import Restoring
from gateway.proxy.stream import streams
from gateway.proxy.visit import Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Gateway:
    """What every request needs: the configuration, the desk that lets it in, the pools of connections and threads."""

    config: Config
    desk: Desk
    caller: forward.Caller
    threads: ThreadPoolExecutor


@dataclass(frozen=True, slots=True)
class Answer:
    """An ASGI application that answers one route."""

    gateway: Gateway
    route: Route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import ClientDisconnect, Request

        request = Request(scope, receive)
        visit = Visit(self.gateway.desk, self.route.protocol, request)
        try:
            visit.enter()
            raw = await self._read(request)
            visit.read(len(raw))
        except GatewayError as error:
            await self._refuse(send, visit, error)
        except ClientDisconnect:
            visit.gone()
        except asyncio.CancelledError:
            visit.gone()
            await self._send_stopped(send)
        else:
            await _until_gone(receive, self._answer(raw, visit, request, send))

    async def _read(self, request: Request) -> bytes:
        limits = self.gateway.config.limits
        check_query(request.url.query)
        try:
            async with asyncio.timeout(limits.read_seconds):
                return await body_of(request, limits)
        except TimeoutError:
            raise RequestError(408, "the body did not arrive in time; [limits] read_seconds allows more") from None

    async def _answer(self, raw: bytes, visit: Visit, request: Request, send: Send) -> None:
        """Plans, records and forwards; any error before the record means that nothing has left."""
        try:
            plan = await self._plan(raw, visit, request)
        except GatewayError as error:
            await self._refuse(send, visit, error)
        except Exception as error:  # noqa: BLE001 - fail closed, and a traceback would hold the text
            failed = RequestError(500, f"masking failed ({type(error).__name__}); nothing was sent on")
            await self._refuse(send, visit, failed)
        except asyncio.CancelledError as stopped:
            if stopped.args:
                await self._send_stopped(send)
            raise
        else:
            await self._exchange(plan, visit, request, send)

    async def _plan(self, raw: bytes, visit: Visit, request: Request) -> Plan:
        """The masked request, once its row is durable; whoever is cancelled meanwhile gets the closing row too."""
        gateway = self.gateway
        words = forward.passed_words(request.headers)

        def prepare() -> Plan:
            plan = make_plan(gateway.config, visit.masker, self.route, raw, words)
            forward.request_headers(plan.upstream, request.headers)  # a header that may not leave stops it here
            visit.leave(plan)
            return plan

        work = asyncio.wrap_future(gateway.threads.submit(prepare))
        try:
            await asyncio.wait({work})  # which a cancellation does not reach
        except asyncio.CancelledError:
            if visit.abandon():
                work.cancel()
                visit.gone()
            else:
                await self._close_what_left(work, visit)
            raise
        plan = work.result()
        visit.left()
        return plan

    async def _close_what_left(self, work: asyncio.Future[Plan], visit: Visit) -> None:
        """The client went away while its row was written."""
        await asyncio.wait({work})
        if work.exception() is None:
            visit.left()
            visit.end(Outcome("unsent"))
        else:
            visit.gone()

    async def _refuse(self, send: Send, visit: Visit, error: GatewayError) -> None:
        visit.refuse(status_of(error), error)
        await _send_error(send, self.route.protocol, error)

    async def _send_stopped(self, send: Send) -> None:
        await in_time(_send_error(send, self.route.protocol, RequestError(503, STOPPED, retry_after=1)))

    async def _exchange(self, plan: Plan, visit: Visit, request: Request, send: Send) -> None:
        """Forwards and answers; the row that closes the request is written whatever happens."""
        outcome = Outcome()
        try:
            await self._forward(plan, request, visit.watched(send, outcome), outcome)
        except asyncio.CancelledError as stopped:
            if outcome.outcome != "done":
                outcome.outcome = "cancelled" if not stopped.args else "cut" if outcome.status else "failed"
            if stopped.args and not outcome.status:
                outcome.status = 503
                await self._send_stopped(send)
            raise
        except GatewayError as error:
            outcome.status = status_of(error)
            unsent = isinstance(error, UpstreamError) and error.unsent
            outcome.outcome = "unsent" if unsent else "timeout" if outcome.status == 504 else "failed"
            await _send_error(send, self.route.protocol, error)
        except Exception as error:  # noqa: BLE001 - a traceback would hold the text that was to be restored
            if outcome.first_seconds is None:
                outcome.outcome, outcome.status = "failed", 502
                failed = UpstreamError(502, f"the reply could not be restored ({type(error).__name__})")
                await _send_error(send, self.route.protocol, failed)
        finally:
            visit.end(outcome)

    async def _forward(self, plan: Plan, request: Request, send: Send, outcome: Outcome) -> None:
        url = forward.url_of(plan.upstream, plan.route.path, request.url.query)
        headers = forward.request_headers(plan.upstream, request.headers)
        reply = await forward.call(self.gateway.caller, plan.upstream, "POST", url, headers, plan.body)
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
    """Does the work; a client that goes away ends it, and with it the call upstream. A server that stops ends it with
    a word for the client: what is cancelled with a message is to tell it."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(receive())
    why = None
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        why = STOPPED
    gone.cancel()
    task.cancel(why)  # does nothing to a task that is done
    await asyncio.wait({task})
    if not task.cancelled():
        task.result()


async def _send_error(send: Send, protocol: str, error: GatewayError) -> None:
    status, wait = status_of(error), getattr(error, "retry_after", None)
    headers = {} if wait is None else {"retry-after": str(wait)}
    await send_json(send, status, error_body(protocol, status, str(error)), headers)
