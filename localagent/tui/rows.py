"""What a list of models says of an entry before its model was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localagent.tui.driver import Where

if TYPE_CHECKING:
    from localagent.config.models_toml import Entry


def where_of(entry: Entry) -> Where:
    if entry.cloud:
        return "cloud"
    return "local" if entry.host else "here"


def offer_of(entry: Entry) -> str:
    from localagent.models.pull import missing

    return f"localagent models pull {entry.name}" if missing(entry) and (entry.url or entry.package) else ""


def bytes_of(entry: Entry) -> int | None:
    try:
        return entry.file.stat().st_size if entry.file else None
    except OSError:
        return None
