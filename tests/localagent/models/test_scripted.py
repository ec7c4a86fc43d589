"""The scripted model plays its file as accept.md says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localagent.config.models_toml import Entry
from localagent.errors import ConfigError, ContextOverflowError, ModelTimeoutError, ModelUnavailableError
from localagent.messages import Message, Usage
from localagent.models.scripted import ScriptedModel
from localagent.ports import CallDelta, Delta, Finish, Request, TextDelta, ThoughtDelta

REQUEST = Request((Message("user", "hello there"),))


def model(tmp_path: Path, *replies: dict[str, Any] | str, tools: str = "auto") -> ScriptedModel:
    path = tmp_path / "replies.jsonl"
    lines = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
    path.write_text("\n".join(lines), encoding="utf-8")
    return ScriptedModel(Entry("script", "scripted", file=path, tools=tools))


async def play(scripted: ScriptedModel) -> list[Delta]:
    return [delta async for delta in scripted.reply(REQUEST)]


async def test_replies_come_in_order_and_the_last_one_again(tmp_path: Path) -> None:
    scripted = model(tmp_path, {"content": "one"}, {"content": "two"})
    texts = [(await play(scripted))[0] for _ in range(4)]
    assert texts == [TextDelta("one"), TextDelta("two"), TextDelta("two"), TextDelta("two")]


async def test_a_resumed_session_goes_on_at_its_position(tmp_path: Path) -> None:
    scripted = model(tmp_path, {"content": "one"}, {"content": "two"}, {"content": "three"})
    scripted.position = 2
    assert (await play(scripted))[0] == TextDelta("three")
    assert scripted.position == 3


async def test_calls_thinking_usage_and_finish(tmp_path: Path) -> None:
    call = {"name": "read_file", "arguments": {"path": "ö"}}
    usage = {"input_tokens": 7, "output_tokens": 3}
    *deltas, finish = await play(
        model(tmp_path, {"thinking": "hm", "content": "see", "tool_calls": [call], "usage": usage})
    )
    assert deltas == [
        ThoughtDelta("hm"),
        TextDelta("see"),
        CallDelta(0, name="read_file"),
        CallDelta(0, arguments='{"path": "ö"}'),
    ]
    assert isinstance(finish, Finish)
    assert (finish.reason, finish.usage) == ("tool_calls", Usage(7, 3, None))


async def test_chunks_have_the_size_that_the_line_gives(tmp_path: Path) -> None:
    deltas = await play(model(tmp_path, {"content": "abcdefg", "chunk": 3, "delay": 0.001, "finish_reason": "length"}))
    assert deltas[:-1] == [TextDelta("abc"), TextDelta("def"), TextDelta("g")]
    assert isinstance(deltas[-1], Finish)
    assert deltas[-1].reason == "length"
    assert deltas[-1].first_token_seconds is not None


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overflow", ContextOverflowError),
        ("unavailable", ModelUnavailableError),
        ("timeout", ModelTimeoutError),
        ("crash", ModelUnavailableError),
    ],
)
async def test_errors_are_the_real_ones_and_take_a_line(tmp_path: Path, kind: str, error: type[Exception]) -> None:
    scripted = model(tmp_path, {"error": kind, "content": "half an ans"}, {"content": "fine"})
    seen: list[Delta] = []
    with pytest.raises(error):  # noqa: PT012
        async for delta in scripted.reply(REQUEST):
            seen.append(delta)
    assert seen == [TextDelta("half an ans")]
    assert (await play(scripted))[0] == TextDelta("fine")


async def test_native_tools_follow_the_entry(tmp_path: Path) -> None:
    assert (await model(tmp_path, {"content": "x"}).capabilities()).native_tools is True
    assert (await model(tmp_path, {"content": "x"}, tools="react").capabilities()).native_tools is False


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no valid JSON"),
        ("[1]", "found list"),
        ('{"contents": "x"}', "contents: found an unknown key"),
        ('{"content": 5}', "content: found 5"),
        ('{"usage": {"input_tokens": "many"}}', "usage.input_tokens: found 'many'"),
        ('{"usage": {"output_tokens": -1}}', "usage.output_tokens: found -1"),
        ('{"error": "boom"}', "overflow, unavailable, timeout, crash"),
        ('{"finish_reason": "done"}', "stop, length"),
        ('{"tool_calls": [{"arguments": {}}]}', "tool_calls"),
    ],
)
async def test_a_wrong_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        await play(model(tmp_path, {"content": "x"}, line))
    assert f"{tmp_path / 'replies.jsonl'}:2: " in str(caught.value)
    assert words in str(caught.value)


async def test_an_empty_or_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="empty"):
        await play(model(tmp_path, ""))
    with pytest.raises(ConfigError, match="cannot be read"):
        await play(ScriptedModel(Entry("s", "scripted", file=tmp_path / "none")))


async def test_a_line_may_hold_other_ends_of_lines(tmp_path: Path) -> None:
    deltas = await play(model(tmp_path, '{"content": "one\u2028two\u0085three"}'))
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "one\u2028two\u0085three"
