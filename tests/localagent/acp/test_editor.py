"""An editor's session end to end: prompts, permissions with diffs, cancel, modes, models, sessions, errors."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("acp")

import acp
from acp import RequestError, schema

from localagent.errors import ResumeError
from localagent.journal.claim import claims_of
from tests.fakes.two_models import write_models
from tests.localagent.acp.editor import connected, editor

READ = {"content": "I read it.", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]}
EDIT = {"tool_calls": [{"name": "edit_file", "arguments": {"path": "notes.txt", "old": "world", "new": "there"}}]}
DONE = {"content": "Now it says **there**.", "chunk": 4, "thinking": "They want it changed."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("hello\nworld\n")
    return tmp_path


async def test_the_agent_says_what_it_can(folder: Path) -> None:
    write_models(folder, DONE)
    async with connected(folder) as one:
        hello = await one.agent.initialize(protocol_version=1)
        assert hello.protocol_version == 1
        assert hello.agent_info.name == "localagent"
        assert hello.agent_capabilities.load_session
        assert hello.agent_capabilities.prompt_capabilities.embedded_context


async def test_a_prompt_streams_a_call_asks_with_its_diff_and_an_answer_ends_the_turn(folder: Path) -> None:
    write_models(folder, READ, EDIT, DONE)
    async with editor(folder, "once") as one:
        answer = await one.say("change world to there")
        assert answer.stop_reason == "end_turn"
        assert one.said() == "I read it.Now it says **there**."
        assert "".join(u.content.text for u in one.of("agent_thought_chunk")) == "They want it changed."
        (asked,) = one.asked
        diff = asked.content[0]
        assert (diff.type, diff.old_text, diff.new_text) == ("diff", "hello\nworld\n", "hello\nthere\n")
        assert diff.path == str(folder / "notes.txt")
        assert one.offered == [["allow_once", "allow_always", "allow_always", "reject_once"]]
        assert (folder / "notes.txt").read_text() == "hello\nthere\n"


async def test_a_call_is_a_card_from_pending_to_its_diff(folder: Path) -> None:
    write_models(folder, READ, EDIT, DONE)
    async with editor(folder, "once") as one:
        await one.say("change world to there")
        reading, editing = one.of("tool_call")
        assert (reading.kind, reading.status) == ("read", "pending")
        assert reading.locations[0].path == str(folder / "notes.txt")
        states = [(u.tool_call_id, u.status) for u in one.of("tool_call_update")]
        for call in (reading, editing):
            mine = [status for id_, status in states if id_ == call.tool_call_id]
            assert mine == ["in_progress", "completed"]
        result = one.of("tool_call_update")[-1]
        assert result.content[0].type == "diff"
        assert result.content[0].new_text == "hello\nthere\n"


async def test_a_refusal_changes_nothing_and_the_run_goes_on(folder: Path) -> None:
    write_models(folder, EDIT, DONE)
    async with editor(folder, "no") as one:
        assert (await one.say("change it")).stop_reason == "end_turn"
        assert one.of("tool_call_update")[-1].status == "failed"
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"


async def test_a_session_s_yes_is_not_asked_again(folder: Path) -> None:
    command = {"tool_calls": [{"name": "run_command", "arguments": {"command": "echo hi"}}]}
    write_models(folder, command, command, {"content": "done"})
    async with editor(folder, "session", "session") as one:
        await one.say("run it twice")
        first, *more = one.asked
        assert "$ echo hi" in first.content[-1].content.text
        assert len(more) <= 1  # where nothing confines commands, each of them asks


async def test_cancel_ends_the_stream(folder: Path) -> None:
    write_models(folder, {"content": "word " * 400, "chunk": 5, "delay": 0.05})
    async with editor(folder) as one:
        import asyncio

        running = asyncio.create_task(one.say("talk"))
        await one.until(lambda: len(one.said()) > 10)
        await one.agent.cancel(session_id=one.session)
        assert (await asyncio.wait_for(running, 5)).stop_reason == "cancelled"
        assert len(one.said()) < 1000


async def test_cancel_ends_an_open_question(folder: Path) -> None:
    write_models(folder, EDIT, DONE)
    async with editor(folder) as one:
        import asyncio

        running = asyncio.create_task(one.say("change it"))
        await one.until(lambda: bool(one.asked))
        await one.agent.cancel(session_id=one.session)
        assert (await asyncio.wait_for(running, 5)).stop_reason == "cancelled"
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"


async def test_a_running_session_that_is_opened_again_keeps_its_run(folder: Path) -> None:
    write_models(folder, READ, EDIT, DONE)
    async with editor(folder) as one:
        import asyncio

        running = asyncio.create_task(one.say("change it"))
        await one.until(lambda: bool(one.asked))  # the run waits for an answer that never comes
        await one.agent.load_session(cwd=str(folder), session_id=one.session, mcp_servers=[])
        assert [update.content.text for update in one.of("user_message_chunk")] == ["change it"]
        await one.agent.resume_session(cwd=str(folder), session_id=one.session)
        with pytest.raises(RequestError, match="a run goes on"):
            await one.say("and this")
        with pytest.raises(RequestError, match="a run goes on"):
            await one.agent.load_session(cwd="/", session_id=one.session, mcp_servers=[])
        await one.agent.cancel(session_id=one.session)
        assert (await asyncio.wait_for(running, 20)).stop_reason == "cancelled"
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"


async def test_modes_decide_what_asks(folder: Path) -> None:
    write_models(folder, EDIT, DONE)
    async with connected(folder) as one:
        opened = await one.agent.new_session(cwd=str(folder), mcp_servers=[])
        one.session = opened.session_id
        assert opened.modes.current_mode_id == "ask"
        assert [mode.id for mode in opened.modes.available_modes] == ["ask", "read", "edit", "all"]
        await one.agent.set_session_mode(session_id=one.session, mode_id="edit")
        await one.say("change it")
        assert one.asked == []
        assert (folder / "notes.txt").read_text() == "hello\nthere\n"
        with pytest.raises(RequestError, match="no mode"):
            await one.agent.set_session_mode(session_id=one.session, mode_id="wild")


async def test_models_are_offered_and_changed(folder: Path) -> None:
    write_models(folder, DONE)
    async with editor(folder) as one:
        await one.until(lambda: bool(one.of("config_option_update")))
        model = next(o for o in one.of("config_option_update")[-1].config_options if o.id == "model")
        assert model.current_value == "script"
        assert {"script", "second"} <= {option.value for option in model.options}
        changed = await one.agent.set_config_option(session_id=one.session, config_id="model", value="second")
        assert next(o for o in changed.config_options if o.id == "model").current_value == "second"
        await one.say("who are you?")
        assert one.said() == "The second answers."
        with pytest.raises(RequestError, match="nowhere"):
            await one.agent.set_config_option(session_id=one.session, config_id="model", value="nowhere")


async def test_commands_are_offered_and_undo_takes_back(folder: Path) -> None:
    write_models(folder, EDIT, DONE)
    async with editor(folder, "once") as one:
        await one.say("change it")
        (offer,) = one.of("available_commands_update")
        assert [command.name for command in offer.available_commands] == ["undo", "condense"]
        await one.say("/undo")
        assert "notes.txt" in one.said()
        assert (folder / "notes.txt").read_text() == "hello\nworld\n"


async def test_a_session_is_listed_and_loaded_by_another_process(folder: Path) -> None:
    write_models(folder, READ, EDIT, DONE)
    async with editor(folder, "once") as one:
        await one.say("change world to there")
        session = one.session
    async with connected(folder) as two:
        listed = (await two.agent.list_sessions(cwd=str(folder))).sessions
        assert [(row.session_id, row.title) for row in listed] == [(session, "change world to there")]
        await two.agent.load_session(cwd=str(folder), session_id=session, mcp_servers=[])
        assert two.of("user_message_chunk")[0].content.text == "change world to there"
        assert two.said() == "I read it.Now it says **there**."
        assert [u.status for u in two.of("tool_call_update")] == ["completed", "completed"]
        with pytest.raises(RequestError, match="no session"):
            await two.agent.load_session(cwd=str(folder), session_id="nothing", mcp_servers=[])


@pytest.mark.parametrize("running", [False, True])
async def test_a_closed_session_is_free_for_others_while_the_editor_stays(folder: Path, running: bool) -> None:
    write_models(folder, *([EDIT] if running else [DONE]))
    claims = claims_of(folder / "home")
    async with editor(folder) as one:
        import asyncio

        saying = asyncio.create_task(one.say("change it"))
        await one.until(lambda: bool(one.asked) if running else saying.done())
        with pytest.raises(ResumeError, match="in use"):
            claims.take(one.session)
        await one.agent.close_session(session_id=one.session)
        assert (await saying).stop_reason == ("cancelled" if running else "end_turn")
        claims.take(one.session)
        claims.close()


async def test_a_failed_run_is_an_error_with_its_sentence(folder: Path) -> None:
    write_models(folder, {"error": "crash"})
    async with editor(folder) as one:
        with pytest.raises(RequestError, match="script"):
            await one.say("go")


async def test_what_cannot_be_done_says_why(folder: Path) -> None:
    write_models(folder, DONE)
    async with connected(folder) as one:
        with pytest.raises(RequestError, match="no folder"):
            await one.agent.new_session(cwd="relative", mcp_servers=[])
        with pytest.raises(RequestError):
            await one.agent.prompt(session_id="nothing", prompt=[acp.text_block("hi")])
        one.session = (await one.agent.new_session(cwd=str(folder), mcp_servers=[])).session_id
        with pytest.raises(RequestError, match="empty"):
            await one.say("   ")


async def test_linked_embedded_and_pictured_context_reaches_the_model(folder: Path) -> None:
    write_models(folder, DONE)
    picture = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    blocks: list[Any] = [
        acp.text_block("Look at "),
        acp.resource_link_block("notes.txt", (folder / "notes.txt").as_uri()),
        acp.resource_block(acp.embedded_text_resource("file:///a/b.py", "x = 1")),
        acp.image_block(picture, "image/png"),
    ]
    async with editor(folder) as one:
        await one.agent.prompt(session_id=one.session, prompt=blocks)
        session = one.session
    async with connected(folder) as two:
        await two.agent.load_session(cwd=str(folder), session_id=session, mcp_servers=[])
        text = two.of("user_message_chunk")[0].content.text
        assert f"@{folder / 'notes.txt'}" in text
        assert "x = 1" in text


def test_standard_output_is_the_protocol_s_alone(folder: Path) -> None:
    import os
    import subprocess
    import sys

    write_models(folder, DONE)
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n'
    env = {**os.environ, "LOCALAGENT_HOME": str(folder / "home")}
    command = [sys.executable, "-m", "localagent.cli", "acp", "--models", str(folder / "models.toml")]
    done = subprocess.run(command, input=hello, capture_output=True, env=env, timeout=30, check=True)
    (line,) = done.stdout.splitlines()
    assert schema.InitializeResponse.model_validate(json.loads(line)["result"])
    assert done.stderr == b""


def test_a_model_that_is_not_there_is_said_at_once(folder: Path) -> None:
    import subprocess
    import sys

    write_models(folder)
    command = [sys.executable, "-m", "localagent.cli", "acp", "--models", str(folder / "models.toml")]
    done = subprocess.run([*command, "--model", "secnd"], input=b"", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"did you mean" in done.stderr


@pytest.mark.parametrize(("place", "name"), [("stdin", "input"), ("stdout", "output")])
def test_a_stream_that_nobody_talks_through_is_said_in_one_line(folder: Path, place: str, name: str) -> None:
    import subprocess
    import sys

    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, place: subprocess.DEVNULL}
    command = [sys.executable, "-m", "localagent.cli", "acp"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **streams) as process:  # type: ignore[call-overload]
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 2
    assert complaint.startswith(f"localagent: standard {name} is no pipe: `localagent acp` is started by an editor")
    assert "Traceback" not in complaint


async def test_a_plan_ticks_off_and_is_no_card(folder: Path) -> None:
    plan = [{"items": ["look", "write"]}, {"done": [1]}]
    write_models(folder, *({"tool_calls": [{"name": "plan", "arguments": arguments}]} for arguments in plan), DONE)
    async with editor(folder) as one:
        await one.say("go")
        states = [[entry.status for entry in update.entries] for update in one.of("plan")]
        assert states == [["in_progress", "pending"], ["completed", "in_progress"]]
        assert one.of("tool_call") == []
