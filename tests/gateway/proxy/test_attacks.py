"""Requests on the wire, replies and faults that carry a value, or a client's state, to where it does not belong."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest

from gateway.config import Upstream
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import Served, serving
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.transcripts import chat_reply

MAIL = "ada@lab.example"
CHAT = "/v1/chat/completions"
PATHS = (CHAT, "/v1/messages", "/v1/responses")
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


def body(path: str = CHAT, **more: Any) -> dict[str, Any]:
    field = "input" if path.endswith("responses") else "messages"
    return {"model": "m", "max_tokens": 5, field: [{"role": "user", "content": MAIL}], **more}


RAW = json.dumps(body()).encode()
LENGTH = b"content-length: %d\r\n" % len(RAW)
CHUNKED = b"transfer-encoding: chunked\r\n"


async def reply(_: Asked, answer: Answer) -> None:
    await answer.whole(chat_reply({"content": "<EMAIL_ADDRESS_1>"}))


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n" % (len(data), extension) + data + b"\r\n"


async def written(served: Served, data: bytes) -> bytes:
    """What the gateway answers to these bytes on a connection of their own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.url.rpartition(":")[2]))
    writer.write(data)
    said = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return said


def closed(head: bytes, rest: bytes) -> bytes:
    return head + b"connection: close\r\n\r\n" + rest


TRAILER = b"0\r\nx-user: ada@lab.example\r\ncontent-type: text/plain\r\n\r\n"
ODD = {
    "100-continue": closed(HEAD + LENGTH + b"expect: 100-continue\r\n", RAW),
    "a value as expectation": closed(HEAD + LENGTH + b"expect: ada@lab.example\r\n", RAW),
    "trailers": closed(HEAD + CHUNKED, chunk(RAW) + TRAILER),
    "an extension of a chunk": closed(HEAD + CHUNKED, chunk(RAW, b";x=ada@lab.example") + b"0\r\n\r\n"),
    "a folded header": closed(HEAD + LENGTH + b"x-a: b\r\n  ada@lab.example\r\n", RAW),
    "an upgrade": HEAD + LENGTH + b"upgrade: h2c\r\nconnection: close, upgrade\r\n\r\n" + RAW,
    "HTTP/1.0": HEAD.replace(b"/1.1", b"/1.0") + LENGTH + b"\r\n" + RAW,
}


@pytest.mark.parametrize("what", ODD)
async def test_what_is_said_around_a_body_stays_here(tmp_path: Path, what: str) -> None:
    async with serving(reply, tmp_path, FakeDetector()) as served:
        said = await written(served, ODD[what])
        assert b'"content": "ada@lab.example"' in said
        (asked,) = served.asked
        assert MAIL not in json.dumps([asked.path, asked.headers]) + asked.body.decode()


TWO_READINGS = {
    "a length twice": closed(HEAD + LENGTH + b"content-length: 5\r\n", RAW),
    "a length and chunks": closed(HEAD + LENGTH + CHUNKED, chunk(RAW) + b"0\r\n\r\n"),
    "a packed transfer": closed(
        HEAD + b"transfer-encoding: gzip, chunked\r\n", chunk(gzip.compress(RAW)) + b"0\r\n\r\n"
    ),
    "an unknown transfer": closed(HEAD + LENGTH + b"transfer-encoding: xchunked\r\n", RAW),
    "a transfer twice": closed(HEAD + CHUNKED + b"transfer-encoding: identity\r\n", chunk(RAW) + b"0\r\n\r\n"),
    "a space in a name": closed(HEAD + LENGTH + b"content-encoding : gzip\r\n", RAW),
    "two hosts": closed(HEAD + LENGTH + b"host: evil.example\r\n", RAW),
    "a whole address": closed(HEAD.replace(b"/v1/chat", b"http://evil.example/v1/chat") + LENGTH, RAW),
    "two charsets": closed(HEAD.replace(b"json", b"json; charset=utf-8; charset=utf-16") + LENGTH, RAW),
    "less than was said": closed(HEAD + b"content-length: 10\r\n", RAW),
}


@pytest.mark.parametrize("what", TWO_READINGS)
async def test_what_has_two_readings_on_the_wire_is_refused(tmp_path: Path, what: str) -> None:
    async with serving(reply, tmp_path, FakeDetector()) as served:
        said = await written(served, TWO_READINGS[what])
        assert said.startswith(b"HTTP/1.1 4")
        assert MAIL.encode() not in said
        assert served.asked == []


async def test_requests_behind_one_another_are_masked_each(tmp_path: Path) -> None:
    async with serving(reply, tmp_path, FakeDetector()) as served:
        said = await written(served, (HEAD + LENGTH + b"\r\n" + RAW) * 2 + closed(HEAD + LENGTH, RAW))
        assert said.count(b'"content": "ada@lab.example"') == 3
        assert [MAIL.encode() in asked.body for asked in served.asked] == [False] * 3


def whole(data: bytes, status: int = 200, kind: str = "application/json", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}content-length: {len(data)}\r\n\r\n"
    return head.encode() + data


PAGE = b"<html><EMAIL_ADDRESS_1></html>"
UNUSABLE = {
    "a page": (whole(PAGE, kind="text/html"), "no JSON object"),
    "a way elsewhere": (whole(PAGE, 307, "text/html", "location: http://127.0.0.1:1/\r\n"), "sends elsewhere (307)"),
    "a way elsewhere, in JSON": (whole(b'{"error": {}}', 308), "sends elsewhere (308)"),
    "no status": (whole(b'{"a": 1}', 999), "no status of a reply"),
    "nothing": (whole(b""), "no JSON object"),
    "packed in a way that it is not": (whole(b"{}", more="content-encoding: gzip\r\n"), "cannot be read"),
    "no HTTP": (b"garbage\r\n\r\n", "broke off"),
    "another protocol": (b"HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "broke off"),
}


@pytest.mark.parametrize("what", UNUSABLE)
async def test_a_reply_that_is_none_is_an_error_in_words(tmp_path: Path, what: str) -> None:
    raw, said = UNUSABLE[what]

    async def upstream(_: Asked, answer: Answer) -> None:
        await answer.raw(raw)
        answer.drop()

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for path in PATHS:
            reply = await client.post(served.url + path, json=body(path))
            assert reply.status_code == 502
            message = reply.json()["error"]["message"]
            assert said in message
            assert "Error" not in message
        assert await outcomes(served, len(PATHS)) == ["failed"] * len(PATHS)


async def outcomes(served: Served, count: int) -> list[str]:
    """How requests ended, once so many have."""
    for _ in range(500):
        if len(rows := served.rows("gateway_reply")) >= count:
            break
        await asyncio.sleep(0.01)
    return [row["outcome"] for row in rows]


async def test_a_header_that_is_no_plain_word_is_left_out_of_the_reply(tmp_path: Path) -> None:
    async def upstream(_: Asked, answer: Answer) -> None:
        data = json.dumps(chat_reply({"content": "hi"})).encode()
        await answer.raw(whole(data, more="x-request-id: é€\r\nrequest-id: plain\r\n"))

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        reply = await client.post(served.url + CHAT, json=body())
        assert (reply.status_code, reply.headers["request-id"]) == (200, "plain")
        assert "x-request-id" not in reply.headers


async def test_an_error_that_a_stream_ends_with_is_its_end(tmp_path: Path) -> None:
    said = b'data: {"error": {"message": "no room for <EMAIL_ADDRESS_1>"}}\n\n'

    async def upstream(_: Asked, answer: Answer) -> None:
        await answer.raw(whole(said, kind="text/event-stream"))

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for path in PATHS:
            reply = await client.post(served.url + path, json=body(path, stream=True))
            assert json.loads(reply.text.removeprefix("data: ")) == {"error": {"message": f"no room for {MAIL}"}}


async def test_an_event_without_end_is_told_in_words(tmp_path: Path) -> None:
    async def upstream(_: Asked, answer: Answer) -> None:
        with suppress(ConnectionError):
            await answer.raw(whole(b"data: " + b"x" * 68_000_000, kind="text/event-stream"))

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient(timeout=30) as client:
        reply = await client.post(served.url + CHAT, json=body(stream=True))
        assert json.loads(reply.text.rpartition("data: ")[2])["error"]["message"].endswith("an event without end")


async def test_a_cookie_of_an_upstream_reaches_neither_this_client_nor_the_requests_of_others(tmp_path: Path) -> None:
    async def upstream(asked: Asked, answer: Answer) -> None:
        await answer.raw(
            whole(json.dumps(chat_reply({"content": "hi"})).encode(), more="set-cookie: s=ada; path=/\r\n")
        )

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for _ in range(2):
            assert "set-cookie" not in (await client.post(served.url + CHAT, json=body())).headers
        assert [asked.headers.get("cookie") for asked in served.asked] == [None, None]


async def test_what_comes_behind_an_answer_is_not_the_answer_to_the_next_request(tmp_path: Path) -> None:
    async def upstream(_: Asked, answer: Answer) -> None:
        own, foreign = (json.dumps(chat_reply({"content": text})).encode() for text in ("own", "foreign"))
        await answer.raw(whole(own) + whole(foreign))

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for _ in range(3):
            said = await client.post(served.url + CHAT, json=body())
            assert said.json()["choices"][0]["message"]["content"] == "own"


async def test_a_client_that_goes_away_while_its_row_is_written_has_both_rows_and_nothing_left(tmp_path: Path) -> None:
    async with serving(reply, tmp_path, FakeDetector()) as served, httpx.AsyncClient(timeout=30) as client:
        with closing(sqlite3.connect(served.ledger, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            asking = asyncio.create_task(client.post(served.url + CHAT, json=body()))
            await until(lambda: any(_runs(frame, "append_all") for frame in sys._current_frames().values()))
            asking.cancel()
            await until(lambda: any(_awaits(task, "_close_what_left") for task in asyncio.all_tasks()))
            other.execute("ROLLBACK")
        assert await outcomes(served, 1) == ["unsent"]
        assert (len(served.rows("gateway_request")), served.asked) == (1, [])
        assert MAIL.encode() not in served.everything_written()


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


def _runs(frame: FrameType | None, name: str) -> bool:
    """Whether a thread is in this function."""
    while frame is not None and frame.f_code.co_name != name:
        frame = frame.f_back
    return frame is not None


def _awaits(task: asyncio.Task[Any], name: str) -> bool:
    """Whether a task waits in this coroutine."""
    inner: Any = task.get_coro()
    while inner is not None and getattr(inner, "__name__", "") != name:
        inner = getattr(inner, "cr_await", None)
    return inner is not None


async def test_a_ledger_that_is_held_for_a_while_delays_requests_and_loses_none(tmp_path: Path) -> None:
    async with serving(reply, tmp_path, FakeDetector()) as served, httpx.AsyncClient(timeout=30) as client:
        with closing(sqlite3.connect(served.ledger, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            asking = [asyncio.create_task(client.post(served.url + CHAT, json=body())) for _ in range(5)]
            live = await client.get(served.url + "/healthz")  # the event loop does not wait for the disk
            assert (live.status_code, served.asked) == (200, [])
            other.execute("ROLLBACK")
        assert [one.status_code for one in await asyncio.gather(*asking)] == [200] * 5
        assert len(served.rows("gateway_request")) == 5


@pytest.mark.parametrize(("key", "status"), [("sk-of-a-file\n", 200), ("sk-é", 500), ("sk-\nx: ada", 500)])
async def test_a_key_that_no_header_takes_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, status: int
) -> None:
    monkeypatch.setenv("THE_KEY", key)
    async with HttpServer(reply) as upstream, httpx.AsyncClient() as client:
        there = (Upstream("up", "openai", f"{upstream.url}/v1", api_key_env="THE_KEY"),)
        async with serving(reply, tmp_path, FakeDetector(), upstreams=there) as served:
            said = await client.post(served.url + CHAT, json=body())
            assert said.status_code == status
            assert [asked.headers["authorization"] for asked in upstream.asked] == ["Bearer sk-of-a-file"] * (
                status == 200
            )
            assert status == 200 or "the key in THE_KEY" in said.json()["error"]["message"]
