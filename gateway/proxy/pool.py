"""Connections to the upstreams, in several small pools.

httpcore looks through a whole pool for each connection in it, twice a request: sixteen at once cost more than masking.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import httpx

_POOLS = 48
_EACH = 4  # exchanges at once in a pool before the next one is used


class Pools(httpx.AsyncBaseTransport):
    """The first pool with room takes a request, the least busy one where none has."""

    def __init__(self, make: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._make = make
        self._pools: list[httpx.AsyncBaseTransport] = []
        self._busy: list[int] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        place = self._place()
        self._busy[place] += 1
        try:
            response = await self._pools[place].handle_async_request(request)
        except BaseException:
            self._busy[place] -= 1
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Watched(response.stream, partial(self._left, place), partial(self._tidy, place))
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()

    def _place(self) -> int:
        free = next((place for place, busy in enumerate(self._busy) if busy < _EACH), None)
        if free is not None:
            return free
        if len(self._pools) < _POOLS:
            self._pools.append(self._make())
            self._busy.append(0)
            return len(self._pools) - 1
        return min(range(len(self._busy)), key=self._busy.__getitem__)

    def _left(self, place: int) -> None:
        self._busy[place] -= 1

    async def _tidy(self, place: int) -> None:
        pool = getattr(self._pools[place], "_pool", None)
        for connection in pool.connections if pool else ():
            if connection.is_idle() and _is_out_of_step(connection):
                await connection.aclose()


def _is_out_of_step(connection: Any) -> bool:
    """Whether something came behind the last answer of an HTTP/1.1 connection: it would be taken for the answer to the
    next request, which may be another client's. httpcore keeps such a connection, and has no word for it."""
    state = getattr(getattr(connection, "_connection", None), "_h11_state", None)
    return state is not None and bool(state.trailing_data[0])


class _Watched(httpx.AsyncByteStream):
    """A body that tells when it is about to be closed and when it is, once each."""

    def __init__(
        self, stream: httpx.AsyncByteStream, closing: Callable[[], None], closed: Callable[[], Awaitable[None]]
    ) -> None:
        self._stream, self._closing, self._closed = stream, closing, closed
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        if not self._open:
            return
        self._open = False
        self._closing()
        await self._stream.aclose()
        await self._closed()
