"""Streams that break no rule of HTTP and still are odd: each is read for what it means, or is a bad reply in words."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from localagent.errors import BadReplyError, ModelError, ModelUnavailableError
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.localagent.models.conftest import asking, make, whole

CHATS = {
    "/v1/chat/completions": "text/event-stream",
    "/v1/messages": "text/event-stream",
    "/api/chat": "application/x-ndjson",
}


def odd_server(chunks: list[Any]) -> HttpServer:
    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path not in CHATS:
            await answer.whole({"error": "not here"}, 404)
            return
        mark, end = ("", "\n") if asked.path == "/api/chat" else ("data: ", "\n\n")
        await answer.start(CHATS[asked.path])
        for chunk in chunks:
            await answer.chunk(f"{mark}{json.dumps(chunk)}{end}")
        await answer.end()

    return HttpServer(handle)


async def read(backend: str, chunks: list[Any]) -> Any:
    async with odd_server(chunks) as server:
        model = make(backend, server.url)
        try:
            return await asyncio.wait_for(whole(model.reply(asking("hi"))), 10)
        finally:
            await model.close()


def said(delta: Any, reason: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": reason}], **more}


def calls(*parts: dict[str, Any]) -> dict[str, Any]:
    return said({"tool_calls": list(parts)})


def part(name: Any = None, arguments: Any = None, **more: Any) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"type": "function", "function": function, **more}


END = said({}, "tool_calls")
TWO = [("look", '{"a": 1}'), ("find", '{"b": 2}')]


@pytest.mark.parametrize(
    "chunks",
    [
        [calls(part("look", '{"a"', index=0, id="x"), part("find", '{"b"', index=1, id="y")),
         calls(part(None, ": 2}", index=1), part(None, ": 1}", index=0))],
        [calls(part("find", '{"b": 2}', index=1, id="y")), calls(part("look", '{"a": 1}', index=0, id="x"))],
        [calls(part("look", '{"a": 1}', index=0, id="x")), calls(part("find", '{"b": 2}', index=0, id="y"))],
        [calls(part("look", '{"a": 1}', id="x")), calls(part("find", '{"b": 2}', id="y"))],
        [calls(part("look", '{"a": 1}', index=None)), calls(part("find", '{"b": 2}', index=None))],
        [calls(part("look", {"a": 1}, index=0), part("find", {"b": 2}, index=1))],
        [calls(part("look", "", index=0, id="x")), calls(part("look", '{"a": 1}', index=0, id="x")),
         calls(part("find", '{"b": 2}', index=1, id="x"))],
        [calls(part("lo", "", index=0, id="x")), calls(part("ok", '{"a": 1}', index=0)),
         calls(part("find", '{"b": 2}', index=1, id="y"))],
    ],
    ids=["interleaved", "backwards", "one index", "no index", "null index", "objects", "one id", "name in pieces"],
)  # fmt: skip
async def test_calls_are_told_apart_however_a_server_numbers_them(chunks: list[Any]) -> None:
    _, _, found, finish = await read("openai", [*chunks, END])
    assert [(name, json.loads(arguments)) for _, (name, arguments) in sorted(found.items())] == [
        (name, json.loads(arguments)) for name, arguments in TWO
    ]
    assert finish.reason == "tool_calls"


async def test_of_several_choices_one_is_read() -> None:
    chunks = [said({"content": "one "}), said({"content": "zwei "}, index=1), said({"content": "more"}),
              said({}, "length", index=1), said({}, "stop")]  # fmt: skip
    text, _, _, finish = await read("openai", chunks)
    assert (text, finish.reason) == ("one more", "stop")


@pytest.mark.parametrize(
    ("usage", "timings", "read_and_written"),
    [
        ({"prompt_tokens": "many", "completion_tokens": -3}, None, (None, None)),
        ({"prompt_tokens": 10.0, "completion_tokens": True}, None, (10, None)),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": 7}, None, (10, 2)),
        ({"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": "x"}}, None, (10, 2)),
        ({"prompt_tokens": 10, "completion_tokens": 2}, {"prompt_n": [], "predicted_per_second": "fast"}, (10, 2)),
        ([1], 5, (None, None)),
    ],
)
async def test_absurd_counts_are_no_counts(usage: Any, timings: Any, read_and_written: tuple[Any, Any]) -> None:
    _, _, _, finish = await read("openai", [said({"content": "hi"}, "stop", usage=usage, timings=timings)])
    assert (finish.usage.input_tokens, finish.usage.output_tokens) == read_and_written
    assert finish.usage.evaluated_tokens is None


async def test_more_from_the_cache_than_was_sent_is_no_count() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 99}}
    _, _, _, finish = await read("openai", [said({"content": "hi"}, "stop", usage=usage)])
    assert finish.usage.evaluated_tokens is None


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


def block(**content: Any) -> list[dict[str, Any]]:
    return [event("content_block_start", index=0, content_block=content)]


LAST = [event("message_delta", delta={"stop_reason": "end_turn"}, usage={}), event("message_stop")]
TEXT = block(type="text", text="")
OLLAMA = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": False}
DONE = {**OLLAMA, "done": True, "message": {"role": "assistant", "content": ""}}


@pytest.mark.parametrize(
    ("backend", "chunks"),
    [
        ("openai", [calls(part(5, "{}", index=0)), END]),
        ("openai", [calls(part(["look"], "{}", index=0)), END]),
        ("openai", [said({"tool_calls": [5]}), END]),
        ("openai", [said({"tool_calls": 5}), END]),
        ("openai", [said({"tool_calls": [{"index": 0, "function": "look"}]}), END]),
        ("openai", [said(["hi"]), END]),
        ("openai", [{"choices": ["hi"]}, END]),
        ("anthropic", [*block(type="tool_use", name=5, id="x"), *LAST]),
        ("anthropic", [*TEXT, event("content_block_delta", index=0, delta={"type": "text_delta", "text": 5}), *LAST]),
        (
            "anthropic",
            [event("content_block_delta", index=[], delta={"type": "input_json_delta", "partial_json": "{"})],
        ),
        ("ollama", [{**OLLAMA, "message": {"role": "assistant", "content": 5}}, DONE]),
        ("ollama", [{**OLLAMA, "message": {"role": "assistant", "tool_calls": [{"function": {"name": 5}}]}}, DONE]),
        ("ollama", [{**DONE, "prompt_eval_count": "many"}]),
    ],
)
async def test_a_value_of_the_wrong_kind_is_a_bad_reply(backend: str, chunks: list[Any]) -> None:
    with pytest.raises(BadReplyError) as caught:
        await read(backend, chunks)
    assert str(caught.value).startswith("mine: the server at ")


@pytest.mark.parametrize(
    ("backend", "chunks"),
    [
        ("openai", [said({"content": None, "role": None, "tool_calls": None, "reasoning_content": None}),
                    said({"content": "hi"}), said(None, "stop"), {"choices": [], "usage": None}]),
        ("openai", [said({"content": "hi"}, ["odd"])]),
        ("openai", [said({"content": [{"type": "text", "text": "hi"}]}, "eos")]),
        ("anthropic", [event("ping"), event("message_start", message={"usage": None}), *TEXT,
                       event("content_block_delta", index=0, delta={"type": "text_delta", "text": "hi"}),
                       event("content_block_delta", index=0, delta={"type": "signature_delta", "signature": "x"}),
                       event("message_delta", delta={"stop_reason": ["odd"]}, usage=None), event("message_stop")]),
        ("anthropic", [*block(type="text", text="hi"), *LAST]),
        ("ollama", [{**OLLAMA, "message": {"role": "assistant", "content": "hi", "thinking": None, "tool_calls": None}},
                    {**DONE, "done_reason": None, "prompt_eval_count": -1, "eval_count": None, "eval_duration": -5}]),
    ],
)  # fmt: skip
async def test_nulls_and_unknown_words_say_nothing(backend: str, chunks: list[Any]) -> None:
    text, _, found, finish = await read(backend, chunks)
    assert (text, found, finish.reason) == ("hi", {}, "stop")
    assert finish.usage.input_tokens is None


@pytest.mark.parametrize("backend", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_another_address_is_told_and_never_followed(backend: str, status: int) -> None:
    async def handle(asked: Asked, answer: Answer) -> None:
        assert "elsewhere" not in asked.path
        if asked.path in CHATS:
            await answer.whole("", status, location="/elsewhere")
        else:
            await answer.whole({"error": "not here"}, 404)

    async with HttpServer(handle) as server:
        model = make(backend, server.url)
        with pytest.raises(ModelError, match="another address" if backend == "ollama" else "/elsewhere"):
            await whole(model.reply(asking("hi")))
        await model.close()


@pytest.mark.parametrize("backend", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("asked_for", "seconds"), [("7", 7.0), ("soon", 0.0), ("-3", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0)]
)
@pytest.mark.parametrize("status", [429, 503])
async def test_how_long_a_busy_server_wants_to_be_left_alone_is_heard(
    backend: str, asked_for: str, seconds: float, status: int
) -> None:
    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path in CHATS:
            await answer.whole({"error": {"message": "slow down"}}, status, Retry_After=asked_for)
        else:
            await answer.whole({"error": "not here"}, 404)

    async with HttpServer(handle) as server:
        model = make(backend, server.url)
        with pytest.raises(ModelUnavailableError, match="slow down") as caught:
            await whole(model.reply(asking("hi")))
        await model.close()
    assert caught.value.wait == seconds
    assert ("asks to wait 7 s" in str(caught.value)) is bool(seconds)


OBJECTS = [{"message": "the GPU fell out"}, {"type": [], "message": ["the GPU fell out"]}]


@pytest.mark.parametrize(
    ("backend", "error"),
    [
        *((backend, "the GPU fell out") for backend in ("openai", "anthropic", "ollama")),
        *((backend, error) for backend in ("openai", "anthropic") for error in OBJECTS),
    ],
)
async def test_what_a_server_says_in_the_middle_of_its_answer_is_told(backend: str, error: Any) -> None:
    with pytest.raises(BadReplyError, match="the GPU fell out"):
        await read(backend, [event("error", error=error)])
