"""The screen's view of settings.toml: read without a validator, since this stands before the first paint.

`localagent.config.settings` reads the same file strictly when the agent is put together.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

CHOICES: dict[str, tuple[str, ...]] = {
    "approve": ("ask", "read", "edit", "all"),
    "theme": ("", "dark", "light", "contrast", "terminal"),
    "language": ("", "en", "ru"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Preferences of a person; "" follows the environment."""

    approve: str = "ask"
    theme: str = ""
    language: str = ""
    plain: bool = False
    notify: bool = True
    discover: bool = True


def load(path: Path | None) -> Settings:
    """The settings of the file; what is missing, unknown or of the wrong type keeps its default."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):  # not there, not to be read, no UTF-8, no TOML
        return Settings()
    default = asdict(Settings())
    return Settings(**{key: table[key] for key in default if _fits(key, table.get(key), default[key])})


def _fits(key: str, value: Any, default: Any) -> bool:
    return type(value) is type(default) and (key not in CHOICES or value in CHOICES[key])


def save(path: Path, settings: Settings) -> None:
    """Writes the file whole or not at all; what equals its default is left out."""
    default = Settings()
    changed = {f.name: getattr(settings, f.name) for f in fields(settings)}
    lines = [f"{key} = {_toml(value)}" for key, value in changed.items() if value != getattr(default, key)]
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(draft, path)


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
