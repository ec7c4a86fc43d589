"""How a GGUF is loaded and sampled; plain values, so that they travel to the worker as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class LlamaCppSettings:
    """Settings of one model. `threads` None follows the machine: fewer while others are busy on its cores."""

    file: Path
    context: int = 4096  # tokens; rounded up to 256, and never more than the model was trained for
    threads: int | None = None
    gpu_layers: int = 0  # -1: all of them
    temperature: float = 0.2
    top_p: float = 0.95
    top_k: int = 40
    min_p: float = 0.05
    repeat_penalty: float = 1.0  # 1.0: none
    seed: int | None = None
    max_tokens: int = 1024  # an upper bound on what a request may ask for
    grammar: bool = True
    think: bool | None = None  # what the template is told as `enable_thinking`
    state_dir: Path | None = None  # where prefix states are kept; None: only while the worker lives
    state_bytes: int = 1 << 30  # how much of the disk they may take
    load_seconds: float = 600.0  # silence while loading after which the worker counts as hung


def to_json(settings: LlamaCppSettings) -> dict[str, Any]:
    values = asdict(settings)
    return {**values, "file": str(settings.file), "state_dir": str(settings.state_dir or "")}


def from_json(data: dict[str, Any]) -> LlamaCppSettings:
    folder = data["state_dir"]
    return LlamaCppSettings(**{**data, "file": Path(data["file"]), "state_dir": Path(folder) if folder else None})
