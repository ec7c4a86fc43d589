"""The fence, proven in a process of its own: with loopback entries only, nothing else is reached or looked up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from localagent.errors import ConnectionRefusedByFenceError
from localagent.net.fence import Fence, Verdict

CHILD = """
import asyncio, json, socket, sys, threading, urllib.request, http.client
from localagent.models.catalogue import load_catalogue
from localagent.net import fence
from localagent.errors import ConnectionRefusedByFenceError as Refused

told = []
fence.install(load_catalogue(sys.argv[1]).hosts(), lambda verdict, host: told.append([verdict, host]))
listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]

def outcome(work):
    try:
        work()
    except Refused:
        return "refused"
    except BaseException as error:
        return type(error).__name__
    return "done"

def tcp(host, port):
    socket.create_connection((host, port), timeout=2).close()

def raw(address, kind=socket.SOCK_STREAM, family=socket.AF_INET):
    with socket.socket(family, kind) as s:
        s.settimeout(2)
        s.connect(address)

def udp(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", address)

async def stream(host):
    await asyncio.open_connection(host, 80)

def httpx_get(url):
    import httpx
    httpx.get(url, timeout=2)

async def model(name, url):
    from localagent.config.models_toml import Entry
    from localagent.messages import Message
    from localagent.models.backends import make_direct
    from localagent.ports import Request
    entry = Entry(name, name, model="m", base_url=url)
    async for _ in make_direct(entry, state_dir=None).reply(Request((Message("user", "hi"),))):
        pass

def in_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(outcome(lambda: tcp("8.8.8.8", 53))))
    thread.start(); thread.join()
    if found == ["refused"]:
        raise Refused

def unix():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("/nowhere/at/all")

tries = {
    "name": lambda: tcp("example.com", 80),
    "address": lambda: raw(("93.184.216.34", 80)),
    "v6": lambda: raw(("2606:4700::1", 80), family=socket.AF_INET6),
    "mapped": lambda: raw(("::ffff:93.184.216.34", 80), family=socket.AF_INET6),
    "lan": lambda: raw(("192.168.1.1", 80)),
    "metadata": lambda: raw(("169.254.169.254", 80)),
    "udp": lambda: udp(("8.8.8.8", 53)),
    "dns": lambda: socket.getaddrinfo("example.com", 443),
    "old_dns": lambda: socket.gethostbyname("example.com"),
    "reverse_dns": lambda: socket.gethostbyaddr("8.8.8.8"),
    "tricky_name": lambda: tcp("127.0.0.1.example.com", 80),
    "urllib": lambda: urllib.request.urlopen("http://example.com/", timeout=2),
    "http": lambda: http.client.HTTPConnection("example.com", timeout=2).request("GET", "/"),
    "asyncio": lambda: asyncio.run(stream("example.com")),
    "httpx": lambda: httpx_get("https://example.com/"),
    "openai": lambda: asyncio.run(model("openai", "https://api.example.com/v1")),
    "ollama": lambda: asyncio.run(model("ollama", "http://ollama.example.com")),
    "anthropic": lambda: asyncio.run(model("anthropic", "https://api.example.com")),
    "thread": in_thread,
    "loopback": lambda: tcp("127.0.0.1", port),
    "localhost": lambda: tcp("localhost", port),
    "unix": unix,
}
results = {name: outcome(work) for name, work in tries.items()}
print(json.dumps({"results": results, "told": told}))
"""
OPEN = {"loopback": "done", "localhost": "done", "unix": "FileNotFoundError"}


def run_child(tmp_path: Path, models: str) -> dict[str, Any]:
    path = tmp_path / "models.toml"
    path.write_text(models)
    env = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    env["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", CHILD, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_with_loopback_entries_only_nothing_else_is_reached(tmp_path: Path) -> None:
    entry = '[models.a]\nbackend = "openai"\nbase_url = "http://127.0.0.1:8080/v1"\n'
    cloud = '[models.b]\nbackend = "anthropic"\nmodel = "claude"\n'  # clouds are off: its host stays closed
    found = run_child(tmp_path, entry + cloud)
    results = found["results"]
    assert {name: results[name] for name in OPEN} == OPEN
    assert {name: result for name, result in results.items() if name not in OPEN and result != "refused"} == {}
    assert ["refused", "example.com"] in found["told"]
    assert {verdict for verdict, _ in found["told"]} == {"refused"}


def fence(*hosts: str) -> tuple[Fence, list[tuple[Verdict, str]]]:
    told: list[tuple[Verdict, str]] = []
    return Fence(frozenset(hosts), lambda verdict, host: told.append((verdict, host))), told


def test_a_named_host_is_open_by_name_and_by_the_addresses_it_was_looked_up_to() -> None:
    ours, told = fence("gpu.lan")
    ours.check("GPU.lan")
    ours.learn("gpu.lan", ["10.0.0.7"])
    ours.check("10.0.0.7")
    with pytest.raises(ConnectionRefusedByFenceError, match=r"10\.0\.0\.8"):
        ours.check("10.0.0.8")
    assert told == [("opened", "gpu.lan"), ("refused", "10.0.0.8")]


def test_an_address_that_belonged_to_a_host_closes_with_it() -> None:
    ours, _ = fence("gpu.lan")
    ours.learn("gpu.lan", ["10.0.0.7"])
    ours.allow([])
    with pytest.raises(ConnectionRefusedByFenceError):
        ours.check("10.0.0.7")


def test_a_pull_opens_its_host_while_it_runs() -> None:
    ours, _ = fence()
    with ours.opening("hub.example"):
        ours.check("hub.example")
    with pytest.raises(ConnectionRefusedByFenceError, match=r"hub\.example"):
        ours.check("hub.example")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1%lo", "0.0.0.0"]
)
def test_a_name_of_another_machine_may_not_point_here(address: str) -> None:
    wall = Fence()
    with wall.opening("far.example", far=True):
        with pytest.raises(ConnectionRefusedByFenceError, match="this machine"):
            wall.learn("far.example.", ["192.0.2.7", address])
        wall.learn("far.example", ["192.0.2.7", "10.0.0.7", "2001:db8::1"])
    with wall.opening("far.example"), wall.opening("localhost", far=True):
        wall.learn("far.example", [address])
        wall.learn("localhost", [address])


def test_a_name_counts_as_people_write_it_and_as_it_is_looked_up() -> None:
    wall = Fence()
    with wall.opening("Пример.рф"):
        assert wall.allows("пример.рф")
        assert wall.allows("xn--e1afmkfd.xn--p1ai")
    assert not wall.allows("xn--e1afmkfd.xn--p1ai")
