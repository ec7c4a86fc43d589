"""The question whether a folder's instructions count: asked once, and any unclear answer means no."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from localagent.config.trust import is_trusted
from localagent.extend.asking import ask_trust


class Person:
    """Answers with the option of this number, or with words."""

    def __init__(self, answer: int | str) -> None:
        self.answer, self.asked = answer, 0

    async def __call__(self, question: str, options: Sequence[str]) -> str:
        self.asked += 1
        assert "AGENTS.md" in question
        return options[self.answer] if isinstance(self.answer, int) else self.answer


@pytest.mark.parametrize(
    ("answer", "trusted", "again"), [(0, True, 1), (1, False, 2), (2, False, 1), ("", False, 2), ("whatever", False, 2)]
)
async def test_a_folder_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int | str, trusted: bool, again: int
) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    work, person = tmp_path / "work", Person(answer)
    work.mkdir()
    await ask_trust(work, tmp_path / "home", person)
    assert person.asked == 0
    (work / "AGENTS.md").write_text("Use tabs.", encoding="utf-8")
    await ask_trust(work, tmp_path / "home", person)
    assert is_trusted(work) == trusted
    await ask_trust(work, tmp_path / "home", person)
    assert person.asked == again
