"""Whoever dies at whatever moment: no stream hangs, no row stays open, no value is in anything that was written."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest

from gateway.config import Config, Limits, Upstream
from gateway.errors import UpstreamError
from gateway.proxy import forward
from gateway.proxy.answer import in_time
from tests.fakes import transcripts
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import Served, serving
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import chat_reply, message_reply, response_reply, said, sse

MAIL = "ada@lab.example"
SAID = "Hello <EMAIL_ADDRESS_1>, this is a longer text with <EMAIL_ADDRESS_1> in it"
STREAMS = {
    "/v1/chat/completions": sse(transcripts.chat(chat_reply({"content": SAID}), list), named=False, done=True),
    "/v1/messages": sse(transcripts.messages(message_reply({"type": "text", "text": SAID}), list)),
    "/v1/responses": sse(transcripts.responses(response_reply(said(SAID)), list)),
}


def body(path: str) -> dict[str, Any]:
    field = "input" if path.endswith("responses") else "messages"
    return {"model": "m", "max_tokens": 5, "stream": True, field: [{"role": "user", "content": MAIL}]}


@pytest.fixture
def said_in_logs(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.DEBUG)
    return caplog


async def check_record(served: Served, *outcomes: str) -> None:
    """Every request that left has its closing row, and nothing that was written holds the value."""
    for _ in range(300):
        if len(served.rows("gateway_reply")) == len(served.rows("gateway_request")) == len(outcomes):
            break
        await asyncio.sleep(0.01)
    assert [row["outcome"] for row in served.rows("gateway_reply")] == list(outcomes)
    assert len(served.rows("gateway_request")) == len(outcomes)
    assert MAIL.encode() not in served.everything_written()


@pytest.mark.parametrize("how", ["reset", "half a chunk", "closed"])
async def test_an_upstream_that_dies_in_a_stream_ends_it_with_an_error(
    tmp_path: Path, said_in_logs: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], how: str
) -> None:
    shares = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9]

    async def die(asked: Asked, answer: Answer) -> None:
        raw = STREAMS[asked.path].partition(b'"finish_reason": "stop"')[0]
        part = raw[: int(len(raw) * shares[len(served.asked) % len(shares)])]
        if how == "closed":
            await answer.raw(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n" + part)
        else:
            await answer.start("text/event-stream")
            if part:
                await answer.chunk(part)
            if how == "half a chunk":
                await answer.raw(b"ff\r\ndata: {")
        await asyncio.sleep(0.01)
        answer.drop()

    async with serving(die, tmp_path, FakeDetector()) as served, httpx.AsyncClient(timeout=5) as client:
        for path in [path for path in STREAMS for _ in shares]:
            reply = await client.post(served.url + path, json=body(path))
            assert reply.status_code == 200
            last = json.loads(reply.text.strip().rpartition("data: ")[2])
            assert "try again" in last["error"]["message"]
            assert "<EMAIL_ADDRESS_1>" not in reply.text
        await check_record(served, *["cut"] * len(served.asked))
    written = capfd.readouterr()
    assert MAIL not in said_in_logs.text + written.out + written.err


async def test_the_sdks_raise_what_the_broken_stream_says(tmp_path: Path) -> None:
    async def die(asked: Asked, answer: Answer) -> None:
        raw = STREAMS[asked.path]
        await answer.start("text/event-stream")
        await answer.chunk(raw[: len(raw) // 2])
        answer.drop()

    async with (
        serving(die, tmp_path, FakeDetector()) as served,
        openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client,
        anthropic.AsyncAnthropic(base_url=served.url, api_key="k", max_retries=0) as claude,
    ):
        with pytest.raises(openai.APIError, match="broke off"):
            async for _ in await client.chat.completions.create(
                model="m", stream=True, messages=[{"role": "user", "content": MAIL}]
            ):
                pass
        with pytest.raises(openai.APIError, match="broke off"):
            async for _ in await client.responses.create(model="m", stream=True, input=MAIL):
                pass
        with pytest.raises(anthropic.APIStatusError, match="broke off"):
            async with claude.messages.stream(
                model="m", max_tokens=5, messages=[{"role": "user", "content": MAIL}]
            ) as stream:
                await stream.get_final_message()


async def _reset(_: Asked, answer: Answer) -> None:
    answer.drop()


async def _half(_: Asked, answer: Answer) -> None:
    await answer.raw(b'HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id": ')
    answer.drop()


async def _no_json(_: Asked, answer: Answer) -> None:
    await answer.whole("hello", 200, "text/html")


async def _slow(_: Asked, answer: Answer) -> None:
    await asyncio.sleep(60)


async def _list(_: Asked, answer: Answer) -> None:
    await answer.whole("[1]", 200)


async def _moved(_: Asked, answer: Answer) -> None:
    await answer.raw(b"HTTP/1.1 302 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("handler", "status"),
    [(_reset, 502), (_half, 502), (_no_json, 502), (_list, 502), (_moved, 502), (_slow, 504)],
)
async def test_an_upstream_without_a_usable_reply_is_an_error_of_the_protocol(
    tmp_path: Path, handler: Any, status: int
) -> None:
    limits = Limits(upstream_seconds=0.3)
    async with serving(handler, tmp_path, FakeDetector(), limits=limits) as served, httpx.AsyncClient() as client:
        for path in STREAMS:
            reply = await client.post(served.url + path, json=body(path))
            assert reply.status_code == status
            assert reply.json()["error"]["message"]
            assert (reply.json().get("type") == "error") == path.endswith("messages")
        await check_record(served, *["timeout" if status == 504 else "failed"] * 3)


async def test_texts_that_are_no_json_are_wrapped(tmp_path: Path) -> None:
    async def plain(_: Asked, answer: Answer) -> None:
        await answer.whole("no such thing as <EMAIL_ADDRESS_1>", 503, "text/plain")

    async with serving(plain, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for path in STREAMS:
            reply = await client.post(served.url + path, json=body(path))
            assert reply.status_code == 503
            assert reply.json()["error"]["message"] == f"no such thing as {MAIL}"
        await check_record(served, "refused", "refused", "refused")


async def test_no_upstream_at_all(tmp_path: Path) -> None:
    dead = (Upstream("gone", "openai", "http://127.0.0.1:9/v1"),)
    async with serving(_reset, tmp_path, FakeDetector(), upstreams=dead) as served, httpx.AsyncClient() as client:
        reply = await client.post(f"{served.url}/v1/responses", json=body("/v1/responses"))
        assert reply.status_code == 502
        said = reply.json()["error"]["message"]
        assert said.startswith("the upstream gone cannot be reached: nothing takes connections there. Nothing was sent")
        await check_record(served, "unsent")


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("http://no-such-host.invalid/v1", "the name of its host is not known"),
        ("https://127.0.0.1:{port}/v1", "it does not speak HTTPS as it should"),
    ],
)
async def test_why_an_upstream_is_not_reached_is_said_in_words(tmp_path: Path, address: str, what: str) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 this is no HTTPS\r\n\r\n")

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server, httpx.AsyncClient(timeout=30) as client:
        there = (Upstream("gone", "openai", address.format(port=server.sockets[0].getsockname()[1])),)
        async with serving(_reset, tmp_path, FakeDetector(), upstreams=there) as served:
            reply = await client.post(f"{served.url}/v1/responses", json=body("/v1/responses"))
            assert what in reply.json()["error"]["message"]
            assert "Error" not in reply.json()["error"]["message"]
            await check_record(served, "unsent")


async def test_a_refused_connection_is_tried_again(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        reply = json.dumps(response_reply(said("late"))).encode()
        head = f"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: {len(reply)}\r\n\r\n"
        writer.write(head.encode() + reply)
        await writer.drain()

    first = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = first.sockets[0].getsockname()[1]
    first.close()
    await first.wait_closed()
    late = (Upstream("late", "openai", f"http://127.0.0.1:{port}/v1"),)
    async with serving(_reset, tmp_path, FakeDetector(), upstreams=late) as served, httpx.AsyncClient() as client:
        asking = asyncio.create_task(client.post(f"{served.url}/v1/responses", json=body("/v1/responses")))
        while not served.rows("gateway_request"):
            await asyncio.sleep(0.01)
        second = await asyncio.start_server(answer, "127.0.0.1", port)
        assert (await asking).status_code == 200
        second.close()
        await check_record(served, "done")


async def test_a_request_that_was_sent_is_not_sent_again(tmp_path: Path) -> None:
    async with serving(_reset, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        await client.post(f"{served.url}/v1/responses", json=body("/v1/responses"))
        assert len(served.asked) == 1


@pytest.mark.parametrize("path", STREAMS)
@pytest.mark.parametrize("when", ["before the first byte", "in the stream"])
async def test_a_client_that_goes_away_cancels_the_upstream(tmp_path: Path, path: str, when: str) -> None:
    async def endless(_: Asked, answer: Answer) -> None:
        if when == "in the stream":
            await answer.start("text/event-stream")
            await answer.chunk(STREAMS[path][:300])
        while True:
            await asyncio.sleep(0.02)
            if answer.started:
                await answer.chunk(": ping\n\n")

    async with serving(endless, tmp_path, FakeDetector()) as served:
        async with httpx.AsyncClient() as client:
            if when == "in the stream":
                async with client.stream("POST", served.url + path, json=body(path)) as reply:
                    await anext(reply.aiter_bytes())
            else:
                asking = asyncio.create_task(client.post(served.url + path, json=body(path)))
                while not served.asked:
                    await asyncio.sleep(0.01)
                asking.cancel()
        for _ in range(300):
            if served.upstream.left:
                break
            await asyncio.sleep(0.01)
        assert served.upstream.left
        await check_record(served, "cancelled")


async def test_a_client_that_goes_away_while_its_text_is_masked(tmp_path: Path) -> None:
    import threading

    go, at_work = threading.Event(), threading.Event()

    class Slow(FakeDetector):
        def find(self, text: str, *, language: str = "auto"):  # type: ignore[no-untyped-def]
            at_work.set()
            go.wait(5)
            return super().find(text)

    async with serving(_reset, tmp_path, Slow()) as served, httpx.AsyncClient() as client:
        asking = asyncio.create_task(client.post(f"{served.url}/v1/responses", json=body("/v1/responses")))
        while not at_work.is_set():
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.sleep(0.5)
        go.set()
        await asyncio.sleep(0.1)
        assert served.asked == []
        await check_record(served)


async def test_a_client_that_goes_away_while_it_sends(tmp_path: Path) -> None:
    async with serving(_reset, tmp_path, FakeDetector()) as served:
        port = int(served.url.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = "POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"
        writer.write(head.encode() + b'{"input": "ada@lab')
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.abort()
        await asyncio.sleep(0.05)
        assert served.asked == []
        await check_record(served)


async def test_a_client_that_sends_too_slowly_is_told(tmp_path: Path) -> None:
    async def drip() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield b" "
            await asyncio.sleep(0.02)

    limits = Limits(read_seconds=0.2)
    async with serving(_reset, tmp_path, FakeDetector(), limits=limits) as served, httpx.AsyncClient() as client:
        headers = {"content-type": "application/json"}
        reply = await client.post(f"{served.url}/v1/responses", content=drip(), headers=headers)
        assert (reply.status_code, served.asked) == (408, [])


async def test_a_client_that_leaves_with_the_last_word_was_served(tmp_path: Path) -> None:
    async def stay(asked: Asked, answer: Answer) -> None:
        await answer.start("text/event-stream")
        await answer.chunk(STREAMS[asked.path])
        await asyncio.sleep(5)

    async with serving(stay, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for path in STREAMS:
            async with client.stream("POST", served.url + path, json=body(path)) as reply:
                seen = b""
                async for piece in reply.aiter_bytes():
                    seen += piece
                    if any(word in seen for word in (b"[DONE]", b'"message_stop"', b'"response.completed"')):
                        break
        await check_record(served, "done", "done", "done")


async def test_a_stream_without_its_last_word_but_with_a_finish_is_whole(tmp_path: Path) -> None:
    async def no_done(asked: Asked, answer: Answer) -> None:
        await answer.start("text/event-stream")
        await answer.chunk(STREAMS[asked.path].replace(b"data: [DONE]\n\n", b"").rstrip(b"\n"))
        await answer.end()

    async with serving(no_done, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for path in STREAMS:
            text = (await client.post(served.url + path, json=body(path))).text
            assert "in the middle" not in text
            assert "EMAIL_ADDRESS" not in text
        await check_record(served, "done", "done", "done")


async def test_a_reply_that_cannot_be_restored_is_an_error_without_its_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def deep(_: Asked, answer: Answer) -> None:
        await answer.whole('{"a": ' + '{"a": ' * 5000 + '"<EMAIL_ADDRESS_1>"' + "}" * 5001)

    async with serving(deep, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        reply = await client.post(f"{served.url}/v1/responses", json=body("/v1/responses"))
        assert reply.status_code == 502
        await check_record(served, "failed")
    assert MAIL not in "".join(capfd.readouterr())


async def test_a_reply_without_end_is_not_kept() -> None:
    closed: list[bool] = []

    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b"x" * 1000

        async def aclose(self) -> None:
            closed.append(True)

    up = Upstream("up", "openai", "http://u/v1")
    with pytest.raises(UpstreamError, match="too large"):
        await forward.read(httpx.Response(200, stream=Endless()), up, largest=10_000)
    assert closed


def test_the_configuration_has_no_defaults_that_wait_for_ever() -> None:
    assert 0 < Config().limits.upstream_seconds <= 600
    assert 0 < Config().limits.read_seconds <= 60


async def test_a_last_word_that_nobody_reads_does_not_hide_that_the_server_stops() -> None:
    """asyncio.timeout fails this on the Python that Debian 12 brings: the row would say that the client left."""
    started = asyncio.Event()

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await in_time(asyncio.sleep(60))
            raise

    task = asyncio.create_task(work())
    await started.wait()
    task.cancel("the server stops")
    with pytest.raises(asyncio.CancelledError, match="the server stops"):
        await task
