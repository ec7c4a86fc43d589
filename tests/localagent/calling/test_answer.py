"""What stands after an answer: text of the answer, or a step that the model invents and that is left out."""

from __future__ import annotations

import itertools

import pytest

from localagent.calling import AnswerPiece, interpret
from localagent.messages import ToolSpec
from tests.localagent.calling.cases import streamed

_PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (ToolSpec("read_file", "", _PATH), ToolSpec("list_lamps", "", {"type": "object", "properties": {}}))
READ = 'Action: read_file\nAction Input: {"path": "a"}'
BEGINNINGS = ("Final Answer: ", "Action: none\nFinal Answer: ", "Action: Final Answer\nAction Input: ", "Ответ: ")
TEXT = [
    "You can write\nAction: read_file\nAction Input: {}\nmore",
    f"You can write\n{READ}\nand wait.",
    f"You can write\n{READ}\n{READ}\nand wait.",
    f"The step is this:\n{READ}",
    "You can write\nAction: read_file\nAction Input: a.txt\nmore",
    "You can write\nAction: read_file\nAction Input: {a} + {b}\nmore",
    "She wrote:\nThought: is free.\nThat was all.",
    "All of it.\n\nQuestion: why?\nAnswer: because.",
    "Two:\nResult: 5\nInput: 6\nmore",
]
INVENTED = [
    READ,
    f"\n{READ}\n",
    f"{READ}\nObservation: x\nFinal Answer: y",
    f"Thought: and now?\n{READ}",
    'Action: read_file\nAction Input: {"path": "a',
    "Action: none\nAction Input: none",
    "Question: and then?\nThought: hm",
    "User: thanks\nAssistant: welcome",
]


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("answer", TEXT)
def test_what_is_no_step_is_text_of_the_answer_and_does_not_run(beginning: str, answer: str) -> None:
    pieces, reading = streamed(beginning + answer, itertools.repeat(1), TOOLS, "stop")

    assert reading == interpret(beginning + answer, TOOLS)
    assert (reading.text, reading.calls, reading.problem, reading.repairs) == (answer, (), None, ())
    assert "".join(piece.text for piece in pieces if isinstance(piece, AnswerPiece)) == answer


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("step", INVENTED)
def test_a_step_after_the_answer_is_left_out_and_said_to_be(beginning: str, step: str) -> None:
    _, reading = streamed(f"{beginning}It is five.\n{step}", itertools.repeat(1), TOOLS, "stop")

    assert (reading.text, reading.calls, reading.problem) == ("It is five.", (), None)
    assert reading.repairs == ("a step after the answer",)


@pytest.mark.parametrize("name", ["Respond directly", "Final Answer", "finish"])
def test_an_answer_as_an_action_may_have_its_label_too(name: str) -> None:
    for between in ("\n", "\nAction Input: ", "\nAction Input:\n"):
        assert interpret(f"Thought: t\nAction: {name}{between}\nFinal Answer: It is noon.", TOOLS).text == "It is noon."


@pytest.mark.parametrize("role", ["Assistant:", "AI:"])
def test_the_name_of_who_speaks_is_no_answer(role: str) -> None:
    for between in (" ", "\n", "\nThought: t\n", " Thought: t\n", " Let me look.\n"):
        pieces, reading = streamed(f"{role}{between}{READ}", itertools.repeat(1), TOOLS, "stop")
        assert [call.name for call in reading.calls] == ["read_file"], between
        assert "Thought" not in "".join(piece.text for piece in pieces if isinstance(piece, AnswerPiece))
    assert interpret(f"{role} Hello!\nUser: hi\n{role} bye", TOOLS).text == "Hello!"


@pytest.mark.parametrize("answer", ["no", "No.", "I refuse."])
def test_a_dialogue_invented_after_a_refusal_is_no_part_of_it(answer: str) -> None:
    turn = "\n\nUser: How many?\nThought: I count.\nAction: count\nAction Input: {100}"
    assert interpret(f"Final Answer: {answer}{turn}{turn}", TOOLS, finish_reason="length").text == answer
