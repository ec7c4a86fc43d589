"""What the client gets: a whole reply or a stream of events, restored, with the upstream's status."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from gateway.errors import GatewayError, UpstreamError
from gateway.proxy import forward
from gateway.proxy.errors import error_body
from gateway.proxy.plan import Plan
from gateway.proxy.record import Outcome
from gateway.proxy.reply import Restoring
from gateway.proxy.stream import Relay

if TYPE_CHECKING:
    import httpx
    from starlette.types import Send

STOPPED = "the gateway is stopping; try again"
_GOODBYE_SECONDS = 1.0
_SHOWN = 2000  # characters of an error that is no JSON


async def send_whole(send: Send, reply: httpx.Response, plan: Plan, restoring: Restoring, outcome: Outcome) -> None:
    """A reply in one piece. UpstreamError where it sends elsewhere, or is no JSON although it says that all is well."""
    _check_status(reply.status_code, plan.upstream.name)
    raw = await forward.read(reply, plan.upstream)
    outcome.status = reply.status_code
    headers = forward.reply_headers(reply.headers)
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        if reply.status_code < 400:
            raise UpstreamError(502, f"the upstream {plan.upstream.name} gave no usable reply (no JSON object)")
        text = restoring.text(raw.decode("utf-8", "replace")[:_SHOWN])
        outcome.outcome = "refused"
        await send_json(send, reply.status_code, error_body(plan.route.protocol, reply.status_code, text), headers)
        return
    outcome.outcome = "done" if reply.is_success else "refused"
    outcome.input_tokens, outcome.output_tokens = forward.tokens_of(value.get("usage"))
    if not restoring.mapping or (reply.is_success and plan.route.embeds):
        await send_bytes(send, reply.status_code, raw, headers)
    else:
        await send_json(send, reply.status_code, restoring.whole(value), headers)


def _check_status(status: int, upstream: str) -> None:
    if 300 <= status < 400:
        raise UpstreamError(
            502, f"the upstream {upstream} sends elsewhere ({status}), which is not followed; correct its base_url"
        )
    if not 200 <= status < 600:
        raise UpstreamError(502, f"the upstream {upstream} answers {status}, which is no status of a reply")


async def send_stream(send: Send, reply: httpx.Response, plan: Plan, restoring: Restoring, outcome: Outcome) -> None:
    """A reply event by event; an upstream that dies in the middle ends it with the protocol's own error."""
    import httpx

    relay = Relay(plan.route.path, restoring)
    fields = {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
    }
    outcome.outcome, outcome.status = "cut", reply.status_code
    await send(_start(reply.status_code, fields | forward.reply_headers(reply.headers)))
    try:
        async for piece in reply.aiter_bytes():
            out = relay.feed(piece)
            outcome.outcome = "done" if relay.complete else "cut"  # a client may leave with the last word
            outcome.input_tokens, outcome.output_tokens = forward.tokens_of(relay.usage)
            if out:
                await send({"type": "http.response.body", "body": out, "more_body": True})
        rest = relay.close()
        outcome.outcome = "done" if relay.ended else "cut"
    except asyncio.CancelledError as stopped:
        if stopped.args:
            await in_time(send({"type": "http.response.body", "body": relay.broken(STOPPED)}))
        raise
    except (httpx.HTTPError, OSError) as error:
        rest = relay.broken(str(forward.unusable(plan.upstream, error)))
    except GatewayError as error:
        rest = relay.broken(str(error))
    except Exception as error:  # noqa: BLE001 - a traceback would hold the text; the client hears the type
        rest = relay.broken(f"the stream of {plan.upstream.name} could not be restored ({type(error).__name__})")
    await send({"type": "http.response.body", "body": rest})


async def in_time(last: Awaitable[None]) -> None:
    """Says a last word while the server stops: who does not read it is not waited for.

    The task is being cancelled already, where asyncio.timeout fails in Python 3.11.2 and before: there a plain
    cancellation would come out, which means that the client has left (CPython's issue 102780).
    """
    word = asyncio.ensure_future(last)
    await asyncio.wait({word}, timeout=_GOODBYE_SECONDS)
    if not word.cancel():
        word.result()


async def send_json(send: Send, status: int, value: Any, headers: dict[str, str]) -> None:
    """A JSON body."""
    await send_bytes(send, status, json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"), headers)


async def send_bytes(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    """A JSON body that is bytes already."""
    fields = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    await send(_start(status, fields))
    await send({"type": "http.response.body", "body": body})


def _start(status: int, fields: dict[str, str]) -> dict[str, Any]:
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]
    return {"type": "http.response.start", "status": status, "headers": raw}
