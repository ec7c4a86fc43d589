"""Which backend answers for an entry; each is imported when the first of its models is made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localagent.config.models_toml import Entry
from localagent.net.http import Look
from localagent.ports import Model


def make_direct(entry: Entry, *, state_dir: Path, look: Look | None = None) -> Model:
    """The backend of an entry without the question whether it may be used; for the gateway's wiring.

    `look` sees the bytes of every request before they leave; only backends over HTTP clients of ours have it.
    """
    if look is None:
        return _MAKERS[entry.backend](entry, state_dir)
    return _WATCHED[entry.backend](entry, look)


def _llama_cpp(entry: Entry, state_dir: Path) -> Model:
    from localagent.models.llama_cpp_entry import build

    return build(entry, state_dir)


def _ollama(entry: Entry, state_dir: Path) -> Model:
    from localagent.models.ollama import OllamaModel

    return OllamaModel(entry)


def _openai(entry: Entry, look: Look | None) -> Model:
    from localagent.models.openai import OpenAIModel

    return OpenAIModel(entry, look)


def _anthropic(entry: Entry, look: Look | None) -> Model:
    from localagent.models.anthropic import AnthropicModel

    return AnthropicModel(entry, look)


def _scripted(entry: Entry, state_dir: Path) -> Model:
    from localagent.models.scripted import ScriptedModel

    return ScriptedModel(entry)


_WATCHED: dict[str, Callable[[Entry, Look | None], Model]] = {"openai": _openai, "anthropic": _anthropic}
_MAKERS: dict[str, Callable[[Entry, Path], Model]] = {
    "llama_cpp": _llama_cpp,
    "ollama": _ollama,
    "openai": lambda entry, state_dir: _openai(entry, None),
    "anthropic": lambda entry, state_dir: _anthropic(entry, None),
    "scripted": _scripted,
}
