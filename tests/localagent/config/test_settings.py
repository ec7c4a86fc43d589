"""settings.toml, the folders, and files that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from localagent.config import paths, prompts
from localagent.config.settings import read_settings
from localagent.config.watch import stamp_of
from localagent.errors import ConfigError


def test_without_a_file_everything_has_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path))
    assert read_settings() == {}
    (tmp_path / "settings.toml").write_text('approve = "edit"\nlanguage = "ru"\n')
    assert read_settings() == {"approve": "edit", "language": "ru"}


def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('\napprove = "always"\n')
    with pytest.raises(ConfigError, match=r'settings\.toml:2: approve: found "always"; allowed: ask, read, edit, all'):
        read_settings(path)


def test_the_home_holds_everything_but_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path))
    assert paths.config_dir() == paths.data_dir() == tmp_path
    assert paths.state_dir().is_relative_to(tmp_path)
    assert not paths.weights_dir().is_relative_to(tmp_path)
    monkeypatch.delenv("LOCALAGENT_HOME")
    assert paths.home() is None
    assert "localagent" in str(paths.config_dir())


def test_prompts_come_with_the_package() -> None:
    assert "check/task.md" in prompts.names("check")
    assert prompts.read("check/hello.md") == "Say hello in one short sentence."
    with pytest.raises(FileNotFoundError):
        prompts.read("no/such.md")


def test_every_version_of_a_file_has_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert stamp_of(path) is None
    path.write_text("a")
    first = stamp_of(path)
    replacement = tmp_path / "g"
    replacement.write_text("b")
    replacement.replace(path)
    assert stamp_of(path) != first
