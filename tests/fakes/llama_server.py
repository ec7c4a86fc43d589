"""A real llama-server for tests: compiled once from llama-cpp-python's own sources, then started on demand.

The sdist carries llama.cpp whole and the installed wheel carries its libraries, so only the server's own files
are compiled (about three minutes of CPU). The result is kept in the user's cache folder, outside the clone.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError

import pytest
from platformdirs import user_cache_dir

from localagent.models.embedded import pip_download

CHATML_TOOLS = Path(__file__).with_name("chatml_tools.jinja")
CHATML_THINKING = Path(__file__).with_name("chatml_thinking.jinja")

_LIBRARIES = ("llama-common", "mtmd", "llama", "ggml", "ggml-cpu", "ggml-base")
_WANTED = ("common", "ggml/include", "include", "src", "tools/mtmd", "tools/server", "vendor")
_INCLUDES = ("common", "include", "ggml/include", "tools/mtmd", "tools/server", "vendor", "src", ".", "stub")
_DEFINES = ("USE_CPU", "SHARED", "BACKEND_SHARED")
_FLAGS = (
    *("-std=c++17", "-O1", "-w", "-pthread", "-DNDEBUG", "-DLLAMA_SHARED", "-DLLAMA_USE_HTTPLIB"),
    *(f"-DGGML_{name}" for name in _DEFINES),
    *("-DCPPHTTPLIB_LISTEN_BACKLOG=512", "-DCPPHTTPLIB_TCP_NODELAY=1"),
)
_NO_UI_HEADER = """#pragma once
#include <array>
#include <cstddef>
#include <string>
struct llama_ui_asset { std::string name; const unsigned char * data; std::size_t size; std::string etag, type; };
const llama_ui_asset * llama_ui_find_asset(const std::string & name);
const std::array<llama_ui_asset, 0> & llama_ui_get_assets();
bool llama_ui_use_gzip();
"""
_NO_UI_SOURCE = """#include "ui.h"
const llama_ui_asset * llama_ui_find_asset(const std::string &) { return nullptr; }
const std::array<llama_ui_asset, 0> & llama_ui_get_assets() { static std::array<llama_ui_asset, 0> none; return none; }
bool llama_ui_use_gzip() { return false; }
"""


@contextmanager
def llama_server(model: Path, *args: str, start_seconds: float = 120.0) -> Iterator[str]:
    """The base URL, without `/v1`, of a llama-server with `model` and more of its own options."""
    with running_llama_server(model, *args, start_seconds=start_seconds) as (_, url):
        yield url


@contextmanager
def running_llama_server(
    model: Path, *args: str, start_seconds: float = 120.0
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The process of a llama-server and its base URL, for tests that end it themselves.

    One thread and one slot unless `args` say otherwise. Skips the test where the server cannot be built.
    """
    binary = server_binary()
    port = _free_port()
    command = [str(binary), "-m", str(model), "--host", "127.0.0.1", "--port", str(port), "--no-webui", "-t", "1"]
    log = binary.parent / f"server-{port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "-np", "1", *args], stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=_environment()
        )
    try:
        _wait_until_ready(process, f"http://127.0.0.1:{port}", log, start_seconds)
        yield process, f"http://127.0.0.1:{port}"
    finally:
        _stop(process)
        log.unlink(missing_ok=True)


def server_binary() -> Path:
    """The compiled server, built now if this is the first time; skips the test with the reason when it cannot be."""
    reason = _missing_tool()
    if reason:
        pytest.skip(reason)
    folder = Path(user_cache_dir("localagent")) / "llama-server" / metadata.version("llama-cpp-python")
    folder.mkdir(parents=True, exist_ok=True)
    binary = folder / "llama-server"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            try:
                _build(folder, binary)
            except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
                pytest.skip(f"llama-server cannot be built here: {error}")
    return binary


def _missing_tool() -> str:
    if find_spec("llama_cpp") is None:
        return "llama-cpp-python is not installed"
    if not (_library_folder() / "libllama-common.so").exists():
        return "this llama-cpp-python carries no libllama-common.so"
    if shutil.which("g++") is None:
        return "no g++ to compile llama-server with"
    return ""


def _library_folder() -> Path:
    spec = find_spec("llama_cpp")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent.parent / "lib"


def _environment() -> dict[str, str]:
    """The libraries are found by name and not by a path in the binary, so that every venv can use it."""
    return {
        **os.environ,
        "LD_LIBRARY_PATH": str(_library_folder()),
        "OMP_WAIT_POLICY": "passive",
        "GGML_NO_BACKTRACE": "1",
    }


def _build(folder: Path, binary: Path) -> None:
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    sdist = pip_download(f"llama-cpp-python=={metadata.version('llama-cpp-python')}", folder, source=True)
    _unpack(sdist, source)
    (source / "stub").mkdir()
    (source / "stub/ui.h").write_text(_NO_UI_HEADER)
    (source / "stub/ui.cpp").write_text(_NO_UI_SOURCE)
    units = [*sorted((source / "tools/server").glob("*.cpp")), source / "vendor/cpp-httplib/httplib.cpp"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda unit: _compile(unit, source), [*units, source / "stub/ui.cpp"]))
    libraries = [f"-l{name}" for name in _LIBRARIES]
    linking = ["g++", "-pthread", *objects, f"-L{_library_folder()}", *libraries, "-o", f"{binary}.new"]
    subprocess.run([*linking, f"-Wl,-rpath-link,{_library_folder()}"], check=True, stdin=subprocess.DEVNULL)
    Path(f"{binary}.new").replace(binary)
    shutil.rmtree(source)
    sdist.unlink()


def _unpack(sdist: Path, target: Path) -> None:
    with tarfile.open(sdist) as archive:
        root = f"{archive.getnames()[0].split('/')[0]}/vendor/llama.cpp/"
        wanted = tuple(root + part + "/" for part in _WANTED)
        for member in archive.getmembers():
            if member.isfile() and member.name.startswith(wanted):
                path, content = target / member.name.removeprefix(root), archive.extractfile(member)
                assert content is not None
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())  # `extract` with a filter is newer than Debian's Python 3.11


def _compile(unit: Path, source: Path) -> str:
    target = str(unit.with_suffix(".o"))
    includes = [f"-I{source / folder}" for folder in _INCLUDES]
    subprocess.run(["g++", *_FLAGS, *includes, "-c", str(unit), "-o", target], check=True, stdin=subprocess.DEVNULL)
    return target


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"llama-server ended with status {process.returncode}: {log.read_text()[-2000:]}")
        if _answers(f"{url}/health"):
            return
        time.sleep(0.1)
    raise TimeoutError(f"llama-server was not ready after {seconds:.0f} s: {log.read_text()[-2000:]}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.stdout.write(f"{server_binary()}\n")
