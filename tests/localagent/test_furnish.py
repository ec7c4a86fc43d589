"""What a session gets besides the built-in tools, and that its first request stays small with all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localagent.agent.subagent import READERS
from localagent.approvers import Nobody
from localagent.assemble import Builder, Settings
from localagent.config.trust import trust
from localagent.events import Event, Notice
from localagent.house import House, close, open_house
from localagent.models.embedded import EMBEDDED
from localagent.ports import Capabilities
from localagent.tools.schema import Profile

SIZES: dict[Profile, float] = {"nano": 0.2, "minimal": 3.0, "full": 8.0}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "replies.jsonl").write_text('{"content": "hello"}\n', encoding="utf-8")
    text = 'default = "script"\n[models.script]\nbackend = "scripted"\nfile = "replies.jsonl"\n'
    (tmp_path / "models.toml").write_text(text, encoding="utf-8")
    (tmp_path / "work").mkdir()
    return open_house(tmp_path / "models.toml")


async def furnished(house: House, folder: Path, profile: Profile) -> tuple[Any, list[Event]]:
    """The seat of a first session in the folder, and what the person is told."""
    model: Any = house.catalogue.build("script", state_dir=house.state)

    async def sized() -> Capabilities:
        return Capabilities(parameters=SIZES[profile], context=16384, native_tools=True)

    model.capabilities = sized
    agent, told = await Builder(house, Settings(folder, Nobody("ask"))).build()
    await close(house)
    return agent, told


@pytest.mark.parametrize(
    ("profile", "own"),
    [("nano", set()), ("minimal", {"search_documents"}), ("full", {"search_documents", "remember", "delegate"})],
)
async def test_each_profile_has_its_tools(house: House, tmp_path: Path, profile: Profile, own: set[str]) -> None:
    agent, _ = await furnished(house, tmp_path / "work", profile)
    names = list(agent.seat.tools)
    assert set(names) & {"search_documents", "remember", "delegate"} == own
    assert "git" not in names
    assert profile == "nano" or names[-2:] == ["ask_user", "finish"]


async def test_a_repository_can_be_looked_at(house: House, tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / "sub").mkdir()
    agent, _ = await furnished(house, tmp_path / "work" / "sub", "full")
    assert "git" in agent.seat.tools


async def test_all_that_a_reader_gets_only_reads(house: House, tmp_path: Path) -> None:
    agent, _ = await furnished(house, tmp_path / "work", "full")
    assert {tool.effect for name, tool in agent.seat.tools.items() if name in READERS} == {"read"}


async def test_instructions_need_trust_and_then_stand_in_the_prompt(house: House, tmp_path: Path) -> None:
    (tmp_path / "work" / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    agent, told = await furnished(house, tmp_path / "work", "full")
    assert "Use tabs." not in agent.seat.system
    assert any(isinstance(event, Notice) and "localagent trust" in event.text for event in told)
    trust(tmp_path / "work")
    agent, told = await furnished(open_house(tmp_path / "models.toml"), tmp_path / "work", "full")
    assert "Use tabs." in agent.seat.system
    assert not told


@pytest.mark.skipif(
    not EMBEDDED.path.is_file(), reason="the embedded model is not here: localagent models pull embedded"
)
@pytest.mark.parametrize(("profile", "most"), [("full", 1600), ("minimal", 900), ("nano", 500)])
async def test_the_first_request_stays_small(house: House, tmp_path: Path, profile: Profile, most: int) -> None:
    import llama_cpp

    (tmp_path / "work" / ".git").mkdir()
    agent, _ = await furnished(house, tmp_path / "work", profile)
    tools = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in agent.seat.specs]
    said = f"<|im_start|>system\n{agent.seat.system}<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
    text = said + "".join(json.dumps({"type": "function", "function": tool}) + "\n" for tool in tools)
    vocabulary = llama_cpp.Llama(str(EMBEDDED.path), vocab_only=True, verbose=False)
    count = len(vocabulary.tokenize(text.encode(), special=True))
    assert count <= most, f"{profile}: {count} tokens"
