"""What every HTTP backend makes of servers that break the protocol: a typed error with words, never a hang or a lie."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from localagent.errors import (
    BadReplyError,
    ContextOverflowError,
    LocalAgentError,
    ModelError,
    ModelNotFoundError,
    ModelTimeoutError,
    ModelUnavailableError,
    ToolsUnsupportedError,
)
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.nasty_server import WAYS, nasty_server
from tests.localagent.models.conftest import BACKENDS, asking, make, whole


@pytest.fixture
async def nasty() -> AsyncIterator[HttpServer]:
    async with nasty_server() as server:
        yield server


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("way", WAYS)
async def test_a_broken_answer_is_a_bad_reply_in_words(nasty: HttpServer, backend: str, way: str) -> None:
    model = make(backend, nasty.url, way)
    with pytest.raises(BadReplyError) as caught:
        await asyncio.wait_for(whole(model.reply(asking("hi"))), 10)
    text = str(caught.value)
    assert text.startswith("mine: the server at http://127.0.0.1")
    assert "\n" not in text
    assert caught.value.transient
    await model.close()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("way", "error"),
    [
        ("overflow", ContextOverflowError),
        ("no_tools", ToolsUnsupportedError),
        ("no_model", ModelNotFoundError),
        ("busy", ModelUnavailableError),
        ("no_key", ModelError),
    ],
)
async def test_a_refusal_has_its_own_type(nasty: HttpServer, backend: str, way: str, error: type[ModelError]) -> None:
    model = make(backend, nasty.url, way)
    with pytest.raises(error) as caught:
        await whole(model.reply(asking("hi")))
    assert type(caught.value) is error
    if isinstance(caught.value, ContextOverflowError):
        assert (caught.value.needed, caught.value.window) == (5000, 4096)
    await model.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_silence_ends_after_what_the_entry_allows(nasty: HttpServer, backend: str) -> None:
    model = make(backend, nasty.url, "silent", silence_timeout=0.3)
    began = time.monotonic()
    with pytest.raises(ModelTimeoutError, match="silence_timeout"):
        await whole(model.reply(asking("hi")))
    assert 0.2 < time.monotonic() - began < 5
    await model.close()


@pytest.mark.parametrize(
    ("backend", "hint"), [("openai", "llama-server"), ("ollama", "ollama serve"), ("anthropic", "")]
)
async def test_a_server_that_is_not_there_is_said_with_how_to_start_it(backend: str, hint: str) -> None:
    model = make(backend, "http://127.0.0.1:9")
    with pytest.raises(ModelUnavailableError, match=r"no server answers at http://127\.0\.0\.1:9") as caught:
        await whole(model.reply(asking("hi")))
    assert hint in str(caught.value)
    await model.close()


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_server_that_dies_in_the_middle_is_said_to_be_gone(nasty: HttpServer, backend: str) -> None:
    model = make(backend, nasty.url, "silent")
    deltas = model.reply(asking("hi"))
    with pytest.raises(ModelUnavailableError, match="went away in the middle"):  # noqa: PT012
        async for delta in deltas:
            if getattr(delta, "text", ""):
                await nasty.stop()
    await model.close()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("when", ["reading", "writing"])
async def test_cancelling_reaches_the_server_at_once(backend: str, when: str) -> None:
    reached = asyncio.Event()

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path not in ("/v1/chat/completions", "/v1/messages", "/api/chat"):
            await answer.whole({"error": "no"}, 404)
            return
        reached.set()
        await asyncio.sleep(30)

    async with HttpServer(handle) if when == "reading" else nasty_server() as server:
        model = make(backend, server.url, "silent")
        if when == "reading":
            task = asyncio.ensure_future(whole(model.reply(asking("hi"))))
            await asyncio.wait_for(reached.wait(), 10)
            asked = time.monotonic()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        else:
            deltas = model.reply(asking("hi"))
            async for delta in deltas:
                if getattr(delta, "text", ""):
                    break
            asked = time.monotonic()
            await deltas.aclose()
        while not server.left:
            await asyncio.sleep(0.005)
            assert time.monotonic() - asked < 5, "the server still thinks that we listen"
        assert server.left[0] - asked < 2
        await model.close()


async def test_a_server_that_still_loads_is_waited_for() -> None:
    tries = 0

    async def handle(asked: Asked, answer: Answer) -> None:
        nonlocal tries
        tries += 1
        if tries <= 2:
            await answer.whole({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503)
        elif asked.path == "/v1/chat/completions":
            choice = {"index": 0, "message": {"role": "assistant", "content": "here"}, "finish_reason": "stop"}
            await answer.whole({"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
        else:
            await answer.whole({"error": "no"}, 404)

    async with HttpServer(handle) as server:
        text, _, _, finish = await whole(make("openai", server.url).reply(asking("hi")))
        tries = 0
        assert (await make("openai", server.url).capabilities()).context is None
    assert tries > 2
    assert (text, finish.reason, finish.usage.input_tokens) == ("here", "stop", 3)


async def test_a_missing_key_is_said_before_anything_is_sent(
    nasty: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    for backend in ("openai", "anthropic"):
        with pytest.raises(LocalAgentError, match="MY_KEY"):
            await whole(make(backend, nasty.url, api_key_env="MY_KEY").reply(asking("hi")))
    assert not nasty.asked


async def test_after_an_overflow_the_window_is_asked_for_again() -> None:
    windows = [4096, 1024]

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path == "/v1/chat/completions":
            await answer.whole({"error": {"message": "exceeds the available context size", "code": 400}}, 400)
        elif asked.path == "/props":
            await answer.whole({"default_generation_settings": {"n_ctx": windows[0]}})
        else:
            await answer.whole({"error": "no"}, 404)

    async with HttpServer(handle) as server:
        model = make("openai", server.url)
        assert (await model.capabilities()).context == windows.pop(0)
        with pytest.raises(ContextOverflowError):
            await whole(model.reply(asking("hi")))
        assert (await model.capabilities()).context == 1024
        await model.close()
