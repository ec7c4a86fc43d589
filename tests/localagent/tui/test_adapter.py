"""Events to facts: what the screen is told, whatever the order things come in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from localagent import events as ev
from localagent.messages import Message, ToolCall, ToolResult, Usage
from localagent.tui.adapter import Adapter
from localagent.tui.blocks import Answer, Block, Card, Note, Said, Thinking, plain
from localagent.tui.facts import Dropped, Ended, Opened, Planned
from localagent.tui.lines import plan_line
from localagent.tui.past import blocks_of
from tests.fakes.driver import reply, result

CALL = ToolCall("c1", "read_file", {"path": "a.txt"})


def left(*happened: ev.Event, adapter: Adapter | None = None) -> list[Block]:
    """The blocks that stand after these events."""
    adapter, blocks = adapter or Adapter(), []
    for event in happened:
        for fact in adapter.read(event):
            if isinstance(fact, Opened):
                blocks.append(fact.block)
            if isinstance(fact, Dropped):
                blocks.remove(fact.block)
    return blocks


def test_streamed_text_gives_way_to_what_was_understood() -> None:
    (answer,) = left(ev.Text("I look.\nAction: read"), reply("I look."))
    assert isinstance(answer, Answer)
    assert (answer.text, answer.final) == ("I look.", True)


def test_text_that_was_only_a_call_goes_away() -> None:
    (card,) = left(ev.Text('{"name": "read'), ev.CallAnnounced("read_file"), reply("", (CALL,)))
    assert isinstance(card, Card)
    assert (card.call_id, card.state) == ("c1", "waiting")


def test_a_card_goes_from_its_announcement_to_its_result() -> None:
    adapter = Adapter()
    (card,) = left(ev.CallAnnounced("read_file"), adapter=adapter)
    assert isinstance(card, Card)
    assert card.state == "writing"
    left(reply("", (CALL,)), ev.ToolStarted(CALL, "read"), ev.ToolOutput("c1", "par"), adapter=adapter)
    assert (card.state, card.output) == ("running", "par")
    left(ev.ToolFinished(ToolResult("c1", "read_file", "whole"), 0.5, full="the whole"), adapter=adapter)
    assert (card.state, card.output, card.full, card.seconds) == ("done", "whole", "the whole", 0.5)


def test_a_refused_call_says_so_without_ever_starting() -> None:
    (card,) = left(reply("", (CALL,)), ev.ToolFinished(ToolResult("c1", "read_file", "no", False), 0, "denied"))
    assert isinstance(card, Card)
    assert card.state == "denied"


def test_a_rejected_reply_leaves_only_a_note() -> None:
    blocks = left(
        ev.Text("gibberish"), ev.CallAnnounced("x"), ev.ReplyRejected("raw", "syntax", "no brace", 1, "small")
    )
    assert [type(block) for block in blocks] == [Note]


def test_a_call_that_a_kill_cut_off_goes_on_in_its_card() -> None:
    adapter, blocks = Adapter(), blocks_of([Message("user", "go"), Message("assistant", "", calls=(CALL,))])
    adapter.take_up(blocks)
    finished = ev.ToolFinished(ToolResult("c1", "read_file", "text"), 0.1)
    assert left(ev.RunStarted("t", "m", "/p", "ask"), ev.ToolStarted(CALL, "read"), finished, adapter=adapter) == []
    (card,) = (block for block in blocks if isinstance(block, Card))
    assert (card.state, card.output) == ("done", "text")


def test_an_empty_reply_is_said_once_and_in_words() -> None:
    said = ev.MessageAdded(Message("user", "Write the answer."), "house")
    (note,) = left(ev.ReplyRejected("", "empty", "Write the answer.", 1, "small"), said)
    assert plain(note) == "The model gave an empty answer; it is asked again, attempt 1."


def test_while_a_question_stands_it_is_the_persons_turn() -> None:
    adapter = Adapter()
    adapter.ask(True)
    left(ev.ToolStarted(CALL, "read"), adapter=adapter)
    assert adapter.phase.kind == "asking"
    adapter.ask(False)
    assert adapter.phase.kind == "acting"


def test_what_a_reader_costs_counts() -> None:
    adapter = Adapter()
    left(ev.Delegated("c1", replace(reply("x"), cost_usd=0.25)), adapter=adapter)
    assert adapter.figures.cost_usd == 0.25


def test_a_reply_that_broke_off_is_dropped_for_the_next_model() -> None:
    blocks = left(ev.Text("half"), ev.FellBack("small", "other", "worker died"), ev.Text("whole"), reply("whole"))
    assert [plain(block) for block in blocks if isinstance(block, Answer)] == ["whole"]
    assert "worker died" in plain(blocks[0])


def test_the_finish_tool_is_the_answer_and_no_card() -> None:
    finish = ToolCall("c9", "finish", {"result": "42"})
    blocks = left(
        ev.CallAnnounced("finish"), reply("", (finish,)), ev.ToolStarted(finish, "finish"),
        ev.ToolFinished(ToolResult("c9", "finish", "42"), 0), ev.RunFinished(result("done", {"n": 42})),
    )  # fmt: skip
    assert [type(block) for block in blocks] == [Answer]
    assert '"n": 42' in plain(blocks[0])


def test_an_answer_is_not_said_twice() -> None:
    blocks = left(ev.Text("Hi."), reply("Hi."), ev.RunFinished(result("answered", "Hi.")))
    assert len(blocks) == 1


def test_an_answer_that_was_cut_says_so() -> None:
    cut = replace(result("answered", "One, two, thr"), partial=True)
    blocks = left(ev.Text("One, two, thr"), reply("One, two, thr"), ev.RunFinished(cut))
    assert isinstance(blocks[-1], Note)
    assert "max_tokens" in blocks[-1].text


def test_a_failed_run_says_its_error() -> None:
    (note,) = left(ev.RunFinished(result("failed", error={"type": "ModelError", "message": "it is gone"})))
    assert "it is gone" in plain(note)


def test_messages_that_stand_already_are_confirmed_not_repeated() -> None:
    adapter = Adapter()
    said = Said("hi", queued=True)
    adapter.expect(said)
    blocks = left(ev.MessageAdded(Message("user", "hi")), ev.MessageAdded(Message("user", "more")), adapter=adapter)
    assert not said.queued
    assert [plain(block) for block in blocks] == ["more"]


def test_figures_are_unknown_where_nobody_can_say() -> None:
    adapter = Adapter()
    adapter.read(reply("a"))
    assert adapter.figures.reused is not None
    assert 0.95 < adapter.figures.reused < 0.96
    adapter.read(ev.Replied(Message("assistant", "a"), "m", Usage(), "stop", 1.0, cost_usd=0.5))
    assert (adapter.figures.reused, adapter.figures.tokens_per_second) == (None, None)
    assert adapter.figures.cost_usd == 0.5


def test_a_phase_keeps_its_beginning() -> None:
    now = [10.0]
    adapter = Adapter(lambda: now[0])
    adapter.read(ev.Working("reading", 1, 9))
    now[0] = 15.0
    adapter.read(ev.Working("reading", 5, 9))
    assert (adapter.phase.since, adapter.phase.done) == (10.0, 5)
    adapter.read(ev.Thought("hm"))
    assert (adapter.phase.kind, adapter.phase.since) == ("thinking", 15.0)


def test_the_first_item_that_is_not_done_is_in_hand() -> None:
    items = (("one", True), ("two", False), ("three", False))
    (fact,) = Adapter().read(ev.PlanChanged(items))
    assert fact == Planned((("done", "one"), ("doing", "two"), ("todo", "three")))
    assert plan_line(items) == "Plan 1 of 3. two"
    assert plan_line((("one", True),)) == "Plan 1 of 1."


def test_a_history_becomes_the_blocks_it_was() -> None:
    history = (
        Message("system", "You work."), Message("user", "go"), Message("assistant", "look", "hm", (CALL,)),
        Message("tool", results=(ToolResult("c1", "read_file", "text", False),)), Message("assistant", "done"),
    )  # fmt: skip
    blocks = blocks_of(history)
    assert [type(block) for block in blocks] == [Said, Thinking, Answer, Card, Answer]
    card = blocks[3]
    assert isinstance(card, Card)
    assert (card.state, card.output) == ("failed", "text")


def test_a_call_that_was_stopped_stands_so_before_and_after_the_session_is_taken_up() -> None:
    adapter = Adapter()
    opened = [fact.block for fact in adapter.read(ev.ToolStarted(CALL, "read")) if isinstance(fact, Opened)]
    list(adapter.read(ev.RunFinished(result("cancelled"))))
    blocks = blocks_of([Message("user", "go"), Message("assistant", "", calls=(CALL,))])
    for card in (opened[0], blocks[1]):
        assert isinstance(card, Card)
        assert card.state == "stopped"
    adapter.take_up(blocks)
    assert not [fact for fact in adapter.read(ev.ToolStarted(CALL, "read")) if isinstance(fact, Opened)]
    assert isinstance(blocks[1], Card)
    assert blocks[1].state == "running", "the run that goes on answers it in its card"


def test_a_note_of_the_house_is_one_again_in_a_resumed_session() -> None:
    said, note = blocks_of([Message("user", "go"), Message("user", "Note: this repeats", by="house")])
    assert isinstance(said, Said)
    assert isinstance(note, Note)
    assert (note.kind, note.text) == ("house", "Note: this repeats")


EVENTS: list[ev.Event] = [
    ev.RunStarted("t", "m", "/", "ask"), ev.RequestSent(1, "m", 2), ev.Working("reading"), ev.Thought("a"),
    ev.Text("b"), ev.CallAnnounced("read_file"), reply("b"), reply("", (CALL,)), ev.ToolStarted(CALL, "read"),
    ev.ToolOutput("c1", "o"), ev.ToolFinished(ToolResult("c1", "read_file", "x"), 0.1), ev.FellBack("a", "b", "c"),
    ev.ReplyRejected("r", "k", "p", 1, "m"), ev.Notice("info", "n"), ev.Condensed("s", 1, None, 3),
    ev.ApprovalAsked(CALL, "s", "r"), ev.ApprovalGiven("c1", True, "once", "rule"),
    ev.FileChanged("c1", "p", None, None),
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(EVENTS), max_size=25))
def test_any_order_ends_with_nothing_open(happened: list[ev.Event]) -> None:
    adapter, opened = Adapter(), set()
    facts: list[Any] = []
    for event in (*happened, ev.RunFinished(result("cancelled"))):
        for fact in adapter.read(event):
            if isinstance(fact, Opened):
                assert fact.block not in opened
                opened.add(fact.block)
            if isinstance(fact, Dropped):
                opened.remove(fact.block)
            facts.append(fact)
    assert isinstance(facts[-1], Ended)
    assert adapter.phase.kind == ""
    assert all(b.state in ("done", "failed", "denied", "stopped") for b in opened if isinstance(b, Card))
    assert all(b.seconds is not None for b in opened if isinstance(b, Thinking))
    assert all(b.final for b in opened if isinstance(b, Answer))
