"""One test for all backends: a real llama-server, Ollama's API in front of it, and the script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from localagent.calling import interpret
from localagent.calling.render import render_tools
from localagent.config.models_toml import Entry, Sampling
from localagent.errors import ContextOverflowError
from localagent.messages import Message, ToolCall, ToolResult
from localagent.models.estimate import estimate
from localagent.models.ollama import OllamaModel
from localagent.models.openai import OpenAIModel
from localagent.models.scripted import ScriptedModel
from localagent.ports import Constraint, Progress, Request
from tests.fakes.llama_server import CHATML_TOOLS, llama_server
from tests.fakes.ollama_server import Ollama, show
from tests.fakes.weights import qwen_05b
from tests.localagent.models.conftest import WEATHER, asking, whole

Model = OpenAIModel | OllamaModel | ScriptedModel
GREEDY = Sampling(temperature=0.0)
SCRIPT = (
    {"content": "Hello there, how are you?", "chunk": 3},
    {"tool_calls": [{"name": "get_temperature", "arguments": {"city": "Paris"}}]},
)


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    with llama_server(qwen_05b(), "-c", "2048", "--jinja", "--chat-template-file", str(CHATML_TOOLS)) as url:
        yield url


@pytest.fixture(params=["openai", "ollama", "scripted"])
async def model(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Model]:
    kind = request.param
    if kind == "scripted":
        path = tmp_path / "replies.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in SCRIPT))
        yield ScriptedModel(Entry("mine", "scripted", file=path, context=2048))
        return
    url = request.getfixturevalue("llama")
    if kind == "openai":
        real = OpenAIModel(Entry("mine", "openai", base_url=f"{url}/v1", sampling=GREEDY))
        yield real
        await real.close()
        return
    async with Ollama(url).server() as server:
        entry = Entry("mine", "ollama", model="qwen:0.5b", base_url=server.url, context=2048, sampling=GREEDY)
        ollama = OllamaModel(entry)
        yield ollama
        await ollama.close()


async def test_a_reply_streams_and_a_tool_is_called(model: Model) -> None:
    pieces = [delta async for delta in model.reply(asking("Say hello in five words."))]
    assert len(pieces) > 4, "it came in one piece"
    assert sum(delta.__class__.__name__ == "Finish" for delta in pieces) == 1
    text, _, calls, finish = await whole(model.reply(asking("How warm is it in Paris?", tools=(WEATHER,))))
    assert finish.usage.input_tokens
    assert finish.usage.output_tokens
    assert finish.first_token_seconds is not None
    if calls:  # half a billion parameters do not always call
        assert calls[0][0] == "get_temperature"
        assert json.loads(calls[0][1])["city"] == "Paris"
        assert finish.reason == "tool_calls"
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
