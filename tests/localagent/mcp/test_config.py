"""mcp.json as people have it from other clients, and what is said of what is wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localagent.errors import ConfigError
from localagent.mcp.config import expand, most_listed, read, servers


def write(file: Path, **entries: Any) -> Path:
    file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return file


def test_the_forms_of_other_clients_are_read(tmp_path: Path) -> None:
    file = write(
        tmp_path / "mcp.json",
        time={"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "${ZONE:-UTC}"}},
        files={"type": "stdio", "command": "npx", "args": ["-y", "server", "${workspaceFolder}"], "disabled": True},
        wiki={
            "type": "streamable-http",
            "url": "https://wiki.example/mcp",
            "headers": {"Authorization": "Bearer ${env:KEY}"},
        },
        old={"httpUrl": "http://127.0.0.1:9/mcp", "timeout": 30000},
    )
    time, files, wiki, old = read(file, tmp_path, {"KEY": "s3cret"})
    assert time.argv == ("uvx", "mcp-server-time")
    assert time.env == (("TZ", "UTC"),)
    assert (files.enabled, files.argv[-1]) == (False, str(tmp_path))
    assert dict(wiki.headers) == {"Authorization": "Bearer s3cret"}
    assert (wiki.host, old.timeout, old.url) == ("wiki.example", 30.0, "http://127.0.0.1:9/mcp")
    assert "s3cret" not in wiki.where


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"command": "x", "args": "y"}, "args"),
        ({"command": "x", "env": {"A": "${NOT_SET_ANYWHERE}"}}, "NOT_SET_ANYWHERE"),
        ({}, "neither `command` nor `url`"),
        ({"type": "sse", "url": "https://x.example"}, "sse"),
        ({"type": "http"}, "url"),
        ({"url": "ftp://x.example"}, "ftp"),
        ("npx", "object"),
    ],
)
def test_one_wrong_server_leaves_the_others_alone(tmp_path: Path, entry: Any, said: str) -> None:
    wrong, right = read(write(tmp_path / "mcp.json", wrong=entry, right={"command": "true"}), tmp_path, {})
    assert said in wrong.problem
    assert "mcp.json" in wrong.problem
    assert right.problem == ""


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}', '{"mcpServers": {"a/b": {"command": "x"}}}'])
def test_a_file_that_is_no_configuration_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="mcp"):
        read(file, tmp_path)


def test_the_persons_server_wins_over_the_workspaces(tmp_path: Path) -> None:
    own = write(tmp_path / "mcp.json", time={"command": "mine"})
    shared = write(tmp_path / ".mcp.json", time={"command": "theirs"}, more={"command": "more"})
    assert [s.argv[0] for s in servers(own, shared, tmp_path)] == ["mine", "more"]
    assert [s.argv[0] for s in servers(own, None, tmp_path)] == ["mine"]
    assert servers(tmp_path / "none.json", None, tmp_path) == ()


def test_how_many_are_listed_is_the_persons(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    assert most_listed(file) == 12
    file.write_text('{"toolsListed": 3}', encoding="utf-8")
    assert most_listed(file) == 3
    file.write_text('{"toolsListed": -1}', encoding="utf-8")
    with pytest.raises(ConfigError, match="toolsListed"):
        most_listed(file)


def test_variables(tmp_path: Path) -> None:
    assert expand("a ${X} ${env:X} ${Y:-y} $X", {"X": "1"}) == "a 1 1 y $X"
    assert expand("${X:-other}", {"X": ""}) == "other"
