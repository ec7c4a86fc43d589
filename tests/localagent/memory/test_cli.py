"""`localagent memory` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localagent.errors import UsageError
from localagent.memory.cli import main


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "models.toml").write_text('[memory]\nembeddings = "none"\n', encoding="utf-8")
    (folder / "rent.txt").write_text("The rent is 900 euros.\n", encoding="utf-8")
    (folder / "image.bin").write_bytes(b"\0\1")
    monkeypatch.chdir(folder)
    return folder


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, object], str]:
    assert main([*words, "--json"]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_index_search_status_forget(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    indexed, hint = told(capsys, "index")
    assert (indexed["changed"], indexed["passages"], indexed["vectors"]) == (2, 2, 0)
    assert indexed["skipped"] == {"binary": 1}
    assert "words alone" in hint
    found, _ = told(capsys, "search", "what", "is", "the", "rent")
    assert found["by_meaning"] is False
    assert [(f["path"], f["line"]) for f in found["found"]] == [("rent.txt", 1)]  # type: ignore[attr-defined]
    status, _ = told(capsys, "status")
    assert status["embeddings"] is None
    assert Path(str(status["index"])).is_relative_to(work.parent / "home" / "memory")
    forgotten, _ = told(capsys, "forget")
    assert forgotten["forgotten"] is True
    assert not Path(str(status["index"])).exists()


def test_a_damaged_index_is_told(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = told(capsys, "status")
    file = Path(str(status["index"]))
    file.parent.mkdir(parents=True)
    file.write_bytes(b"damage" * 1000)
    indexed, hint = told(capsys, "index", "--no-embed")
    assert indexed["changed"] == 2
    assert "built anew" in hint


@pytest.mark.parametrize("words", [("",), (" ",), ("?!", "—")])
def test_a_search_for_no_word_says_what_to_write(work: Path, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="no word to search for: localagent memory search"):
        main(["search", *words])


def test_nonsense_finds_nothing_and_says_so(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = told(capsys, "search", "frobnicate", "йцукен")
    assert found["found"] == []
    assert main(["search", "frobnicate"]) == 0
    assert "nothing found" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5"])
def test_a_limit_is_a_number_of_passages(work: Path, limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((UsageError, SystemExit)):
        main(["search", "rent", "--limit", limit])


def test_without_json_it_reads_well(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index"]) == 0
    assert main(["search", "rent"]) == 0
    said = capsys.readouterr().out
    assert "2 files taken in" in said
    assert "not indexed: binary" in said
    assert "rent.txt:1  (words)" in said
