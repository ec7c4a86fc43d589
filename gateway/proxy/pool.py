"""Connections to the upstreams, in several small pools.

httpcore looks through a whole pool for each connection in it, twice a request: sixteen at once cost more than masking.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

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
        response.stream = _Watched(response.stream, lambda: self._leave(place))
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

    def _leave(self, place: int) -> None:
        self._busy[place] -= 1


class _Watched(httpx.AsyncByteStream):
    """A body that tells when it is closed, once."""

    def __init__(self, stream: httpx.AsyncByteStream, closed: Callable[[], None]) -> None:
        self._stream, self._closed = stream, closed
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._closed()
        await self._stream.aclose()
