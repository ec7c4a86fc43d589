"""The one way to an HTTP client: no time limit for a whole reply, only for connecting and for silence."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from localagent.config.models_toml import host_of, is_loopback, is_near

if TYPE_CHECKING:
    import httpx

NEAR_SILENCE = 1800.0  # reading a long prompt takes many minutes on a small machine, without a byte
FAR_SILENCE = 120.0


def silence_of(url: str, wanted: float | None) -> float:
    """Seconds without a byte after which a server counts as gone."""
    return wanted if wanted is not None else (NEAR_SILENCE if is_near(host_of(url)) else FAR_SILENCE)


def client_options(url: str, *, connect: float, silence: float | None) -> dict[str, Any]:
    """Keyword arguments of httpx.AsyncClient for a server at `url`; the environment's proxies only for far hosts."""
    import httpx

    near = is_near(host_of(url))
    quiet = silence_of(url, silence)
    options: dict[str, Any] = {
        "timeout": httpx.Timeout(quiet, connect=connect, pool=connect),
        "trust_env": not near,
        "follow_redirects": False,
    }
    if near and not is_loopback(host_of(url)):
        options["transport"] = httpx.AsyncHTTPTransport(socket_options=_KEEPALIVE)
    return options


Look = Callable[[bytes], Awaitable[None]]


async def open_client(
    url: str,
    *,
    connect: float = 5.0,
    silence: float | None = None,
    headers: dict[str, str] | None = None,
    look: Look | None = None,
) -> httpx.AsyncClient:
    """A client for the server at `url`. The first call imports httpx, away from the event loop.

    `look` sees the bytes of every request before they leave; what it raises stops the request.
    """
    options = await asyncio.to_thread(client_options, url, connect=connect, silence=silence)
    import httpx

    async def before(request: httpx.Request) -> None:
        if look is not None:
            await look(await request.aread())

    return httpx.AsyncClient(headers=headers or {}, event_hooks={"request": [before]}, **options)


_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *([(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)] if hasattr(socket, "TCP_KEEPIDLE") else []),
    *([(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)] if hasattr(socket, "TCP_KEEPINTVL") else []),
]  # a server in the own network that lost its power is noticed within two minutes

__all__ = ["FAR_SILENCE", "NEAR_SILENCE", "Look", "client_options", "open_client", "silence_of"]
