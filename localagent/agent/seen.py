"""Which files the model knows, as they were when it saw them, and which have changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

FILES = 8  # of one result
BYTES = 8_000_000  # a larger file is not read again for this


def seen(sources: Iterable[str], workspace: Path) -> tuple[tuple[str, str], ...]:
    """(absolute path, hash of the content) of the files whose text stands in a result."""
    found = ((workspace / source).resolve() for source in list(sources)[:FILES])
    return tuple((str(path), digest) for path in found if (digest := digest_of(path)))


def changed(known: Mapping[str, str | None]) -> dict[str, str | None]:
    """The files that are not what they were, with the hash that they have now; None for one that is not there."""
    now = {path: digest_of(Path(path)) for path in known}
    return {path: digest for path, digest in now.items() if digest != known[path] and digest != ""}


def digest_of(path: Path) -> str | None:
    """The content's sha256, None where no file is, "" for one that cannot be read or is too large."""
    try:
        if not path.is_file():
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.stat().st_size <= BYTES else ""
    except OSError:
        return ""
