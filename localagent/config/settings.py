"""What a person prefers, from settings.toml in the configuration folder; everything has a default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from localagent.config.paths import config_dir


@dataclass(frozen=True, slots=True)
class Settings:
    """Preferences of the person, not of a project or a model. `language` "" follows the environment."""

    approve: str = "ask"
    theme: str = ""
    language: str = ""
    plain: bool = False
    notify: bool = True
    discover: bool = True


def read_settings(path: Path | None = None) -> Settings:
    """The settings of `path`, default `settings.toml` of the configuration folder. Raises ConfigError."""
    from localagent.config.validate import read_toml

    path = path or config_dir() / "settings.toml"
    if not path.is_file():
        return Settings()
    data, _ = read_toml(path, "settings.schema.json")
    return Settings(**data)


__all__ = ["Settings", "read_settings"]
