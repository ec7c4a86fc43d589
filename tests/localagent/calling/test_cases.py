"""Every sample case, read whole and in every chunking, gives what is expected of it."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.calling import AnswerPiece, interpret
from tests.localagent.calling.cases import Case, every_case, is_right, streamed, tools_of

CASES = every_case()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_is_read_right(case: Case) -> None:
    reading = interpret(case["output"], tools_of(case), finish_reason=case.get("finish_reason", "stop"))

    assert is_right(reading, case), reading


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_one_character_at_a_time_is_the_same_as_the_whole(case: Case) -> None:
    tools, reason, text = tools_of(case), case.get("finish_reason", "stop"), case["output"]

    whole = streamed(text, itertools.repeat(10**6), tools, reason)
    single = streamed(text, itertools.repeat(1), tools, reason)

    assert single == whole
    assert single[1] == interpret(text, tools, finish_reason=reason)


@given(st.sampled_from(CASES), st.lists(st.integers(1, 9), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_chunking_gives_the_same_pieces(case: Case, sizes: list[int]) -> None:
    tools, reason, text = tools_of(case), case.get("finish_reason", "stop"), case["output"]

    assert streamed(text, itertools.cycle(sizes), tools, reason) == streamed(text, itertools.repeat(1), tools, reason)


def test_an_answer_is_shown_whole_and_nothing_else() -> None:
    finals = [case for case in CASES if "final" in case["expect"] and not case.get("also_ok")]
    assert len(finals) > 50
    for case in finals:
        pieces, reading = streamed(case["output"], itertools.repeat(3), tools_of(case), "stop")
        spoken = "".join(piece.text for piece in pieces if isinstance(piece, AnswerPiece))
        assert spoken.endswith(reading.text), case["id"]


def test_no_markup_of_a_call_is_shown() -> None:
    markup = re.compile(
        r"<\|?/?tool|<function|<invoke|\[TOOL_CALLS|\[ARGS\]|functools|call:\w+\{|[｜▁]|to=functions|\nAction:"
    )
    called = [case for case in CASES if "calls" in case["expect"] and not case.get("also_ok")]
    called = [case for case in called if case["kind"] != "think"]  # a thought whose opener was in the prompt is shown
    assert len(called) > 900
    for case in called:
        pieces, _ = streamed(case["output"], itertools.repeat(4), tools_of(case), "stop")
        spoken = "".join(piece.text for piece in pieces if isinstance(piece, AnswerPiece))
        assert not markup.search(spoken), case["id"]
