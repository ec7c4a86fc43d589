"""What is there after a run that did not come to its end: a hand-off, a new limit, a fork."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localagent.agent.limits import Limits
from localagent.errors import ResumeError
from localagent.events_json import from_json
from localagent.journal.forking import fork, write_fork
from localagent.journal.handoff import hand_off
from localagent.journal.listing import as_markdown, resolve, sessions
from localagent.journal.search import search
from localagent.journal.sessions import Saved, apply, load
from localagent.ports import Outcome
from localagent.tui.blocks import Card
from localagent.tui.past import blocks_of
from tests.fakes.agent import Recording, ToyTool, World, call
from tests.localagent.test_headless import Desk

LOOKS = [{"tool_calls": [{"name": "search_text", "arguments": {"pattern": f"x{n}"}}]} for n in range(9)]


def reading(folder: Path, pages: int = 3) -> World:
    async def look(arguments: dict[str, Any]) -> Outcome:
        if arguments["a"] == 1:
            return Outcome("page 1 is not there", failure="not_found")
        return Outcome(f"page {arguments['a']}\n```\ncode\n```")

    replies = [{**call("look", a=n), "content": f"Reading {n}"} for n in range(pages)] + [{"content": "All read."}]
    return World(folder, replies, [ToyTool("look", look)])


def test_the_hand_off_tells_task_findings_tries_and_the_end(tmp_path: Path) -> None:
    world = reading(tmp_path)
    result, _ = world.run("Read the pages\nand count them", limits=Limits(max_steps=2))
    text = hand_off(world.ledger, "s1")
    assert "> Read the pages\n> and count them" in text
    assert "`look(a=0)`: page 0" in text
    assert "`look(a=1)`: failed: page 1 is not there" in text
    assert "limit: the limit of 2 steps is reached" in text
    assert result.run in text
    assert "Reading 1" in text
    assert load(world.ledger, "s1").outcome == "handed_off"
    assert world.ledger.verify().ok


def test_a_run_that_answered_is_told_but_keeps_its_outcome(tmp_path: Path) -> None:
    world = reading(tmp_path, pages=0)
    world.run("Read")
    assert "All read." in hand_off(world.ledger, "s1")
    assert load(world.ledger, "s1").outcome == "answered"


def test_without_a_run_there_is_nothing_to_hand_off(tmp_path: Path) -> None:
    with pytest.raises(ResumeError, match="no run"):
        hand_off(reading(tmp_path).ledger, "s1")


def test_handoff_on_the_command_line(desk: Desk) -> None:
    desk.script(*LOOKS)
    done = desk.run("look", "--json", "--max-steps", "2", "--handoff", "on.md")
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"], result["partial"]) == (3, "handed_off", True)
    written = (desk.work / "on.md").read_text(encoding="utf-8")
    assert result["run"] in written
    again = desk("sessions", "handoff", result["session"][:14], "--out", "again.md")
    assert (desk.work / "again.md").read_text(encoding="utf-8") == written + "\n", again.stderr
    assert "handed_off" in desk("sessions", "list").stdout


def test_a_run_at_its_limit_goes_on_with_a_new_one_and_no_task(desk: Desk) -> None:
    desk.script(*LOOKS[:4], {"content": "Nothing is there."})
    assert json.loads(desk.run("look", "--json", "--max-steps", "2").stdout)["outcome"] == "limit"
    result = json.loads(desk.run("--continue", "--json", "--max-steps", "5").stdout)
    assert (result["outcome"], result["output"], result["steps"]) == ("answered", "Nothing is there.", 3)
    assert "nothing is unfinished" in desk.run("--continue").stderr


def test_every_count_is_an_option(desk: Desk) -> None:
    desk.script({"tool_calls": [{"name": "list_dir", "arguments": {"path": "."}}]})
    result = json.loads(desk.run("look", "--json", "--max-same-results", "2").stdout)
    assert (result["outcome"], result["error"]["type"], result["steps"]) == ("stalled", "same_result", 2)


def test_a_fork_goes_on_from_any_whole_message(tmp_path: Path) -> None:
    world = reading(tmp_path)
    world.run("Read the pages")  # 1 task; 2, 4, 6 calls; 3, 5, 7 results; 8 the answer
    kept = load(world.ledger, "s1").messages
    for at in (1, 3, 5, 7, 8):
        child = fork(world.ledger, "s1", at=at)
        assert load(world.ledger, child).messages == kept[:at]
        assert load(world.ledger, child).unfinished is None
    assert load(world.ledger, fork(world.ledger, "s1")).messages == kept
    assert "> Read the pages" not in as_markdown(world.ledger, "s1")
    assert "## You · 1" in as_markdown(world.ledger, child)
    assert "### look · 7: ok" in as_markdown(world.ledger, child)
    with pytest.raises(ResumeError, match="fork at 3 or 5"):
        fork(world.ledger, "s1", at=4)
    with pytest.raises(ResumeError, match="8 messages"):
        fork(world.ledger, "s1", at=9)
    assert {row.parent for row in sessions(world.ledger)} == {"", "s1"}
    assert world.ledger.verify().ok


def test_a_note_of_the_house_is_never_taken_for_the_person_s(tmp_path: Path) -> None:
    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome("always the same")

    world = World(tmp_path, [call("look", a=1), call("look", a=1), {"content": "All read."}], [ToyTool("look", look)])
    world.run("Read the pages")
    child = fork(world.ledger, "s1")
    for session in ("s1", child, fork(world.ledger, child)):
        said = [(m.by, m.content) for m in load(world.ledger, session).messages if m.role == "user"]
        assert [by for by, _ in said] == ["", "house"]
        assert said[0][1] == "Read the pages"
        shown = as_markdown(world.ledger, session)
        assert (shown.count("## You"), shown.count("## Note")) == (1, 1)


def test_a_forked_script_goes_on_at_its_next_reply(tmp_path: Path) -> None:
    world = reading(tmp_path)
    world.run("Read the pages")
    agent = world.agent(session=fork(world.ledger, "s1", at=3))
    assert isinstance(agent.seat.model, Recording)
    result, _ = world.run("go on", agent)
    assert (result.output, result.steps) == ("All read.", 3)


def test_a_fork_on_the_command_line(desk: Desk) -> None:
    desk.script(LOOKS[0], {"content": "First."}, {"content": "Second."})
    parent = json.loads(desk.run("look", "--json").stdout)["session"]
    child = json.loads(desk("sessions", "fork", parent, "--at", "3", "--json").stdout)["session"]
    result = json.loads(desk.run("otherwise", "--json", "--resume", child).stdout)
    assert (result["session"], result["output"]) == (child, "First.")
    assert "First." in desk("sessions", "show", parent).stdout
    assert "otherwise" not in desk("sessions", "show", parent).stdout


def test_what_is_shown_are_valid_fences_of_json(tmp_path: Path) -> None:
    world = reading(tmp_path)
    world.run("Read")
    text = as_markdown(world.ledger, "s1")
    calls = [part.split("```")[0] for part in text.split("```json\n")[1:]]
    assert [json.loads(one) for one in calls] == [{"name": "look", "arguments": {"a": n}} for n in range(3)]
    assert "````\npage 0\n```\ncode\n```\n````" in text


def test_what_is_said_twice_is_found_once(tmp_path: Path) -> None:
    world = World(tmp_path, [call("look", a=n) for n in range(3)] + [{"content": "It is Zanzibar."}] * 2, [])
    world.run("Where is Zanzibar?")
    world.run("Where is Zanzibar?", world.agent())
    found = search(world.ledger, "zanzibar")
    assert sorted(hit.excerpt for hit in found) == ["It is [Zanzibar].", "Where is [Zanzibar]?"]


def test_a_session_is_named_by_its_beginning(tmp_path: Path) -> None:
    world = reading(tmp_path)
    for session in ("s1", "s12", "t3"):
        world.run("Read", world.agent(session=session))
    assert resolve(world.ledger, "s1") == "s1"
    assert resolve(world.ledger, "t") == "t3"
    for text in ("s", "x", "%"):
        with pytest.raises(ResumeError):
            resolve(world.ledger, text)


def test_nothing_names_no_session_not_even_the_only_one(tmp_path: Path) -> None:
    world = reading(tmp_path)
    world.run("Read")
    with pytest.raises(ResumeError, match="no session is named"):
        resolve(world.ledger, "")


def test_changes_are_taken_back_after_a_restart(desk: Desk) -> None:
    (desk.work / "a.txt").write_text("mine")
    writes = [("a.txt", "one"), ("b.txt", "two"), ("a.txt", "three")]
    calls = [{"name": "write_file", "arguments": {"path": path, "content": text}} for path, text in writes]
    desk.script(*({"tool_calls": [call]} for call in calls), {"content": "Written."})
    session = json.loads(desk.run("write", "--json", "--approve", "edit").stdout)["session"]
    assert (desk.work / "a.txt").read_text() == "three"
    assert desk("sessions", "undo", session).stdout == f"{desk.work / 'a.txt'}\n"
    assert (desk.work / "a.txt").read_text() == "one"
    (desk.work / "b.txt").write_text("changed since")
    refused = desk("sessions", "undo", session, "--all")
    assert refused.returncode == 4
    assert "b.txt: it changed since" in refused.stderr
    assert (desk.work / "a.txt").read_text() == "one"
    done = json.loads(desk("sessions", "undo", session, "--all", "--force", "--json").stdout)
    assert len(done["undone"]) == 2
    assert (desk.work / "a.txt").read_text() == "mine"
    assert not (desk.work / "b.txt").exists()
    assert "nothing to take back" in desk("sessions", "undo", session).stderr


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("old", [False, True])
def test_a_refusal_is_one_after_a_resume_and_in_a_fork(tmp_path: Path, old: bool) -> None:
    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome("the person said no", failure="denied")

    world = World(tmp_path, [call("look"), {"content": "Then not."}], [ToyTool("look", look)])
    world.run("Look")
    rows = [(row.kind, row.data) for row in world.ledger.rows(session="s1") if row.data]
    for kind, data in rows:
        if kind == "tool_finished":
            assert "failure" not in data["result"]
            data["result"].update({"failure": data["failure"]} if old else {})  # it was written twice once
    saved = Saved("s1")
    for kind, data in rows:
        apply(saved, from_json(kind, data))
    copy = load(world.ledger, write_fork(world.ledger, saved, saved.messages))
    for messages in (saved.messages, copy.messages):
        assert [block.state for block in blocks_of(messages) if isinstance(block, Card)] == ["denied"]
