"""Models that this machine already has: of local servers, and GGUF files in the known folders.

They are offered under names such as `ollama/qwen3:8b` and need no entry in models.toml.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localagent.config.models_toml import Entry
from localagent.config.paths import weights_dir

CONNECT_SECONDS = 0.3
ANSWER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Place:
    """A server that may run here: its usual port, and how to start it."""

    label: str
    backend: str
    port: int
    start: str

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}" + ("" if self.backend == "ollama" else "/v1")


PLACES = (
    Place("ollama", "ollama", 11434, "ollama serve"),
    Place("llama-server", "openai", 8080, "llama-server -m MODEL.gguf --port 8080"),
    Place("lmstudio", "openai", 1234, "lms server start"),
    Place("vllm", "openai", 8000, "vllm serve MODEL"),
)


def implied_entry(name: str) -> Entry | None:
    """The entry that a name such as `ollama/qwen3:8b` or `file/NAME` stands for, without asking a server."""
    label, _, model = name.partition("/")
    if label == "file":
        return next((entry for entry in gguf_entries() if entry.name == name), None)
    place = next((place for place in PLACES if place.label == label), None)
    return _entry(place, model) if place and model else None


async def discover(places: Sequence[Place] = PLACES) -> tuple[Entry, ...]:
    """Entries of every model found; about two seconds at most, 0.3 where nothing runs."""
    found = await asyncio.gather(*(_at(place) for place in places))
    files = await asyncio.to_thread(lambda: tuple(gguf_entries()))
    return (*(entry for entries in found for entry in entries), *files)


def gguf_entries() -> Iterator[Entry]:
    """GGUF files that other programs or localagent downloaded, one entry a model."""
    seen: set[Path] = set()
    for folder in gguf_folders():
        for path in sorted(folder.rglob("*.gguf")) if folder.is_dir() else ():
            real = path.resolve()
            if _is_model(path) and real not in seen and real.is_file():
                seen.add(real)
                yield Entry(name=f"file/{path.stem}", backend="llama_cpp", file=path)


def gguf_folders() -> tuple[Path, ...]:
    """Where localagent, Hugging Face, llama.cpp and LM Studio keep GGUF files."""
    home = Path.home()
    hub = Path(os.environ.get("HF_HOME", home / ".cache" / "huggingface")) / "hub"
    own = os.environ.get("LLAMA_CACHE")
    llama_cpp = Path(own) if own else home / ".cache" / "llama.cpp"
    return weights_dir(), hub, llama_cpp, home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"


def _is_model(path: Path) -> bool:
    """Not a projector for images and not the second part of a split file."""
    name = path.name.lower()
    part = name.rpartition("-of-")[0].rpartition("-")[2]
    return "mmproj" not in name and (not part.isdigit() or int(part) == 1)


async def _at(place: Place) -> tuple[Entry, ...]:
    if not await listens(place.port):
        return ()
    try:
        names = await asyncio.wait_for(_names(place), ANSWER_SECONDS)
    except (TimeoutError, OSError, ValueError):
        return ()  # something else listens there
    return tuple(_entry(place, name) for name in names)


async def listens(port: int, host: str = "127.0.0.1", seconds: float = CONNECT_SECONDS) -> bool:
    """Whether anything accepts a connection there."""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), seconds)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


async def _names(place: Place) -> list[str]:
    path, key = ("/api/tags", "models") if place.backend == "ollama" else ("/models", "data")
    data = await _get_json(place.base_url + path)
    rows = data.get(key) if isinstance(data, dict) else None
    if not isinstance(rows, list):
        return []
    names = [row.get("model") or row.get("id") or row.get("name") for row in rows if isinstance(row, dict)]
    return [name for name in names if isinstance(name, str) and "embed" not in name.lower()]


async def _get_json(url: str) -> Any:
    """Raises OSError or ValueError for whatever is no JSON answer."""
    import httpx

    from localagent.net.http import open_client

    async with await open_client(url, connect=CONNECT_SECONDS, silence=ANSWER_SECONDS) as client:
        try:
            return (await client.get(url)).raise_for_status().json()
        except httpx.HTTPError as error:
            raise OSError(str(error)) from error


def _entry(place: Place, model: str) -> Entry:
    return Entry(name=f"{place.label}/{model}", backend=place.backend, model=model, base_url=place.base_url)


__all__ = ["PLACES", "Place", "discover", "gguf_entries", "gguf_folders", "implied_entry", "listens"]
