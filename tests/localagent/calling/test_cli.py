"""`localagent parse`: cases in and out, one text, and what is said to people."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from localagent.calling.cli import main
from tests.localagent.calling.cases import FOLDER, load

TOOLS = [
    {
        "name": "tide_times",
        "parameters": {"type": "object", "properties": {"harbour": {"type": "string"}}, "required": ["harbour"]},
    }
]


@pytest.fixture
def tools_file(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return str(path)


def _say(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_cases_keep_their_order_and_ids(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["--cases", str(FOLDER / "tool_calls.jsonl"), "--out", str(out)]) == 0

    results = [json.loads(line) for line in out.read_text().splitlines()]
    assert [result["id"] for result in results] == [case["id"] for case in load("tool_calls.jsonl")]
    assert all(len(result) == 2 for result in results)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            "Action: tide_times\nAction Input: Bergen",
            {"calls": [{"name": "tide_times", "arguments": {"harbour": "Bergen"}}]},
        ),
        ("High water at five. Ахой!", {"final": "High water at five. Ахой!"}),
    ],
)
def test_one_text_is_one_object(
    text: str, result: object, tools_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _say(monkeypatch, text)
    assert main(["--tools", tools_file]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_why_names_repairs_and_problems(
    tools_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _say(monkeypatch, "{'name': 'tide_times', 'arguments': {'harbour': 'Bergen'}}")
    assert main(["--tools", tools_file, "--why"]) == 0
    assert "repaired  quotes" in capsys.readouterr().out

    _say(monkeypatch, "Action: tide_times\nAction Input: {}")
    main(["--tools", tools_file, "--why"])
    assert "problem   missing at 'harbour'" in capsys.readouterr().out


def test_a_mistake_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "cases.jsonl"
    broken.write_text('{"id": "1"}\n')
    assert main(["--cases", str(broken)]) == 2
    assert main([]) == 2
    assert capsys.readouterr().err.count("\n") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "no such file"), ('{"id": 1}', "line 1: 'output' is missing"), ("{", "line 1: this is no JSON")],
)
def test_a_mistake_is_one_line_that_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    if text is not None:
        path.write_text(text)
    assert main(["--cases", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"localagent parse: {path}: ")
    assert said in line


def test_a_schema_that_is_none_is_told_about_and_takes_any_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": "odd", "parameters": {"$ref": "#"}}]))
    _say(monkeypatch, 'Action: odd\nAction Input: {"a": 1}')
    assert main(["--tools", str(tools)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"calls": [{"name": "odd", "arguments": {"a": 1}}]}
    assert "odd is taken as any object: it refers to itself without an end" in said.err


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("[1]", "a case is an object"),
        ('{"id": 1, "tools": [], "output": 5}', "a case is an object, and its output a text"),
        ('{"id": 1, "tools": [1], "output": "x"}', "the tools must be a list"),
        ('{"id": 1, "tools": {"tools": null}, "output": "x"}', "the tools must be a list"),
        ('{"id": 1, "tools": [{"name": 1}], "output": "x"}', "the name of a tool"),
        ('{"id": 1, "tools": [{"function": null}], "output": "x"}', "the name of a tool"),
        ('{"id": 1, "tools": [{}], "output": "x"}', "'name' is missing"),
        ('{"id": 1, "tools": ' + "[" * 20_000 + "]" * 20_000 + "}", "it is nested too deep"),
    ],
)
def test_a_case_of_the_wrong_shape_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(case)
    assert main(["--cases", str(path)]) == 2
    assert f"line 1: {said}" in capsys.readouterr().err


def test_cases_are_never_written_over_themselves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('\ufeff{"id": 1, "tools": [], "output": "half \\ud83d"}\n', encoding="utf-8")
    before = path.read_bytes()
    assert main(["--cases", str(path), "--out", str(path)]) == 2
    assert path.read_bytes() == before
    out = tmp_path / "out.jsonl"
    assert main(["--cases", str(path), "--out", str(out)]) == 0
    assert json.loads(out.read_text()) == {"id": 1, "final": "half \ud83d"}
    assert main(["--cases", str(path), "--out", "/dev/full"]) == 2
    assert "/dev/full: no space" in capsys.readouterr().err
