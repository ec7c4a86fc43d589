"""What embedding models want around a text, and vectors brought to one length."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from localagent.config import prompts

if TYPE_CHECKING:
    import numpy as np


def as_told(model: str, texts: Sequence[str], *, query: bool) -> list[str]:
    """The texts with the words that a model was trained to see before a question or a passage."""
    known = next((forms for name, forms in _forms().items() if name in model.lower()), {})
    before = known.get("query" if query else "passage", "")
    return [before + text for text in texts]


def unit_rows(rows: Sequence[Sequence[float]]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The rows as float32 of length 1."""
    import numpy as np

    table = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(table, axis=-1, keepdims=True)
    unit: np.ndarray[Any, np.dtype[np.float32]] = table / np.maximum(lengths, 1e-12)
    return unit


@cache
def _forms() -> dict[str, dict[str, str]]:
    return tomllib.loads(prompts.read("embed.toml"))
