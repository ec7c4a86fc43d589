"""The processes of `gateway serve`: how they begin, end, die and are begun again."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.cli import main
from gateway.config import parse_config
from gateway.errors import ConfigError
from gateway.ledger import Ledger
from gateway.proxy.serve import check_serving, take
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.gateway.proxy.conftest import CHAT, MAIL, chat

UPSTREAM = '[[upstream]]\nname = "up"\nprotocol = "openai"\nbase_url = "{url}/v1"\n'


class Stream:
    """An upstream that streams pieces until it is told to end."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    async def __call__(self, asked: Asked, answer: Answer) -> None:
        await answer.start("text/event-stream")
        while not self.end.is_set():
            await answer.chunk(self._event({"content": "."}))
            await asyncio.sleep(0.01)
        await answer.chunk(self._event({"content": " to <EMAIL_ADDRESS_1>"}))
        await answer.chunk(self._event({}, "stop") + "data: [DONE]\n\n")
        await answer.end()

    def _event(self, delta: dict[str, Any], reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({'id': 'c', 'choices': [choice]})}\n\n"


class Running:
    """A gateway in its own processes; `log` grows."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process, self.url = process, url
        self.log: list[str] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.log.append(line.decode())

    async def children(self) -> list[int]:
        """The processes at work, once there are two."""
        while len(pids := self._children()) < 2:
            await asyncio.sleep(0.02)
        return pids

    def _children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]


@asynccontextmanager
async def running(folder: Path, upstream: str, workers: int, more: str = "") -> AsyncIterator[Running]:
    (folder / "gateway.toml").write_text(UPSTREAM.format(url=upstream) + more + '[ledger]\nfile = "l.db"\n')
    command = ("-m", "tests.fakes.serve_gateway", str(folder / "gateway.toml"), str(workers))
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        greeting = (await asyncio.wait_for(process.stderr.readline(), 30)).decode()
        match = re.search(r"http://127\.0\.0\.1:\d+", greeting)
        assert match, greeting
        started = Running(process, match[0])
        yield started
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await started.reading


def said(lines: list[str]) -> str:
    """The text of a stream."""
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return "".join(choice["delta"].get("content", "") for event in events for choice in event["choices"])


def outcomes(folder: Path) -> list[str]:
    """How the requests ended, as the ledger says."""
    with Ledger(folder / "l.db") as ledger:
        return [(row.data or {})["outcome"] for row in ledger.rows(kinds=["gateway_reply"])]


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


async def until(condition: Any, seconds: float = 15) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_stop_finishes_the_streams_and_takes_no_more(tmp_path: Path, workers: int) -> None:
    stream = Stream()
    async with HttpServer(stream) as upstream, running(tmp_path, upstream.url, workers) as gateway:
        async with (
            httpx.AsyncClient(timeout=20) as client,
            client.stream("POST", gateway.url + CHAT, json=chat(stream=True)) as reply,
        ):
            lines = reply.aiter_lines()
            await anext(lines)
            gateway.process.terminate()
            port = httpx.URL(gateway.url).port
            await until(lambda: _refuses(port))
            stream.end.set()
            rest = [line async for line in lines]
        assert said(rest).endswith(f" to {MAIL}")
        assert "data: [DONE]" in rest
        assert await asyncio.wait_for(gateway.process.wait(), 15) == 0
        await gateway.reading
        told = [json.loads(line) for line in gateway.log]
        assert [line["outcome"] for line in told if line["event"] == "request"] == ["done"], told
        assert MAIL not in "".join(gateway.log)


@pytest.mark.parametrize("workers", [1, 2])
async def test_what_a_stop_cuts_off_is_told_and_has_its_last_row(tmp_path: Path, workers: int) -> None:
    endless = Stream()

    async def answer(asked: Asked, answer: Answer) -> None:
        await (endless(asked, answer) if asked.json.get("stream") else asyncio.sleep(60))

    limit = "[limits]\nstop_seconds = 1\n"
    async with HttpServer(answer) as upstream, running(tmp_path, upstream.url, workers, limit) as gateway:
        async with httpx.AsyncClient(timeout=20, base_url=gateway.url) as client:
            bodies = (chat(stream=True), chat(stream=True), chat())
            asking = [asyncio.create_task(client.post(CHAT, json=body)) for body in bodies]
            await until(lambda: len(upstream.asked) == 3)
            gateway.process.terminate()
            first, second, whole = await asyncio.gather(*asking)
        assert await asyncio.wait_for(gateway.process.wait(), 15) == 0
        endless.end.set()
    for reply in (first, second):
        assert json.loads(reply.text.splitlines()[-2].removeprefix("data: "))["error"]["message"].startswith(
            "the gateway"
        )
    assert (whole.status_code, whole.json()["error"]["type"]) == (503, "server_error")
    assert sorted(outcomes(tmp_path)) == ["cut", "cut", "failed"]
    assert not [line for line in gateway.log if "Exception" in line]


def _refuses(port: int | None) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port or 0)) != 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
async def test_a_process_that_is_killed_is_begun_again(tmp_path: Path) -> None:
    stream = Stream()
    stream.end.set()
    async with HttpServer(stream) as upstream, running(tmp_path, upstream.url, 2) as gateway:
        first = await gateway.children()
        os.kill(first[0], signal.SIGKILL)
        await until(lambda: any("process_died" in line for line in gateway.log))
        async with httpx.AsyncClient(timeout=20) as client:
            for _ in range(4):
                reply = await client.post(gateway.url + CHAT, json=chat(stream=True))
                assert said(reply.text.splitlines()) == f" to {MAIL}"
            second = await gateway.children()
        assert len(set(first) & set(second)) == 1
        os.kill(gateway.process.pid, signal.SIGKILL)
        await until(lambda: all(is_gone(pid) for pid in second))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
async def test_what_a_process_had_in_hand_when_it_was_killed_is_recorded_as_lost(tmp_path: Path) -> None:
    stream = Stream()
    async with (
        HttpServer(stream) as upstream,
        running(tmp_path, upstream.url, 2) as gateway,
        httpx.AsyncClient(timeout=20) as client,
    ):
        asking = asyncio.create_task(client.post(gateway.url + CHAT, json=chat(stream=True)))
        await until(lambda: upstream.asked)
        with Ledger(tmp_path / "l.db") as ledger:
            [row] = ledger.rows(kinds=["gateway_request"])
        assert row.data is not None
        os.kill(row.data["process"], signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            await asking
        await until(lambda: outcomes(tmp_path) == ["lost"])
        stream.end.set()
        reply = await client.post(gateway.url + CHAT, json=chat(stream=True))
        assert said(reply.text.splitlines()) == f" to {MAIL}"
        await until(lambda: outcomes(tmp_path) == ["lost", "done"])


async def test_a_stop_while_the_models_are_loaded_is_one(tmp_path: Path) -> None:
    (tmp_path / "gateway.toml").write_text(UPSTREAM.format(url="http://127.0.0.1:9"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ("-m", "gateway.cli", "serve", "--config", str(tmp_path / "gateway.toml"), "--port", str(port))
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stderr=asyncio.subprocess.PIPE)
    try:
        await until(lambda: _is_taken(port), 90)  # a start beside other work takes long
        process.terminate()
        _, told = await asyncio.wait_for(process.communicate(), 15)
        assert (process.returncode, told) == (0, b"")
    finally:
        if process.returncode is None:
            process.kill()


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def test_a_child_that_is_no_worker_may_end() -> None:
    """As the first process of a container inherits them: this one forks one of its own before it supervises."""
    program = """
import os, signal, socket, sys, time
from gateway.proxy.workers import supervise
first = os.getpid()
if os.fork() == 0:
    os._exit(0)
def work(pipe):
    time.sleep(0.5)
    os.kill(first, signal.SIGTERM)
    time.sleep(20)
sys.exit(supervise(2, work, socket.socket(), lambda *_: None))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


async def test_requests_as_odd_clients_write_them(tmp_path: Path) -> None:
    """Java's own client offers HTTP/2 with every request; whoever gives two lengths hides a second request."""
    stream = Stream()
    stream.end.set()
    body = json.dumps(chat(stream=True)).encode()
    length, chunked = f"content-length: {len(body)}", "transfer-encoding: chunked"
    upgrade = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAA"
    async with HttpServer(stream) as upstream, running(tmp_path, upstream.url, 1) as gateway:
        assert MAIL in await _spoken(gateway.url, f"{upgrade}\r\n{length}", body)
        assert MAIL in await _spoken(gateway.url, f"{length}\r\nexpect: 100-continue", body)
        pieces = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        assert MAIL in await _spoken(gateway.url, chunked, pieces)
        assert "two readings" in await _spoken(gateway.url, f"{length}\r\n{chunked}", pieces)
        assert len(upstream.asked) == 3


async def _spoken(url: str, headers: str, body: bytes) -> str:
    """What comes back on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(url).port)
    head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}\r\n\r\n"
    writer.write(head.encode() + body)
    said = b""
    while not re.search(rb"\r\n0\r\n\r\n|\"error\".*}", said):
        said += await asyncio.wait_for(reader.read(65_536), 15)
    writer.close()
    return said.decode()


async def _asked(url: str, body: bytes, buffer: int) -> socket.socket:
    """A connection with a small buffer that has asked and reads nothing."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    one.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(one, ("127.0.0.1", httpx.URL(url).port))
    head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    await loop.sock_sendall(one, head.encode() + b"\r\n\r\n" + body)
    return one


async def test_a_stop_does_not_wait_for_who_does_not_read(tmp_path: Path) -> None:
    async def much(asked: Asked, answer: Answer) -> None:
        await answer.start("text/event-stream")
        event = {"id": "c", "choices": [{"index": 0, "delta": {"content": "." * 50_000}, "finish_reason": None}]}
        while True:
            await answer.chunk(f"data: {json.dumps(event)}\n\n")

    limit = "[limits]\nstop_seconds = 1\n"
    async with HttpServer(much) as upstream, running(tmp_path, upstream.url, 1, limit) as gateway:
        with await _asked(gateway.url, json.dumps(chat(stream=True)).encode(), 4096):
            await until(lambda: upstream.asked)
            await asyncio.sleep(0.5)
            gateway.process.terminate()
            assert await asyncio.wait_for(gateway.process.wait(), 15) == 0
    assert outcomes(tmp_path) == ["cut"]
    assert not [line for line in gateway.log if "Exception" in line]


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_does_not_read_its_answer_is_cut_off(tmp_path: Path, stream: bool) -> None:
    over = asyncio.Event()

    async def much(asked: Asked, answer: Answer) -> None:
        event = {"id": "c", "choices": [{"index": 0, "delta": {"content": "." * 50_000}, "finish_reason": None}]}
        try:
            if not stream:
                await answer.whole({"id": "c", "choices": [{"index": 0, "message": {"content": "." * 20_000_000}}]})
            else:
                await answer.start("text/event-stream")
            while stream:
                await answer.chunk(f"data: {json.dumps(event)}\n\n")
        finally:
            over.set()

    limit = "[limits]\nwrite_seconds = 1\n"
    async with HttpServer(much) as upstream, running(tmp_path, upstream.url, 1, limit) as gateway:
        one = await _asked(gateway.url, json.dumps(chat(stream=stream)).encode(), 4096)
        await until(lambda: any("connection_cut" in line for line in gateway.log))
        await until(lambda: over.is_set() and outcomes(tmp_path))
        assert outcomes(tmp_path) == ["cancelled" if stream else "done"]
        assert not (await _rest(one)).endswith((b"}]}", b"\r\n0\r\n\r\n"))
        assert not [line for line in gateway.log if "Exception" in line]


async def _rest(one: socket.socket) -> bytes:
    """What is still there, up to the end of the connection."""
    read = b""
    with one, suppress(ConnectionResetError):
        while piece := await asyncio.wait_for(asyncio.get_running_loop().sock_recv(one, 1_000_000), 15):
            read += piece
    return read


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system's own buffer is not seen")
async def test_a_client_that_reads_slowly_is_not_cut_off(tmp_path: Path) -> None:
    """More lies in the system's buffers than it reads in the time that is allowed without any reading."""

    async def much(asked: Asked, answer: Answer) -> None:
        await answer.whole({"id": "c", "choices": [{"index": 0, "message": {"content": "." * 12_000_000}}]})

    limit = "[limits]\nwrite_seconds = 1\n"
    async with HttpServer(much) as upstream, running(tmp_path, upstream.url, 1, limit) as gateway:
        with await _asked(gateway.url, json.dumps(chat()).encode(), 200_000) as one:
            ends, read = time.monotonic() + 4, 0
            while time.monotonic() < ends:
                read += len(await asyncio.wait_for(asyncio.get_running_loop().sock_recv(one, 16_384), 15))
                await asyncio.sleep(0.05)
        assert 0 < read < 4_000_000
        assert not [line for line in gateway.log if "connection_cut" in line]


async def test_a_connection_that_asks_nothing_is_cut_off(tmp_path: Path) -> None:
    limit = "[limits]\nread_seconds = 1\n"
    async with HttpServer(Stream()) as upstream, running(tmp_path, upstream.url, 1, limit) as gateway:
        for begun in (b"", b"POST /v1/chat/comple"):
            reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(gateway.url).port)
            writer.write(begun)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 15) == b""
            writer.close()
        assert len([line for line in gateway.log if "connection_cut" in line]) == 2
        assert upstream.asked == []


def test_a_busy_port_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "gateway.toml"
    config.write_text(UPSTREAM.format(url="http://127.0.0.1:9"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["serve", "--config", str(config), "--port", str(port)]) == 2
    shown = capsys.readouterr()
    assert shown.err == (
        f"gateway: 127.0.0.1:{port} is used by another program; name another one with --port or --host\n"
    )
    assert shown.out == ""


def test_an_address_that_is_none() -> None:
    with pytest.raises(ConfigError, match="no such address"), take("no.such.host.invalid", 0):
        pass


CLIENTS = f'[clients]\nci = "sha256:{"a" * 64}"\n'


@pytest.mark.parametrize(
    ("text", "host", "workers", "message"),
    [
        ("", "127.0.0.1", 1, "nothing to forward to"),
        (UPSTREAM, "0.0.0.0", 1, "names no \\[clients\\]"),
        (UPSTREAM, "127.0.0.1", 0, "--workers"),
        (UPSTREAM + 'api_key_env = "NOT_SET_HERE"\n', "::1", 1, ""),
        (UPSTREAM, "::1", 1, ""),
        (UPSTREAM + CLIENTS, "0.0.0.0", 1, ""),
    ],
)
def test_what_cannot_be_served_is_told(text: str, host: str, workers: int, message: str) -> None:
    config = parse_config(text.format(url="http://x") if "{url}" in text else text)
    if not message:
        check_serving(config, host, workers)
        return
    with pytest.raises(ConfigError, match=message):
        check_serving(config, host, workers)


async def test_a_key_that_is_not_set_is_told_and_the_request_leaves_without_one(tmp_path: Path) -> None:
    stream, unset = Stream(), 'api_key_env = "NOT_SET_HERE"\n'
    stream.end.set()
    async with HttpServer(stream) as upstream, running(tmp_path, upstream.url, 1, unset) as one:
        async with httpx.AsyncClient() as client:
            reply = await client.post(one.url + CHAT, json=chat(stream=True))
        assert reply.status_code == 200
        assert "authorization" not in upstream.asked[0].headers
        await until(lambda: any("NOT_SET_HERE is not set" in line for line in one.log))


def test_a_key_fits_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    import hashlib

    assert main(["key", "my team", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    config = parse_config("[clients]\n" + made["line"])
    assert config.clients[0].name == "my team"
    assert config.clients[0].key == "sha256:" + hashlib.sha256(made["key"].encode()).hexdigest()
    assert main(["key", "ci"]) == 0
    shown = capsys.readouterr()
    assert parse_config("[clients]\n" + shown.out).clients[0].name == "ci"
    assert "shown this once" in shown.err


def test_the_namespace_of_the_command_has_what_serve_reads() -> None:
    from gateway.cli import _parser

    options = _parser().parse_args(["serve", "--workers", "3"])
    assert isinstance(options, Namespace)
    assert (options.workers, options.cert, options.cert_key, options.log) == (3, None, None, "json")
