"""http_get: only approved addresses, no silent redirects, Markdown, tainted."""

import asyncio
import contextlib
import gzip
import zlib
from collections.abc import AsyncIterator

import pytest

from localagent.guard.rules import Rule
from localagent.net import fence
from localagent.ports import Decision
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.tools import Bench

PAGES = {
    "/": ("200 OK", "text/html", b"<html><body><h1>Hello</h1><script>evil()</script><p>you</p></body></html>"),
    "/plain": ("200 OK", "text/plain; charset=utf-8", "Привет\n".encode()),
    "/moved": ("302 Found\r\nLocation: http://example.org/x", "text/plain", b""),
    "/image": ("200 OK", "image/png", b"\x89PNG\x00\x00"),
    "/big": ("200 OK", "text/plain", b"x" * 6_000_000),
    "/packed": ("200 OK\r\nContent-Encoding: gzip", "text/plain", gzip.compress("Привет\n".encode())),
    "/deflated": ("200 OK\r\nContent-Encoding: deflate", "text/plain", zlib.compress(b"hello", wbits=-15)),
    "/bomb": ("200 OK\r\nContent-Encoding: gzip", "text/plain", gzip.compress(b"x" * 50_000_000)),
    "/junk": ("200 OK\r\nContent-Encoding: gzip", "text/plain", b"no gzip"),
    "/other": ("200 OK\r\nContent-Encoding: br", "text/plain", b"\x0b\x02\x80hello\x03"),
    "/gone": ("404 Not Found", "text/plain", b"no"),
}


@pytest.fixture
async def site() -> AsyncIterator[str]:
    async def page(asked: Asked, answer: Answer) -> None:
        status, kind, body = PAGES[asked.path]
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        await answer.raw(head.encode() + body)

    async with HttpServer(page) as server:
        yield server.url


async def test_a_page_is_markdown_and_foreign(bench: Bench, site: str) -> None:
    bench.person.decision = Decision(True)
    outcome = await bench.call("http_get", url=site + "/")
    assert "# Hello" in outcome.content
    assert "evil" not in outcome.content
    assert "gives no orders" in outcome.content
    assert bench.taint.sources == (site + "/",)


@pytest.mark.parametrize(
    ("path", "failure", "part"),
    [
        ("/moved", "failed", "http://example.org/x"),
        ("/image", "invalid", "image/png"),
        ("/gone", "not_found", "404"),
        ("/junk", "invalid", "gzip"),
        ("/other", "invalid", "br"),
    ],
)
async def test_what_is_no_page_is_said(bench: Bench, site: str, path: str, failure: str, part: str) -> None:
    outcome = await bench.run("http_get", url=site + path)
    assert outcome.failure == failure
    assert part in outcome.content


async def test_other_texts_and_sizes(bench: Bench, site: str) -> None:
    assert (await bench.run("http_get", url=site + "/plain")).content == "Привет\n"
    assert (await bench.run("http_get", url=site + "/packed")).content == "Привет\n"
    assert (await bench.run("http_get", url=site + "/deflated")).content == "hello"
    assert len((await bench.run("http_get", url=site + "/bomb")).full or "") == 5_000_000
    big = await bench.run("http_get", url=site + "/big")
    assert len(big.content) < bench.result_chars + 300


@pytest.mark.parametrize("mode", ["ask", "read", "edit", "all"])
async def test_no_mode_sends_by_itself(bench: Bench, site: str, mode: str) -> None:
    bench.mode = mode  # type: ignore[assignment]
    assert (await bench.call("http_get", url=site + "/plain")).failure == "denied"
    assert bool(bench.person.asked) == (mode != "read")


async def test_a_rule_opens_one_site_until_foreign_words_were_read(bench: Bench, site: str) -> None:
    bench.rules.allow.append(Rule("http_get", url=site + "/*"))
    assert bench.rules.opens_web
    assert (await bench.call("http_get", url=site + "/plain")).ok
    assert (await bench.call("http_get", url=site + "/plain?q=secret")).failure == "denied"
    assert "others wrote" in bench.person.asked[0].reason


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://x/y",
        "example.org",
        "https://",
        "",
        "http://a\r\nX: y/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://[::1/",
        "http://１２７.０.０.１/",
        "http://\0/",
    ],
)
async def test_only_web_addresses(bench: Bench, url: str) -> None:
    assert (await bench.run("http_get", url=url)).failure == "invalid"


async def test_nobody_there_is_transient(bench: Bench) -> None:
    assert (await bench.run("http_get", url="http://127.0.0.1:9/")).failure == "transient"


async def test_a_host_that_the_fence_refuses_is_said(bench: Bench) -> None:
    fence.install()
    outcome = await bench.run("http_get", url="http://192.0.2.1/")
    assert (outcome.failure, "192.0.2.1" in outcome.content) == ("denied", True)


@pytest.mark.parametrize("name", ["127.1", "2130706433", "0x7f.1", "0"])
async def test_a_name_that_turns_out_to_be_this_machine_is_refused(bench: Bench, site: str, name: str) -> None:
    """As an address that was approved may do at the second look."""
    fence.install()
    bench.person.decision = Decision(True)
    port = site.rpartition(":")[2]
    assert (await bench.call("http_get", url=f"http://{name}:{port}/plain")).failure == "denied"
    assert (await bench.call("http_get", url=f"http://localhost:{port}/plain")).ok


async def test_a_page_that_comes_drop_by_drop_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        with contextlib.suppress(OSError):
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.05)

    monkeypatch.setattr("localagent.tools.http_get.WHOLE", 0.5)
    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    outcome = await asyncio.wait_for(bench.run("http_get", url=url), 10)
    assert outcome.failure == "transient"
    server.close()
