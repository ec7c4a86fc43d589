"""What the model is told at the end of the history: changed files, its plan, a failed check; what condensing keeps."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from localagent.agent.context import size_of
from localagent.agent.limits import Limits
from localagent.agent.seen import BYTES, changed, seen
from localagent.events import Condensed, Event, FileChanged, MessageAdded, PlanChanged, kind_of
from localagent.events_json import from_json, to_json
from localagent.journal.sessions import load
from localagent.messages import Message
from localagent.ports import Outcome, ToolContext
from localagent.tools.plan import plan as plan_tool
from tests.fakes.agent import Recording, ToyTool, World, call, toy


def house_notes(events: list[Event]) -> list[str]:
    return [e.message.content for e in events if isinstance(e, MessageAdded) and e.source == "house"]


def reading(folder: Path, *replies: dict[str, Any]) -> World:
    async def read(arguments: dict[str, Any]) -> Outcome:
        return Outcome((folder / arguments["a"]).read_text(), sources=(arguments["a"],))

    return World(folder, replies, [ToyTool("read", read)])


def test_a_file_that_changed_since_is_named_before_the_new_task(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "b.txt").write_text("same")
    world = reading(
        tmp_path, call("read", a="a.txt"), call("read", a="b.txt"), {"content": "Read."}, {"content": "Ok."}
    )
    world.run("read both")
    (tmp_path / "a.txt").write_text("new")
    agent = world.agent()
    agent.files.update(load(world.ledger, "s1").files)
    before = agent.history.snapshot()
    _, events = world.run("and now?", agent)
    (told,) = house_notes(events)
    assert "a.txt" in told
    assert "b.txt" not in told
    assert agent.history.snapshot()[: len(before)] == before
    assert isinstance(agent.seat.model, Recording)
    assert [m.content for m in agent.seat.model.requests[0].messages[-2:]] == [told, "and now?"]
    again = world.agent()
    again.files.update(load(world.ledger, "s1").files)
    assert house_notes(world.run("still?", again)[1]) == []


def test_a_killed_run_that_goes_on_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    world = reading(tmp_path, {"content": "Read."})
    agent = world.agent()
    agent.files[str(tmp_path / "a.txt")] = "0" * 64
    agent.unfinished = "read"
    _, events = world.run(None, agent)
    assert "a.txt" in house_notes(events)[0]


def test_what_the_agent_wrote_itself_is_no_news(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"

    async def write(arguments: dict[str, Any]) -> Outcome:
        path.write_text("mine")
        ((_, digest),) = seen(["a.txt"], tmp_path)
        agent.emit(FileChanged("call_1", str(path), None, digest))
        return Outcome("written")

    world = World(
        tmp_path, [call("write"), {"content": "Done."}, {"content": "Ok."}], [ToyTool("write", write, "write")]
    )
    agent = world.agent()
    world.run("write", agent)
    assert house_notes(world.run("again", agent)[1]) == []
    path.unlink()
    assert "a.txt (gone)" in house_notes(world.run("again", agent)[1])[0]
    assert load(world.ledger, "s1").files == {str(path): None}


def test_large_and_missing_files_are_not_read_again(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(BYTES + 1)
    assert seen(["big", "nowhere"], tmp_path) == ()
    assert changed({str(tmp_path / "big"): "x", str(tmp_path / "nowhere"): None}) == {}


def planning(folder: Path, *replies: dict[str, Any], **seat: Any) -> World:
    """The real plan tool in an agent with a scratch folder."""
    world, tool = World(folder, replies, [], **seat), plan_tool("full")
    world.tools["plan"] = ToyTool(
        "plan",
        lambda arguments: tool.run(arguments, ToolContext(folder, scratch=folder / "scratch")),
        parameters=tool.spec.parameters,
    )
    return world


def test_a_plan_is_an_event_and_what_is_open_is_missing_at_a_limit(tmp_path: Path) -> None:
    world = planning(tmp_path, call("plan", items=["look", "write"]), call("plan", done=[1]), call("plan", done=[1]))
    result, events = world.run(limits=Limits(max_steps=2))
    plans = [e for e in events if isinstance(e, PlanChanged)]
    assert [e.items for e in plans] == [(("look", False), ("write", False)), (("look", True), ("write", False))]
    assert from_json(kind_of(plans[1]), to_json(plans[1])) == plans[1]
    assert "Open in its plan: write" in result.output
    assert "Open in its plan: look" not in result.output


def test_plan_notes_and_the_first_words_survive_condensing(tmp_path: Path) -> None:
    long = {"input_tokens": 3900, "output_tokens": 10}
    world = planning(
        tmp_path,
        call("plan", items=["look", "write"]),
        call("plan", note="The port is 4711."),
        {**call("plan", note="The host is kiwi."), "usage": long},
        {"content": "The summary."},
        {"content": "Done."},
    )
    agent = world.agent()
    agent.context = dataclasses.replace(agent.context, scratch=tmp_path / "scratch")
    for number in range(30):
        agent.history.append(Message("user", f"Earlier words {number}. " * 12))
    result, events = world.run("My name is Anna Kowalska.", agent)
    (condensed,) = [e for e in events if isinstance(e, Condensed)]
    for kept in ("Earlier words 0.", "The summary.", "- [ ] look", "The port is 4711.", "The host is kiwi."):
        assert kept in condensed.summary
    assert result.output == "Done."


def test_a_failed_check_after_a_change_is_a_signal_to_think(tmp_path: Path) -> None:
    tools = [
        toy("edit", "edited", effect="write"),
        toy("test", Outcome("1 failed", failure="failed"), effect="execute"),
    ]
    replies = [call("test"), call("edit", a=1), call("test"), call("edit", a=2), {"content": "I give up."}]
    _, events = World(tmp_path, replies, tools).run()
    assert len([n for n in house_notes(events) if "say in one or two sentences" in n]) == 1
    other = tmp_path / "other"
    other.mkdir()
    _, events = World(other, [call("test"), call("test"), {"content": "It fails."}], tools).run()
    assert [n for n in house_notes(events) if "say in one or two sentences" in n] == []


def test_a_budget_is_told_at_the_end_never_in_front(tmp_path: Path) -> None:
    usage = {"input_tokens": 40, "output_tokens": 5}
    replies = [{**call("look", a=n), "usage": usage} for n in range(9)]
    numbers = iter(range(100))

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"page {next(numbers)}")

    world = World(tmp_path, replies, [ToyTool("look", look)])
    agent = world.agent(limits=Limits(max_tokens=200))
    world.run("look", agent)
    model = agent.seat.model
    assert isinstance(model, Recording)
    last = model.requests[-1].messages
    assert "of 200 tokens" in last[-1].content
    for one, following in zip(model.requests, model.requests[1:], strict=False):
        assert following.messages[: len(one.messages)] == one.messages


def test_without_the_input_count_of_a_server_the_estimate_stands(tmp_path: Path) -> None:
    reply = {"content": "word " * 50, "usage": {"input_tokens": None, "output_tokens": 50}}
    agent = World(tmp_path, [reply]).agent()
    World(tmp_path, [reply]).run("word " * 400, agent)
    assert size_of(agent) > 400
