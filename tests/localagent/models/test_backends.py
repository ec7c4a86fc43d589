"""One test for all backends: a real llama-server, Ollama's API in front of it, the embedded worker, and the script."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from localagent.calling import interpret
from localagent.calling.render import render_tools
from localagent.config.models_toml import Entry, Sampling
from localagent.errors import BadReplyError, ContextOverflowError, ModelUnavailableError
from localagent.messages import Message, ToolCall, ToolResult
from localagent.models.estimate import estimate
from localagent.models.llama_cpp.client import LlamaCppModel
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.models.ollama import OllamaModel
from localagent.models.openai import OpenAIModel
from localagent.models.scripted import ScriptedModel
from localagent.ports import Constraint, Finish, Progress, Request, TextDelta, ThoughtDelta
from tests.fakes.llama_server import CHATML_THINKING, CHATML_TOOLS, llama_server, running_llama_server
from tests.fakes.ollama_server import Ollama, show
from tests.fakes.weights import qwen_05b, smollm2
from tests.localagent.models.conftest import WEATHER, asking, whole

Model = OpenAIModel | OllamaModel | LlamaCppModel | ScriptedModel
GREEDY = Sampling(temperature=0.0)
SCRIPT = (
    {"content": "Hello there, how are you?", "chunk": 3},
    {"tool_calls": [{"name": "get_temperature", "arguments": {"city": "Paris"}}]},
)


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    with llama_server(qwen_05b(), "-c", "2048", "--jinja", "--chat-template-file", str(CHATML_TOOLS)) as url:
        yield url


@pytest.fixture(scope="module")
def thinking_llama() -> Iterator[str]:
    with llama_server(qwen_05b(), "-c", "1024", "--jinja", "--chat-template-file", str(CHATML_THINKING)) as url:
        yield url


@pytest.fixture(params=["openai", "ollama", "llama_cpp", "scripted"])
async def model(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Model]:
    kind = request.param
    if kind == "scripted":
        path = tmp_path / "replies.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in SCRIPT))
        yield ScriptedModel(Entry("mine", "scripted", file=path, context=2048))
        return
    if kind == "llama_cpp":
        pytest.importorskip("llama_cpp")
        embedded = LlamaCppModel("mine", LlamaCppSettings(file=qwen_05b(), context=2048, temperature=0.0))
        yield embedded
        await embedded.close()
        return
    async with served(kind, request.getfixturevalue("llama")) as real:
        yield real


@asynccontextmanager
async def served(kind: str, url: str) -> AsyncIterator[OpenAIModel | OllamaModel]:
    """A backend that speaks to the real server at `url`, through Ollama's API or straight."""
    if kind == "openai":
        real = OpenAIModel(Entry("mine", "openai", base_url=f"{url}/v1", sampling=GREEDY))
        yield real
        await real.close()
        return
    async with Ollama(url, models={"qwen:0.5b": show("completion", "tools", "thinking")}).server() as server:
        entry = Entry("mine", "ollama", model="qwen:0.5b", base_url=server.url, context=2048, sampling=GREEDY)
        ollama = OllamaModel(entry)
        yield ollama
        await ollama.close()


async def test_a_reply_streams_and_a_tool_is_called(model: Model) -> None:
    pieces = [delta async for delta in model.reply(asking("Say hello in five words."))]
    assert len(pieces) > 4, "it came in one piece"
    assert sum(delta.__class__.__name__ == "Finish" for delta in pieces) == 1
    text, _, calls, finish = await whole(model.reply(asking("How warm is it in Paris?", tools=(WEATHER,))))
    if isinstance(model, LlamaCppModel):  # it gives text, which the one reader of all dialects reads
        read = interpret(text, [WEATHER]).calls
        calls = {n: (call.name, json.dumps(call.arguments)) for n, call in enumerate(read)}
    assert finish.usage.input_tokens
    assert finish.usage.output_tokens
    assert finish.first_token_seconds is not None
    if calls:  # half a billion parameters do not always call
        assert calls[0][0] == "get_temperature"
        assert json.loads(calls[0][1])["city"] == "Paris"
        assert finish.reason == ("stop" if isinstance(model, LlamaCppModel) else "tool_calls")
    else:
        assert text
        assert not isinstance(model, ScriptedModel)


async def test_the_window_is_the_served_one(model: Model) -> None:
    capabilities = await model.capabilities()
    assert capabilities.context == 2048
    assert capabilities.context_source != "unknown"
    assert capabilities.native_tools is True


@pytest.fixture
async def real(model: Model) -> Model:
    if isinstance(model, ScriptedModel):
        pytest.skip("a script has no window")
    return model


async def test_results_go_back_and_the_reply_ends_at_its_limit(real: Model) -> None:
    call = ToolCall("call_1", "get_temperature", {"city": "Paris"})
    messages = (
        Message("system", "You are brief."),
        Message("user", "How warm is it in Paris?"),
        Message("assistant", calls=(call,)),
        Message("tool", results=(ToolResult("call_1", "get_temperature", "8 degrees"),)),
        Message("user", "Write a long story about it."),
    )
    text, _, calls, finish = await whole(real.reply(Request(messages, (WEATHER,), max_tokens=8)))
    assert text or calls
    assert finish.reason == "length"


async def test_a_prompt_that_does_not_fit_is_an_overflow(real: Model) -> None:
    with pytest.raises(ContextOverflowError) as caught:
        await whole(real.reply(asking("word " * 3000)))
    assert caught.value.window == 2048
    assert caught.value.needed is not None
    assert caught.value.needed > 2048


async def test_a_cancelled_reply_ends_within_a_token_and_the_model_goes_on(real: Model) -> None:
    story = asking("Write a very long story about a ship.", max_tokens=900)
    began = time.monotonic()
    async with aclosing(real.reply(story)) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                break
    text, _, _, _ = await whole(real.reply(asking("Say hello.", max_tokens=4)))
    assert text
    assert time.monotonic() - began < 12, "the slot was still at work on 900 tokens"


async def test_a_reply_cancelled_while_it_is_read_frees_the_model(real: Model) -> None:
    long = asking("word " * 600, max_tokens=4)
    task = asyncio.ensure_future(whole(real.reply(long)))
    await asyncio.sleep(0.4)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    text, _, _, _ = await whole(real.reply(asking("Say hello.", max_tokens=4)))
    assert text


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_what_is_thought_is_no_answer(kind: str, thinking_llama: str) -> None:
    async with served(kind, thinking_llama) as real:
        assert (await real.capabilities()).thinking is True
        request = asking("Write </think> and then: The answer is 4.", max_tokens=40)
        deltas = [delta async for delta in real.reply(request)]
    thought = "".join(delta.text for delta in deltas if isinstance(delta, ThoughtDelta))
    answer = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert len(thought) > 10
    assert "think>" not in thought + answer
    assert sum(isinstance(delta, ThoughtDelta) for delta in deltas) > 2, "it came in one piece"


async def test_a_server_killed_in_the_middle_is_said() -> None:
    with running_llama_server(smollm2(), "-c", "1024") as (process, url):
        async with served("openai", url) as real:
            with pytest.raises(ModelUnavailableError, match="went away in the middle") as caught:
                await _killing(real, process.pid)
            assert caught.value.transient


async def test_a_runner_killed_behind_ollama_is_said() -> None:
    with running_llama_server(smollm2(), "-c", "1024") as (process, url):
        async with served("ollama", url) as real:
            with pytest.raises(BadReplyError, match="closed the connection in the middle") as caught:
                await _killing(real, process.pid)
            assert caught.value.transient


async def _killing(real: Model, pid: int) -> None:
    async for delta in real.reply(asking("Write a very long story.", max_tokens=900)):
        if isinstance(delta, TextDelta):
            os.kill(pid, signal.SIGKILL)
        assert not isinstance(delta, Finish)


async def test_a_schema_binds_the_reply(real: Model) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    request = Request(asking("Give me a number.").messages, max_tokens=64, constraint=Constraint(schema=schema))
    text, _, _, finish = await whole(real.reply(request))
    assert finish.reason == "stop"
    assert set(json.loads(text)) == {"n"}


async def test_only_what_is_new_is_computed_and_reading_is_told(llama: str) -> None:
    model = OpenAIModel(Entry("mine", "openai", base_url=f"{llama}/v1", sampling=GREEDY))
    first = asking("Remember these words: " + " ".join(f"word{n}" for n in range(60)), max_tokens=8)
    text, _, _, before = await whole(model.reply(first))
    longer = Request((*first.messages, Message("assistant", text), Message("user", "And now?")), max_tokens=8)
    deltas = [delta async for delta in model.reply(longer)]
    after = deltas[-1].usage  # type: ignore[union-attr]
    assert before.usage.input_tokens is not None
    assert after.evaluated_tokens is not None
    assert after.evaluated_tokens < 40 < before.usage.input_tokens < after.input_tokens
    assert any(isinstance(delta, Progress) and delta.phase == "reading" and delta.total for delta in deltas)
    await model.close()


async def test_a_call_in_text_is_held_to_its_grammar(llama: str) -> None:
    model = OpenAIModel(Entry("mine", "openai", base_url=f"{llama}/v1", sampling=GREEDY))
    messages = (
        Message("system", render_tools([WEATHER], "react")),
        Message("user", "Do not use any tool. Write a poem about Paris."),
    )
    constraint = Constraint((WEATHER,), "react", required=True)
    text, _, _, finish = await whole(model.reply(Request(messages, max_tokens=400, constraint=constraint)))
    read = interpret(text, [WEATHER], dialect="react", finish_reason=finish.reason)
    assert [call.name for call in read.calls] == ["get_temperature"]
    assert set(read.calls[0].arguments) == {"city"}
    await model.close()


async def test_tokens_are_counted_by_the_server(llama: str) -> None:
    model = OpenAIModel(Entry("mine", "openai", base_url=f"{llama}/v1", sampling=GREEDY))
    request = asking("How warm is it in Paris?", tools=(WEATHER,), max_tokens=1)
    _, _, _, finish = await whole(model.reply(request))
    assert await model.count(request) == finish.usage.input_tokens
    assert estimate(request) > 20
    await model.close()


async def test_native_tools_are_said_by_show() -> None:
    async with Ollama("http://127.0.0.1:9", models={"m": show("completion", "thinking")}).server() as server:
        model = OllamaModel(Entry("mine", "ollama", model="m", base_url=server.url))
        known = await model.capabilities()
        assert (known.native_tools, known.thinking, known.context) == (False, True, 8192)
        assert known.context_source == "num_ctx as sent"
        await model.close()
