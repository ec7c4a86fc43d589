"""The child of `gguf`: reads frames of texts from standard input and answers each with its vectors."""

from __future__ import annotations

import base64
import os
import sys
from typing import Any

from localagent.models.llama_cpp import frames

MOST_TOKENS = 512  # of one text; embedding models read no more


def main(file: str, threads: int) -> None:
    """Serves until standard input is closed."""
    out = os.fdopen(os.dup(1), "wb")  # llama.cpp may print to the real one
    os.dup2(2, 1)
    model: Any = None
    while (frame := frames.read(sys.stdin.buffer)) is not None:
        try:
            model = model or _load(file, threads)
            answer = {"vectors": _vectors(model, frame["texts"])}
        except Exception as error:  # noqa: BLE001 - the parent says what llama.cpp raised
            answer = {"error": f"{type(error).__name__}: {error}"}
        out.write(frames.pack(answer))
        out.flush()


def _load(file: str, threads: int) -> Any:
    import llama_cpp

    return llama_cpp.Llama(
        file, embedding=True, n_ctx=MOST_TOKENS, n_batch=MOST_TOKENS, n_ubatch=MOST_TOKENS, n_threads=threads,
        n_threads_batch=threads, verbose=False, pooling_type=_pooling(file),
    )  # fmt: skip


def _pooling(file: str) -> int:
    """What the file asks for; the mean over its tokens where it says nothing, as chat models do."""
    import llama_cpp

    model = llama_cpp.Llama(file, vocab_only=True, verbose=False)
    told = any(key.endswith(".pooling_type") for key in model.metadata)
    return int(llama_cpp.LLAMA_POOLING_TYPE_UNSPECIFIED if told else llama_cpp.LLAMA_POOLING_TYPE_MEAN)


def _vectors(model: Any, texts: list[str]) -> str:
    import numpy as np

    rows = [model.embed(text or " ", normalize=True, truncate=True) for text in texts]
    return base64.b64encode(np.asarray(rows, dtype=np.float32).tobytes()).decode("ascii")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
