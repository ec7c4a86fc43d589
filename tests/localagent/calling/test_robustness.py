"""No input raises, no call is invented, and no input makes the reading worse than linear."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.calling import StreamInterpreter, interpret
from localagent.calling.lenient import MAX_DEPTH
from localagent.messages import ToolSpec
from tests.localagent.calling.cases import Case, every_case, shown, streamed, tools_of

CASES = every_case()
TOKENS = [
    *(
        "<tool_call>",
        "</tool_call>",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "\\",
        ",",
        ":",
        "Action: ",
        "Action Input: ",
        "Thought: ",
    ),
    *(
        "Final Answer: ",
        "Observation: ",
        "\n",
        "\n\n",
        " ",
        "<think>",
        "</think>",
        "```",
        "```json\n",
        "`",
        "[TOOL_CALLS]",
        "[ARGS]",
    ),
    *(
        "<|python_tag|>",
        "<function=",
        "<parameter=",
        ">",
        "</function>",
        "<arg_key>",
        "</arg_key>",
        "tide_times",
        "list_devices",
    ),
    *(
        "(",
        ")",
        "=",
        '"name": ',
        '"arguments": ',
        "null",
        "NaN",
        "15 + 4",
        "<|im_end|>",
        "<|channel|>",
        "<|message|>",
        "call:",
    ),
    *(
        "<escape>",
        '<|"|>',
        "functools",
        "<｜tool▁sep｜>",
        "\r\n",
        "\ufeff",
        "\u200b",
        "\xa0",
        "Действие: ",
        "&quot;",
        "\\u12",
        "\ud83d",
    ),
]
TOOLS = (
    ToolSpec(
        "tide_times", "", {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]}
    ),
    ToolSpec("list_devices", "", {"type": "object", "properties": {}}),
)
halves = st.builds(
    lambda case, cut: case["output"][: int(len(case["output"]) * cut)], st.sampled_from(CASES), st.floats(0, 1)
)
mixtures = st.lists(st.one_of(st.sampled_from(TOKENS), halves, st.text(max_size=8)), max_size=25).map("".join)


@given(mixtures)
@settings(max_examples=400, deadline=None)
def test_a_mixture_never_raises_and_streams_the_same(text: str) -> None:
    reading = interpret(text, TOOLS)

    assert streamed(text, itertools.repeat(1), TOOLS, "stop")[1] == reading
    assert streamed(text, itertools.cycle((3, 1, 7)), TOOLS, "stop") == streamed(
        text, itertools.repeat(1), TOOLS, "stop"
    )
    assert not (reading.calls and reading.problem)


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_random_bytes_are_no_call(data: bytes) -> None:
    assert not interpret(data.decode("utf-8", "replace"), TOOLS).calls


@given(st.sampled_from(CASES), mixtures)
@settings(max_examples=300, deadline=None)
def test_what_a_call_says_stands_in_the_text(case: Case, noise: str) -> None:
    text = f"{noise}\n{case['output']}"
    said = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text)
    words = _words(re.sub(r"\\[nrtbf]", " ", said)) | _words(said)
    for call in interpret(text, tools_of(case)).calls:
        for value in _strings(call.arguments):
            assert _words(value) <= words


@pytest.mark.parametrize(
    "opening", ["{", "[", '{"a":', "<tool_call>", "(", '<tool_call>{"name":[', "Action: tide_times\nAction Input: {{"]
)
def test_depth_is_an_error_and_no_crash(opening: str) -> None:
    assert not interpret(opening * 20_000, TOOLS).calls


def test_brackets_deeper_than_the_limit_say_so() -> None:
    problem = interpret(f"<tool_call>{'[' * (MAX_DEPTH + 5)}'", TOOLS).problem

    assert problem is not None
    assert problem.kind == "too_deep"


def test_a_long_stream_keeps_no_growing_buffer() -> None:
    stream = StreamInterpreter(TOOLS)
    for number in range(20_000):
        stream.feed(f"word {number} ")

    assert len(stream._view.text) < 20_000
    assert stream.close().text.endswith("word 19999")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("parameters", [{"$ref": "#"}, {"type": [{"x": 1}]}, {"properties": [1]}])
def test_a_schema_that_nothing_can_be_held_to_takes_any_object(parameters: dict[str, Any]) -> None:
    tools = (ToolSpec("probe", "", parameters),)

    assert interpret('{"name": "probe", "arguments": {"a": 1}}', tools).calls[0].arguments == {"a": 1}
    assert interpret('{"name": "probe", "arguments": {"a": 1', tools).problem


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Sure</think>hi", "Sure\n\nhi"),
        ("{\nFinal Answer: hello", "{\n\nhello"),
        ('```\nAction Input: "<tool_call>\n{"name": "x', '```\nAction Input: "<tool_call>\n{"name": "x'),
    ],
)
def test_a_draft_that_was_shown_and_the_answer_stand_apart_and_nothing_twice(text: str, seen: str) -> None:
    pieces, _ = streamed(text, itertools.repeat(1), (ToolSpec("probe", "", {}),), "stop")

    assert shown(pieces) == seen
