"""The line mode: every line stands for itself."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import select
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from localagent.approvers import TerminalApprover
from localagent.events import PlanChanged, Text, Thought, ToolFinished, ToolStarted, Working
from localagent.i18n import use
from localagent.messages import Message, ToolCall, ToolResult
from localagent.plain import Lines, run_plain
from localagent.ports import ApprovalRequest, Change, Decision, Outgoing, OutgoingText
from tests.fakes.driver import FakeDriver, reply

CALL = ToolCall("c1", "edit_file", {"path": "a.txt"})
ASK = ApprovalRequest(CALL, "write", "Edit a.txt", "it changes a file", (Change(Path("a.txt"), b"one\n", b"two\n"),))


@pytest.fixture(autouse=True)
def english() -> None:
    use("en")


def talk(driver: FakeDriver, typed: str) -> str:
    async def factory() -> FakeDriver:
        return driver

    heard = io.StringIO()
    assert run_plain(factory, Lines(io.StringIO(typed), heard)) == 0
    assert driver.calls[-1] == ("close",)
    return heard.getvalue()


def test_a_run_is_read_out_in_order() -> None:
    finished = ToolFinished(ToolResult("c1", "edit_file", "changed\n  1 line"), 0.5)
    driver = FakeDriver(
        [Working("reading", 1, 2), Working("reading", 2, 2), Thought("a"), Thought("b"), Text("I "), Text("edit."),
         reply("I edit.", (CALL,)), ASK, ToolStarted(CALL, "write"), finished, reply("Done.")]
    )  # fmt: skip
    said = talk(driver, "go\ny\n/quit\n")
    order = [
        "Model small.",
        "Working: reading",
        "Thinking.",
        "Answer:\nI edit.\n",
        "May this run? Edit a.txt\n  edit_file\n",
        "-one",
    ]
    order += ["+two", "Tool edit_file: path a.txt", "Result after 0.5 s: changed 1 line", "Answer:\nDone.", "Answered."]
    places = [said.index(text) for text in order]
    assert places == sorted(places)
    assert said.count("Thinking.") == said.count("Working: reading") == 1
    assert "\x1b" not in said
    assert "\r" not in said
    assert driver.answers == [Decision(True, "once")]


def test_a_refusal_asks_why_and_the_end_of_input_refuses() -> None:
    driver = FakeDriver([ASK, ASK])
    talk(driver, "go\nn\ntoo early\n")
    assert driver.answers == [Decision(False, "once", "too early"), Decision(False, "once", "")]


@pytest.mark.parametrize("words", ["stop", "actually no", "should it?", "yikes", "", "n"])
def test_words_that_begin_like_a_yes_allow_nothing(words: str) -> None:
    driver = FakeDriver([ASK])
    talk(driver, f"go\n{words}\n\n")
    assert driver.answers == [Decision(False, "once", "")]


@pytest.fixture
def terminal() -> Iterator[tuple[TextIO, int]]:
    """The side of a terminal that a program reads from, and the one that a person types at."""
    person, program = pty.openpty()
    with open(program, encoding="utf-8") as source:
        yield source, person
    os.close(person)


async def answered(asking: Coroutine[Any, Any, Any], sink: io.StringIO, terminal: tuple[TextIO, int]) -> Any:
    """What became of a question before which "y" was typed, and after it "n" and the reason "not now"."""
    source, person = terminal
    os.write(person, b"y\n")
    assert select.select([source], [], [], 20)[0]
    task = asyncio.create_task(asking)
    for prompt, words in ((": ", b"n\n"), ("Why not? ", b"not now\n")):
        while not task.done() and not sink.getvalue().endswith(prompt):
            await asyncio.sleep(0.001)
        if not task.done():
            os.write(person, words)
    return await task


async def test_what_was_typed_before_a_question_does_not_answer_it(terminal: tuple[TextIO, int]) -> None:
    sink = io.StringIO()
    assert await answered(Lines(terminal[0], sink).approve(ASK), sink, terminal) == Decision(False, "once", "not now")


async def test_nor_does_it_send_anything(terminal: tuple[TextIO, int]) -> None:
    sink = io.StringIO()
    leaving = Outgoing("api.example.org", "claude", (), {})
    assert not (await answered(Lines(terminal[0], sink).release(leaving), sink, terminal)).allowed


async def test_nor_choose_for_the_agent(terminal: tuple[TextIO, int]) -> None:
    sink = io.StringIO()
    assert await answered(Lines(terminal[0], sink).ask("Which?", ("n", "y")), sink, terminal) == "n"


async def test_the_terminal_of_a_headless_run_is_asked_afresh_too(
    terminal: tuple[TextIO, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = io.StringIO()
    monkeypatch.setattr("sys.stdin", terminal[0])
    monkeypatch.setattr("sys.stderr", sink)
    assert not (await answered(TerminalApprover().approve(ASK), sink, terminal)).allowed
    assert "Edit a.txt\n  (edit_file: it changes a file)" in sink.getvalue()


@pytest.mark.parametrize(("typed", "answer"), [("2", "blue"), ("green", "green"), ("7", "7"), ("", "")])
def test_a_question_takes_a_number_or_words(typed: str, answer: str) -> None:
    driver = FakeDriver([("Which?", ("red", "blue"))])
    assert "  2. blue" in talk(driver, f"go\n{typed}\n")
    assert driver.answers == [answer]


def test_commands_answer_and_refusals_are_said() -> None:
    driver = FakeDriver([])
    said = talk(driver, "/mode edit\n/model other\n/model gone\n/model\n/undo\n/what\n")
    assert (driver.mode, driver.model) == ("edit", "other")
    for text in ("start it with llama-server", "claude, anthropic, cloud, masked", "Taken back: notes.txt", "no such"):
        assert text in said


def test_an_agent_that_refuses_does_not_end_the_talk() -> None:
    driver = FakeDriver([])
    driver.error = "Ollama is not there"
    assert talk(driver, "go\n/undo\n").index("Ollama is not there") > 0


async def test_what_would_leave_is_read_out_and_asked() -> None:
    texts = (OutgoingText("user", "Hi Anna Kern", "Hi <PERSON_1>", (("PERSON", "Anna Kern", "<PERSON_1>"),)),)
    for answer, allowed in (("y\n", True), ("n\n", False), ("", False)):
        sink = io.StringIO()
        lines = Lines(io.StringIO(answer), sink)
        decision = await lines.release(Outgoing("api.example.org", "claude", texts, {"PERSON": 1}))
        assert decision.allowed is allowed
        for word in ("api.example.org", "Hi <PERSON_1>", "<PERSON_1> (PERSON): Anna Kern"):
            assert word in sink.getvalue()


def test_help_names_the_commands_and_blames_nobody() -> None:
    said = talk(FakeDriver([]), "/help\n/nonsense\n/quit\n")
    assert said.count("/mode MODE") == 2
    assert said.count("no such command") == 1
    assert said.index("/mode MODE") < said.index("no such command")


def test_sessions_are_listed_and_one_is_read_out_again() -> None:
    said = talk(FakeDriver([]), "/sessions\n/resume s0\n/condense\n/quit\n")
    assert "  s0, Fix the parser" in said
    assert "You:  Fix the parser\nAnswer: Fixed." in said
    assert "The history was condensed." in said


def test_an_empty_line_goes_on_with_what_was_cut_off_and_is_nothing_else() -> None:
    driver = FakeDriver([reply("Now it is done.")])
    driver.messages, driver.cut_off = [Message("user", "Rename the files")], True
    said = talk(driver, "\n\n/quit\n")
    places = [said.index(text) for text in ("You:  Rename the files", "Enter goes on with it", "Now it is done.")]
    assert places == sorted(places)
    assert driver.tasks == [(None, ())]


def test_who_leaves_is_told_how_it_goes_on() -> None:
    assert "localagent --resume s1" in talk(FakeDriver([reply("Yes.")]), "go\n/quit\n").splitlines()[-1]
    assert "--resume" not in talk(FakeDriver([]), "/quit\n")


def test_an_empty_answer_and_a_plan_are_said() -> None:
    driver = FakeDriver([PlanChanged((("look", True), ("write", False))), reply("")])
    said = talk(driver, "go\n/quit\n")
    assert "Plan 1 of 2. write" in said
    assert "empty answer" in said
