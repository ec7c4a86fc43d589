"""The map of a masking as a file: what `gateway restore --map` puts back."""

from __future__ import annotations

import json
import os
from pathlib import Path

from gateway.vault import Vault


def write_map(path: Path, vault: Vault) -> None:
    """Placeholder → value as JSON, for the eyes of the owner only: the map holds the values."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(json.dumps(dict(vault.map), ensure_ascii=False, indent=1))


__all__ = ["write_map"]
