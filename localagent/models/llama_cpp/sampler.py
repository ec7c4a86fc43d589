"""The next token: drawn first, then held against the grammar, and drawn again under its mask only if refused.

Drawing from the whole distribution and once more from the allowed part when the first draw is refused gives the
same distribution as masking first, and nearly always saves the mask.
"""

from __future__ import annotations

import ctypes
import random
from dataclasses import dataclass
from typing import Any, Protocol

import llama_cpp
import numpy as np

from localagent.models.llama_cpp.settings import LlamaCppSettings

_PENALTY_WINDOW = 64
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)


class Grammar(Protocol):
    """What holds a reply to its form; see matcher.py."""

    def accepts(self, token: int) -> bool:
        """Takes the token if it may come now."""
        ...

    def allowed(self, refused: int) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """What may come instead of `refused`, one flag a token of the vocabulary; None where the reply ends here."""
        ...

    @property
    def finished(self) -> bool:
        """Whether the reply is complete and nothing may follow."""
        ...


@dataclass(slots=True)
class Counts:
    """How often a draw was refused, for the benchmark."""

    drawn: int = 0
    masked: int = 0


class Sampler:
    """One reply's sampler chain; `close` frees it."""

    def __init__(self, settings: LlamaCppSettings, vocab_size: int, grammar: Grammar | None) -> None:
        self._size = vocab_size
        self._grammar = grammar
        self._greedy = settings.temperature <= 0 and settings.repeat_penalty == 1.0
        self._candidates = np.zeros(vocab_size, _CANDIDATE)
        self._ids = np.arange(vocab_size, dtype=np.int32)
        self._chain = _chain(settings)
        self.counts = Counts()

    def draw(self, logits: Any) -> int | None:
        """The next token; None where the grammar ends the reply."""
        values = np.ctypeslib.as_array(logits, (self._size,))
        self.counts.drawn += 1
        token = self._pick(values)
        if self._grammar is not None and not self._grammar.accepts(token):
            self.counts.masked += 1
            allowed = self._grammar.allowed(token)
            if allowed is None:
                return None
            token = self._pick(np.where(allowed[: self._size], values, np.float32(-np.inf)))
            if not self._grammar.accepts(token):
                return None
        if not self._greedy:
            llama_cpp.llama_sampler_accept(self._chain, token)
        return token

    def _pick(self, values: Any) -> int:
        if self._greedy:
            return int(values.argmax())
        candidates = self._candidates
        candidates["id"], candidates["logit"] = self._ids, values
        pointer = candidates.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
        array = llama_cpp.llama_token_data_array(data=pointer, size=self._size, selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self._chain, ctypes.byref(array))
        return int(array.data[array.selected].id)

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self._chain)


def _chain(settings: LlamaCppSettings) -> Any:
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    for sampler in _samplers(settings):
        llama_cpp.llama_sampler_chain_add(chain, sampler)
    return chain


def _samplers(settings: LlamaCppSettings) -> list[Any]:
    penalties = []
    if settings.repeat_penalty != 1.0:
        penalties = [llama_cpp.llama_sampler_init_penalties(_PENALTY_WINDOW, settings.repeat_penalty, 0.0, 0.0)]
    if settings.temperature <= 0:
        return [*penalties, llama_cpp.llama_sampler_init_greedy()]
    seed = random.getrandbits(32) if settings.seed is None else settings.seed & 0xFFFFFFFF
    return [
        *penalties,
        llama_cpp.llama_sampler_init_top_k(settings.top_k),
        llama_cpp.llama_sampler_init_top_p(settings.top_p, 1),
        llama_cpp.llama_sampler_init_min_p(settings.min_p, 1),
        llama_cpp.llama_sampler_init_temp(settings.temperature),
        llama_cpp.llama_sampler_init_dist(seed),
    ]
