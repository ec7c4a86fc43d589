"""The routes of the proxy. What it does not know it refuses."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from gateway.config import Config
from gateway.errors import GatewayError, RequestError
from gateway.mask import Masker
from gateway.proxy.access import peer_of
from gateway.proxy.desk import Maskers, open_desk
from gateway.proxy.errors import refusal
from gateway.proxy.forward import Caller, passed_words
from gateway.proxy.handle import Answer, Gateway
from gateway.proxy.health import Health
from gateway.proxy.metrics import Metrics
from gateway.proxy.models import models_of
from gateway.proxy.page import Page
from gateway.proxy.plan import Route, check_words
from gateway.proxy.reading import check_query

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

ROUTES = (
    Route("/v1/chat/completions", "openai", "messages"),
    Route("/v1/responses", "openai", "input"),
    Route("/v1/embeddings", "openai", "input", embeds=True),
    Route("/v1/messages", "anthropic", "messages"),
    Route("/v1/messages/count_tokens", "anthropic", "messages"),
)
_THREADS = 2  # masking holds the interpreter: more threads only make streams wait
_SWITCH_SECONDS = 0.001  # masking threads give way to the event loop sooner than the 5 ms of the interpreter


def build(
    config: Config, masker: Masker, *, maskers: Maskers | None = None, metrics: Metrics | None = None
) -> Starlette:
    """The application; the ledger is opened here, connections when they are first needed."""
    from starlette import routing
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse

    caller = Caller(config.limits)
    desk = open_desk(config, masker, caller, maskers=maskers, metrics=metrics)
    gateway = Gateway(config, desk, caller, ThreadPoolExecutor(_THREADS, thread_name_prefix="mask"))

    async def models(request: Request) -> Response:
        client = desk.access.identify(request.headers, peer_of(request))
        check_query(request.url.query, of_list=True)
        words = passed_words(request.headers)
        await asyncio.to_thread(check_words, words, desk.masker_of(client))
        name = request.path_params.get("name")
        return JSONResponse(await models_of(caller, config, client, _protocol(request), request.headers, name))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sys.setswitchinterval(_SWITCH_SECONDS)
        async with desk.open():
            yield
        await caller.aclose()
        gateway.threads.shutdown(cancel_futures=True)

    app = Starlette(
        routes=[
            *Health(desk).routes(),
            routing.Route("/journal", Page(desk, gateway.threads).show, methods=["GET"]),
            *(routing.Route(route.path, Answer(gateway, route), methods=["POST"]) for route in ROUTES),
            routing.Route("/v1/models", models),
            routing.Route("/v1/models/{name:path}", models),
        ],
        exception_handlers={404: _unknown, 405: _unknown, GatewayError: _refused, Exception: _failed},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    return app


async def _unknown(request: Request, error: Exception) -> Response:
    said = f"{request.method} on this path is not served; nothing was sent on"
    return refusal(_protocol(request), RequestError(getattr(error, "status_code", 404), said))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, GatewayError)
    return refusal(_protocol(request), error)


async def _failed(request: Request, error: Exception) -> Response:
    """What nobody caught: the log says where, the client hears the type."""
    return refusal(_protocol(request), RequestError(500, f"the gateway failed ({type(error).__name__}); try again"))


def _protocol(request: Request) -> str:
    anthropic = request.url.path.startswith("/v1/messages") or "anthropic-version" in request.headers
    return "anthropic" if anthropic else "openai"
