"""docs/journal.md is true: its queries run, its commands exist, its tables are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from localagent.headless import parser as run_parser
from localagent.journal.cli import _parser as journal_parser
from localagent.journal.sessions_cli import _parser as sessions_parser
from tests.fakes.agent import World, call, toy

TEXT = (Path(__file__).parents[3] / "docs/journal.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [line.strip().split("  ")[0] for line in TEXT.splitlines() if line.startswith("    localagent ")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    tools = [toy("read_file", parameters={"type": "object", "properties": {"path": {}}})]
    world = World(tmp_path, [call("read_file", path="notes.txt"), {"content": "Read."}], tools)
    world.run()
    return world


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_runs(world: World, query: str) -> None:
    cursor = world.ledger.connection.execute(query)
    rows = cursor.fetchall()
    assert rows or "NOT ok" in query


def test_every_view_is_there(world: World) -> None:
    names = [*re.findall(r"^\| `(\w+)` \| a ", TEXT, re.MULTILINE), "messages"]
    assert len(names) == 8
    for name in names:
        world.ledger.connection.execute(f"SELECT * FROM {name} LIMIT 1")


def test_there_is_no_other_view_than_these(world: World) -> None:
    views = world.ledger.connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
    assert [name for (name,) in views if f"`{name}`" not in TEXT] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_one(command: str, tmp_path: Path) -> None:
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)][1:]
    parse = {"run": run_parser(), "sessions": sessions_parser(), "journal": journal_parser(tmp_path)}
    parse[words[0]].parse_args(words[1:])
