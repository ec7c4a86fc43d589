"""run_command and job: streams, limits, odd bytes, and nothing left behind."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from localagent.tools.jobs import Jobs
from tests.fakes.tools import Bench


async def test_output_of_both_streams_and_the_exit_code(bench: Bench) -> None:
    outcome = await bench.run("run_command", command="echo out; echo err >&2; exit 3")
    assert outcome.content == "out\nerr\n[exit code 3]"
    assert outcome.failure == "failed"
    assert (await bench.run("run_command", command="true")).content == "[done, no output]"


async def test_output_streams_while_the_command_runs(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("run_command", command="echo first; read -t 30 x < <(sleep 30)"))
    began = time.monotonic()
    while not bench.emitted and time.monotonic() - began < 20:
        await asyncio.sleep(0.01)
    assert bench.emitted == ["first\n"]
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_long_output_is_cut_and_the_whole_can_be_read(bench: Bench) -> None:
    outcome = await bench.run("run_command", command="seq 1 20000; echo the end")
    assert len(outcome.content) < bench.result_chars + 300
    assert outcome.content.startswith("1\n2\n")
    assert outcome.content.endswith("the end")
    note = next(line for line in outcome.content.split("\n") if line.startswith("[…"))
    path, start = (note.split(f"{key}=")[1].split()[0] for key in ("path", "start"))
    last_seen = int(outcome.content.split("\n[…")[0].split("\n")[-1])
    page = await bench.run("read_file", path=path, start=int(start))
    assert page.content.startswith(f"{start}\t{last_seen + 1}")
    assert outcome.full is not None
    assert outcome.full.count("\n") == 20001


async def test_the_end_of_endless_output_is_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from localagent.tools import process

    monkeypatch.setattr(process, "KEPT_CHARS", 200_000)
    outcome = await bench.run("run_command", command="echo begin; seq 1 200000; echo the very end")
    assert outcome.content.startswith("begin\n1\n")
    assert outcome.content.endswith("200000\nthe very end")
    assert outcome.full is not None
    assert "more characters were not kept" in outcome.full
    assert len(outcome.full) < 350_000
    assert len("".join(bench.emitted)) <= 200_000


def test_what_is_new_of_an_output_is_read_once() -> None:
    from localagent.tools import process

    output, seen, told = process.Output(), 0, ""
    for number in range(3000):
        output.feed(f"{number}\n".encode() * 500)
        if number % 50 == 0:
            told, seen = told + output.since(seen), output.chars
    assert output.dropped > 0
    assert told.split("\n").count("0") == 500
    assert output.since(seen).startswith("2951\n")
    assert output.since(output.chars) == ""
    assert output.tail(1) == "2999\n" * 500


async def test_binary_output_cannot_speak_to_the_terminal(bench: Bench) -> None:
    outcome = await bench.run("run_command", command=r"printf '\x1b]0;title\x07\x00\xff\xfe ok\r\n'")
    assert "ok" in outcome.content
    assert not any(ord(char) < 32 and char not in "\n\t" for char in outcome.content)
    assert "\x1b" not in "".join(bench.emitted)


async def test_a_character_split_between_reads_is_whole(bench: Bench) -> None:
    outcome = await bench.run("run_command", command=r"printf '\xd0'; sleep 0.1; printf '\x96\n'")
    assert outcome.content == "Ж"


async def test_time_is_limited_and_children_die_with_the_command(bench: Bench) -> None:
    began = time.monotonic()
    outcome = await bench.run("run_command", command="(sleep 60 & echo $! > child; wait) & sleep 60", seconds=1)
    assert time.monotonic() - began < 10
    assert "stopped after 1 seconds" in outcome.content
    assert not _alive(int((bench.workspace / "child").read_text()))


async def test_a_background_child_does_not_outlive_its_command(bench: Bench) -> None:
    await bench.run("run_command", command="sleep 60 > /dev/null 2>&1 & echo $! > child")
    await asyncio.sleep(0.05)
    assert not _alive(int((bench.workspace / "child").read_text()))


async def test_cancelling_kills(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("run_command", command="echo $$ > pid; sleep 60"))
    while not (bench.workspace / "pid").exists() or not (bench.workspace / "pid").read_text():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _alive(int((bench.workspace / "pid").read_text()))


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelling_kills_who_does_not_listen_too(bench: Bench, times: int) -> None:
    deaf = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"
    task = asyncio.create_task(bench.run("run_command", command=deaf))
    while not (bench.workspace / "pid").exists() or not (bench.workspace / "pid").read_text():
        await asyncio.sleep(0.01)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0.1)
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int((bench.workspace / "pid").read_text())
    for _ in range(500):
        if not _alive(pid):
            break
        await asyncio.sleep(0.01)
    assert not _alive(pid)


async def test_keys_of_the_person_are_not_passed_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    outcome = await bench.run("run_command", command="env")
    assert "sk-secret" not in outcome.content
    assert "PATH=" in outcome.content


async def test_standard_input_is_empty(bench: Bench) -> None:
    assert (await bench.run("run_command", command="cat; echo done", seconds=5)).content == "done"


@pytest.mark.parametrize("command", ["", "   ", "a\0b"])
async def test_no_command(bench: Bench, command: str) -> None:
    assert (await bench.run("run_command", command=command)).failure == "invalid"


async def test_jobs_are_looked_at_and_stopped(bench: Bench) -> None:
    started = await bench.run("run_command", command="echo $$; sleep 60", background=True)
    assert "job 1" in started.content
    for _ in range(200):
        seen = await bench.run("job", action="read", job="1")
        if seen.content != "[running]":
            break
        await asyncio.sleep(0.01)
    pid = int(seen.content.split("\n")[0])
    assert (await bench.run("job", action="read", job="1")).content == "[running]"
    assert "sleep 60 [running]" in (await bench.run("job", action="list")).content
    await bench.run("job", action="stop", job="1")
    assert not _alive(pid)
    assert (await bench.run("job", action="read", job="7")).failure == "not_found"


async def test_jobs_end_with_their_session(bench: Bench) -> None:
    await bench.run("run_command", command="echo $$ > pid; sleep 60", background=True)
    while not (bench.workspace / "pid").exists() or not (bench.workspace / "pid").read_text():
        await asyncio.sleep(0.01)
    await bench.jobs.close()
    assert not _alive(int((bench.workspace / "pid").read_text()))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


async def test_jobs_are_seen_by_the_person_with_state_and_time(bench: Bench) -> None:
    bench.jobs = Jobs()
    name = await bench.jobs.start("echo one; exit 3", bench.context)
    await bench.jobs.get(name).reader
    (row,) = bench.jobs.rows()
    assert (row.name, row.status, row.output) == (name, 3, "one\n")
    first = row.seconds
    assert bench.jobs.rows()[0].seconds == first
