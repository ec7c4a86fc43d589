"""Where configuration, data and weights lie.

`LOCALAGENT_HOME` holds configuration and data together; without it the platform's usual folders are used.
Weights are the exception: they are large, checked by their sha256 and the same for everybody, so that they
always lie in the user's cache. No function here makes a folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from localagent.errors import UsageError

_PACKAGE = Path(__file__).resolve().parent.parent


def home() -> Path | None:
    """The folder of LOCALAGENT_HOME, None where it is not set."""
    value = os.environ.get("LOCALAGENT_HOME")
    return Path(value).expanduser() if value else None


def config_dir() -> Path:
    """models.toml, settings.toml and everything else that a person writes."""
    return home() or _platform("config")


def data_dir() -> Path:
    """The ledger, kept outputs and whatever must not be lost."""
    return home() or _platform("data")


def state_dir() -> Path:
    """What can be computed again, such as the kept prefix states of sessions."""
    base = home()
    return base / "state" if base else _platform("state")


def outputs(data: Path, session: str) -> Path:
    """What a session keeps below `data`: whole outputs, its plan and its notes."""
    return data / "outputs" / session


def taint_file(data: Path, session: str) -> Path:
    """Whose words a session has read."""
    return data / "taint" / f"{session}.json"


def weights_dir() -> Path:
    """GGUF files that localagent pulled."""
    return _platform("cache") / "models"


def models_file(explicit: str | os.PathLike[str] | None = None) -> Path:
    """The models.toml that counts: `explicit`, `./models.toml`, the home's, then the shipped one."""
    if explicit:
        return Path(explicit).expanduser()
    for path in (Path("models.toml"), config_dir() / "models.toml"):
        if path.is_file():
            return path.resolve()
    return shipped("models.toml")


def workspace(cwd: str) -> Path:
    """The folder of `--cwd`, links followed. Raises UsageError."""
    try:
        path = Path(cwd).expanduser().resolve()
    except FileNotFoundError:
        raise UsageError("the folder that you are in is gone: cd into one that is there") from None
    if not path.is_dir():
        raise UsageError(f"--cwd {cwd} is not a folder")
    return path


def shipped(name: str) -> Path:
    """A file or folder that comes with the package; an editable install has it beside the package."""
    inside = _PACKAGE / name
    return inside if inside.exists() else _PACKAGE.parent / name


def _platform(kind: str) -> Path:
    import platformdirs

    folder: Path = getattr(platformdirs, f"user_{kind}_path")("localagent", appauthor=False)
    return folder


__all__ = [
    "config_dir", "data_dir", "home", "models_file", "outputs", "shipped", "state_dir", "taint_file", "weights_dir",
    "workspace",
]  # fmt: skip
