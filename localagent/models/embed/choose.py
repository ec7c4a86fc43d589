"""Which model turns text into vectors: what models.toml names, otherwise the sentence encoder where it was fetched."""

from __future__ import annotations

from importlib.util import find_spec

from localagent.config.models_toml import ModelsFile
from localagent.errors import ConfigError
from localagent.models.embed.sentence import NAME, SentenceEncoder, weights_file
from localagent.ports import Embedder

NONE = "none"
NEEDED = ("numpy", "sentencepiece")


def choose_embedder(file: ModelsFile) -> Embedder | None:
    """None where there is none: search then goes by words alone. Raises ConfigError."""
    name = file.embeddings
    if name == NONE:
        return None
    if name in ("", NAME):
        there = weights_file().is_file() and all(find_spec(package) for package in NEEDED)
        return SentenceEncoder() if there or name == NAME else None
    entry = file.entries[name]
    if entry.cloud:
        raise ConfigError(
            f"[memory] embeddings = {name!r} is a cloud model ({entry.host}): the whole folder would leave. "
            f"Name a local model, or {NAME!r}"
        )
    if entry.backend == "llama_cpp":
        from localagent.models.embed.gguf import GgufEmbedder
        from localagent.models.pull import path_of

        return GgufEmbedder(name, path_of(entry), threads=entry.threads)
    if entry.backend in ("ollama", "openai"):
        from localagent.models.embed.http import HttpEmbedder

        return HttpEmbedder(entry)
    raise ConfigError(f"[memory] embeddings = {name!r} has backend {entry.backend}, which gives no vectors")
