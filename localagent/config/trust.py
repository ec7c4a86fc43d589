"""Folders whose own instructions, skills and servers count: only those that the person named.

`trusted.json` in the configuration folder holds them, one absolute path a line of its list; a folder inside a trusted
one is trusted too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from localagent.config.paths import config_dir
from localagent.errors import ConfigError

FILE = "trusted.json"


def folders(file: Path | None = None) -> tuple[Path, ...]:
    """The trusted folders. Raises ConfigError for a file that is no list of paths."""
    file = file or config_dir() / FILE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: {error}. Correct it, or remove the file to trust no folder.") from None
    if not isinstance(data, list) or not all(isinstance(one, str) for one in data):
        raise ConfigError(f'{file}: allowed: a list of folders, such as ["/home/me/project"]')
    return tuple(map(Path, data))


def is_trusted(folder: Path, file: Path | None = None) -> bool:
    """Whether the person trusts the folder or one above it; links are followed first."""
    real = folder.resolve()
    return any(real.is_relative_to(one) for one in folders(file))


def trust(folder: Path, file: Path | None = None, *, yes: bool = True) -> None:
    """Trusts the folder from now on, or no longer; folders inside it follow."""
    file = file or config_dir() / FILE
    real = folder.resolve()
    kept = [one for one in folders(file) if one != real and (yes or not real.is_relative_to(one))]
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps([*map(str, kept), *([str(real)] if yes else [])], indent=1), encoding="utf-8")
    os.replace(part, file)


__all__ = ["folders", "is_trusted", "trust"]
