"""What a long benchmark has measured so far, one JSON value a line, so that a run that was cut goes on where it ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Kept:
    """Records by key, appended to `file`; without a file they last as long as the process."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file and file.is_file() else []
        self._records: dict[str, Any] = dict(map(json.loads, lines))

    def get(self, key: str) -> Any:
        """The record, None where there is none yet."""
        return self._records.get(key)

    def add(self, key: str, record: Any) -> None:
        """Written at once."""
        self._records[key] = record
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps([key, record], ensure_ascii=False) + "\n")
