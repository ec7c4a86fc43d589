"""Masking whole files with worker processes and the real detector."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gateway.batch import mask_files
from gateway.cli import main
from gateway.config import Config
from gateway.detect.settings import DetectorSettings
from gateway.errors import BlockedError, ConfigError
from gateway.policy import Policy
from gateway.restore import restore

QUICK = Config(policy=Policy.from_profile("default"), detect=DetectorSettings(ner=False))


@pytest.mark.slow
def test_files_keep_their_format_and_share_one_map(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_bytes(b'name;mail\r\n"x; y";jane@lab.example\r\n')
    lines = tmp_path / "b.jsonl"
    lines.write_text('{"mail": "JANE@lab.example", "card": 4111111111111111, "n": 2.50}\n' * 3)
    note = tmp_path / "c.md"
    note.write_text("# Later\n\nwrite to tom@lab.example\n")
    assert mask_files([table, lines, note], QUICK, out=tmp_path / "out", map_file=tmp_path / "map.json", jobs=2) == 0
    mapping = json.loads((tmp_path / "map.json").read_text())
    masked = (tmp_path / "out" / "a.csv").read_bytes().decode()
    assert list(csv.reader(masked.splitlines(), delimiter=";"))[1] == ["x; y", "<EMAIL_ADDRESS_1>"]
    assert "\r\n" in masked
    rows = [json.loads(line) for line in (tmp_path / "out" / "b.jsonl").read_text().splitlines()]
    assert rows == [{"mail": "<EMAIL_ADDRESS_1>", "card": "<CREDIT_CARD_1>", "n": 2.5}] * 3
    assert restore((tmp_path / "out" / "c.md").read_text(), mapping) == note.read_text()
    assert (tmp_path / "map.json").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_value_that_only_the_end_shows_is_masked_at_the_beginning(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("kx-77 came first\n" + "words\n" * 20_000 + "password: kx-77\n")
    config = Config(policy=Policy.from_table({"default": "mask"}), detect=DetectorSettings(ner=False))
    mask_files([file], config, jobs=2)
    masked = (tmp_path / "a.masked.txt").read_text()
    assert "kx-77" not in masked
    assert masked.count("<SECRET_1>") == 2


@pytest.mark.slow
def test_a_blocked_type_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("card 4111 1111 1111 1111\n")
    config = Config(policy=Policy.from_table({"CREDIT_CARD": "block"}), detect=DetectorSettings(ner=False))
    with pytest.raises(BlockedError, match=r"a\.txt: the policy blocks CREDIT_CARD"):
        mask_files([file], config, jobs=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.slow
def test_a_line_that_is_no_json_is_told_and_masked_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"mail": "jane@lab.example"}\n{"mail": jane@lab.example\n{"n": 1}\n')
    assert mask_files([file], QUICK, jobs=1) == 4
    masked = (tmp_path / "a.masked.jsonl").read_text()
    assert masked == '{"mail": "<EMAIL_ADDRESS_1>"}\n{"mail": <EMAIL_ADDRESS_1>\n{"n": 1}\n'
    assert "a.jsonl, line 2: no JSON" in capsys.readouterr().err


@pytest.mark.slow
def test_an_interrupt_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"mail": "jane@lab.example", "text": "a line of words"}\n' * 20_000)
    settings = tmp_path / "gateway.toml"
    settings.write_text("[detect]\nner = false\n")
    command = [sys.executable, "-m", "gateway.cli", "mask", str(file), "--config", str(settings), "--jobs", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "a.masked.jsonl.part").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "gateway.toml"]


def test_a_masked_file_never_replaces_its_source(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x")
    with pytest.raises(ConfigError, match="would replace"):
        mask_files([file], QUICK, out=tmp_path)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"%PDF-1.4\n(Tenant: Jane Doe) Tj", "is a PDF"),
        ("a.docx", b"PK\x03\x04word/document.xml", "an office document"),
        ("a.rtf", b"{\\rtf1 \\u1040?\\u1085?}", "an RTF document"),
        ("a.txt", "Jane Doe".encode("utf-16-be"), "zero bytes"),
        ("a.csv", "Анна".encode("cp1251"), "no UTF-8 text"),
    ],
)
def test_what_holds_its_text_packed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, reason: str
) -> None:
    """A masked copy with everything in it would look masked."""
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=reason):
        mask_files([file], QUICK, jobs=1)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["mask"]) == 2


@pytest.mark.slow
def test_the_same_call_again_does_not_mask_what_it_made(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("write to tom@lab.example\n")
    for _ in range(2):
        assert mask_files(sorted(tmp_path.glob("*.md")), QUICK, jobs=1) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.masked.md", "a.md"]
    told = capfd.readouterr().err
    assert "a.masked.md: is the result of an earlier call; left out\n" in told
    assert told.count("1 value masked in") == 2
