"""Many small pools of connections are one to their user."""

import asyncio

import httpx

from gateway.proxy.pool import _EACH, _POOLS, Pools
from tests.fakes.http_server import Answer, Asked, HttpServer


def client(made: list[httpx.AsyncHTTPTransport]) -> httpx.AsyncClient:
    def make() -> httpx.AsyncHTTPTransport:
        made.append(httpx.AsyncHTTPTransport())
        return made[-1]

    return httpx.AsyncClient(transport=Pools(make), timeout=10)


async def test_one_after_the_other_need_one_pool() -> None:
    async def answer(_: Asked, to: Answer) -> None:
        await to.whole("{}")

    made: list[httpx.AsyncHTTPTransport] = []
    async with HttpServer(answer) as server, client(made) as http:
        for _ in range(3 * _EACH):
            assert (await http.get(server.url)).text == "{}"
    assert len(made) == 1


async def test_many_at_once_are_spread_and_come_back() -> None:
    free = asyncio.Event()

    async def wait(_: Asked, to: Answer) -> None:
        await free.wait()
        await to.whole("{}")

    made: list[httpx.AsyncHTTPTransport] = []
    count = 5 * _EACH
    async with HttpServer(wait) as server, client(made) as http:
        asking = [asyncio.create_task(http.get(server.url)) for _ in range(count)]
        while len(server.asked) < count:
            await asyncio.sleep(0.005)
        assert len(made) == 5
        free.set()
        assert all(reply.status_code == 200 for reply in await asyncio.gather(*asking))
        await asyncio.gather(*(http.get(server.url) for _ in range(count)))
        assert len(made) == 5 <= _POOLS


async def test_what_fails_or_is_left_gives_its_place_back() -> None:
    async def answer(_: Asked, to: Answer) -> None:
        await to.start("text/plain")
        await to.chunk("begun")
        await asyncio.sleep(30)

    made: list[httpx.AsyncHTTPTransport] = []
    async with HttpServer(answer) as server, client(made) as http:
        for _ in range(_EACH + 1):
            async with http.stream("GET", server.url) as reply:
                assert await anext(reply.aiter_bytes()) == b"begun"
        url = server.url
        await server.stop()
        for _ in range(_EACH + 1):
            try:
                await http.get(url)
            except httpx.ConnectError:
                continue
    assert len(made) == 1
