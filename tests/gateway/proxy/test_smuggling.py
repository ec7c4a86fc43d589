"""Requests that are built to carry a value past the mask: masked or refused, never forwarded as they are."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.config import Limits
from gateway.detect.entity import Entity
from gateway.detect.normalise import normalise
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import Served, serving
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import chat_reply

MAIL = "ada@lab.example"
CHAT = "/v1/chat/completions"
JSON = {"content-type": "application/json"}


class Normal(FakeDetector):
    """As the real detector: escapes are undone before anything is looked for."""

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        view = normalise(text)
        spans = [(entity, view.span(entity.start, entity.end)) for entity in super().find(view.text)]
        return tuple(replace(entity, start=start, end=end, text=text[start:end]) for entity, (start, end) in spans)


async def upstream(asked: Asked, answer: Answer) -> None:
    await answer.whole(chat_reply({"content": "<EMAIL_ADDRESS_1>"}))


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(upstream, tmp_path, Normal(), limits=Limits(body_mb=0.2, depth=40)) as served:
        yield served
        for asked in served.asked:
            seen = json.dumps([asked.path, asked.headers, asked.body.decode()]) + asked.body.decode()
            assert MAIL not in seen
            assert "da@lab" not in seen
        assert MAIL.encode() not in served.everything_written()


def body(content: Any = MAIL, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": content}], **more}


async def post(served: Served, content: bytes, headers: dict[str, str] = JSON, path: str = CHAT) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.post(served.url + path, content=content, headers=headers)


def nested(times: int) -> str:
    text = MAIL
    for _ in range(times):
        text = json.dumps({"v": text})
    return text


@pytest.mark.parametrize(
    "content",
    [
        *[nested(times) for times in range(1, 6)],
        json.dumps({"v": MAIL}).replace("@", "\\u0040").replace("ada", "\\u0061da"),
        json.dumps(json.dumps({"v": MAIL}).replace("@", "\\u0040")),
        json.dumps([[[MAIL]]]),
        json.dumps({MAIL: {MAIL: MAIL}}),
        MAIL.replace("@", "%40"),
        MAIL.replace("@", "&#64;"),
        MAIL.replace("@", "\\u0040"),
        "ada\u200b@lab.example",
        "ａｄａ@lab.example",
    ],
)
async def test_values_in_disguise_are_masked(served: Served, content: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": content}}
    for message in (
        {"role": "tool", "tool_call_id": "c", "content": content},
        {"role": "assistant", "tool_calls": [call]},
    ):
        reply = await post(served, json.dumps(body(extra=content) | {"messages": [message]}).encode())
        assert reply.status_code == 200, reply.text
        sent = served.asked[-1].body.decode()
        assert "EMAIL_ADDRESS_1" in sent
        assert not any(trace in sent for trace in ("lab.example", "u0040", "%40", "&#64;"))


async def test_json_in_strings_that_never_ends_is_refused(served: Served) -> None:
    reply = await post(served, json.dumps(body(nested(10))).encode())
    assert (reply.status_code, served.asked) == (400, [])


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b'{"model": "m", "messages": [], "messages": [{"content": "ada@lab.example"}]}', 400),
        (b'{"model": "m", "messages": [{"content": "x", "c\\u006fntent": "ada@lab.example"}]}', 400),
        (json.dumps(body()).encode("utf-16"), 400),
        (json.dumps(body()).encode("utf-32-le"), 400),
        (b"\xef\xbb\xbf" + json.dumps(body()).encode(), 400),
        (b'{"model": "m", "messages": [{"content": "\\ud83d ada@lab.example"}]}', 400),
        (b'{"model": "m", "messages": [{"content": "\xff ada@lab.example"}]}', 400),
        (json.dumps(body()).encode() + b"{}", 400),
        (b'{"model": "m", "messages": [{"content": ' + b"[" * 60 + b'"ada@lab.example"' + b"]" * 60 + b"}]}", 400),
        (b'{"model": "m", "messages": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", 400),
        (b'{"model": "m", "messages": [], "n": ' + b"9" * 6000 + b"}", 400),
        (b'{"model": "m", "messages": [], "n": NaN}', 400),
        (b'{"model": "m", "messages": "ada@lab.example"}', 400),
        (b'{"model": "ada@lab.example", "messages": []}', 400),
        (b'{"messages": [{"content": "ada@lab.example"}]}', 400),
        (b'["ada@lab.example"]', 400),
        (b'"ada@lab.example"', 400),
        (b"", 400),
        (json.dumps(body("x" * 300_000)).encode(), 413),
    ],
)
async def test_what_has_two_readings_or_none_is_refused(served: Served, raw: bytes, status: int) -> None:
    reply = await post(served, raw)
    assert reply.status_code == status
    assert set(reply.json()) == {"error"}
    assert "ada" not in reply.text
    assert served.asked == []


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=ada",
        "application/json; charset=utf-16",
        "application/json; charset=koi8-r",
        "application/jsonl",
        "",
    ],
)
async def test_only_json_in_utf8_is_read(served: Served, kind: str) -> None:
    reply = await post(served, json.dumps(body()).encode(), {"content-type": kind})
    assert (reply.status_code, served.asked) == (415, [])
    assert "-H 'content-type: application/json'" in reply.json()["error"]["message"]


@pytest.mark.parametrize("kind", ["application/json", "APPLICATION/JSON", "application/json; charset=UTF-8"])
async def test_json_in_utf8_is_read_however_it_is_called(served: Served, kind: str) -> None:
    assert (await post(served, json.dumps(body()).encode(), {"content-type": kind})).json()["choices"]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "x-gzip"])
async def test_compressed_bodies_are_read(served: Served, encoding: str) -> None:
    raw = json.dumps(body()).encode()
    packed = zlib.compress(raw) if encoding == "deflate" else gzip.compress(raw)
    reply = await post(served, packed, JSON | {"content-encoding": encoding})
    assert reply.json()["choices"][0]["message"]["content"] == MAIL
    assert "content-encoding" not in served.asked[0].headers


@pytest.mark.parametrize(
    ("packed", "encoding", "status"),
    [
        (gzip.compress(b" " * 50_000_000), "gzip", 413),
        (gzip.compress(json.dumps(body()).encode())[:-9], "gzip", 400),
        (gzip.compress(json.dumps(body()).encode()) + gzip.compress(b"ada@lab.example"), "gzip", 400),
        (json.dumps(body()).encode(), "gzip", 400),
        (gzip.compress(gzip.compress(json.dumps(body()).encode())), "gzip, gzip", 415),
        (json.dumps(body()).encode(), "br", 415),
        (json.dumps(body()).encode(), "zstd", 415),
    ],
)
async def test_what_cannot_be_unpacked_within_the_limits_is_refused(
    served: Served, packed: bytes, encoding: str, status: int
) -> None:
    reply = await post(served, packed, JSON | {"content-encoding": encoding})
    assert (reply.status_code, served.asked) == (status, [])


@pytest.mark.parametrize("name", ["content-type", "content-encoding"])
async def test_a_body_that_is_said_to_be_two_things_is_refused(served: Served, name: str) -> None:
    headers = [
        ("content-type", "application/json"),
        (name, "application/json" if name.endswith("type") else "identity"),
    ]
    async with httpx.AsyncClient() as client:
        two = [*headers, (name, "text/plain" if name.endswith("type") else "gzip")]
        reply = await client.post(served.url + CHAT, content=json.dumps(body()).encode(), headers=two)
    assert (reply.status_code, served.asked) == (400, [])


async def test_a_body_in_chunks_is_one_body(served: Served) -> None:
    async def pieces(raw: bytes) -> AsyncIterator[bytes]:
        for at in range(0, len(raw), 7):
            yield raw[at : at + 7]

    async with httpx.AsyncClient() as client:
        small = await client.post(served.url + CHAT, content=pieces(json.dumps(body()).encode()), headers=JSON)
        large = await client.post(served.url + CHAT, content=pieces(b" " * 300_000), headers=JSON)
    assert (small.status_code, large.status_code, len(served.asked)) == (200, 413, 1)


@pytest.mark.parametrize("query", [f"?user={MAIL}", "?beta=ada", "?api-version=1", f"?{MAIL}", "?beta=true&x=1"])
async def test_queries_are_refused(served: Served, query: str) -> None:
    reply = await post(served, json.dumps(body()).encode(), JSON, CHAT + query)
    assert (reply.status_code, served.asked) == (400, [])


async def test_the_query_of_the_beta_routes_passes(served: Served) -> None:
    await post(served, json.dumps(body(max_tokens=1)).encode(), JSON, "/v1/messages?beta=true")
    assert served.asked[0].path == "/v1/messages?beta=true"


@pytest.mark.parametrize(
    "name", ["openai-organization", "openai-project", "openai-beta", "anthropic-beta", "anthropic-version"]
)
async def test_headers_that_are_passed_on_hold_closed_words_only(served: Served, name: str) -> None:
    for value in (MAIL, "two words", "a" * 200, "x;<b>"):
        assert (await post(served, json.dumps(body()).encode(), JSON | {name: value})).status_code == 400
    assert served.asked == []
    await post(served, json.dumps(body()).encode(), JSON | {name: "tools-2024-04-04, pdfs-2024-09-25"})
    assert served.asked[0].headers[name] == "tools-2024-04-04, pdfs-2024-09-25"


@pytest.mark.parametrize("value", ["4111-1111-1111-1111", "sk-abcdefgh12345678"])
async def test_a_header_that_holds_a_value_is_refused(served: Served, value: str) -> None:
    headers = JSON | {"openai-project": value}
    reply = await post(served, json.dumps(body("hi")).encode(), headers)
    async with httpx.AsyncClient() as client:
        listed = await client.get(served.url + "/v1/models", headers=headers)
    assert (reply.status_code, listed.status_code, served.asked) == (400, 400, [])
    assert value not in reply.text + listed.text


async def test_no_other_header_is_passed_on(served: Served) -> None:
    more = {"user-agent": MAIL, "x-user": MAIL, "cookie": MAIL, "referer": MAIL, "authorization": f"Bearer {MAIL}"}
    await post(served, json.dumps(body()).encode(), JSON | more)
    allowed = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length"}
    assert set(served.asked[0].headers) <= allowed


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v1/completions", 404),
        ("POST", "/v1/files", 404),
        ("POST", "/v1/images/generations", 404),
        ("GET", "/v1/responses/resp_1", 404),
        ("DELETE", "/v1/messages", 405),
        ("GET", "/v1/chat/completions", 405),
        ("POST", "/v1/chat/completions/", 404),
        ("POST", "//v1/chat/completions", 404),
        ("POST", "/v1/messages/batches", 404),
        ("POST", "/v1/models", 405),
        ("POST", "/v1/responses/compact", 404),
        ("POST", "/v1/responses/input_tokens", 404),
        ("POST", "/v1/batches", 404),
        ("GET", "/v1/messages/batches/b_1/results", 404),
        ("POST", "/v1/audio/transcriptions", 404),
        ("POST", "/v1/containers", 404),
        ("GET", "/v1/responses", 405),
        ("OPTIONS", "/v1/chat/completions", 405),
        ("POST", "/v1/chat/completions%2f", 404),
        ("POST", "/v1/%63hat/completions/../x", 404),
    ],
)
async def test_unknown_routes_are_refused(served: Served, method: str, path: str, status: int) -> None:
    async with httpx.AsyncClient() as client:
        reply = await client.request(method, served.url + path, headers=JSON, content=json.dumps(body()))
    assert (reply.status_code, served.asked) == (status, [])
    assert "error" in reply.json()
    assert (reply.json().get("type") == "error") == path.startswith("/v1/messages")
    assert MAIL not in reply.text


async def test_an_answer_that_could_not_be_fetched_is_not_asked_for(served: Served) -> None:
    asked = {"model": "m", "input": MAIL, "background": True}
    reply = await post(served, json.dumps(asked).encode(), JSON, "/v1/responses")
    assert (reply.status_code, served.asked) == (400, [])
    assert "background" in reply.json()["error"]["message"]
    await post(served, json.dumps(asked | {"stream": True}).encode(), JSON, "/v1/responses")
    assert len(served.asked) == 1


async def test_a_value_that_masking_cannot_hide_is_refused(tmp_path: Path) -> None:
    class Forgetful(FakeDetector):
        """Finds a value in one field and is blind in another: the last look is not."""

        def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
            return super().find(text) if text == MAIL else ()

    async with serving(upstream, tmp_path, Forgetful()) as served:
        import base64

        hidden = base64.b64encode(f"to {MAIL}".encode()).decode()
        reply = await post(served, json.dumps(body(MAIL) | {"user": f"x{hidden}"}).encode())
        assert (reply.status_code, served.asked) == (422, [])
        assert "EMAIL_ADDRESS" in reply.json()["error"]["message"]


async def test_a_detector_that_fails_stops_the_request(tmp_path: Path) -> None:
    async with serving(upstream, tmp_path, FakeDetector(fail=True)) as served:
        reply = await post(served, json.dumps(body()).encode())
        assert (reply.status_code, served.asked) == (500, [])
        assert MAIL not in reply.text


async def test_what_the_policy_blocks_is_said_by_type(tmp_path: Path) -> None:
    async with serving(upstream, tmp_path, FakeDetector(), {"EMAIL_ADDRESS": "block"}) as served:
        for path in (CHAT, "/v1/messages"):
            reply = await post(served, json.dumps(body()).encode(), JSON, path)
            assert (reply.status_code, served.asked) == (403, [])
            assert "EMAIL_ADDRESS" in reply.json()["error"]["message"]
            assert MAIL not in reply.text
        assert MAIL.encode() not in served.everything_written()
