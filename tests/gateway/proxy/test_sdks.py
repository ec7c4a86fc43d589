"""The official SDKs, sync and async, whole and streaming, through the real proxy: they get what was restored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from pydantic import BaseModel

from tests.fakes import transcripts
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import Served, serving
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import call, chat_reply, message_reply, response_reply, said, sse

MAIL, NAME, KEY = "ada@lab.example", "Ada Vance", 'sk-"quoted\\key"'
SAID = "Wrote to <PERSON_1> at <EMAIL_ADDRESS_1>, not to <PERSON_2>"
RESTORED = f"Wrote to {NAME} at {MAIL}, not to <PERSON_2>"
ARGUMENTS = '{"to": "<EMAIL_ADDRESS_1>", "key": "<SECRET_1>"}'
GIVEN = {"to": MAIL, "key": KEY}
ASK = f"I am {NAME}, {MAIL}, key {KEY}"
TOOL = {"type": "function", "function": {"name": "send", "parameters": {"type": "object", "properties": {}}}}


def cut(text: str) -> list[str]:
    return [text[at : at + 5] for at in range(0, len(text), 5)]


REPLIES: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {
    "completions": (
        chat_reply(
            {"content": SAID, "tool_calls": [call("send", ARGUMENTS), call("send", ARGUMENTS, 1)]},
            {"content": SAID, "refusal": f"No, {SAID}"},
        ),
        transcripts.chat,
    ),
    "messages": (
        message_reply(
            {"type": "thinking", "thinking": "<PERSON_1> asks", "signature": "EqQB"},
            {"type": "text", "text": SAID},
            {"type": "tool_use", "id": "toolu_1", "name": "send", "input": json.loads(ARGUMENTS)},
            stop="tool_use",
        ),
        transcripts.messages,
    ),
    "responses": (
        response_reply(
            {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": SAID}]},
            said(SAID),
            {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "send", "arguments": ARGUMENTS},
        ),
        transcripts.responses,
    ),
}


async def upstream(asked: Asked, answer: Answer) -> None:
    """Answers as the providers do, whole or as a stream."""
    path = asked.path.partition("?")[0]
    if path.endswith("/models"):
        rows = [{"id": name, "object": "model", "type": "model"} for name in ("gpt-x", "claude-x")]
        return await answer.whole({"object": "list", "data": rows})
    if path.endswith("/count_tokens"):
        return await answer.whole({"input_tokens": 42})
    if path.endswith("/embeddings"):
        data = [{"object": "embedding", "index": 0, "embedding": [0.25, -1e-05]}]
        return await answer.whole(
            {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )
    if b"<EMAIL_ADDRESS_1>" not in asked.body:
        return await answer.whole({"error": {"message": "nothing was masked", "type": "test"}}, 400)
    reply, build = REPLIES[path.rpartition("/")[2]]
    if not asked.json.get("stream"):
        return await answer.whole(reply)
    chat = path.endswith("completions")
    raw = b": ping\n\n" + sse(build(reply, cut), named=not chat, done=chat)
    await answer.start("text/event-stream")
    for at in range(0, len(raw), 113):
        await answer.chunk(raw[at : at + 113])
    await answer.end()


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(upstream, tmp_path, FakeDetector(NAME, (KEY, "SECRET"))) as served:
        yield served
        for asked in served.asked:
            assert not any(value in asked.body.decode() for value in (MAIL, NAME, json.dumps(KEY)[1:-1]))
        assert NAME.encode() not in served.everything_written()
        assert MAIL.encode() not in served.everything_written()


def chat_body(**more: Any) -> dict[str, Any]:
    return {"model": "gpt-x", "messages": [{"role": "user", "content": ASK}], "tools": [TOOL], "n": 2, **more}


def check_chat(choices: list[Any]) -> None:
    first, second = choices
    assert first.message.content == second.message.content == RESTORED
    assert second.message.refusal == f"No, {RESTORED}"
    assert [json.loads(one.function.arguments) for one in first.message.tool_calls] == [GIVEN, GIVEN]
    assert [one.id for one in first.message.tool_calls] == ["call_0", "call_1"]


async def test_chat(served: Served) -> None:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
        whole = await client.chat.completions.create(**chat_body())
        check_chat(whole.choices)
        assert (whole.id, whole.model, whole.usage and whole.usage.total_tokens) == ("chatcmpl-1", "gpt-x", 12)
        async with client.chat.completions.stream(**chat_body(stream_options={"include_usage": True})) as stream:
            final = await stream.get_final_completion()
        check_chat(final.choices)
        assert final.usage
        assert final.usage.total_tokens == 12
    assert {row["outcome"] for row in served.rows("gateway_reply")} == {"done"}
    assert [row["output_tokens"] for row in served.rows("gateway_reply")] == [5, 5]


async def test_chat_in_sync(served: Served) -> None:
    def ask() -> None:
        with openai.OpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
            check_chat(client.chat.completions.create(**chat_body()).choices)
            texts = ["", ""]
            for chunk in client.chat.completions.create(**chat_body(stream=True)):
                for choice in chunk.choices:
                    texts[choice.index] += choice.delta.content or ""
            assert texts == [RESTORED, RESTORED]

    await asyncio.to_thread(ask)


async def test_responses(served: Served) -> None:
    body: dict[str, Any] = {"model": "gpt-x", "input": [{"role": "user", "content": ASK}], "instructions": "be short"}
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
        for final in (await client.responses.create(**body), await _final_response(client, body)):
            assert final.output_text == RESTORED
            assert json.loads(final.output[2].arguments) == GIVEN  # type: ignore[union-attr]
            assert final.output[0].summary[0].text == RESTORED  # type: ignore[union-attr]
            assert final.usage
            assert final.usage.total_tokens == 12


async def _final_response(client: openai.AsyncOpenAI, body: dict[str, Any]) -> Any:
    deltas = ""
    async with client.responses.stream(**body) as stream:
        async for event in stream:
            if event.type == "response.output_text.delta":
                deltas += event.delta
            elif event.type == "response.output_text.done":
                assert event.text == deltas == RESTORED
        return await stream.get_final_response()


async def test_responses_in_sync(served: Served) -> None:
    def ask() -> None:
        with openai.OpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
            assert client.responses.create(model="gpt-x", input=ASK).output_text == RESTORED
            with client.responses.stream(model="gpt-x", input=ASK) as stream:
                assert stream.get_final_response().output_text == RESTORED

    await asyncio.to_thread(ask)


def message_body() -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 9, "system": "s", "messages": [{"role": "user", "content": ASK}]}


def check_message(message: Any) -> None:
    thought, text, tool = message.content
    assert (thought.thinking, thought.signature) == ("<PERSON_1> asks", "EqQB")
    assert (text.text, tool.input, tool.id) == (RESTORED, GIVEN, "toolu_1")
    assert (message.stop_reason, message.usage.output_tokens, message.usage.input_tokens) == ("tool_use", 5, 7)


async def test_messages(served: Served) -> None:
    async with anthropic.AsyncAnthropic(base_url=served.url, api_key="k", max_retries=0) as client:
        check_message(await client.messages.create(**message_body()))
        async with client.messages.stream(**message_body()) as stream:
            check_message(final := await stream.get_final_message())
        turn = [
            *message_body()["messages"],
            {"role": "assistant", "content": [one.model_dump() for one in final.content]},
        ]
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": f"sent to {MAIL}"}
        await client.messages.create(**message_body() | {"messages": [*turn, {"role": "user", "content": [result]}]})
        sent = served.asked[-1].json["messages"]
        assert sent[0] == served.asked[0].json["messages"][0]
        assert sent[1]["content"][0] == {"type": "thinking", "thinking": "<PERSON_1> asks", "signature": "EqQB"}
        assert sent[1]["content"][2]["input"] == json.loads(ARGUMENTS)
        assert sent[2]["content"][0]["content"] == "sent to <EMAIL_ADDRESS_1>"
        assert (await client.messages.count_tokens(model="claude-x", messages=turn)).input_tokens == 42
        assert (await client.beta.messages.create(**message_body(), betas=["context-1m-2025-08-07"])).content[
            1
        ].text == RESTORED
        assert served.asked[-1].headers["anthropic-beta"] == "context-1m-2025-08-07"


async def test_messages_in_sync(served: Served) -> None:
    def ask() -> None:
        with anthropic.Anthropic(base_url=served.url, api_key="k", max_retries=0) as client:
            check_message(client.messages.create(**message_body()))
            with client.messages.stream(**message_body()) as stream:
                assert "".join(stream.text_stream) == RESTORED
                check_message(stream.get_final_message())

    await asyncio.to_thread(ask)


async def test_embeddings_and_models(served: Served) -> None:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
        found = await client.embeddings.create(model="m", input=[ASK, "x"], encoding_format="float")
        assert found.data[0].embedding == [0.25, -1e-05]
        assert [model.id async for model in client.models.list()] == ["gpt-x", "claude-x"]
        assert (await client.models.retrieve("gpt-x")).id == "gpt-x"
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("gpt-y")
    async with anthropic.AsyncAnthropic(base_url=served.url, api_key="k", max_retries=0) as claude:
        assert [model.id async for model in claude.models.list()] == ["gpt-x", "claude-x"]


async def test_structured_answers_are_read_by_the_sdk(tmp_path: Path) -> None:
    class Person(BaseModel):
        to: str
        key: str

    async def answer_json(asked: Asked, answer: Answer) -> None:
        assert asked.json["response_format"]["type"] == "json_schema"
        await answer.whole(chat_reply({"content": ARGUMENTS}))

    async with (
        serving(answer_json, tmp_path, FakeDetector(NAME, (KEY, "SECRET"))) as served,
        openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client,
    ):
        body = {"model": "m", "messages": [{"role": "user", "content": ASK}]}
        parsed = await client.chat.completions.parse(**body, response_format=Person)
        assert parsed.choices[0].message.parsed == Person(to=MAIL, key=KEY)


async def test_what_the_upstream_refuses_reaches_the_sdk(tmp_path: Path) -> None:
    async def refuse(asked: Asked, answer: Answer) -> None:
        head = "HTTP/1.1 429 X\r\nretry-after: 7\r\nx-request-id: r1\r\nset-cookie: a=b\r\n"
        head += "x-ratelimit-limit-requests: 9\r\n"
        error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down, <EMAIL_ADDRESS_1>"}}
        body = json.dumps(error if asked.path.endswith("messages") else {"error": error["error"]})
        await answer.raw(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())

    async with (
        serving(refuse, tmp_path, FakeDetector()) as served,
        openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client,
        anthropic.AsyncAnthropic(base_url=served.url, api_key="k", max_retries=0) as claude,
    ):
        with pytest.raises(openai.RateLimitError, match=f"slow down, {MAIL}") as error:
            await client.chat.completions.create(model="m", messages=[{"role": "user", "content": MAIL}])
        headers = error.value.response.headers
        assert (headers["retry-after"], headers["x-request-id"], headers["x-ratelimit-limit-requests"]) == (
            "7",
            "r1",
            "9",
        )
        assert "set-cookie" not in headers
        with pytest.raises(anthropic.RateLimitError, match=f"slow down, {MAIL}"):
            await claude.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": MAIL}])
        assert {row["outcome"] for row in served.rows("gateway_reply")} == {"refused"}


async def test_any_replica_sends_the_same_beginning_at_any_turn(tmp_path: Path) -> None:
    """Two gateways that share nothing take turns; the provider sees one conversation, byte for byte, and its cache."""
    names = ("Ada Vance", "Bob Stone", "Carl Berg", "Dora Lind")

    async def count(asked: Asked, answer: Answer) -> None:
        await answer.whole(chat_reply({"content": f"Noted <PERSON_{asked.body.count(b'I know')}>"}))

    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    async with (
        serving(count, tmp_path / "a", FakeDetector(*names)) as one,
        serving(count, tmp_path / "b", FakeDetector(*names)) as two,
    ):
        turns: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]
        sent: list[bytes] = []
        for number, name in enumerate(names):
            served = (one, two)[number % 2]
            turns.append({"role": "user", "content": f"I know {name}"})
            async with openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="k", max_retries=0) as client:
                reply = await client.chat.completions.create(model="m", messages=turns)  # type: ignore[arg-type]
            assert reply.choices[0].message.content == f"Noted {name}"
            turns.append({"role": "assistant", "content": f"Noted {name}"})
            sent.append(json.dumps(served.asked[-1].json["messages"]).encode())
    for before, after in pairwise(sent):
        assert after.startswith(before[:-1])
