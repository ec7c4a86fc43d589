"""Who decides about a call, in which mode, and what is told to whom."""

from pathlib import Path

import pytest

from localagent.events import ApprovalAsked, ApprovalGiven, FileChanged, ToolStarted
from localagent.guard.rules import Rule
from localagent.ports import Decision, Mode
from tests.fakes.tools import Bench

YES, NO = Decision(True), Decision(False, reason="not on Fridays.")

CALLS = {
    "read": ("read_file", {"path": "a.txt"}),
    "read outside": ("read_file", {"path": "../outside.txt"}),
    "write": ("write_file", {"path": "new.txt", "content": "x"}),
    "write outside": ("write_file", {"path": "../new.txt", "content": "x"}),
    "write a hook": ("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}),
    "write our rules": ("write_file", {"path": "../home/approvals.toml", "content": "x"}),
    "command": ("run_command", {"command": "touch new.txt"}),
    "command outside": ("run_command", {"command": "cat ../outside.txt"}),
    "question": ("ask_user", {"question": "?"}),
    "finish": ("finish", {"result": "x"}),
}
ASKED = {
    "ask": {"read outside", "write", "write outside", "write a hook", "write our rules", "command", "command outside"},
    "read": {"read outside"},
    "edit": {"read outside", "write outside", "write a hook", "write our rules", "command", "command outside"},
    "all": {"read outside", "write outside", "write a hook", "write our rules", "command outside"},
}
REFUSED = {"write", "write outside", "write a hook", "write our rules", "command", "command outside"}  # in mode read


@pytest.mark.parametrize("mode", ["ask", "read", "edit", "all"])
@pytest.mark.parametrize("name", CALLS)
async def test_what_each_mode_asks_about(bench: Bench, mode: Mode, name: str) -> None:
    bench.mode = mode
    bench.write("a.txt", "mine")
    bench.write("../outside.txt", "theirs")
    tool, arguments = CALLS[name]
    outcome = await bench.call(tool, **arguments)
    refused = mode == "read" and name in REFUSED
    assert bool(bench.person.asked) == (name in ASKED[mode])
    assert outcome.ok == (name not in ASKED[mode] and not refused)
    if not outcome.ok:
        assert outcome.failure == "denied"
        assert not (bench.workspace / "new.txt").exists()
        assert "theirs" not in outcome.content


@pytest.mark.parametrize("name", ["read outside", "write outside", "write", "command", "command outside"])
async def test_a_yes_opens_exactly_this(bench: Bench, name: str) -> None:
    bench.person.decision = YES
    bench.write("../outside.txt", "theirs")
    tool, arguments = CALLS[name]
    assert (await bench.call(tool, **arguments)).ok
    other = await bench.run("read_file", path="../other.txt")
    assert other.failure == "denied"


async def test_a_yes_to_a_folder_outside_is_passed_to_the_sandbox(bench: Bench) -> None:
    bench.person.decision = YES
    outside = bench.write("../outside.txt", "theirs").resolve()
    await bench.call("run_command", command="cat ../outside.txt")
    assert bench.sandbox.asked == [((outside,), False)]
    assert str(outside) in bench.person.asked[0].reason
    assert (bench.person.asked[0].why, bench.person.asked[0].outside) == ("outside", (outside,))


async def test_the_persons_reason_reaches_the_model(bench: Bench) -> None:
    bench.person.decision = NO
    outcome = await bench.call("write_file", path="a.txt", content="x")
    assert "not on Fridays." in outcome.content


async def test_the_person_sees_the_diff_and_the_commands(bench: Bench) -> None:
    bench.write("a.txt", "old")
    await bench.call("edit_file", path="a.txt", old="old", new="new")
    await bench.call("run_command", command="make && git push | cat")
    edit, command = bench.person.asked
    assert [(c.before, c.after) for c in edit.changes] == [(b"old", b"new")]
    assert command.segments == ("make", "git push", "cat")
    assert command.summary == "make && git push | cat"


async def test_events_come_before_the_effect(bench: Bench) -> None:
    bench.person.decision = YES
    seen: list[bool] = []

    class Watching(list):  # type: ignore[type-arg]
        def append(self, event: object) -> None:
            seen.append((bench.workspace / "a.txt").exists())
            super().append(event)

    bench.events = Watching()
    await bench.call("write_file", path="a.txt", content="x")
    assert [type(event) for event in bench.events] == [ApprovalAsked, ApprovalGiven, ToolStarted, FileChanged]
    assert not any(seen)
    started = bench.events[2]
    assert isinstance(started, ToolStarted)
    assert started.key


async def test_a_refused_call_never_started(bench: Bench) -> None:
    await bench.call("write_file", path="a.txt", content="x")
    assert [type(event) for event in bench.events] == [ApprovalAsked, ApprovalGiven]


async def test_for_the_session_means_the_same_command_only(bench: Bench) -> None:
    bench.person.decision = Decision(True, "session")
    await bench.call("run_command", command="echo a && echo b")
    await bench.call("run_command", command="echo b; echo a")
    assert len(bench.person.asked) == 1
    await bench.call("run_command", command="echo a; echo c")
    assert len(bench.person.asked) == 2
    given = [event for event in bench.events if isinstance(event, ApprovalGiven)]
    assert [event.by for event in given] == ["person", "rule", "person"]


async def test_for_the_session_means_the_same_file_only(bench: Bench) -> None:
    bench.person.decision = Decision(True, "session")
    await bench.call("write_file", path="a.txt", content="1")
    await bench.call("write_file", path="./a.txt", content="2")
    assert len(bench.person.asked) == 1
    await bench.call("write_file", path="b.txt", content="2")
    assert len(bench.person.asked) == 2


async def test_the_network_is_asked_about_by_itself(bench: Bench) -> None:
    bench.mode, bench.person.decision = "all", Decision(True, "session")
    await bench.call("run_command", command="true", network=True)
    assert "network" in bench.person.asked[0].reason
    assert bench.person.asked[0].why == "network"
    assert bench.sandbox.asked == [((), True)]
    await bench.call("run_command", command="true", network=True)
    assert len(bench.person.asked) == 1


async def test_a_rule_without_network_does_not_open_it(bench: Bench) -> None:
    bench.rules.allow.append(Rule("run_command", command="true"))
    await bench.call("run_command", command="true", network=True)
    assert len(bench.person.asked) == 1


@pytest.mark.parametrize("mode", ["ask", "edit", "all"])
async def test_deny_needs_no_person_and_beats_everything(bench: Bench, mode: Mode) -> None:
    bench.mode, bench.person.decision = mode, YES
    bench.rules.allow.append(Rule("*"))
    bench.rules.deny += [Rule("run_command", command="touch"), Rule(path="secret*")]
    bench.write("secret.txt", "the word")
    assert (await bench.call("run_command", command="true && touch x")).failure == "denied"
    assert (await bench.call("read_file", path="secret.txt")).failure == "denied"
    found = await bench.call("search_text", pattern="the word")
    assert found.failure == "denied"
    assert "the word" not in found.content
    assert bench.person.asked == []


async def test_an_unclear_line_beside_a_denied_command_is_asked_about(bench: Bench) -> None:
    bench.mode = "all"
    bench.rules.deny.append(Rule("run_command", command="touch"))
    await bench.call("run_command", command="for x in a; do touch $x; done")
    assert "cannot be told" in bench.person.asked[0].reason
    assert bench.person.asked[0].why == ""


async def test_without_a_sandbox_every_command_is_asked_about(bench: Bench) -> None:
    bench.mode, bench.sandbox.confines = "all", False
    bench.rules.allow.append(Rule("run_command"))
    assert (await bench.call("run_command", command="true")).failure == "denied"
    assert "cannot be confined" in bench.person.asked[0].reason
    assert bench.person.asked[0].why == "unconfined"


async def test_the_mode_may_change_between_calls(bench: Bench) -> None:
    bench.mode = "edit"
    runner = bench.runner("write_file")
    from localagent.messages import ToolCall

    call = ToolCall("1", "write_file", {"path": "a.txt", "content": "x"})
    assert (await runner(call, bench.context)).ok
    bench.mode = "read"
    assert (await runner(call, bench.context)).failure == "denied"


async def test_a_link_in_the_workspace_that_leads_out_is_outside(bench: Bench) -> None:
    bench.mode = "all"
    bench.write("../outside.txt", "theirs")
    (bench.workspace / "link.txt").symlink_to("../outside.txt")
    assert (await bench.call("edit_file", path="link.txt", old="theirs", new="mine")).failure == "denied"
    assert (bench.workspace / "../outside.txt").read_text() == "theirs"
    assert len(bench.person.asked) == 1


async def test_every_file_of_a_patch_counts(bench: Bench) -> None:
    bench.mode = "edit"
    patch = "--- /dev/null\n+++ b/in.txt\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/../out.txt\n@@ -0,0 +1 @@\n+x\n"
    assert (await bench.call("apply_patch", patch=patch)).failure == "denied"
    assert not (bench.workspace / "in.txt").exists()


@pytest.mark.parametrize("home", ["~", "~/", "~root", "$HOME"])
async def test_home_by_any_name_is_outside_for_commands(bench: Bench, home: str) -> None:
    bench.mode = "all"
    outcome = await bench.call("run_command", command=f"ls {home} > /dev/null")
    if home == "$HOME":
        assert outcome.ok  # only the sandbox can know: it has no home to show
    else:
        assert str(Path(home).expanduser()) in bench.person.asked[0].reason


async def test_a_call_runs_as_the_person_wrote_it_and_the_model_is_told(bench: Bench) -> None:
    bench.person.decision = Decision(True, arguments={"path": "b.txt", "content": "mine"})
    outcome = await bench.call("write_file", path="a.txt", content="x")
    assert outcome.ok
    assert (bench.workspace / "b.txt").read_text() == "mine"
    assert not (bench.workspace / "a.txt").exists()
    assert '"path": "b.txt"' in outcome.content.splitlines()[0]
    started = next(event for event in bench.events if isinstance(event, ToolStarted))
    assert started.call.arguments == {"path": "b.txt", "content": "mine"}


async def test_what_a_rule_forbids_stays_forbidden_for_an_edited_call(bench: Bench) -> None:
    bench.rules.deny.append(Rule(path="secret/*"))
    bench.person.decision = Decision(True, arguments={"path": "secret/a", "content": "x"})
    outcome = await bench.call("write_file", path="a.txt", content="x")
    assert outcome.failure == "denied"
    assert not (bench.workspace / "secret").exists()


async def test_edited_arguments_that_the_schema_refuses_do_not_run(bench: Bench) -> None:
    bench.person.decision = Decision(True, arguments={"path": "b.txt"})
    outcome = await bench.call("write_file", path="a.txt", content="x")
    assert outcome.failure == "denied"
    assert not (bench.workspace / "b.txt").exists()


async def test_an_edited_call_is_remembered_for_nothing(bench: Bench) -> None:
    bench.person.decision = Decision(True, "session", arguments={"path": "b.txt", "content": "mine"})
    for _ in range(2):
        await bench.call("write_file", path="a.txt", content="x")
    assert len(bench.person.asked) == 2


async def test_a_write_that_changes_nothing_asks_nobody(bench: Bench) -> None:
    bench.write("a.txt", "same")
    bench.write("../outside.txt", "same")
    assert (await bench.call("write_file", path="a.txt", content="same")).ok
    assert not bench.person.asked
    await bench.call("write_file", path="a.txt", content="other")
    await bench.call("write_file", path="../outside.txt", content="same")
    assert len(bench.person.asked) == 2
    bench.mode = "read"
    assert (await bench.call("write_file", path="a.txt", content="same")).failure == "denied"


@pytest.mark.parametrize(
    "name", [".GIT/hooks/pre-commit", "sub/.Git/config", "agents.md", ".git\u200c/config", ".git ./x"]
)
async def test_other_spellings_of_a_protected_name_ask_too(bench: Bench, name: str) -> None:
    bench.mode = "all"
    assert (await bench.call("write_file", path=name, content="x")).failure == "denied"
    assert len(bench.person.asked) == 1
