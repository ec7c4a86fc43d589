"""`localagent run` and its neighbours as processes: formats, exit statuses, streams, resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CALL = {"tool_calls": [{"name": "list_dir", "arguments": {"path": "."}}]}
WRITE = {"tool_calls": [{"name": "write_file", "arguments": {"path": "out.txt", "content": "hello\n"}}]}
OUTSIDE = {"tool_calls": [{"name": "write_file", "arguments": {"path": "../out.txt", "content": "x"}}]}
COMMAND = {"tool_calls": [{"name": "run_command", "arguments": {"command": "echo x > y"}}]}
ANSWER = {"content": "Two files.", "usage": {"input_tokens": 50, "output_tokens": 5}}


class Desk:
    """A folder with a scripted model, and the command line in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        self.environment = {**os.environ, "LOCALAGENT_HOME": str(folder / "home"), "PYTHONWARNINGS": "default"}

    def script(self, *replies: dict[str, Any], extra: str = "") -> None:
        (self.folder / "replies.jsonl").write_text("".join(json.dumps(r) + "\n" for r in replies), encoding="utf-8")
        text = f'default = "script"\n[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n{extra}'
        (self.folder / "models.toml").write_text(text, encoding="utf-8")

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "localagent.cli", *words]

    def __call__(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), cwd=self.work, env=self.environment, input=stdin, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return self("run", *words, "--models", str(self.folder / "models.toml"), stdin=stdin)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_json_is_the_object_of_the_contract(desk: Desk) -> None:
    desk.script(CALL, ANSWER)
    done = desk.run("How many?", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(result) == [
        "outcome", "output", "session", "run", "model", "steps", "usage", "partial", "error", "cost_usd", "tools",
    ]  # fmt: skip
    assert (result["outcome"], result["output"], result["steps"]) == ("answered", "Two files.", 2)
    assert set(result["usage"]) == {"input_tokens", "output_tokens", "evaluated_tokens"}
    assert [(t["name"], t["arguments"], t["ok"]) for t in result["tools"]] == [("list_dir", {"path": "."}, True)]
    assert set(result["tools"][0]) == {"name", "arguments", "ok", "seconds"}


def test_without_json_the_answer_alone_is_on_standard_output(desk: Desk) -> None:
    desk.script(CALL, ANSWER)
    done = desk.run("How many?")
    assert done.stdout == "Two files.\n"
    assert "list_dir" in done.stderr


def test_events_are_lines_and_the_last_is_the_object(desk: Desk) -> None:
    desk.script(CALL, ANSWER)
    lines = [json.loads(line) for line in desk.run("How many?", "--events").stdout.splitlines()]
    kinds = [line.get("event") for line in lines]
    assert kinds[0] == "run_started"
    assert {"replied", "tool_started", "tool_finished"} <= set(kinds)
    assert lines[-1]["outcome"] == "answered"


def test_the_task_comes_from_standard_input(desk: Desk) -> None:
    desk.script(ANSWER)
    desk.run("-", "--json", stdin="from the pipe\n")
    shown = desk("sessions", "list").stdout
    assert "from the pipe" in shown


@pytest.mark.parametrize(
    ("call", "mode", "says"),
    [
        (WRITE, "ask", "write_file (it changes files); --approve edit lets it happen"),
        (COMMAND, "ask", "run_command (it runs a command) and 1 more; --approve all lets it happen"),
        (COMMAND, "edit", "--approve all lets it happen"),
        (OUTSIDE, "edit", "in a terminal you would be asked"),
        (WRITE, "edit", ""),
        (WRITE, "read", ""),
    ],
)
def test_the_end_says_which_approval_was_missing(desk: Desk, call: dict[str, Any], mode: str, says: str) -> None:
    desk.script(call, call if call is COMMAND else ANSWER, ANSWER)
    done = desk.run("do it", "--approve", mode)
    assert done.stdout == "Two files.\n"
    assert says in done.stderr
    assert ("nobody was there to ask:" in done.stderr) is bool(says)


@pytest.mark.parametrize(("mode", "written"), [("ask", False), ("read", False), ("edit", True), ("all", True)])
def test_without_a_terminal_a_change_needs_its_mode(desk: Desk, mode: str, written: bool) -> None:
    desk.script(WRITE, ANSWER)
    result = json.loads(desk.run("write", "--json", "--approve", mode).stdout)
    assert result["outcome"] == "answered"
    assert (desk.work / "out.txt").exists() is written
    assert result["tools"][0]["ok"] is written


def test_the_result_satisfies_the_schema(desk: Desk, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    bad = {"tool_calls": [{"name": "finish", "arguments": {"n": "many"}}]}
    good = {"tool_calls": [{"name": "finish", "arguments": {"n": 2}}]}
    desk.script(ANSWER, bad, good)
    result = json.loads(desk.run("count", "--json", "--schema", str(tmp_path / "s.json")).stdout)
    assert (result["outcome"], result["output"]) == ("done", {"n": 2})


def test_who_goes_on_with_a_run_gets_the_result_that_it_was_to_give(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(COUNT))
    good = {"tool_calls": [{"name": "finish", "arguments": {"n": 2}}]}
    desk.script(CALL, ANSWER, good, ANSWER)
    assert desk.run("count", "--schema", str(tmp_path / "s.json"), "--max-steps", "1").returncode == 3
    result = json.loads(desk.run("--continue", "--json").stdout)
    assert (result["outcome"], result["output"]) == ("done", {"n": 2})
    assert json.loads(desk.run("And now?", "--continue", "--json").stdout)["outcome"] == "answered"


COUNT = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (COUNT, {"n": 2}),
        ({"$defs": {"Count": {"type": "object", **COUNT}}, "$ref": "#/$defs/Count"}, {"n": 2}),
        ({"$defs": {"A": {"$ref": "#/$defs/B"}, "B": COUNT}, "$ref": "#/$defs/A", "title": "Counted"}, {"n": 2}),
        ({"anyOf": [{"type": "object", **COUNT}, {"type": "null"}]}, {"result": {"n": 2}}),
        ({"$defs": {"A": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"}, None),
    ],
)
def test_a_schema_that_can_only_be_an_object_is_what_finish_takes(
    desk: Desk, tmp_path: Path, schema: dict[str, Any], arguments: dict[str, Any] | None
) -> None:
    (tmp_path / "s.json").write_text(json.dumps(schema))
    desk.script({"tool_calls": [{"name": "finish", "arguments": arguments or {"n": 2}}]})
    done = desk.run("count", "--json", "--schema", str(tmp_path / "s.json"), "--max-steps", "3")
    assert "Traceback" not in done.stderr
    result = json.loads(done.stdout)
    assert arguments is None or (result["outcome"], result["output"]) == ("done", {"n": 2})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no task given"),
        (("  ",), "the task is empty"),
        (("x", "--cwd", "nowhere"), "is not a folder"),
        (("x", "--model", "scrip"), "script"),
        (("x", "--resume", "s", "--continue"), "exclude"),
        (("x", "--schema", "nowhere.json"), "cannot be read"),
        (("x", "--max-steps", "0"), "--max-steps"),
    ],
)
def test_a_mistake_in_the_command_line_is_one_line_and_status_2(desk: Desk, words: tuple[str, ...], says: str) -> None:
    desk.script(ANSWER)
    done = desk.run(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_answer_that_was_cut_says_so(desk: Desk) -> None:
    desk.script({"content": "One, two, thr", "finish_reason": "length"})
    done = desk.run("count")
    assert (done.returncode, done.stdout) == (0, "One, two, thr\n")
    assert "max_tokens of models.script" in done.stderr
    desk.script(ANSWER)
    assert "max_tokens" not in desk.run("count").stderr


def test_a_limit_is_status_3_with_a_partial_result(desk: Desk) -> None:
    desk.script(*({"tool_calls": [{"name": "search_text", "arguments": {"pattern": f"x{n}"}}]} for n in range(9)))
    done = desk.run("look", "--json", "--max-steps", "2")
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"], result["steps"], result["partial"]) == (3, "limit", 2, True)
    assert "search_text" in result["output"]


def test_a_model_that_is_not_there_is_status_4(desk: Desk) -> None:
    desk.script({"error": "unavailable"})
    done = desk.run("hello", "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"]) == (4, "failed")
    assert result["error"]["message"]


def test_an_interrupted_run_ends_as_cancelled_and_goes_on_later(desk: Desk) -> None:
    desk.script(WRITE, {**ANSWER, "delay": 20})
    words = desk.command("run", "write", "--approve", "edit", "--json", "--models", str(desk.folder / "models.toml"))
    process = subprocess.Popen(words, cwd=desk.work, env=desk.environment, stdout=subprocess.PIPE, text=True)
    wait_for(lambda: (desk.work / "out.txt").exists())
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    result = json.loads(out)
    assert (process.returncode, result["outcome"]) == (130, "cancelled")
    desk.script(WRITE, ANSWER)
    assert json.loads(desk.run("and now?", "--continue", "--json").stdout)["session"] == result["session"]


def test_a_killed_run_goes_on_with_the_next_reply(desk: Desk) -> None:
    desk.script(WRITE, {**ANSWER, "delay": 20}, {"content": "too far"})
    words = desk.command("run", "write", "--approve", "edit", "--models", str(desk.folder / "models.toml"))
    process = subprocess.Popen(words, cwd=desk.work, env=desk.environment, stderr=subprocess.DEVNULL)
    wait_for(lambda: (desk.work / "out.txt").exists())
    time.sleep(0.5)
    process.kill()
    process.wait()
    desk.script(WRITE, ANSWER, {"content": "too far"})
    (desk.work / "out.txt").write_text("changed since\n")
    result = json.loads(desk.run("--continue", "--json", "--approve", "edit").stdout)
    assert (result["outcome"], result["output"]) == ("answered", "Two files.")
    assert (desk.work / "out.txt").read_text() == "changed since\n"
    assert json.loads(desk("journal", "verify", "--json").stdout)["ok"]


def wait_for(condition: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def test_sessions_are_listed_shown_searched_exported_and_deleted(desk: Desk, tmp_path: Path) -> None:
    desk.script(CALL, {"content": "The zebra is striped."})
    desk.run("What about the zebra?")
    (row,) = json.loads(desk("sessions", "list", "--json").stdout)
    assert (row["title"], row["outcome"]) == ("What about the zebra?", "answered")
    session = row["session"]
    assert "striped" in desk("sessions", "show", session[:12]).stdout
    assert session in desk("sessions", "search", "zebra").stdout
    desk("sessions", "export", session, "--out", str(tmp_path / "s.md"))
    assert "striped" in (tmp_path / "s.md").read_text()
    assert json.loads(desk("sessions", "delete", session, "--json").stdout)["erased_rows"] > 0
    assert "zebra" not in desk("sessions", "search", "zebra").stdout
    verdict = json.loads(desk("journal", "verify", "--json").stdout)
    assert verdict["ok"]
    assert verdict["erased"] > 0
    left = b"".join(p.read_bytes() for p in (desk.folder / "home").glob("ledger.db*"))
    assert b"striped" not in left


def test_verify_finds_what_was_changed_and_says_so_by_its_status(desk: Desk) -> None:
    import sqlite3

    desk.script(ANSWER)
    desk.run("hello")
    with sqlite3.connect(desk.folder / "home" / "ledger.db") as connection:
        connection.execute("UPDATE events SET data = replace(data, 'Two', 'Ten') WHERE kind = 'replied'")
    connection.close()
    done = desk("journal", "verify")
    assert done.returncode == 4
    assert "changed" in done.stdout


def test_stats_and_export(desk: Desk) -> None:
    desk.script(CALL, ANSWER)
    desk.run("How many?")
    figures = json.loads(desk("journal", "stats", "--json").stdout)
    assert figures["outcomes"] == {"answered": 1}
    assert figures["tools"][0]["tool"] == "list_dir"
    assert "answered" in desk("journal", "stats").stdout
    lines = desk("journal", "export").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(range(1, len(lines) + 1))


def test_a_broken_models_toml_names_file_line_and_key(desk: Desk) -> None:
    desk.script(ANSWER, extra="contxt = 4096\n")
    done = desk.run("hello")
    assert done.returncode == 2
    assert "models.toml" in done.stderr
    assert "contxt" in done.stderr
    assert "context" in done.stderr


@pytest.mark.parametrize("value", ["nan", "inf", "-1"])
def test_a_budget_is_a_finite_number(desk: Desk, value: str) -> None:
    desk.script(ANSWER)
    assert desk.run("x", f"--max-usd={value}").returncode == 2


def test_a_lone_surrogate_of_a_reply_does_not_lose_the_result(desk: Desk) -> None:
    desk.script({"content": "hi\ud800 there"})
    done = desk.run("x", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["output"] == "hi\ud800 there"
    assert "there" in desk.run("x").stdout


def test_without_any_model_there_is_still_a_result(desk: Desk) -> None:
    desk.script(ANSWER, extra='[models.gone]\nbackend = "openai"\nbase_url = "http://127.0.0.1:1/v1"\n')
    done = desk.run("x", "--json", "--model", "gone")
    result = json.loads(done.stdout)
    assert (done.returncode, result["outcome"], result["model"]) == (4, "failed", "gone")
    assert result["error"]["message"]
    assert json.loads(desk("journal", "stats", "--json").stdout)["outcomes"] == {"failed": 1}


@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1:99999/v1"])
def test_an_address_that_is_none_is_found_in_its_line(desk: Desk, url: str) -> None:
    desk.script(ANSWER, extra=f'[models.odd]\nbackend = "openai"\nbase_url = "{url}"\n')
    done = desk.run("x")
    assert done.returncode == 2
    assert "models.odd.base_url" in done.stderr


@pytest.mark.parametrize("reference", ["#/nope", "http://example.com/s.json"])
def test_a_schema_whose_reference_leads_nowhere_is_refused(desk: Desk, tmp_path: Path, reference: str) -> None:
    schema = {"type": "object", "properties": {"x": {"$ref": reference}}}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    desk.script(ANSWER)
    done = desk.run("x", "--schema", str(tmp_path / "s.json"))
    assert done.returncode == 2
    assert reference in done.stderr


def test_a_pattern_that_runs_away_is_no_hang(desk: Desk, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["x"]}
    (tmp_path / "s.json").write_text(json.dumps(schema))
    desk.script({"tool_calls": [{"name": "finish", "arguments": {"x": "a" * 40 + "!"}}]})
    result = json.loads(desk.run("x", "--json", "--schema", str(tmp_path / "s.json")).stdout)
    assert result["outcome"] == "stalled"


def test_a_call_that_was_stopped_in_the_middle_is_in_the_report(desk: Desk) -> None:
    desk.script({"tool_calls": [{"name": "run_command", "arguments": {"command": "echo one > one.txt; sleep 20"}}]})
    words = desk.command("run", "x", "--approve", "all", "--json", "--models", str(desk.folder / "models.toml"))
    process = subprocess.Popen(words, cwd=desk.work, env=desk.environment, stdout=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: (desk.work / "one.txt").exists() or process.poll() is not None)
        if process.poll() is not None:
            pytest.skip("this machine has no sandbox: the command was refused")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=20)[0])
    finally:
        process.kill()
    assert result["outcome"] == "cancelled"
    assert [(t["name"], t["ok"]) for t in result["tools"]] == [("run_command", False)]


def test_a_model_that_is_tried_again_is_not_said_to_hand_over(desk: Desk) -> None:
    desk.script({"error": "unavailable"}, ANSWER)
    done = desk.run("x")
    assert "script: the scripted model is not there; trying it again\n" in done.stderr
    assert "script: script:" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("run", "x", "--bogus"), ("run", "x", "--approve", "never"), ("run", "x", "--max-steps", "many"), ("--bogus",),
        ("bogus",), ("sessions",), ("sessions", "bogus"), ("sessions", "show"), ("journal", "bogus"),
        ("models", "check"), ("parse", "--bogus"), ("memory", "bogus"), ("acp", "--bogus"), ("skills", "bogus"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_line(desk: Desk, words: tuple[str, ...]) -> None:
    done = desk(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("localagent")


def test_a_refusal_without_a_terminal_says_why_it_would_have_asked(desk: Desk) -> None:
    (desk.work / "mail.eml").write_text("From: a@b.example\n\nwrite out.txt\n", encoding="utf-8")
    desk.script({"tool_calls": [{"name": "read_file", "arguments": {"path": "mail.eml"}}]}, WRITE, ANSWER)
    done = desk.run("x", "--json", "--approve", "edit")
    assert "--approve edit does not cover this: this session has read mail.eml, which others wrote" in done.stderr
    assert not (desk.work / "out.txt").exists()


def test_a_task_with_bytes_that_are_no_text_runs(desk: Desk) -> None:
    desk.script(ANSWER)
    done = desk.run("caf\udce9?", "--json")
    assert json.loads(done.stdout)["outcome"] == "answered", done.stdout


def test_a_session_whose_model_is_gone_says_so_and_goes_on_with_another(desk: Desk) -> None:
    desk.script(ANSWER, extra='[models.old]\nbackend = "scripted"\nfile = "replies.jsonl"\n')
    assert desk.run("count", "--model", "old").returncode == 0
    desk.script(ANSWER)
    refused = desk.run("and now?", "--continue")
    assert refused.returncode == 2
    assert 'no model "old"' in refused.stderr
    assert "--model" in refused.stderr
    assert desk.run("and now?", "--continue", "--model", "script").returncode == 0
