"""The proxy end to end: an official SDK, a real uvicorn, an upstream over sockets."""

import asyncio

import anthropic
import openai
import pytest
import uvicorn

from gateway.config import Client, Config, Upstream
from gateway.mask import Masker
from gateway.proxy.app import build
from tests.fakes.detector import FakeDetector
from tests.fakes.http_server import Answer, Asked, HttpServer

MAIL = "ada@lab.example"


async def _reply(asked: Asked, answer: Answer) -> None:
    said = "Wrote to <EMAIL_ADDRESS_1>"
    if asked.path.endswith("/messages"):
        block = [
            {"type": "text", "text": said},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"to": "<EMAIL_ADDRESS_1>"}},
        ]
        await answer.whole(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "x",
                "content": block,
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 3, "output_tokens": 4},
            }
        )
    else:
        await answer.whole(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 1700000000,
                "model": "x",
                "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            }
        )


@pytest.fixture
async def gateway(tmp_path):
    async with HttpServer(_reply) as upstream:
        both = tuple(Upstream(p, p, upstream.url + "/v1") for p in ("openai", "anthropic"))
        app = build(Config(upstreams=both, ledger=tmp_path / "l.db"), Masker(FakeDetector()))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", upstream, tmp_path / "l.db"
        server.should_exit = True
        await task


async def test_chat(gateway):
    url, upstream, ledger = gateway
    client = openai.AsyncOpenAI(base_url=url + "/v1", api_key="k", max_retries=0)
    reply = await client.chat.completions.create(
        model="m", user=MAIL, messages=[{"role": "user", "content": f"To {MAIL}"}]
    )
    assert reply.choices[0].message.content == f"Wrote to {MAIL}"
    assert MAIL.encode() not in upstream.asked[0].body
    assert MAIL.encode() not in ledger.read_bytes()
    await client.close()


async def test_messages(gateway):
    url, upstream, _ = gateway
    client = anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0)
    reply = await client.messages.create(
        model="m", max_tokens=9, system=f"I am {MAIL}", messages=[{"role": "user", "content": "hi"}]
    )
    assert reply.content[0].text == f"Wrote to {MAIL}"
    assert reply.content[1].input == {"to": MAIL}
    assert MAIL.encode() not in upstream.asked[0].body
    await client.close()


@pytest.mark.parametrize(
    "body",
    [
        {"model": MAIL, "messages": [{"role": "user", "content": "hi"}]},
        {"model": "two words", "messages": []},
        {"model": 5, "messages": []},
        {"model": "m", "messages": "hi"},
    ],
)
async def test_what_is_no_model_and_no_message_stays_here(gateway, body):
    import httpx

    url, upstream, _ = gateway
    async with httpx.AsyncClient() as client:
        reply = await client.post(f"{url}/v1/chat/completions", json=body)
        missing = await client.post(f"{url}/v1/completions", json=body)
    assert reply.status_code == 400
    assert MAIL not in reply.text
    assert not upstream.asked
    assert (missing.status_code, missing.json()["error"]["type"]) == (404, "invalid_request_error")


async def test_the_list_of_models_shows_what_a_client_may_use_and_passes_no_key_of_ours(tmp_path):
    import hashlib

    import httpx

    async def rows(asked: Asked, answer: Answer) -> None:
        await answer.whole({"data": [{"id": "gpt-a"}, {"id": "gpt-b"}, {"id": "other"}]})

    async with HttpServer(rows) as upstream:
        ours = Client("ci", "sha256:" + hashlib.sha256(b"ours").hexdigest(), models=("gpt-a", "other"))
        one = Upstream("o", "openai", upstream.url + "/v1", models=("gpt-*",), pass_through=True)
        app = build(Config(upstreams=(one,), clients=(ours,), ledger=tmp_path / "l.db"), Masker(FakeDetector()))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            plain = await client.get("/v1/models", headers={"authorization": "Bearer ours"})
            both = await client.get("/v1/models", headers={"authorization": "Bearer theirs", "x-gateway-key": "ours"})
    assert plain.status_code == 401
    assert [row["id"] for row in both.json()["data"]] == ["gpt-a"]
    assert [asked.headers["authorization"] for asked in upstream.asked] == ["Bearer theirs"]


async def test_an_upstream_that_refuses_its_list_of_models_is_told_with_its_status(tmp_path):
    """A wrong key is no missing list."""
    import httpx

    async def refused(asked: Asked, answer: Answer) -> None:
        await answer.whole({"error": {"message": "wrong key"}}, status=401)

    async with HttpServer(refused) as upstream:
        one = Upstream("up", "openai", upstream.url + "/v1")
        app = build(Config(upstreams=(one,), ledger=tmp_path / "l.db"), Masker(FakeDetector()))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            reply = await client.get("/v1/models")
    assert reply.status_code == 502
    assert reply.json()["error"]["message"] == "the upstream up answers 401 when asked for its models"
