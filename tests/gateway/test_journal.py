"""`gateway journal`: proves, counts, exports, and answers whether a value left."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gateway.cli import main
from gateway.figures import figures
from gateway.hashes import load_key, of_issued
from gateway.ledger import Ledger
from gateway.proxy.budget import add_uses

DAY = 1_796_000_000.0


def write(path: Path) -> Path:
    """Four requests of two days: done, blocked, cancelled, and one whose process died."""
    key = load_key(path)
    mail = of_issued(key, ["ada@lab.example"], "ada@lab.example")
    phone = of_issued(key, ["+44 20 7946 0958"], "")
    asked: dict[str, Any] = {"client": "ci", "protocol": "openai", "model": "gpt-9", "upstream": "up", "bytes": 90}
    masked = {**asked, "masked": {"EMAIL_ADDRESS": 2}, "hashes": {"EMAIL_ADDRESS": mail}}
    passing = {**asked, "masked": {}, "passed": {"PHONE_NUMBER": 1}, "passed_hashes": {"PHONE_NUMBER": phone}}
    times = iter([DAY, DAY + 1, DAY + 2, DAY + 86_400, DAY + 86_401, DAY + 86_402])
    with Ledger(path, clock=lambda: next(times)) as ledger:
        for kind, data in (
            ("gateway_request", masked),
            ("gateway_reply", {"request": 1, "outcome": "done", "input_tokens": 7, "cost_usd": 0.5, "seconds": 0.2}),
            ("gateway_refused", {"client": "b", "protocol": "openai", "outcome": "blocked", "blocked": {"SECRET": 1}}),
            ("gateway_request", passing),
            ("gateway_reply", {"request": 4, "outcome": "cancelled", "input_tokens": None, "seconds": 0.4}),
            ("gateway_request", {**masked, "client": ""}),
        ):
            rows = [(kind, data)]
            ledger.append_all(rows, also=lambda connection, _, rows=rows: add_uses(connection, rows, DAY))  # type: ignore[misc]
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(["journal", *arguments])
    return status, capsys.readouterr().out


def test_stats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = str(write(tmp_path / "l.db"))
    status, out = run(capsys, "stats", "--ledger", ledger, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["requests"], found["sent"], found["input_tokens"], found["cost_usd"]) == (4, 3, 7, 0.5)
    assert found["by_outcome"] == {"done": 1, "cancelled": 1, "blocked": 1, "open": 1}
    assert found["by_client"] == {"ci": 2, "": 1, "b": 1}
    assert found["masked"] == {"EMAIL_ADDRESS": 4}
    assert (found["passed"], found["blocked"]) == ({"PHONE_NUMBER": 1}, {"SECRET": 1})
    assert list(found["by_day"].values()) == [2, 2]
    assert found["masked_by_day"] == dict.fromkeys(found["by_day"], 2)
    assert found["seconds"] == {"p50": 0.4, "p99": 0.4}
    day = next(iter(found["by_day"]))
    _, out = run(capsys, "stats", "--ledger", ledger, "--json", "--until", list(found["by_day"])[1])
    assert list(json.loads(out)["by_day"]) == [day]
    _, out = run(capsys, "stats", "--ledger", ledger)
    assert "EMAIL_ADDRESS" in out
    assert "4 requests, 3 of them left" in out


def test_what_the_upstream_refused_counts_beside_what_the_gateway_refused(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db", clock=lambda: DAY) as ledger:
        for kind, data in (
            ("gateway_request", {"client": "ci"}),
            ("gateway_reply", {"request": 1, "outcome": "refused", "status": 501}),
            ("gateway_request", {"client": "ci"}),
            ("gateway_reply", {"request": 3, "outcome": "refused", "status": 400}),
            ("gateway_refused", {"client": "ci", "outcome": "refused"}),
        ):
            ledger.append_all([(kind, data)])
        found = figures(ledger)
    assert (found["requests"], found["sent"], found["by_outcome"]) == (3, 2, {"refused": 3})


def test_a_request_that_reached_no_upstream_has_not_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Ledger(tmp_path / "l.db", clock=lambda: DAY) as ledger:
        for kind, data in (
            ("gateway_request", {"client": "ci"}),
            ("gateway_reply", {"request": 1, "outcome": "unsent", "status": 502}),
            ("gateway_request", {"client": "ci"}),
        ):
            ledger.append_all([(kind, data)])
        found = figures(ledger)
    assert (found["requests"], found["sent"], found["by_outcome"]) == (2, 1, {"unsent": 1, "open": 1})
    _, out = run(capsys, "stats", "--ledger", str(tmp_path / "l.db"))
    assert "2 requests, 1 of them left" in out
    run(capsys, "export", "--ledger", str(tmp_path / "l.db"), "--out", str(tmp_path / "o.csv"))
    with (tmp_path / "o.csv").open(newline="") as file:
        assert [row["sent"] for row in csv.DictReader(file)] == ["0", "1"]


def test_an_empty_ledger_has_figures_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ledger(tmp_path / "l.db").close()
    _, out = run(capsys, "stats", "--ledger", str(tmp_path / "l.db"), "--json")
    assert json.loads(out)["requests"] == 0
    assert run(capsys, "stats", "--ledger", str(tmp_path / "l.db"))[1].startswith("0 requests")


def test_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = str(write(tmp_path / "l.db"))
    _, out = run(capsys, "export", "--ledger", ledger)
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["event"] for line in lines].count("gateway_request") == 3
    assert len(lines) == 6
    assert main(["journal", "export", "--ledger", ledger, "--out", str(tmp_path / "o.csv")]) == 0
    with (tmp_path / "o.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == ["done", "blocked", "cancelled", "open"]
    assert [row["sent"] for row in rows] == ["1", "0", "1", "1"]
    assert json.loads(rows[0]["masked"]) == {"EMAIL_ADDRESS": 2}
    assert main(["journal", "export", "--ledger", ledger, "--out", str(tmp_path / "o.db")]) == 0
    with Ledger(tmp_path / "o.db") as copy:
        assert copy.verify().ok
    capsys.readouterr()
    assert main(["journal", "export", "--ledger", ledger, "--format", "db"]) == 2


@pytest.mark.parametrize(
    ("asked", "masked", "passed", "status"),
    [
        ("ADA@lab.example", [1, 6], [], 0),
        ("+44 (20) 79460958", [], [4], 0),
        ("bob@lab.example", [], [], 1),
    ],
)
def test_did_a_value_leave(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    asked: str,
    masked: list[int],
    passed: list[int],
    status: int,
) -> None:
    ledger = str(write(tmp_path / "l.db"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"\n{asked}\n".encode())))
    found, out = run(capsys, "find", "--ledger", ledger, "--json")
    (line,) = [json.loads(line) for line in out.splitlines()]
    assert (found, line["line"]) == (status, 2)
    assert [row["id"] for row in line["masked"]] == masked
    assert [row["id"] for row in line["left_in_clear"]] == passed
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(asked.encode())))
    _, out = run(capsys, "find", "--ledger", ledger)
    assert asked not in out
    assert f"masked in {len(masked)} requests, left in clear in {len(passed)}" in out


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "l.db")
    assert run(capsys, "verify", "--ledger", str(path))[0] == 0
    with Ledger(path) as ledger:
        ledger.connection.execute("UPDATE events SET data = replace(data, 'ci', 'no') WHERE id = 1")
    status, out = run(capsys, "verify", "--ledger", str(path), "--json")
    assert status == 4
    assert json.loads(out)["faults"] == [{"id": 1, "what": "its data was changed"}]


def test_the_ledger_of_gateway_toml_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    assert main(["journal", "stats"]) == 2
    assert "there is no ledger yet" in capsys.readouterr().err
    write(tmp_path / "own.db")
    (tmp_path / "gateway.toml").write_text('[ledger]\nfile = "own.db"\n')
    assert run(capsys, "verify")[1].startswith(str(Path("own.db")))
    assert main(["journal", "stats", "--since", "yesterday"]) == 2
