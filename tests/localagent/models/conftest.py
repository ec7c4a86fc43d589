"""Entries and requests that the tests of all backends share."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from localagent.config.models_toml import Entry
from localagent.messages import Message, ToolSpec
from localagent.models.anthropic import AnthropicModel
from localagent.models.ollama import OllamaModel
from localagent.models.openai import OpenAIModel
from localagent.ports import CallDelta, Delta, Finish, Request, TextDelta, ThoughtDelta

WEATHER = ToolSpec(
    "get_temperature",
    "Tells the temperature in a city now",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
Backend = OpenAIModel | OllamaModel | AnthropicModel
BACKENDS: dict[str, type[Backend]] = {"openai": OpenAIModel, "ollama": OllamaModel, "anthropic": AnthropicModel}


def make(backend: str, url: str, model: str = "fake", **more: Any) -> Backend:
    """A model of the backend at `url`."""
    base_url = url + "/v1" if backend == "openai" else url
    return BACKENDS[backend](Entry("mine", backend, model=model, base_url=base_url, **more))


def asking(text: str, *, tools: tuple[ToolSpec, ...] = (), max_tokens: int = 64) -> Request:
    return Request((Message("system", "You are brief."), Message("user", text)), tools=tools, max_tokens=max_tokens)


async def whole(stream: AsyncGenerator[Delta, None]) -> tuple[str, str, dict[int, tuple[str, str]], Finish]:
    """Text, thinking, calls by index, and the finish of a reply."""
    text = thought = ""
    calls: dict[int, tuple[str, str]] = {}
    finish: Finish | None = None
    async for delta in stream:
        match delta:
            case TextDelta(piece):
                text += piece
            case ThoughtDelta(piece):
                thought += piece
            case CallDelta(index, name, arguments):
                before = calls.get(index, ("", ""))
                calls[index] = (before[0] + name, before[1] + arguments)
            case Finish():
                assert finish is None
                finish = delta
    assert finish is not None
    return text, thought, calls, finish
