"""`inf` and `nan` are numbers in TOML, and no limit, price or time is one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]


def not_finite(value: Any, place: Place = ()) -> Iterator[tuple[Place, float]]:
    """(keys and indices that lead to it, number) of each number below `value` that is none."""
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from not_finite(one, (*place, key))
