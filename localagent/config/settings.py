"""settings.toml read strictly: what a person prefers, in the configuration folder.

The screen keeps its own view of the file (`localagent.tui.settings`), with the defaults, since it is drawn before this
validator could be loaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from localagent.config.paths import config_dir


def read_settings(path: Path | None = None) -> dict[str, Any]:
    """What the file sets, default `settings.toml` of the configuration folder. Raises ConfigError."""
    from localagent.config.validate import read_toml

    path = path or config_dir() / "settings.toml"
    return read_toml(path, "settings.schema.json")[0] if path.is_file() else {}
