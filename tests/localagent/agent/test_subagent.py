"""A reader that a run sends out: what it may, where its steps lie, what it costs, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from localagent.agent.limits import Limits
from localagent.agent.loop import run
from localagent.agent.parts import Agent, Seat
from localagent.agent.subagent import READERS, delegate
from localagent.events import Delegated, Event, ToolOutput, ToolStarted, as_output, kind_of
from localagent.events_json import from_json, to_json
from localagent.journal.sessions import load
from localagent.messages import ToolCall
from localagent.ports import Outcome, ToolContext
from tests.fakes.agent import ToyTool, World, call, toy


def world(folder: Path, *replies: dict[str, Any], look: ToyTool | None = None) -> tuple[World, Agent]:
    """A run with `delegate`, a tool that looks and one that writes."""
    agents: list[Agent] = []

    def reading(seat: Seat, emit: Callable[[Event], None]) -> Seat:
        tools = {name: tool for name, tool in seat.tools.items() if name in READERS}

        def runner(name: str) -> Any:
            async def go(call: ToolCall, context: ToolContext) -> Outcome:
                emit(ToolStarted(call, "read"))
                return await tools[name].run(call.arguments, context)

            return go

        return replace(seat, system="You read.", tools=tools, runners={name: runner(name) for name in tools})

    sender = delegate("full", lambda: agents[0], reading)
    made = World(folder, replies, [look or toy("read_file", "forty-two"), toy("write_file", effect="write")])
    made.tools["delegate"] = sender  # type: ignore[assignment]
    agents.append(made.agent())
    return made, agents[0]


def nested(events: list[Event], kind: str = "") -> list[Event]:
    return [e.event for e in events if isinstance(e, Delegated) and kind_of(e.event).startswith(kind)]


SENT = call("delegate", task="what is the answer?")
LOOK = call("read_file", a=1)
REPORT = {"content": "It is 42.", "usage": {"input_tokens": 100, "output_tokens": 10}}
DONE = {"content": "Done."}


def test_the_reader_looks_and_its_answer_comes_back(tmp_path: Path) -> None:
    made, agent = world(tmp_path, SENT, LOOK, REPORT, DONE)
    result, events = made.run(agent=agent)
    assert (result.outcome, result.output) == ("answered", "Done.")
    assert result.steps == 2
    assert (result.usage.input_tokens or 0) > 100
    assert [t.name for t in result.tools] == ["delegate"]
    requests = made_requests(agent)
    assert [m.content for m in requests[1].messages] == ["You read.", "what is the answer?"]
    assert [t.name for t in requests[1].tools] == ["read_file"]
    assert requests[3].messages[-1].results[0].content == "It is 42."
    assert kind_of(nested(events)[0]) == "run_started"
    assert kind_of(nested(events)[-1]) == "run_finished"


def made_requests(agent: Agent) -> Any:
    return agent.seat.model.requests  # type: ignore[attr-defined]


def test_its_steps_lie_under_the_parents_run_and_are_no_part_of_its_history(tmp_path: Path) -> None:
    made, agent = world(tmp_path, SENT, LOOK, REPORT, DONE)
    made.run(agent=agent)
    rows = list(made.ledger.rows(session="s1"))
    wrapped = [row for row in rows if row.kind == "delegated"]
    assert {row.run for row in rows} == {"r1"}
    assert {row.data["step"] for row in wrapped if row.data} >= {"replied", "tool_started", "tool_finished"}
    assert not any(row.data and row.data["step"] in ("text", "working") for row in wrapped)
    assert [m.role for m in load(made.ledger, "s1").messages] == ["user", "assistant", "tool", "assistant"]
    assert load(made.ledger, "s1").replies.total() == 4
    assert made.ledger.verify().ok


def test_a_reader_cannot_change_anything_nor_send_out_another(tmp_path: Path) -> None:
    made, agent = world(tmp_path, SENT, call("write_file"), call("delegate", task="x"), REPORT, DONE)
    result, events = made.run(agent=agent)
    assert result.outcome == "answered"
    assert made.tools["write_file"].ran == []
    assert not nested(events, "tool_started")


def test_what_it_costs_counts_and_what_is_left_bounds_it(tmp_path: Path) -> None:
    spent = {**LOOK, "usage": {"input_tokens": 600, "output_tokens": 0}}
    made, agent = world(tmp_path, SENT, spent, spent, spent, DONE)
    agent.limits = Limits(max_tokens=1000)
    result, events = made.run(agent=agent)
    assert result.outcome == "limit"
    assert len(nested(events, "replied")) == 2


def test_a_reader_without_an_answer_is_a_failure_that_says_why(tmp_path: Path) -> None:
    made, agent = world(tmp_path, SENT, LOOK, LOOK, LOOK, DONE)
    result, _ = made.run(agent=agent)
    told = made_requests(agent)[-1].messages[-1].results[0]
    assert result.outcome == "answered"
    assert not told.ok
    assert "same answer" in told.content


def test_foreign_words_stay_foreign(tmp_path: Path) -> None:
    made, agent = world(tmp_path, SENT, LOOK, REPORT, DONE, look=toy("read_file", Outcome("obey", taint="mail.eml")))
    _, events = made.run(agent=agent)
    finished = [e for e in events if kind_of(e) == "tool_finished"]
    assert finished[-1].taint == "mail.eml"  # type: ignore[union-attr]


async def test_a_cancel_ends_the_reader_too(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def hang(arguments: dict[str, Any]) -> Outcome:
        started.set()
        await asyncio.sleep(60)
        return Outcome("late")

    made, agent = await asyncio.to_thread(world, tmp_path, SENT, LOOK, REPORT, look=ToyTool("read_file", hang))
    agent.outbox = asyncio.Queue()
    events: list[Event] = []

    async def go() -> None:
        events.extend([event async for event in run(agent, "do it")])

    task = asyncio.create_task(go())
    await asyncio.wait_for(started.wait(), 5)
    task.cancel()
    await asyncio.wait_for(task, 5)
    assert kind_of(events[-1]) == "run_finished"
    assert events[-1].result.outcome == "cancelled"  # type: ignore[union-attr]
    rows = [row.data for row in made.ledger.rows(session="s1", kinds=["delegated"]) if row.data]
    assert rows[-1]["step"] == "run_finished"


def test_a_reader_that_was_cut_off_runs_again(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    whole, agent = world(tmp_path, SENT, LOOK, REPORT, DONE)
    whole.run(agent=agent)
    rows = list(whole.ledger.rows(session="s1"))
    at = next(n for n, row in enumerate(rows) if row.data and row.data.get("step") == "tool_started")
    killed, _ = world(tmp_path / "killed", SENT, LOOK, LOOK, REPORT, DONE)
    for row in rows[: at + 1]:
        killed.ledger.append(row.kind, row.data or {}, session="s1", run="r1")
    made, agent = world(tmp_path / "killed", SENT, LOOK, LOOK, REPORT, DONE)
    assert [p.call.name for p in agent.pending] == ["delegate"]
    result, events = made.run(None, agent=agent)
    assert (result.outcome, result.output) == ("answered", "Done.")
    assert len(nested(events, "run_started")) == 1
    assert made_requests(agent)[-1].messages[-1].results[0].content == "It is 42."


def test_events_come_back_from_the_ledger(tmp_path: Path) -> None:
    event = Delegated("call_1", ToolStarted(ToolCall("call_2", "read_file", {"path": "a"}), "read"))
    assert from_json(kind_of(event), to_json(event)) == event
    assert as_output(event) == ToolOutput("call_1", "→ read_file path a\n")


@pytest.mark.parametrize("task", ["", "  "])
def test_an_empty_task_is_sent_back(tmp_path: Path, task: str) -> None:
    made, agent = world(tmp_path, call("delegate", task=task), DONE)
    made.run(agent=agent)
    assert "Say what to look up" in made_requests(agent)[-1].messages[-1].results[0].content
