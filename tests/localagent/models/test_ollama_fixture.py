"""Ollama's official client drives our fixture of its API, so that the fixture is not a dream of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import ollama
import pytest

from tests.fakes.ollama_server import Ollama, show
from tests.fakes.openai_server import call, chunk, scripted_openai, usage

TOOL = {
    "type": "function",
    "function": {"name": "add", "description": "adds", "parameters": {"type": "object", "properties": {}}},
}
REPLY = [chunk(reasoning_content="hm"), chunk(content="Hel"), chunk(content="lo"), chunk("stop"), usage(7, 2)]
CALL = [call("add"), call(arguments='{"a": '), call(arguments="1}"), chunk("tool_calls"), usage(9, 5)]


@pytest.fixture
async def state() -> AsyncIterator[tuple[Ollama, ollama.AsyncClient]]:
    async with scripted_openai([REPLY, CALL]) as upstream:
        ours = Ollama(upstream.url)
        ours.models["plain"] = show("completion")
        async with ours.server() as server:
            yield ours, ollama.AsyncClient(host=server.url, trust_env=False)


async def test_the_client_reads_a_stream_and_a_call(state: tuple[Ollama, ollama.AsyncClient]) -> None:
    _, client = state
    messages = [{"role": "user", "content": "hello"}]
    chunks = [chunk async for chunk in await client.chat("qwen:0.5b", messages=messages, stream=True)]
    assert [c.message.thinking for c in chunks if c.message.thinking] == ["hm"]
    assert [c.message.content for c in chunks if c.message.content] == ["Hel", "lo"]
    last = chunks[-1]
    assert (last.done, last.done_reason, last.prompt_eval_count, last.eval_count) == (True, "stop", 7, 2)
    whole = await client.chat("qwen:0.5b", messages=messages, tools=[TOOL])
    assert whole.message.tool_calls is not None
    assert (whole.message.tool_calls[0].function.name, whole.message.tool_calls[0].function.arguments) == (
        "add",
        {"a": 1},
    )


async def test_the_client_asks_about_models(state: tuple[Ollama, ollama.AsyncClient]) -> None:
    ours, client = state
    assert [m.model for m in (await client.list()).models] == ["qwen:0.5b", "plain"]
    shown = await client.show("qwen:0.5b")
    assert shown.capabilities == ["completion", "tools"]
    assert shown.modelinfo is not None
    assert shown.modelinfo["qwen2.context_length"] == 32768
    assert not (await client.ps()).models
    await client.generate("qwen:0.5b", "hi", options={"num_ctx": 2048})
    assert [m.context_length for m in (await client.ps()).models] == [2048]
    assert (await client.embed("plain", ["abc", "d"])).embeddings == [[3.0, 1.0], [1.0, 1.0]]
    assert [p.status async for p in await client.pull("new", stream=True)][-1] == "success"
    assert "new" in ours.models


async def test_the_client_raises_what_ollama_refuses(state: tuple[Ollama, ollama.AsyncClient]) -> None:
    _, client = state
    with pytest.raises(ollama.ResponseError, match="not found") as missing:
        await client.chat("nope", messages=[{"role": "user", "content": "x"}])
    assert missing.value.status_code == 404
    with pytest.raises(ollama.ResponseError, match="does not support tools"):
        await client.chat("plain", messages=[{"role": "user", "content": "x"}], tools=[TOOL])
