"""The commands as a user calls them. Those that detect run on the real detector and are few."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.cli import main


def write_lines(path: Path, cases: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_restore_cases(tmp_path: Path) -> None:
    cases = [
        {"id": "a", "map": {"<PERSON_1>": "Ada Vance"}, "chunks": ["Hi <PER", "SON_1>"], "json": False},
        {"id": "b", "map": {"<PERSON_1>": 'A"B'}, "chunks": ['{"to": "<PERS', 'ON_1>"}'], "json": True},
        {"id": "c", "map": {}, "chunks": []},
    ]
    out = tmp_path / "out.jsonl"
    assert main(["restore", "--cases", str(write_lines(tmp_path / "in.jsonl", cases)), "--out", str(out)]) == 0
    results = read_lines(out)
    assert [result["id"] for result in results] == ["a", "b", "c"]
    assert ["".join(result["chunks"]) for result in results] == ["Hi Ada Vance", '{"to": "A\\"B"}', ""]  # type: ignore[arg-type]


def test_restore_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "map.json").write_text('{"text": "x", "map": {"<PERSON_1>": "Ада"}}', "utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<person_1>\r\n\xff")))
    assert main(["restore", "--map", str(tmp_path / "map.json")]) == 0
    assert capfdbinary.readouterr().out == "Ада\r\n".encode() + b"\xff"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["restore"], "needs --map"),
        (["restore", "--cases", "gone.jsonl", "--out", "o"], "gone.jsonl: there is no such file"),
        (["restore", "--map", "gone.json"], "gone.json: there is no such file"),
        (["mask", "--cases", "in.jsonl", "--out", "o", "--map", "m.json"], "--map is for files and standard input"),
        (["mask", "--out", "o"], "--out is for files and --cases"),
        (["check", "--config", "gone.toml"], "gone.toml: there is no such file"),
        (["mask", "--profile", "nope"], 'unknown profile "nope"'),
        (["check", "--config", "unset.toml"], "upstream u: the environment variable NOT_SET_HERE is not set"),
        (["serve", "--config", "set.toml", "--cert", "gone.pem"], "gone.pem: there is no such file"),
        (["mask", "gone.txt"], "gone.txt: there is no such file"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    unset = '[[upstream]]\nname = "u"\nprotocol = "openai"\nbase_url = "http://x"\napi_key_env = "NOT_SET_HERE"\n'
    (tmp_path / "unset.toml").write_text(unset)
    (tmp_path / "set.toml").write_text(unset.replace("api_key_env", "model"))
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_a_bad_case_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": 1, "map": {}, "chunks": []}\n{"id": 2}\n')
    assert main(["restore", "--cases", str(path), "--out", str(tmp_path / "o")]) == 2
    assert "line 2" in capsys.readouterr().err


def test_starting_loads_nothing_heavy() -> None:
    code = (
        "import sys, gateway.cli; gateway.cli._parser(); "
        "heavy = ('numpy', 'spacy', 'presidio_analyzer', 'httpx', 'jsonschema', 'regex', 'starlette'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("gateway 0.")


@pytest.mark.parametrize("port", ["99999", "0", "-1", "http"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", f"--port={port}"])
    assert stopped.value.code == 2
    assert f"{port} is no port: allowed are 1 to 65535" in capsys.readouterr().err


@pytest.mark.slow
def test_standard_input_has_a_map_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Write to jane@lab.example"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["mask", "--map", str(tmp_path / "m.json")]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(capsys.readouterr().out.encode())))
    assert json.loads((tmp_path / "m.json").read_text()) == {"<EMAIL_ADDRESS_1>": "jane@lab.example"}
    assert main(["restore", "--map", str(tmp_path / "m.json")]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.slow
def test_mask_cases_and_check_with_the_real_detector(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Write to jane@lab.example or Иван Петров, card 4111 1111 1111 1111"
    cases = write_lines(tmp_path / "in.jsonl", [{"id": "a", "input": text}, {"id": "b", "input": ""}])
    assert main(["mask", "--cases", str(cases), "--out", str(tmp_path / "out.jsonl")]) == 0
    first, second = read_lines(tmp_path / "out.jsonl")
    assert first["text"] == "Write to <EMAIL_ADDRESS_1> or <PERSON_1>, card <CREDIT_CARD_1>"
    assert [text[e["start"] : e["end"]] for e in first["entities"]] == [e["text"] for e in first["entities"]]  # type: ignore[attr-defined]
    assert second == {"id": "b", "text": "", "entities": []}
    assert main(["check"]) == 0
    assert "<EMAIL_ADDRESS_1>" in capsys.readouterr().out
