"""`--help` fits the terminal: no line is longer than it is wide, so that none breaks in the middle of a word."""

from __future__ import annotations

import pytest

from localagent.cli import _COMMANDS, main

PARTS = ("list", "show", "search", "export", "handoff", "fork", "undo", "rename", "delete", "resume")


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", [(), *((name,) for name in _COMMANDS), *(("sessions", part) for part in PARTS)])
def test_no_line_of_help_is_wider_than_the_terminal(
    command: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: localagent")
    assert [line for line in said.splitlines() if len(line) > columns] == []


def test_the_examples_keep_their_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with pytest.raises(SystemExit):
        main(["--help"])
    assert '\n  localagent run "Fix the failing test" --approve edit\n' in capsys.readouterr().out
