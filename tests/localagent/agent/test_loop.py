"""The loop over a scripted model: outcomes, batches, failures, circles, fallback, resume."""

from __future__ import annotations

import asyncio
import itertools
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from localagent.agent.limits import Limits
from localagent.agent.loop import run
from localagent.clock import SystemClock
from localagent.config.models_toml import Entry, Price
from localagent.errors import ModelUnavailableError
from localagent.events import (
    Condensed,
    FellBack,
    MessageAdded,
    Replied,
    ReplyRejected,
    RunFinished,
    ToolFinished,
    ToolStarted,
    kind_of,
)
from localagent.events_json import from_json, to_json
from localagent.journal.sessions import load
from localagent.messages import ToolCall
from localagent.models.scripted import ScriptedModel
from localagent.ports import Finish, Outcome, Request, ToolContext
from localagent.tools.words import say
from tests.fakes.agent import Recording, StepClock, Toolless, ToyTool, World, call, finish_tool, toy


def test_a_plain_answer_ends_as_answered(tmp_path: Path) -> None:
    result, events = World(tmp_path, [{"content": "Four."}]).run("2 + 2?")
    assert (result.outcome, result.output, result.steps, result.partial, result.error) == (
        "answered",
        "Four.",
        1,
        False,
        None,
    )
    assert kind_of(events[0]) == "run_started"


def test_a_tool_is_called_and_its_result_reaches_the_model(tmp_path: Path) -> None:
    look = toy("look", "42 files")
    world = World(tmp_path, [call("look", a="x"), {"content": "There are 42."}], [look])
    agent = world.agent()
    result, _ = world.run("count", agent)
    assert look.ran == [{"a": "x"}]
    assert [(t.name, t.arguments, t.ok) for t in result.tools] == [("look", {"a": "x"}, True)]
    assert isinstance(agent.seat.model, Recording)
    assert agent.seat.model.requests[1].messages[-1].results[0].content == "42 files"


def test_finish_ends_as_done_with_its_arguments(tmp_path: Path) -> None:
    result, _ = World(tmp_path, [call("finish", total=0)], [finish_tool()]).run()
    assert (result.outcome, result.output) == ("done", {"total": 0})


def test_with_a_schema_prose_is_no_end(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "I think it is 3"}, call("finish", total=3)], [finish_tool()])
    result, events = world.run(schema={"type": "object"})
    assert (result.outcome, result.output) == ("done", {"total": 3})
    assert any(isinstance(e, MessageAdded) and e.source == "house" for e in events)


def test_each_request_is_a_prefix_of_the_next(tmp_path: Path) -> None:
    replies = [call("look", a=n) for n in range(5)] + [{"content": "done"}]
    world = World(tmp_path, replies, [toy("look")])
    agent = world.agent()
    world.run("go", agent)
    second = world.agent()
    world.run("again", second)
    assert isinstance(agent.seat.model, Recording)
    assert isinstance(second.seat.model, Recording)
    requests = [*agent.seat.model.requests, *second.seat.model.requests]
    assert len(requests) == 7
    for before, after in itertools.pairwise(requests):
        assert after.messages[: len(before.messages)] == before.messages
        assert after.tools == before.tools


def test_read_only_calls_of_one_reply_run_side_by_side_and_answer_in_order(tmp_path: Path) -> None:
    gate, order = asyncio.Event(), []

    async def slow(arguments: dict[str, Any]) -> Outcome:
        await gate.wait()
        order.append("slow")
        return Outcome("slow")

    async def quick(arguments: dict[str, Any]) -> Outcome:
        order.append("quick")
        gate.set()
        return Outcome("quick")

    calls = {"tool_calls": [{"name": "slow", "arguments": {}}, {"name": "quick", "arguments": {}}]}
    world = World(tmp_path, [calls, {"content": "ok"}], [ToyTool("slow", slow), ToyTool("quick", quick)])
    agent = world.agent()
    world.run("go", agent)
    assert order == ["quick", "slow"]
    assert [r.content for r in agent.history.snapshot()[2].results] == ["slow", "quick"]


def test_changing_calls_run_one_after_the_other(tmp_path: Path) -> None:
    running: list[str] = []

    async def write(arguments: dict[str, Any]) -> Outcome:
        assert not running
        running.append("x")
        await asyncio.sleep(0)
        running.pop()
        return Outcome("ok")

    calls = {"tool_calls": [{"name": "write", "arguments": {"a": n}} for n in range(3)]}
    tool = ToyTool("write", write, "write")
    result, _ = World(tmp_path, [calls, {"content": "ok"}], [tool]).run()
    assert [t.ok for t in result.tools] == [True, True, True]
    assert len(tool.ran) == 3


def test_a_tool_that_raises_is_an_observation(tmp_path: Path) -> None:
    async def broken(arguments: dict[str, Any]) -> Outcome:
        raise ValueError("no such thing")

    result, events = World(tmp_path, [call("bad"), {"content": "It failed."}], [ToyTool("bad", broken)]).run()
    finished = [e for e in events if isinstance(e, ToolFinished)]
    assert result.outcome == "answered"
    assert finished[0].failure == "failed"
    assert "no such thing" in finished[0].result.content


def test_a_transient_failure_is_retried_by_code_and_seen_once(tmp_path: Path) -> None:
    outcomes = [Outcome("busy", failure="transient"), Outcome("there")]

    async def flaky(arguments: dict[str, Any]) -> Outcome:
        return outcomes.pop(0)

    _, events = World(tmp_path, [call("get"), {"content": "ok"}], [ToyTool("get", flaky)]).run()
    assert [e.result.content for e in events if isinstance(e, ToolFinished)] == ["there"]


def test_a_wrong_call_is_explained_and_does_not_stay_in_the_history(tmp_path: Path) -> None:
    world = World(tmp_path, [call("lok", a=1), call("look", a=1), {"content": "ok"}], [toy("look")])
    agent = world.agent()
    result, events = world.run("go", agent)
    rejected = [e for e in events if isinstance(e, ReplyRejected)]
    assert result.outcome == "answered"
    assert len(rejected) == 1
    assert "look" in rejected[0].problem
    assert all("lok" not in [c.name for c in m.calls] for m in agent.history)


def test_three_wrong_calls_end_honestly(tmp_path: Path) -> None:
    result, events = World(tmp_path, [call("nonsense")], [toy("look")]).run()
    assert result.outcome == "stalled"
    assert result.error is not None
    assert result.error["type"] == "invalid_calls"
    assert sum(isinstance(e, ReplyRejected) for e in events) == 3


def test_an_empty_answer_is_asked_again(tmp_path: Path) -> None:
    result, _ = World(tmp_path, [{"content": "  "}, {"content": "Here."}]).run()
    assert (result.outcome, result.output) == ("answered", "Here.")


LOOPS = {
    "same call": [call("look", a=1)],
    "alternating": [call("look", a=1), call("other", a=2)] * 10,
    "different words, same answer": [call("look", a=n) for n in range(30)],
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_model_that_walks_in_circles_is_told_then_stopped(tmp_path: Path, name: str) -> None:
    result, events = World(tmp_path, LOOPS[name], [toy("look", "nothing found"), toy("other", "nothing there")]).run()
    assert result.outcome == "stalled"
    assert result.partial
    assert "look" in result.output
    notes = [e.message.content for e in events if isinstance(e, MessageAdded) and e.source == "house"]
    assert any("same answer" in note for note in notes)
    assert result.steps <= 10


def test_answers_that_only_quote_the_question_are_the_same_answer(tmp_path: Path) -> None:
    async def search(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"Nothing matches {arguments['a']!r}. Try fewer words.")

    replies = [call("search", a=f"word {n}") for n in range(30)]
    result, _ = World(tmp_path, replies, [ToyTool("search", search)]).run()
    assert result.error == {"type": "same_answer", "message": "6 calls of search in a row got the same answer"}


def test_commands_that_say_nothing_are_no_circle(tmp_path: Path) -> None:
    replies = [*(call("make", a=n) for n in range(9)), {"content": "Nine folders."}]
    tools = [toy("make", say("no_output"), effect="execute")]
    assert World(tmp_path, replies, tools).run()[0].outcome == "answered"


def test_looks_that_find_something_in_between_are_no_circle(tmp_path: Path) -> None:
    async def search(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"line {arguments['a']}" if arguments["a"] % 3 == 0 else "nothing found")

    replies = [*(call("search", a=n) for n in range(20)), {"content": "All searched."}]
    assert World(tmp_path, replies, [ToyTool("search", search)]).run()[0].outcome == "answered"


def test_polling_with_new_answers_is_no_circle(tmp_path: Path) -> None:
    numbers = iter(range(100))

    async def poll(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"{next(numbers)} %")

    replies = [call("poll")] * 5 + [{"content": "ready"}]
    assert World(tmp_path, replies, [ToyTool("poll", poll)]).run()[0].outcome == "answered"


def test_a_run_of_tests_between_edits_is_no_circle(tmp_path: Path) -> None:
    replies = [r for n in range(6) for r in (call("edit", a=n), call("test"))] + [{"content": "fixed"}]
    tools = [toy("edit", "edited", effect="write"), toy("test", "2 failed", effect="execute")]
    assert World(tmp_path, replies, tools).run()[0].outcome == "answered"


def test_alternating_edits_are_a_circle(tmp_path: Path) -> None:
    replies = [call("edit", a=1), call("edit", a=2)] * 10
    assert World(tmp_path, replies, [toy("edit", "edited", effect="write")]).run()[0].outcome == "stalled"


def test_failures_in_a_row_end_the_run(tmp_path: Path) -> None:
    replies = [call("look", a=n) for n in range(20)]
    counter = iter(range(100))

    async def fail(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"no {next(counter)}", failure="not_found")

    result, _ = World(tmp_path, replies, [ToyTool("look", fail)]).run()
    assert result.outcome == "stalled"
    assert result.error == {"type": "failures", "message": "6 calls in a row failed"}


@pytest.mark.parametrize(
    ("limits", "kind"),
    [
        (Limits(max_steps=3), "max_steps"),
        (Limits(max_tokens=250), "max_tokens"),
        (Limits(max_usd=0.0025), "max_usd"),
        (Limits(max_seconds=100), "max_seconds"),
    ],
)
def test_each_budget_ends_as_limit_with_a_partial_result(tmp_path: Path, limits: Limits, kind: str) -> None:
    numbers = iter(range(100))

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"page {next(numbers)}")

    usage = {"input_tokens": 90, "output_tokens": 10}
    replies = [{**call("look", a=n), "content": f"Reading {n}", "usage": usage} for n in range(50)]
    world = World(tmp_path, replies, [ToyTool("look", look)], price=Price(10.0, 10.0))
    result, events = world.run(limits=limits, clock=StepClock(1.0))
    assert result.outcome == "limit"
    assert result.error is not None
    assert result.error["type"] == kind
    assert result.partial
    assert "Reading" in result.output
    assert any(isinstance(e, MessageAdded) and e.source == "house" for e in events), "it was not told before"


def test_a_slow_reply_is_cut_when_the_time_is_up_and_what_was_said_stays(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "slow " * 1000, "chunk": 5, "delay": 0.02}])
    began = time.monotonic()
    result, events = world.run(limits=Limits(max_seconds=1.5), clock=SystemClock())
    assert time.monotonic() - began < 15
    assert (result.outcome, result.partial, result.error["type"]) == ("limit", True, "max_seconds")
    assert result.output.startswith("slow slow")
    assert isinstance(events[-1], RunFinished)


def test_a_slow_tool_is_cut_when_the_time_is_up_and_counts_as_failed(tmp_path: Path) -> None:
    stopped: list[str] = []

    async def sleep(arguments: dict[str, Any]) -> Outcome:
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append("sleep")
        return Outcome("woke up")

    result, _ = World(tmp_path, [call("sleep")], [ToyTool("sleep", sleep)]).run(
        limits=Limits(max_seconds=1.5), clock=SystemClock()
    )
    assert (result.outcome, result.error["type"]) == ("limit", "max_seconds")
    assert [(use.name, use.ok) for use in result.tools] == [("sleep", False)]
    assert result.partial
    assert "sleep : failed" in result.output
    assert stopped == ["sleep"]


def test_the_tools_of_a_result_stand_in_the_order_of_their_calls(tmp_path: Path) -> None:
    async def slow(arguments: dict[str, Any]) -> Outcome:
        await asyncio.sleep(0.05)
        return Outcome("slow")

    calls = {"tool_calls": [{"name": "slow", "arguments": {}}, {"name": "quick", "arguments": {}}]}
    result, _ = World(tmp_path, [calls, {"content": "ok"}], [ToyTool("slow", slow), toy("quick")]).run()
    assert [use.name for use in result.tools] == ["slow", "quick"]


@pytest.mark.parametrize("text", ['{"total": 3}', '```json\n{"total": 3}\n```', ' {"total": 3}\n'])
def test_an_answer_that_is_the_asked_result_is_one(tmp_path: Path, text: str) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
    result, _ = World(tmp_path, [{"content": text}], [finish_tool()]).run(schema=schema)
    assert (result.outcome, result.output, result.steps) == ("done", {"total": 3}, 1)


def test_an_answer_that_only_contains_a_result_is_none(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
    replies = [{"content": 'It is {"total": 3}, I think'}, {"content": '{"total": "3"}'}]
    result, _ = World(tmp_path, replies, [finish_tool()]).run(schema=schema)
    assert (result.outcome, result.error["type"]) == ("stalled", "no_result")


@pytest.mark.parametrize("how", ["overflow", "usage"])
def test_a_short_history_is_condensed_where_the_runtime_says_that_the_window_is_full(tmp_path: Path, how: str) -> None:
    steps = [call("look", a=n) for n in range(6)]
    if how == "usage":
        steps[-1]["usage"] = {"input_tokens": 3900, "output_tokens": 10}
        replies = [*steps, {"content": "SUMMARY"}, {"content": "done"}]
    else:
        replies = [*steps, {"error": "overflow"}, {"content": "SUMMARY"}, {"content": "done"}]
    numbers = iter(range(100))

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"page {next(numbers)} " + "lorem ipsum " * 30)

    world = World(tmp_path, replies, [ToyTool("look", look)])
    world.windows["script"] = 4096 if how == "usage" else 100_000
    result, events = world.run()
    assert (result.outcome, result.output) == ("answered", "done")
    [condensed] = [event for event in events if isinstance(event, Condensed)]
    assert "SUMMARY" in condensed.summary
    assert 0 < condensed.kept < 12


@pytest.mark.parametrize("stumble", [[{"error": "unavailable"}], [{"error": "overflow"}, {"content": "SUMMARY"}]])
def test_a_resumed_script_goes_on_behind_replies_that_failed_and_summaries(
    tmp_path: Path, stumble: list[dict[str, Any]]
) -> None:
    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"page {arguments['a']} " + "lorem ipsum " * 30)

    steps = [call("look", a=n) for n in range(6)]
    world = World(tmp_path, [*steps, *stumble, call("look", a=6), {"content": "end"}], [ToyTool("look", look)])
    world.windows["script"] = 100_000
    assert world.run(limits=Limits(max_steps=7))[0].outcome == "limit"
    assert load(world.ledger, "s1").replies == {"script": 7 + len(stumble)}
    agent = world.agent()
    assert agent.call_id() == "call_8", "also where a summary took the place of the calls before"
    assert world.run("go on", agent)[0].output == "end"


def test_the_chain_takes_over_and_says_why(tmp_path: Path) -> None:
    world = World(tmp_path, [{"error": "unavailable"}], fallback=("spare",))
    world.script("spare", [{"content": "from the spare"}])
    result, events = world.run()
    moves = [(e.failed, e.to) for e in events if isinstance(e, FellBack)]
    assert (result.outcome, result.output, result.model) == ("answered", "from the spare", "spare")
    assert moves == [("script", "script"), ("script", "spare")]
    assert {e.why for e in events if isinstance(e, FellBack)} == {"down"}


def test_a_model_that_is_too_slow_is_not_waited_for_twice(tmp_path: Path) -> None:
    world = World(tmp_path, [{"error": "timeout"}], fallback=("spare",))
    world.script("spare", [{"content": "at once"}])
    result, events = world.run()
    assert (result.outcome, result.output) == ("answered", "at once")
    assert [(e.failed, e.to, e.why) for e in events if isinstance(e, FellBack)] == [("script", "spare", "slow")]


def test_a_model_that_refuses_native_tools_gets_them_as_text(tmp_path: Path) -> None:
    replies = [{"content": 'Action: look\nAction Input: {"a": 1}'}, {"content": "Final Answer: fine"}]
    look = toy("look", "seen")
    world = World(tmp_path, replies, [look])
    world.kind = Toolless
    result, events = world.run()
    assert (result.outcome, result.output) == ("answered", "fine")
    assert look.ran == [{"a": 1}]
    assert [e.reason for e in events if isinstance(e, FellBack)] == [
        "the model takes no tools; its tools go on as text"
    ]


def test_an_overflow_that_cannot_be_condensed_takes_the_next_model(tmp_path: Path) -> None:
    world = World(tmp_path, [{"error": "overflow"}], fallback=("same", "gone", "wide", "script"))
    world.script("same", [{"content": "never asked: its window is no larger"}])
    world.script("wide", [{"content": "it fits here"}])
    world.windows["wide"] = 32_000
    result, events = world.run()
    assert (result.outcome, result.output, result.model) == ("answered", "it fits here", "wide")
    moves = [(e.failed, e.to, e.why) for e in events if isinstance(e, FellBack)]
    assert moves == [("script", "gone", "context"), ("gone", "wide", "failed")]


def test_a_chain_of_overflows_ends(tmp_path: Path) -> None:
    world = World(tmp_path, [{"error": "overflow"}], fallback=("other", "script"))
    world.script("other", [{"error": "overflow"}])
    result, _ = world.run()
    assert result.outcome == "failed"
    assert result.error is not None
    assert result.error["type"] == "ContextOverflow"


def test_a_chain_without_an_answer_fails_with_its_reason(tmp_path: Path) -> None:
    result, _ = World(tmp_path, [{"error": "crash", "content": "half"}]).run()
    assert result.outcome == "failed"
    assert result.error is not None
    assert result.error["type"] == "ModelUnavailable"


def test_a_model_that_dies_once_is_asked_again(tmp_path: Path) -> None:
    result, events = World(tmp_path, [{"error": "crash", "content": "ha"}, {"content": "back"}]).run()
    assert (result.outcome, result.output) == ("answered", "back")
    assert sum(isinstance(e, FellBack) for e in events) == 1


def test_cancelling_ends_with_an_outcome_in_the_ledger(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "slowly", "delay": 5, "chunk": 1}])
    agent = world.agent()

    async def go() -> list[Any]:
        agent.outbox = asyncio.Queue()
        events = []

        async def read() -> None:
            async for event in run(agent, "go"):
                events.append(event)

        task = asyncio.create_task(read())
        await asyncio.sleep(0.05)
        task.cancel()
        await task
        return events

    events = asyncio.run(go())
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.outcome == "cancelled"
    assert [row.kind for row in world.ledger.rows()][-1] == "run_finished"


def test_closing_the_stream_is_a_cancellation_too(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "slowly", "delay": 5, "chunk": 1}])
    agent = world.agent()

    async def go() -> None:
        agent.outbox = asyncio.Queue()
        stream = run(agent, "go")
        await anext(stream)
        await stream.aclose()

    asyncio.run(go())
    last = list(world.ledger.rows())[-1]
    assert last.data is not None
    assert last.data["result"]["outcome"] == "cancelled"


def test_events_survive_their_json(tmp_path: Path) -> None:
    replies = [call("look", a={"deep": [1, None, ""]}), {"content": "ok", "thinking": "hm"}]
    _, events = World(tmp_path, replies, [toy("look")]).run()
    for event in events:
        assert from_json(kind_of(event), to_json(event)) == event


def test_every_event_is_durable_before_it_is_seen(tmp_path: Path) -> None:
    world = World(tmp_path, [call("look"), {"content": "ok"}], [toy("look")])
    agent = world.agent()

    async def go() -> None:
        agent.outbox = asyncio.Queue()
        async for event in run(agent, "go"):
            if isinstance(event, Replied | ToolStarted | ToolFinished | RunFinished | MessageAdded):
                assert kind_of(event) in {row.kind for row in world.ledger.rows()}

    asyncio.run(go())
    assert world.ledger.verify().ok


def test_replies_that_go_on_saying_the_same_are_a_circle(tmp_path: Path) -> None:
    numbers = iter(range(100))

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"page {next(numbers)}")

    replies = [{**call("look", a=n), "content": "I will now look at the file."} for n in range(40)]
    result, events = World(tmp_path, replies, [ToyTool("look", look)]).run()
    assert result.error is not None
    assert (result.outcome, result.error["type"], result.steps) == ("stalled", "same_text", 10)
    notes = [e.message.content for e in events if isinstance(e, MessageAdded) and e.source == "house"]
    assert any("said the same" in note for note in notes)
    assert result.partial
    assert "I will now look" in result.output


def test_the_seconds_of_a_call_are_those_in_which_it_ran(tmp_path: Path) -> None:
    """Not those in which a person made up their mind; a call that was refused ran for none."""
    both = [*call("look", a=1)["tool_calls"], *call("look", a=2)["tool_calls"]]
    world = World(tmp_path, [{"tool_calls": both}, {"content": "Fine."}], [toy("look")])
    clock, allowed = StepClock(), iter((True, False))
    agent = world.agent(clock=clock)

    async def asked(call: ToolCall, context: ToolContext) -> Outcome:
        clock.time += 60
        if not next(allowed):
            return Outcome("no", failure="denied")
        agent.emit(ToolStarted(call, "read"))
        clock.time += 2
        return Outcome("seen")

    agent.seat = replace(agent.seat, runners={"look": asked})
    _, events = world.run(agent=agent)
    assert [event.seconds for event in events if isinstance(event, ToolFinished)] == [2.0, 0.0]


def test_a_budget_of_tokens_bounds_what_the_next_reply_may_write(tmp_path: Path) -> None:
    look = {**call("look"), "usage": {"input_tokens": 100, "output_tokens": 60}}
    cut = {"content": "It is a long", "finish_reason": "length", "usage": {"input_tokens": 100, "output_tokens": 140}}
    world = World(tmp_path, [look, cut], [toy("look")])
    agent = world.agent(limits=Limits(max_tokens=300))
    result, _ = world.run("go", agent)
    assert isinstance(agent.seat.model, Recording)
    assert [request.max_tokens for request in agent.seat.model.requests] == [300, 140]
    assert (result.outcome, result.partial, (result.error or {})["type"]) == ("limit", True, "max_tokens")
    assert "It is a long" in result.output


def test_a_reply_that_was_not_understood_counts_as_read_and_written(tmp_path: Path) -> None:
    bad = {"content": '<tool_call>{"name": "lo', "usage": {"input_tokens": 250, "output_tokens": 50}}
    world = World(tmp_path, [bad, {"content": "fine"}], [toy("look")])
    result, events = world.run("go", world.agent(limits=Limits(max_tokens=300)))
    assert (result.outcome, result.steps) == ("limit", 0)
    assert [type(e) for e in events].count(ReplyRejected) == 1


def test_why_a_call_failed_is_written_once_and_read_from_old_ledgers_too(tmp_path: Path) -> None:
    _, events = World(tmp_path, [call("look"), {"content": "ok"}], [toy("look", Outcome("no", failure="failed"))]).run()
    (finished,) = (e for e in events if isinstance(e, ToolFinished))
    written = to_json(finished)
    assert "failure" not in written["result"]
    old = {**written, "result": {**written["result"], "failure": "failed"}}
    for data in (written, old):
        read = from_json("tool_finished", data)
        assert isinstance(read, ToolFinished)
        assert (read.failure, read.result.failure) == ("failed", "failed")


class Busy(Recording):
    """Refuses the first request and says how long it wants to be left alone."""

    wait = 0.0

    def reply(self, request: Request):  # type: ignore[no-untyped-def]
        if not self.requests:
            self.requests.append(request)
            error = ModelUnavailableError("script: slow down")
            error.wait = self.wait
            raise error
        return super().reply(request)


@pytest.mark.parametrize(("wait", "outcome"), [(0.001, "answered"), (3600.0, "failed")])
def test_a_busy_server_is_left_alone_as_long_as_it_asks_but_not_for_an_hour(
    tmp_path: Path, wait: float, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Busy, "wait", wait)
    world = World(tmp_path, [{"content": "Four."}])
    world.kind = Busy
    result, events = world.run("2 + 2?")
    assert result.outcome == outcome
    assert sum(isinstance(event, FellBack) for event in events) == (outcome == "answered")


@pytest.mark.parametrize(("wait", "answers"), [(0.001, "script"), (10.0, "other")])
def test_who_asks_for_patience_loses_its_turn_where_another_model_waits(
    tmp_path: Path, wait: float, answers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Busy, "wait", wait)
    world = World(tmp_path, [{"content": "Four."}], fallback=("other",))
    world.script("other", [{"content": "Vier."}])
    agent = world.agent()
    busy = Busy(Entry("script", "scripted", file=tmp_path / "script.jsonl", context=4096))
    agent.seat = replace(agent.seat, model=busy)
    result, _ = world.run("2 + 2?", agent)
    assert (result.outcome, result.model) == ("answered", answers)


class BrokenOff(Recording):
    """Its first reply ends without saying that it is complete."""

    async def reply(self, request: Request):  # type: ignore[no-untyped-def]
        self.requests.append(request)
        async for delta in ScriptedModel.reply(self, request):
            if len(self.requests) > 1 or not isinstance(delta, Finish):
                yield delta


def test_a_reply_without_an_end_is_tried_once_more(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "Half of"}, {"content": "Four."}])
    world.kind = BrokenOff
    result, events = world.run("2 + 2?")
    assert (result.outcome, result.output) == ("answered", "Four.")
    (again,) = (event for event in events if isinstance(event, FellBack))
    assert "without saying that it is complete" in again.reason
