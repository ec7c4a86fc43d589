"""What spaCy's pipe for names computes, with numpy alone: its layers cost more than their sums, its parser more still.

Words become vectors (hashed embeddings, then windows of three words, four times over), vectors become scores of moves:
Begin, In and Last of a name, a Unit of one word, or Out. Out of a name all words are judged at once; only inside of one
does a word depend on those before it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

Found = tuple[int, int, str]
"""The first word, the one behind the last, and the label."""
_NEVER = float("-inf")


class Network:
    """The weights of a loaded `ner` pipe; calling it gives what is found in each of some documents."""

    def __init__(self, ner: Any) -> None:
        layers: dict[str, list[Any]] = {}
        for layer in ner.model.get_ref("tok2vec").walk():
            layers.setdefault(layer.name, []).append(layer)
        self._ops = ner.model.ops
        self._columns = [*layers["extract_features"][0].attrs["columns"], "IS_SPACE"]
        self._tables = [(layer.get_param("E"), layer.attrs["seed"]) for layer in layers["hashembed"]]
        self._blocks = [
            (*_weights(maxout), norm.get_param("G"), norm.get_param("b"))
            for maxout, norm in zip(layers["maxout"], layers["layernorm"], strict=True)
        ]
        self._pad = len(layers["expand_window"])
        """Empty words around each document: as far as a word is seen."""
        self._project = _weights(layers["linear"][0])
        lower = ner.model.get_ref("lower")
        self._lower, self._bias = _weights(lower)
        self._missing = lower.get_param("pad").reshape(3, -1)
        self._upper = _weights(ner.model.get_ref("upper"))
        self._read_moves([ner.moves.get_class_name(move) for move in range(ner.moves.n_moves)])

    def _read_moves(self, names: list[str]) -> None:
        self._moves = [(name[:1], name[2:]) for name in names]
        place = {move: index for index, move in enumerate(self._moves)}
        self._out = place["O", ""]
        self._inner = {label: (place["I", label], place["L", label]) for kind, label in self._moves if kind == "B"}
        self._outside = np.array([_of(move, "OBU") for move in self._moves], dtype=np.float32)
        self._at_end = np.array([_of(move, "OU") for move in self._moves], dtype=np.float32)

    def __call__(self, docs: Sequence[Any]) -> list[list[Found]]:
        """The names of each document, in order."""
        ends = np.cumsum([0, *(len(doc) for doc in docs)]).tolist()
        if not ends[-1]:
            return [[] for _ in docs]
        keys = np.concatenate([doc.to_array(self._columns) for doc in docs])
        seen = (self._vectors(keys, ends) @ self._lower.T).reshape(len(keys), 3, -1)
        scores = self._scores(seen[:, 0] + self._missing[1] + self._missing[2])
        scores += self._outside
        scores[[end - 1 for first, end in pairwise(ends) if first < end]] += self._at_end
        moves = scores.argmax(axis=1)
        moves[keys[:, -1] != 0] = self._out  # white space
        return [list(self._names(moves.tolist(), seen, first, end)) for first, end in pairwise(ends)]

    def _vectors(self, keys: Any, ends: list[int]) -> Any:
        """A row for each word, of all documents; between them stands emptiness, so that none sees another."""
        hashed = [
            self._ops.gather_add(table, self._ops.hash(np.ascontiguousarray(keys[:, column]), seed) % len(table))
            for column, (table, seed) in enumerate(self._tables)
        ]
        places = np.concatenate(
            [np.arange(first, end) + self._pad * (index + 1) for index, (first, end) in enumerate(pairwise(ends))]
        )
        words = self._block(np.concatenate(hashed, axis=1), *self._blocks[0])
        rows = np.zeros((len(keys) + self._pad * len(ends), words.shape[1]), dtype=np.float32)
        rows[places] = words
        for block in self._blocks[1:]:
            rows += self._block(self._ops.seq2col(rows, 1), *block)
        weights, bias = self._project
        projected = rows[places] @ weights.T
        projected += bias
        return projected

    def _block(self, rows: Any, weights: Any, bias: Any, scale: Any, shift: Any) -> Any:
        """Maxout and layer norm."""
        summed = rows @ weights.T
        summed += bias
        width = len(scale)
        best = self._ops.maxout(summed.reshape(len(rows), width, -1))[0]
        best -= np.add.reduce(best, axis=1, keepdims=True) / width
        spread = np.add.reduce(best * best, axis=1, keepdims=True) / width
        best *= (spread + 1e-08) ** -0.5
        best *= scale
        best += shift
        return best

    def _scores(self, summed: Any) -> Any:
        summed = summed + self._bias
        weights, bias = self._upper
        scores = np.maximum(summed[:, ::2], summed[:, 1::2]) @ weights.T
        scores += bias
        return scores

    def _names(self, moves: list[int], seen: Any, first: int, end: int) -> Iterator[Found]:
        at = first
        while at < end:
            kind, label = self._moves[moves[at]]
            last = self._last(label, seen, at, end) if kind == "B" else at
            if kind != "O":
                yield at - first, last + 1 - first, label
            at = last + 1

    def _last(self, label: str, seen: Any, begin: int, end: int) -> int:
        """The last word of a name that has begun."""
        within, last = self._inner[label]
        for at in range(begin + 1, end - 1):
            scores = self._scores((seen[at, 0] + seen[begin, 1] + seen[at - 1, 2])[np.newaxis])[0]
            if scores[last] > scores[within]:
                return at
        return end - 1


def _weights(layer: Any) -> tuple[Any, Any]:
    """The matrix, a row for each output, and the bias."""
    weights, bias = layer.get_param("W"), layer.get_param("b")
    return weights.reshape(-1, weights.shape[-1]), bias.reshape(-1)


def _of(move: tuple[str, str], kinds: str) -> float:
    """Nothing for a move of these kinds, which may be made; a name has a label."""
    kind, label = move
    return 0.0 if kind in kinds and bool(label) == (kind != "O") else _NEVER
