"""What a seat is made of: dialect, profile, and a first request that stays small."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.ledger import Ledger
from localagent.agent.context import request_of
from localagent.agent.parts import Agent, Seat
from localagent.agent.subagent import delegate
from localagent.memory.kept import remember
from localagent.memory.library import Library
from localagent.memory.tool import search_documents
from localagent.messages import Message
from localagent.models.embedded import EMBEDDED
from localagent.models.scripted import ScriptedModel
from localagent.ports import Capabilities, Request, Tool
from localagent.sizes import choose_profile, shots, system_prompt
from localagent.tools.registry import builtin_tools
from localagent.tools.schema import Profile


def own_tools(folder: Path, profile: Profile) -> tuple[Tool, ...]:
    """The tools of memory and delegation, which a session adds to the built-in ones."""
    if profile == "nano":
        return ()
    ledger = Ledger(folder / "ledger.db")
    search = search_documents(profile, Library(folder, folder, lambda: None), ledger, "s")
    if profile != "full":
        return (search,)
    return (search, remember(profile, folder), delegate(profile, _nobody, lambda seat, emit: seat))


def _nobody() -> Agent:
    raise AssertionError("no tool is called here")


def first_request(folder: Path, profile: Profile, dialect: str) -> Request:
    """The request for "hi" in a new session."""
    from localagent.config.models_toml import Entry

    tools = (*builtin_tools(profile), *own_tools(folder, profile))
    seat = Seat(
        model=ScriptedModel(Entry("x", "scripted", file=folder / "x.jsonl")),
        capabilities=Capabilities(),
        dialect=dialect,
        system=system_prompt(profile, dialect, tools),
        tools={tool.spec.name: tool for tool in tools},
        runners={},
        shots=shots(profile, dialect),
    )
    return request_of(seat, [Message("user", "hi")], session="s")


@pytest.mark.skipif(
    not EMBEDDED.path.is_file(), reason="the embedded model is not here: localagent models pull embedded"
)
@pytest.mark.parametrize(
    ("profile", "dialect", "most"),
    [("full", "native", 1400), ("full", "react", 1400), ("minimal", "react", 1100), ("nano", "react", 500)],
)
def test_the_first_request_is_small(tmp_path: Path, profile: Profile, dialect: str, most: int) -> None:
    import json

    import llama_cpp

    request = first_request(tmp_path, profile, dialect)
    said = "".join(f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in request.messages)
    tools = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in request.tools]
    text = said + "".join(json.dumps({"type": "function", "function": tool}) + "\n" for tool in tools)
    vocabulary = llama_cpp.Llama(str(EMBEDDED.path), vocab_only=True, verbose=False)
    count = len(vocabulary.tokenize(text.encode(), special=True))
    assert count <= most, f"{profile} {dialect}: {count} tokens"


@pytest.mark.parametrize(
    ("capabilities", "profile"),
    [
        (Capabilities(parameters=0.135, context=8192), "nano"),
        (Capabilities(parameters=1.5, context=32768), "minimal"),
        (Capabilities(parameters=8.0, context=32768), "full"),
        (Capabilities(parameters=8.0, context=4096), "minimal"),
        (Capabilities(), "full"),
    ],
)
def test_the_profile_follows_size_and_window(capabilities: Capabilities, profile: str) -> None:
    assert choose_profile(capabilities) == profile


@pytest.mark.parametrize("dialect", ["native", "react"])
@pytest.mark.parametrize("profile", ["nano", "minimal", "full"])
def test_the_system_prompt_never_changes(profile: Profile, dialect: str) -> None:
    first, second = (system_prompt(profile, dialect, builtin_tools(profile)) for _ in range(2))
    assert first == second
