"""Recorded answers through the real clients, and the bodies that are sent, per kind of server."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from localagent.config.models_toml import Entry, Sampling
from localagent.errors import ModelUnavailableError
from localagent.messages import Message, ToolCall, ToolResult, Usage
from localagent.models import anthropic_wire, openai_wire
from localagent.ports import Constraint, FinishReason, Request
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.localagent.models.conftest import WEATHER, asking, make, whole

WIRE = Path(__file__).parents[2] / "fakes" / "wire"
PARIS = ("get_temperature", '{"city": "Paris"}')
CASES: list[tuple[str, str, str, str, list[tuple[str, str]], FinishReason, Usage]] = [
    (
        "anthropic", "anthropic_thinking_tool", "Let me look – один момент.", "I should look.", [PARIS],
        "tool_calls", Usage(1025, 89, 125),
    ),
    (
        "anthropic", "llama_server_messages_call", "", "", [("get_temperature", '{"city": "Berlin"}')],
        "tool_calls", Usage(205, 23, 1),
    ),
    (
        "openai", "llama_server_call", "", "", [("get_temperature", '{"city": "Berlin"}')],
        "tool_calls", Usage(205, 23, 11),
    ),
    (
        "openai", "openai_two_calls", "", "",
        [("get_temperature", '{"city":"Paris"}'), ("get_temperature", '{"city":"Oslo"}')],
        "tool_calls", Usage(1120, 40, 96),
    ),
    ("openai", "vllm_reasoning", "Vier\u2028 ist die Antwort", "Hm, easy.", [], "length", Usage(12, 20)),
    ("openai", "sloppy_proxy", "no space, parts, ", "", [PARIS], "tool_calls", Usage()),
]  # fmt: skip


def replaying(name: str, *, seed: int = 0, lines: str = "\n") -> HttpServer:
    """Serves the recording in chunks that end anywhere, also inside a character."""
    data = (WIRE / f"{name}.sse").read_bytes().replace(b"\n", lines.encode())

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.method == "GET":
            await answer.whole({"error": "not here"}, 404)
            return
        chance = random.Random(seed)
        await answer.start("text/event-stream; charset=utf-8")
        start = 0
        while start < len(data):
            end = start + chance.randint(1, 90)
            await answer.chunk(data[start:end])
            start = end
        await answer.end()

    return HttpServer(handle)


@pytest.mark.parametrize("lines", ["\n", "\r\n"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("backend", "name", "text", "thought", "calls", "reason", "usage"), CASES)
async def test_a_recording_means_the_same_in_any_chunks(
    backend: str, name: str, text: str, thought: str, calls: list[tuple[str, str]], reason: str, usage: Usage,
    seed: int, lines: str,
) -> None:  # fmt: skip
    async with replaying(name, seed=seed, lines=lines) as server:
        model = make(backend, server.url)
        found = await whole(model.reply(asking("hi")))
        await model.close()
    assert found[:2] == (text, thought)
    assert [found[2][index] for index in sorted(found[2])] == calls
    assert (found[3].reason, found[3].usage) == (reason, usage)


async def test_an_overloaded_cloud_may_be_asked_again() -> None:
    async with replaying("anthropic_overloaded") as server:
        model = make("anthropic", server.url)
        with pytest.raises(ModelUnavailableError, match="Overloaded") as caught:
            await whole(model.reply(asking("hi")))
        await model.close()
    assert caught.value.transient


HISTORY = (
    Message("system", "S"),
    Message("user", "one"),
    Message("user", "two"),
    Message("assistant", "I look", thinking="hm", calls=(ToolCall("c1", "f", {"a": "ö"}), ToolCall("c2", "f", {}))),
    Message("tool", results=(ToolResult("c1", "f", "A"), ToolResult("c2", "f", "B", ok=False))),
    Message("system", "a note"),
    Message("user", "go on"),
)


def test_openai_messages_fit_strict_templates() -> None:
    rows = openai_wire.messages_of(Request(HISTORY), keep_thinking=True)
    assert [row["role"] for row in rows] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert rows[1]["content"] == "one\n\ntwo"
    assert rows[2]["reasoning_content"] == "hm"
    assert rows[2]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"a": "ö"}'}
    assert [row["tool_call_id"] for row in rows[3:5]] == ["c1", "c2"]
    assert rows[5]["content"] == "a note\n\ngo on"


def test_anthropic_messages_alternate() -> None:
    body = anthropic_wire.body_of(Request(HISTORY, (WEATHER,)), Entry("m", "anthropic", model="claude"))
    assert body["system"][0]["text"] == "S"
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    kinds = [[block["type"] for block in turn["content"]] for turn in body["messages"]]
    assert kinds == [["text", "text"], ["text", "tool_use", "tool_use"], ["tool_result", "tool_result", "text", "text"]]
    assert body["messages"][2]["content"][1]["is_error"] is True
    assert body["tools"][0]["input_schema"] == WEATHER.parameters


def test_a_request_is_a_byte_prefix_of_the_next_one() -> None:
    for length in range(2, len(HISTORY)):
        shorter = openai_wire.messages_of(Request(HISTORY[:length]), keep_thinking=True)
        longer = openai_wire.messages_of(Request(HISTORY[: length + 1]), keep_thinking=True)
        before, after = (json.dumps(rows, ensure_ascii=False).rstrip('"}]') for rows in (shorter, longer))
        assert after.startswith(before)


@pytest.mark.parametrize(
    ("flavour", "there", "absent"),
    [
        ("llama-server", {"top_k": 5, "repeat_penalty": 1.1, "return_progress": True}, ["repetition_penalty"]),
        ("vllm", {"top_k": 5, "repetition_penalty": 1.1}, ["repeat_penalty", "return_progress"]),
        ("other", {"top_k": 5, "temperature": 0.1, "seed": 3}, ["return_progress"]),
        ("cloud", {"temperature": 0.1, "seed": 3}, ["top_k", "repeat_penalty", "return_progress"]),
    ],
)
def test_each_server_gets_only_what_it_knows(flavour: str, there: dict[str, Any], absent: list[str]) -> None:
    sampling = Sampling(temperature=0.1, top_k=5, repeat_penalty=1.1, seed=3)
    entry = Entry("m", "openai", base_url="http://127.0.0.1:1/v1", sampling=sampling)
    body = openai_wire.body_of(asking("hi"), entry, flavour)
    assert {key: body[key] for key in there} == there
    assert not [key for key in absent if key in body]


def test_what_a_required_call_becomes() -> None:
    required = Constraint((WEATHER,), "react", required=True)
    text = Request(asking("hi").messages, constraint=required)
    native = Request(asking("hi").messages, (WEATHER,), constraint=required)
    entry = Entry("m", "openai", base_url="http://127.0.0.1:1/v1")
    assert openai_wire.body_of(native, entry, "other")["tool_choice"] == "required"
    assert "response_format" in openai_wire.body_of(text, entry, "vllm")
    assert "response_format" not in openai_wire.body_of(text, entry, "other")
    assert anthropic_wire.body_of(native, Entry("m", "anthropic", model="c"))["tool_choice"] == {"type": "any"}


def test_thinking_pauses_while_results_are_answered() -> None:
    entry = Entry("m", "anthropic", model="c", think="high", sampling=Sampling(temperature=0.3))
    first = anthropic_wire.body_of(Request(HISTORY[:3], max_tokens=100), entry)
    assert (first["thinking"]["budget_tokens"], first["max_tokens"]) == (16384, 16484)
    assert "temperature" not in first
    after = anthropic_wire.body_of(Request(HISTORY[:5], max_tokens=100), entry)
    assert ("thinking" in after, after["temperature"], after["max_tokens"]) == (False, 0.3, 100)


def test_lone_surrogates_do_not_break_a_request() -> None:
    from localagent.models.sse import encoded

    assert json.loads(encoded({"text": "a\udc80b"})) == {"text": "a?b"}
