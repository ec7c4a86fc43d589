"""What servers send where a protocol has texts and numbers, which is not always that."""

from __future__ import annotations

from typing import Any


def text_of(value: Any) -> str:
    """A text, "" for null. Raises TypeError for anything else."""
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(f"{value!r:.40} where a text is due")


def count_of(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return int(value)


def dict_of(value: Any) -> dict[str, Any]:
    """An object; {} for anything else."""
    return value if isinstance(value, dict) else {}


__all__ = ["count_of", "dict_of", "text_of"]
