"""Prompts of servers: by name, with values in order or by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from localagent.assemble import Settings
from localagent.errors import UsageError
from localagent.guard.assemble import session_taint
from localagent.house import close, open_house
from localagent.mcp.prompts import _arguments, server_prompt
from localagent.session import Session
from tests.fakes.tools import Person
from tests.localagent.mcp.conftest import Open, entry
from tests.localagent.mcp.test_offer import home


async def test_a_prompt_is_filled_in(opened: Open) -> None:
    servers = opened(fake=entry())
    text, connection = await server_prompt(servers, 'fake:greet "Anna Kern"')
    assert (text, connection.config.name) == ("Greet Anna Kern politely.", "fake")


@pytest.mark.parametrize("words", ["", "fake", "fake:other", "greet x", '"'])
async def test_what_there_is_is_told(opened: Open, words: str) -> None:
    with pytest.raises(UsageError, match=r"fake:greet\(who\)|No closing quotation"):
        await server_prompt(opened(fake=entry()), words)
    with pytest.raises(UsageError, match=r"none|No closing"):
        await server_prompt(None, words)


def test_values_are_given_in_order_or_by_name() -> None:
    names = ("who", "how", "when")
    assert _arguments(names, ["Anna", "a=b"]) == {"who": "Anna", "how": "a=b"}
    assert _arguments(names, ["how=kindly", "Anna", "now"]) == {"who": "Anna", "how": "kindly", "when": "now"}
    assert _arguments((), ["x"]) == {}


async def test_a_strangers_prompt_taints_the_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for trust in (False, True):
        work = home(tmp_path, monkeypatch, [{"content": "."}], entry={"trust": trust})
        house = open_house(tmp_path / "home" / "models.toml")
        session = Session(house, Settings(work, Person()))
        try:
            assert await session.server_prompt("fake:greet Anna") == "Greet Anna politely."
            assert session_taint(house.data, session.session).active is not trust
        finally:
            await close(house)
