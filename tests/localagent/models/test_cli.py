"""`localagent models`, `models check` and `models pull`, run as a person runs them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from localagent.models.cli import progress_text
from localagent.ports import Progress
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.ollama_server import Ollama
from tests.fakes.openai_server import call, chunk, scripted_openai, usage

HELLO = [chunk(content="Hello!"), chunk("stop"), usage(20, 3)]
CALL = [call("file_size", '{"path": "notes.txt"}'), chunk("tool_calls"), usage(90, 12)]


async def run(tmp_path: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of `localagent models …`."""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env |= {"PYTHONPATH": os.pathsep.join(sys.path), "LOCALAGENT_HOME": str(tmp_path / "home")}
    code = "import sys; from localagent.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "models", *arguments, "--models", str(tmp_path / "models.toml")]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, cwd=tmp_path, env=env)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), err.decode()


def write(tmp_path: Path, text: str) -> None:
    (tmp_path / "models.toml").write_text(text)


async def test_the_list_tells_what_is_there_and_what_is_wrong(tmp_path: Path) -> None:
    async with scripted_openai([HELLO]) as server:
        write(
            tmp_path,
            f'[models.here]\nbackend = "openai"\nbase_url = "{server.url}/v1"\n'
            '[models.gone]\nbackend = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n'
            '[models.far]\nbackend = "anthropic"\nmodel = "claude"\n'
            '[models.todo]\nbackend = "llama_cpp"\nurl = "https://example.com/a.gguf"\n',
        )
        status, out, err = await run(tmp_path, "--json")
        assert (status, err) == (0, "")
        told = json.loads(out)
        status, out, _ = await run(tmp_path)
        assert status == 0
        assert out.startswith("* here")
    rows = {row["name"]: row for row in told["models"] if not row["found"]}
    assert told["default"] == "here"
    assert rows["here"]["capabilities"]["context"] == 4096
    assert rows["here"]["capabilities"]["context_source"] == "/v1/models"
    assert (rows["here"]["ready"], rows["gone"]["ready"]) == (True, False)
    assert "llama-server -m" in rows["gone"]["problem"]
    assert "[cloud]" in rows["far"]["problem"]
    assert "models pull todo" in rows["todo"]["problem"]


async def test_a_check_that_succeeds(tmp_path: Path) -> None:
    async with scripted_openai([HELLO, CALL]) as server:
        write(tmp_path, f'[models.here]\nbackend = "openai"\nbase_url = "{server.url}/v1"\n')
        status, out, _ = await run(tmp_path, "check", "here", "--json")
    report = json.loads(out)
    assert (status, report["ok"]) == (0, True)
    assert [(step["step"], step["ok"]) for step in report["steps"]] == [
        ("reach", True),
        ("answer", True),
        ("tool_call", True),
    ]
    assert report["timings"]["input_tokens"] == 20
    assert report["capabilities"]["context"] == 4096


@pytest.mark.parametrize(
    ("replies", "failing", "words"),
    [
        ([HELLO, HELLO], "tool_call", "answered in words"),
        ([HELLO, [call("file_siz", "{}"), chunk("tool_calls")]], "tool_call", "file_siz"),
        ([[chunk("stop")]], "answer", "empty"),
        ([[chunk(content="x")]], "answer", "finish_reason"),
    ],
)
async def test_a_check_that_fails_says_where(
    tmp_path: Path, replies: list[list[dict[str, Any]]], failing: str, words: str
) -> None:
    async with scripted_openai(replies) as server:
        write(tmp_path, f'[models.here]\nbackend = "openai"\nbase_url = "{server.url}/v1"\n')
        status, out, _ = await run(tmp_path, "check", "here", "--json")
    last = json.loads(out)["steps"][-1]
    assert (status, last["step"], last["ok"]) == (4, failing, False)
    assert words in last["detail"]


async def test_a_server_that_is_not_there_fails_the_first_step(tmp_path: Path) -> None:
    write(tmp_path, '[models.gone]\nbackend = "ollama"\nmodel = "m"\nbase_url = "http://127.0.0.1:9"\n')
    status, out, _ = await run(tmp_path, "check", "gone")
    assert status == 4
    assert out.startswith("FAIL  reach")
    assert "ollama serve" in out


async def test_a_file_that_is_not_there_or_no_model_is_a_report_like_every_other(tmp_path: Path) -> None:
    (tmp_path / "noise.gguf").write_bytes(b"GGUF\x03\x00\x00\x00" + b"\xff" * 300)
    entry = '[models.{0}]\nbackend = "llama_cpp"\nfile = "{0}.gguf"\n'
    write(tmp_path, entry.format("gone") + entry.format("noise"))
    for name, says in (("gone", "there is no file"), ("noise", "no complete GGUF file")):
        status, out, _ = await run(tmp_path, "check", name, "--json")
        report = json.loads(out)
        assert (status, report["ok"], report["steps"][0]["step"]) == (4, False, "reach")
        assert says in report["steps"][0]["detail"]
    status, out, _ = await run(tmp_path, "--json")
    gone, noise = (row for row in json.loads(out)["models"] if not row["found"])
    assert (status, gone["ready"], noise["ready"]) == (0, False, False)
    assert f"there is no file {tmp_path / 'gone.gguf'}" in gone["problem"], "and no word of a pull, which it has not"


async def test_a_name_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    write(tmp_path, '[models.here]\nbackend = "scripted"\nfile = "x"\n')
    status, out, err = await run(tmp_path, "check", "hree")
    assert (status, out) == (2, "")
    assert 'did you mean "here"' in err
    assert err.count("\n") == 1


async def test_pulls_by_address_and_through_ollama(tmp_path: Path) -> None:
    async def handle(asked: Asked, answer: Answer) -> None:
        await answer.whole("GGUF" * 1000, 200, "application/octet-stream")

    async with HttpServer(handle) as hub, Ollama("http://127.0.0.1:9").server() as ollama:
        write(
            tmp_path,
            f'[models.file]\nbackend = "llama_cpp"\nurl = "{hub.url}/a/b.gguf"\n'
            f'[models.ours]\nbackend = "ollama"\nmodel = "new:1b"\nbase_url = "{ollama.url}"\n',
        )
        status, out, err = await run(tmp_path, "pull", "file")
        assert (status, out) == (0, f"file is here: {tmp_path}/cache/localagent/models/b.gguf\n")
        assert "100%" in err
        status, out, _ = await run(tmp_path, "pull", "ours", "--json")
        assert (status, json.loads(out)["pulled"]) == (0, "new:1b")


def test_the_bar() -> None:
    assert progress_text(Progress("pulling", 25, 100, "x"), 0) == "pulling [#####...............]  25%  0 of 0 MB  x"
    assert progress_text(Progress("pulling", 5_000_000, 10_000_000, ""), 2).endswith("5 of 10 MB  2.5 MB/s  ")
    assert progress_text(Progress("reading", 3, 9), 0) == "reading 3 of 9 tokens"
    assert progress_text(Progress("loading", 30_637_210, 98_362_432), 0) == "loading 31 of 98 MB"


async def test_the_list_fits_eighty_columns(tmp_path: Path) -> None:
    entry = 'about = "a long word"\nbackend = "scripted"\nfile = "replies.jsonl"\ncontext = 8192\n'
    write(tmp_path, f"[models.a-model-with-a-name]\n{entry}[models.b]\n{entry}")
    (tmp_path / "replies.jsonl").write_text('{"content": "hi"}\n')
    _, out, _ = await run(tmp_path)
    assert any(line.startswith("* a-model-with-a-name  scripted") for line in out.splitlines())
    assert max(map(len, out.splitlines())) <= 80
