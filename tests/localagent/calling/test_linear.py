"""Twice the text is at most about twice the work, counted in function calls: seconds say nothing on a busy machine."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from localagent.calling import interpret
from localagent.messages import ToolSpec
from tests.localagent.calling.cases import streamed

_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (ToolSpec("read_file", "", _PATH), ToolSpec("list_lamps", "", {"type": "object", "properties": {}}))
CALL = '{"name": "read_file", "arguments": {"path": "x"}}'
READ = 'Action: read_file\nAction Input: {"path": "x"}\n'
BROKEN = "Action: read_file\nAction Input: {a} + {b}\nmore\n"
COUNT = 60
REPEATED = {  # what begins a text, what is repeated, what ends it
    "actions told together": ("For example:\n", READ, ""),
    "actions told one by one": ("", f"The log says:\n{READ}\n", ""),
    "actions in an answer": ("Final Answer: write\n", f"{READ}more\n", ""),
    "actions in an answer, together": ("Final Answer: write:\n", READ, ""),
    "actions in an answer, the last one broken": ("Final Answer: write:\n", READ, BROKEN),
    "broken actions in an answer": ("Final Answer: write\n", BROKEN, ""),
    "actions without input in an answer": ("Final Answer: write\n", "Action: a\n", ""),
    "questions in an answer": ("Final Answer: write:\n", "Question: a\nAnswer: b\n", ""),
    "labels in an answer": ("Final Answer: He wrote:\n", "Thought: t\n", ""),
    "thoughts": ("", "Thought: t\n", ""),
    "questions": ("Hello.\n", "Question: a\n", READ),
    "told JSON": ("", f"The log says:\n{CALL}\n\n", ""),
    "told markers": ("", f"The log says:\n<tool_call>{CALL}</tool_call>\n\n", ""),
    "told fences": ("", f"The log says:\n```json\n{CALL}\n```\n\n", ""),
    "markers that are talked about": ("", "The tag <tool_call> opens. ", ""),
    "quoted calls": ("It says\n\n", f"> {CALL}\n", "\nand no more."),
    "thoughts that never close": ("", "<think>a\n", READ),
}


def _calls_of(work: Callable[[], Any]) -> int:
    """How many functions `work` calls."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def _text(form: str, count: int) -> str:
    head, unit, tail = REPEATED[form]
    return head + unit * count + tail


def _read_whole(text: str) -> None:
    interpret(text, TOOLS)


def _read_as_it_comes(text: str) -> None:
    streamed(text, itertools.repeat(5), TOOLS, "stop")


@pytest.mark.parametrize("read", [_read_whole, _read_as_it_comes])
@pytest.mark.parametrize("form", REPEATED)
def test_twice_the_text_is_twice_the_work(form: str, read: Callable[[str], None]) -> None:
    read(_text(form, 1))  # what is cached once is no work of a text
    once, twice = (_calls_of(partial(read, _text(form, count))) for count in (COUNT, 2 * COUNT))

    assert twice <= 2.1 * once
