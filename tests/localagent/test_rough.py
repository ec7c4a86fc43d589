"""The command line handled roughly: closed streams, odd locales, full disks, a session that two want, hostile text."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from localagent.journal.claim import Claims
from localagent.terminal import in_line, plain
from tests.localagent.test_headless import ANSWER, WRITE, Desk

SLOW: dict[str, Any] = {"content": "one two " * 50, "delay": 0.1, "chunk": 2}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def start(desk: Desk, *words: str) -> subprocess.Popen[str]:
    """A run whose first word has come."""
    command = desk.command("run", *words, "--events", "--models", str(desk.folder / "models.toml"))
    process = subprocess.Popen(command, cwd=desk.work, env=desk.environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while '"event": "text"' not in process.stdout.readline():
        pass
    return process


def shell(desk: Desk, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command line `la` in a shell, with its streams as the shell says."""
    words = " ".join(desk.command())
    script = f'la() {{ {words} "$@" --models "{desk.folder}/models.toml"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=desk.work, env={**desk.environment, **environment}, capture_output=True, check=False
    )


def test_a_session_that_a_run_holds_is_not_taken_by_another(desk: Desk) -> None:
    desk.script(SLOW)
    with start(desk, "go") as first:
        session = json.loads(desk("sessions", "list", "--json").stdout)[0]["session"]
        for words in (("run", "--continue"), ("run", "more", "--resume", session), ("sessions", "delete", session)):
            second = desk(*words) if words[0] == "sessions" else desk.run(*words[1:])
            assert second.returncode == 2
            assert f"session {session} is in use by another localagent (process {first.pid})" in second.stderr
        first.kill()
    desk.script(ANSWER)
    assert desk.run("--continue").returncode == 0, "who was killed holds nothing any more"


def test_claims_are_of_one_holder_and_leave_nothing(tmp_path: Path) -> None:
    mine, other = Claims(tmp_path), Claims(tmp_path)
    mine.take("s")
    mine.take("s")
    with pytest.raises(Exception, match="in use"):
        other.take("s")
    mine.close()
    with other.hold("s"), pytest.raises(Exception, match="in use"):
        mine.take("s")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_polite_signal_ends_a_run_with_its_result(desk: Desk, number: signal.Signals) -> None:
    desk.script(SLOW)
    with start(desk, "go") as process:
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
    assert (process.returncode, json.loads(out.splitlines()[-1])["outcome"]) == (130, "cancelled")


def test_a_run_that_is_stopped_before_its_model_answers_has_its_result_too(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        desk.script(ANSWER, extra=f'[models.mute]\nbackend = "openai"\nbase_url = "http://127.0.0.1:{port}/v1"\n')
        words = desk.command("run", "go", "--model", "mute", "--json", "--models", str(desk.folder / "models.toml"))
        with subprocess.Popen(words, cwd=desk.work, env=desk.environment, stdout=subprocess.PIPE) as process:
            server.accept()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=20)
    assert (process.returncode, json.loads(out)["outcome"]) == (130, "cancelled")
    assert json.loads(desk("sessions", "list", "--json").stdout)[0]["outcome"] == "cancelled"


def test_impatience_does_not_lose_the_result(desk: Desk) -> None:
    command = {"tool_calls": [{"name": "run_command", "arguments": {"command": "trap '' TERM; sleep 30"}}]}
    desk.script({"content": "so far", **command}, ANSWER)
    words = desk.command("run", "go", "--approve", "all", "--events", "--models", str(desk.folder / "models.toml"))
    with subprocess.Popen(words, cwd=desk.work, env=desk.environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while '"event": "tool_started"' not in process.stdout.readline():
            pass
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    result = json.loads(out.splitlines()[-1])
    assert (process.returncode, result["outcome"], result["partial"]) == (130, "cancelled", True)


@pytest.mark.parametrize(("streams", "status"), [("<&-", 0), (">&-", 0), ("2>&-", 0), (">/dev/full", 4)])
def test_streams_that_are_closed_or_full_are_no_defect(desk: Desk, streams: str, status: int) -> None:
    desk.script(ANSWER)
    done = shell(desk, f"la run hi {streams}")
    assert (done.returncode, b"defect" in done.stderr) == (status, False), done.stderr
    assert streams != ">/dev/full" or b"No space left on device" in done.stderr


def test_a_folder_that_is_gone_is_said(desk: Desk) -> None:
    desk.script(ANSWER)
    done = shell(desk, "mkdir away; cd away; rmdir ../away; la run hi")
    assert (done.returncode, b"the folder that you are in is gone" in done.stderr) == (2, True), done.stderr


def test_results_are_utf_8_in_every_locale(desk: Desk) -> None:
    desk.script({"content": "Привет, ünï"})
    done = shell(desk, "la run hi --json", PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
    assert json.loads(done.stdout.decode("utf-8"))["output"] == "Привет, ünï"
    assert shell(desk, "la run hi", PYTHONUTF8="0", PYTHONIOENCODING="ascii").stdout.decode("utf-8") == "Привет, ünï\n"


def test_what_a_model_says_does_not_speak_to_the_terminal(desk: Desk) -> None:
    hostile = "all \x1b[2Jgood\x1b]0;owned\x07 \u202ecod"
    desk.script({"content": hostile})
    assert desk.run("hi").stdout == hostile + "\n", "a file or a pipe gets it as it is"
    reader, writer = pty.openpty()
    command = desk.command("run", "hi", "--models", str(desk.folder / "models.toml"))
    subprocess.run(command, cwd=desk.work, env=desk.environment, stdout=writer, stderr=writer, check=True)
    seen = os.read(reader, 10_000)
    assert b"good" in seen
    assert b"\x1b[2J" not in seen
    assert "\u202e".encode() not in seen


def test_plain_text_keeps_lines_and_letters() -> None:
    assert plain("a\tb\r\nc\x1b[1m é\u202e\ud800") == "a\tb\nc\ufffd[1m é\ufffd\ufffd"
    assert in_line("a\n b\x07") == "a b\ufffd"


def test_a_title_stays_on_its_line(desk: Desk) -> None:
    desk.script(ANSWER)
    desk.run("hi")
    session = json.loads(desk("sessions", "list", "--json").stdout)[0]["session"]
    desk("sessions", "rename", session, "two\nlines \x1b[31m")
    assert [line.split("  ")[-1] for line in desk("sessions", "list").stdout.splitlines()] == ["two lines \ufffd[31m"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sessions", "list", "--limit", "0"), "no whole number above 0"),
        (("sessions", "list", "--limit", "-3"), "no whole number above 0"),
        (("sessions", "rename", "1", " "), "at least one letter"),
        (("sessions", "fork", "1", "--at", "0"), "fork at 1 to 2"),
        (("run", "go", "--resume", ""), "--resume names no session"),
        (("journal", "verify", "--ledger", "none.db"), "none.db is no ledger"),
        (("journal", "verify", "--ledger", "/dev/null"), "/dev/null is no ledger"),
    ],
)
def test_what_cannot_be_meant_is_said(desk: Desk, words: tuple[str, ...], says: str) -> None:
    desk.script(ANSWER)
    desk.run("hi")
    done = desk(*words)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert not (desk.work / "none.db").exists()


def test_an_empty_file_is_not_taken_for_a_whole_ledger(desk: Desk) -> None:
    (desk.work / "cut.db").touch()
    done = desk("journal", "verify", "--ledger", "cut.db")
    assert (done.returncode, "whole" in done.stdout) == (2, False)


def test_a_broken_models_toml_does_not_leave_half_of_a_deletion(desk: Desk) -> None:
    desk.script(ANSWER)
    desk.run("hi")
    session = json.loads(desk("sessions", "list", "--json").stdout)[0]["session"]
    (desk.work / "models.toml").write_text("[models", encoding="utf-8")
    assert desk("sessions", "delete", session).returncode == 2
    assert session in desk("sessions", "list").stdout


def test_a_search_without_a_hit_says_so(desk: Desk) -> None:
    done = desk("sessions", "search", "nowhere")
    assert (done.stdout, "nothing was found" in done.stderr) == ("", True)


@pytest.mark.parametrize(("keys", "status", "outcome"), [(b"\x03", 130, "cancelled"), (b"n\n", 0, "answered")])
def test_a_question_at_a_terminal_is_left_by_ctrl_c_at_once(desk: Desk, keys: bytes, status: int, outcome: str) -> None:
    desk.script(WRITE, ANSWER)
    result = desk.folder / "result.json"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(desk.work)
        os.dup2(os.open(result, os.O_WRONLY | os.O_CREAT), 1)
        words = desk.command("run", "write", "--json", "--models", str(desk.folder / "models.toml"))
        os.execvpe(words[0], words, desk.environment)
    seen = b""
    while b"allow?" not in seen:
        seen += os.read(terminal, 4096)
    os.write(terminal, keys)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == status
    assert json.loads(result.read_text())["outcome"] == outcome
    assert not (desk.work / "out.txt").exists()
