"""docs/mcp.md and docs/safety.md: their examples are read by the code, and no key is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path

from localagent.guard.rules import load_rules
from localagent.guard.taint import Taint
from localagent.mcp.config import _KEYS, most_listed, read

DOCS = Path(__file__).parents[3] / "docs"


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_servers_are_read(tmp_path: Path) -> None:
    for block in blocks("mcp.md", "json"):
        file = tmp_path / "mcp.json"
        file.write_text(block, encoding="utf-8")
        assert json.loads(block)["mcpServers"]
        assert [server.problem for server in read(file, tmp_path, {"WIKI_KEY": "k"}) if server.problem] == []
        assert most_listed(file) == 12


def test_every_key_of_a_server_is_explained() -> None:
    text = (DOCS / "mcp.md").read_text(encoding="utf-8")
    aliases = {"transport": "type", "enabled": "disabled"}
    assert [key for key in _KEYS if f"`{aliases.get(key, key)}`" not in text] == []


def test_the_example_of_rules_is_read(tmp_path: Path) -> None:
    (block,) = blocks("safety.md", "toml")
    file = tmp_path / "approvals.toml"
    file.write_text(block, encoding="utf-8")
    rules = load_rules(file)
    assert (len(rules.allow), len(rules.deny)) == (2, 1)
    assert Taint(foreign=rules.foreign or ()).is_foreign("Downloads/a.txt")
