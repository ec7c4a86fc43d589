"""Models that are already there are offered, and what is no model server does no harm."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from localagent.models.discover import PLACES, Place, discover, gguf_entries, implied_entry
from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.ollama_server import Ollama, show
from tests.fakes.openai_server import scripted_openai


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "HF_HOME", "LLAMA_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def place(label: str, backend: str, server: HttpServer) -> Place:
    return Place(label, backend, urlsplit(server.url).port or 0, "start it")


async def test_models_of_running_servers_are_found() -> None:
    models = {"qwen3:8b": show("completion"), "nomic-embed-text:latest": show("embedding")}
    async with Ollama("http://127.0.0.1:9", models=models).server() as ollama, scripted_openai([[]]) as openai:
        found = await discover([place("ollama", "ollama", ollama), place("vllm", "openai", openai)])
    assert [(entry.name, entry.backend, entry.model) for entry in found] == [
        ("ollama/qwen3:8b", "ollama", "qwen3:8b"),
        ("vllm/fake", "openai", "fake"),
    ]
    assert found[1].base_url == f"{openai.url}/v1"


async def _website(asked: Asked, answer: Answer) -> None:
    await answer.whole("<html>a web shop</html>", 200, "text/html")


async def _odd_json(asked: Asked, answer: Answer) -> None:
    await answer.whole('["no", {"models": 7}]')


async def _noise(asked: Asked, answer: Answer) -> None:
    await answer.raw(b"\x00\x01\x02")
    answer.drop()


@pytest.mark.parametrize("handler", [_website, _odd_json, _noise])
async def test_whatever_else_listens_there_is_passed_over(handler: object) -> None:
    async with HttpServer(handler) as server:  # type: ignore[arg-type]
        assert await discover([place("ollama", "ollama", server), place("vllm", "openai", server)]) == ()


async def test_nothing_there_takes_no_time() -> None:
    began = time.monotonic()
    assert await discover([Place("x", "openai", 9, "")]) == ()
    assert time.monotonic() - began < 5


def test_files_of_other_programs_are_offered_once(home: Path) -> None:
    hub = home / ".cache/huggingface/hub/models--a/snapshots/1"
    own = home / ".cache/localagent/models"
    for folder in (hub, own):
        folder.mkdir(parents=True)
    for name in ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "mmproj-a.gguf", "a.gguf"):
        (hub / name).write_bytes(b"GGUF")
    (own / "same.gguf").symlink_to(hub / "a.gguf")
    (own / "half.gguf.part").write_bytes(b"GG")
    (own / "dangling.gguf").symlink_to(home / "gone")
    assert [entry.name for entry in gguf_entries()] == ["file/same", "file/big-00001-of-00002"]
    entry = implied_entry("file/same")
    assert entry is not None
    assert entry.file == own / "same.gguf"


def test_a_name_of_a_server_needs_no_entry() -> None:
    entry = implied_entry("ollama/hf.co/a/b:Q4")
    assert entry is not None
    assert (entry.model, entry.base_url) == ("hf.co/a/b:Q4", "http://127.0.0.1:11434")
    assert implied_entry("qwen") is None
    assert implied_entry("ollama/") is None
    assert {p.label: p.port for p in PLACES} == {"ollama": 11434, "llama-server": 8080, "lmstudio": 1234, "vllm": 8000}
