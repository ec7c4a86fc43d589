"""Folders that the person trusts, and those that only look like them."""

from pathlib import Path

import pytest

from localagent.config.trust import is_trusted, trust
from localagent.errors import ConfigError


def test_a_folder_is_trusted_with_what_is_in_it_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "home" / "trusted.json"
    project = tmp_path / "project"
    (project / "inside").mkdir(parents=True)
    (tmp_path / "project-2").mkdir()
    assert not is_trusted(project, file)
    trust(project, file)
    trust(project, file)
    assert is_trusted(project, file)
    assert is_trusted(project / "inside", file)
    assert not is_trusted(tmp_path / "project-2", file)
    assert not is_trusted(tmp_path, file)
    trust(project, file, yes=False)
    assert not is_trusted(project / "inside", file)


def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    file, real = tmp_path / "trusted.json", tmp_path / "real"
    real.mkdir()
    trust(tmp_path / "named", file)
    (tmp_path / "named").symlink_to(real)
    assert not is_trusted(tmp_path / "named", file)


def test_a_damaged_list_trusts_nothing_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "trusted.json"
    for text in ('{"a": 1}', "[1]", "["):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match="trusted"):
            is_trusted(tmp_path, file)
