"""`localagent mcp list`: what servers offer, and the way out where one fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localagent.cli import main
from tests.localagent.mcp.conftest import entry


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    return tmp_path / "home"


def run(base: Path, *options: str) -> int:
    return main(["mcp", "list", "--cwd", str(base.parent / "work"), *options])


def test_servers_are_shown_with_what_they_offer(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = {"fake": entry(tools=["echo", "add"]), "off": {"command": "x", "disabled": True}}
    (base / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    assert run(base, "--json") == 0
    fake, off = json.loads(capsys.readouterr().out)
    assert (fake["state"], fake["server"], off["state"]) == ("ready", "fake 1", "off")
    assert [tool["name"] for tool in fake["tools"]] == ["mcp__fake__add", "mcp__fake__echo"]
    assert fake["prompts"] == [{"name": "greet", "arguments": ["who"]}]
    assert fake["resources"] is True
    assert run(base) == 0
    assert "mcp__fake__add  Add two whole numbers." in capsys.readouterr().out


def test_a_server_that_fails_says_where_to_look(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = {"crash": entry("crash"), "gone": {"command": "no-such-thing"}, "wrong": {"args": []}}
    (base / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    assert run(base) == 4
    out = capsys.readouterr().out
    for words in ("no licence found", "'no-such-thing' is not installed", "neither `command` nor `url`", "mcp.json"):
        assert words in out


def test_no_servers_and_an_untrusted_folder(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (base.parent / "work" / ".mcp.json").write_text(json.dumps({"mcpServers": {"fake": entry()}}), encoding="utf-8")
    assert run(base) == 0
    told = capsys.readouterr().err
    assert "you do not trust this folder" in told
    assert "no servers yet" in told
    (base / "mcp.json").write_text("{", encoding="utf-8")
    assert run(base) == 2
    assert "mcp.json:1: no valid JSON" in capsys.readouterr().err
