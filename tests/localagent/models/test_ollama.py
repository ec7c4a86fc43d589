"""What is Ollama's own: the constant window, prompts that it cuts in silence, missing models, thinking, pulls."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from localagent.config.models_toml import Entry
from localagent.errors import (
    ContextOverflowError,
    ModelError,
    ModelNotFoundError,
    PromptCutError,
    ToolsUnsupportedError,
)
from localagent.messages import Message, ToolCall, ToolResult
from localagent.models.ollama import OllamaModel
from localagent.models.ollama_wire import check_cut, messages_of
from localagent.models.pull import pull
from localagent.ports import Constraint, Progress, Request
from tests.fakes.http_server import HttpServer
from tests.fakes.ollama_server import Ollama, show
from tests.fakes.openai_server import call, chunk, scripted_openai, usage
from tests.localagent.models.conftest import WEATHER, asking, whole

REPLY = [chunk(reasoning_content="let me think"), chunk(content="Hello"), chunk("stop"), usage(30, 2)]
CALLS = [
    call("get_temperature", '{"city": "Oslo"}'),
    call("get_temperature", '{"city": "Paris"}', index=1),
    chunk("tool_calls"),
    usage(50, 20),
]


class Both:
    """The fixture's state and the HTTP server in front of it."""

    def __init__(self, state: Ollama, server: HttpServer) -> None:
        self.state, self.server = state, server

    def model(self, name: str = "qwen:0.5b", **more: Any) -> OllamaModel:
        return OllamaModel(Entry("mine", "ollama", model=name, base_url=self.server.url, **more))

    def sent(self) -> dict[str, Any]:
        sent: dict[str, Any] = [asked for asked in self.server.asked if asked.path == "/api/chat"][-1].json
        return sent


@pytest.fixture
async def ollama() -> AsyncIterator[Both]:
    async with scripted_openai([REPLY, CALLS, REPLY]) as upstream:
        state = Ollama(upstream.url)
        state.models |= {"plain": show("completion"), "thinker": show("completion", "tools", "thinking", context=2048)}
        async with state.server() as server:
            yield Both(state, server)


async def test_text_thinking_and_parallel_calls(ollama: Both) -> None:
    model = ollama.model()
    text, thought, _, finish = await whole(model.reply(asking("hi")))
    assert (text, thought, finish.reason) == ("Hello", "let me think", "stop")
    assert (finish.usage.input_tokens, finish.usage.output_tokens, finish.usage.evaluated_tokens) == (30, 2, None)
    _, _, calls, finish = await whole(model.reply(asking("weather?", tools=(WEATHER,))))
    assert calls == {0: ("get_temperature", '{"city": "Oslo"}'), 1: ("get_temperature", '{"city": "Paris"}')}
    assert finish.reason == "tool_calls"
    await model.close()


async def test_the_window_is_always_sent_and_never_changes(ollama: Both) -> None:
    model = ollama.model(keep_alive="1h")
    for tokens in (5, 500, 50):
        await whole(model.reply(asking("hi", max_tokens=tokens)))
        assert ollama.sent()["options"]["num_ctx"] == 8192
        assert ollama.sent()["keep_alive"] == "1h"
    assert ollama.state.loads == 1
    await model.close()


async def test_the_window_is_never_larger_than_what_the_model_was_trained_for(ollama: Both) -> None:
    model = ollama.model("thinker")
    assert (await model.capabilities()).context == 2048
    await model.close()


async def test_loading_is_told_before_the_first_token(ollama: Both) -> None:
    model = ollama.model()
    phases = [d.phase async for d in model.reply(asking("hi")) if isinstance(d, Progress)]
    assert phases == ["loading", "reading"]
    assert [d.phase async for d in model.reply(asking("hi")) if isinstance(d, Progress)] == ["reading"]
    await model.close()


async def test_think_is_sent_only_to_models_that_can(ollama: Both) -> None:
    for name, sent in (("plain", None), ("thinker", "low")):
        model = ollama.model(name, think="low")
        await whole(model.reply(asking("hi")))
        assert ollama.sent().get("think") == sent
        await model.close()


async def test_a_missing_model_offers_the_pull(ollama: Both) -> None:
    model = ollama.model("llama3.1:8b")
    with pytest.raises(ModelNotFoundError, match="localagent models pull mine"):
        await whole(model.reply(asking("hi")))
    await model.close()


async def test_a_model_without_tools_says_so(ollama: Both) -> None:
    model = ollama.model("plain")
    assert (await model.capabilities()).native_tools is False
    with pytest.raises(ToolsUnsupportedError, match='tools = "react"'):
        await whole(model.reply(asking("hi", tools=(WEATHER,))))
    await model.close()


async def test_a_prompt_that_cannot_fit_is_refused_before_it_is_read(ollama: Both) -> None:
    model = ollama.model(context=1024)
    with pytest.raises(ContextOverflowError) as caught:
        await whole(model.reply(asking("word " * 2000)))
    assert caught.value.window == 1024
    assert not [asked for asked in ollama.server.asked if asked.path == "/api/chat"]
    await model.close()


async def test_a_cut_that_nobody_told_is_an_error_that_says_what_to_set(ollama: Both) -> None:
    ollama.state.served = 1024  # short of memory: serves less than it was asked for
    model = ollama.model(context=8192)
    with pytest.raises(PromptCutError, match=r"serves 1024 of the 8192 tokens .*larger window") as caught:
        await whole(model.reply(asking("word and more words " * 500)))
    assert caught.value.window == 1024
    await model.close()


@pytest.mark.parametrize(
    ("text", "evaluated", "window", "whole_counts", "cut"),
    [
        ("word " * 15000, 2051, 32768, True, True),
        ("word " * 15000, 15200, 32768, True, False),
        ("word " * 3000, 40, 32768, False, False),  # an old Ollama that counts only what was not cached
        ("word " * 3600, 1500, 4096, False, True),
        ("-" * 8000, 130, 2048, True, True),  # looks like 2000 tokens, and nobody can tell
        ("-" * 4000, 130, 8192, True, False),  # a ruler of dashes is a few tokens
        ("слово " * 2000, 5200, 8192, True, False),
        ("слово " * 4000, 4100, 8192, True, True),
        ("short", None, 4096, True, False),
    ],
)
def test_when_a_count_means_a_cut(text: str, evaluated: int | None, window: int, whole_counts: bool, cut: bool) -> None:
    entry, request = Entry("mine", "ollama", model="m"), Request((Message("user", text),))
    if not cut:
        check_cut(entry, request, evaluated, window, asked=window, whole_counts=whole_counts)
        return
    with pytest.raises(PromptCutError) as caught:
        check_cut(entry, request, evaluated, window, asked=window, whole_counts=whole_counts)
    advised = int(re.findall(r"context = (\d+)", str(caught.value))[0])
    assert advised > window
    assert advised >= (caught.value.needed or 0)


def test_messages_as_ollama_wants_them() -> None:
    call_ = ToolCall("c1", "add", {"a": 1})
    request = Request(
        (
            Message("system", "S"),
            Message("user", "one"),
            Message("user", "two"),
            Message("assistant", "", thinking="t", calls=(call_,)),
            Message("tool", results=(ToolResult("c1", "add", "2"),)),
            Message("system", "late"),
        )
    )
    assert messages_of(request) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "one\n\ntwo"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}],
            "thinking": "t",
        },
        {"role": "tool", "tool_name": "add", "content": "2"},
        {"role": "user", "content": "late"},
    ]


async def test_a_required_call_in_text_is_bound_by_a_schema(ollama: Both) -> None:
    model = ollama.model()
    request = Request(asking("hi").messages, constraint=Constraint((WEATHER,), "react", required=True))
    await whole(model.reply(request))
    assert ollama.sent()["format"]["properties"]["name"] == {"const": "get_temperature"}
    await model.close()


async def test_a_pull_tells_its_progress_and_its_failure(ollama: Both) -> None:
    entry = Entry("mine", "ollama", model="new:1b", base_url=ollama.server.url)
    steps = [(step.done, step.total) async for step in pull(entry)]
    assert (500, 1000) in steps
    assert "new:1b" in ollama.state.models
    with pytest.raises(ModelError, match="file does not exist"):
        async for _ in pull(Entry("mine", "ollama", model="nothing", base_url=ollama.server.url)):
            pass
