"""Grammars at work: llguidance over the vocabulary of a loaded model.

llama.cpp's own grammars are not used: a bad one ends the process, and testing one token costs as much as all.
"""

from __future__ import annotations

import ctypes
import re
from collections import OrderedDict
from typing import Any

import llama_cpp
import numpy as np

_KEPT = 8  # compiled grammars
# Control tokens that a reply is made of; a grammar sees them as their text. All others it never lets through.
_SPOKEN = re.compile(rb"tool|think|python_tag|function|call|channel|message|argument", re.IGNORECASE)


class GrammarProblem(Exception):
    """The grammar cannot be compiled; the text is llguidance's reason."""


class Grammars:
    """Compiles grammars for one vocabulary and remembers the last ones."""

    def __init__(self, vocab: Any) -> None:
        self._vocab = vocab
        self._tokenizer: Any = None
        self._compiled: OrderedDict[str, Any] = OrderedDict()

    def start(self, text: str) -> Matcher:
        """A matcher at the beginning of a reply. Raises GrammarProblem."""
        import llguidance

        if self._tokenizer is None:
            self._tokenizer = tokenizer_of(self._vocab)
        if text not in self._compiled:
            compiled = llguidance.LLMatcher(self._tokenizer, text, log_level=0)
            if compiled.is_error():
                raise GrammarProblem(compiled.get_error().strip().splitlines()[0])
            self._compiled[text] = compiled
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(text)
        return Matcher(self._compiled[text].deep_copy())


class Matcher:
    """One reply's way through a grammar. One that breaks down inside lets everything pass: jsonschema checks again."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    def accepts(self, token: int) -> bool:
        return self._matcher.try_consume_tokens([token]) == 1 or bool(self._matcher.is_error())

    def allowed(self) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        flags = np.unpackbits(bits, bitorder="little").view(np.bool_)
        return flags if flags.any() else None

    @property
    def finished(self) -> bool:
        return bool(self._matcher.is_stopped()) and not self._matcher.is_error()


def tokenizer_of(vocab: Any) -> Any:
    """llguidance's view of a vocabulary; about half a second for 150,000 tokens."""
    from llguidance import LLTokenizer

    pieces, ends = [], []
    for token in range(llama_cpp.llama_vocab_n_tokens(vocab)):
        piece = _piece(vocab, token)
        is_end = bool(llama_cpp.llama_vocab_is_eog(vocab, token))
        if is_end:
            ends.append(token)
        hidden = is_end or (llama_cpp.llama_vocab_is_control(vocab, token) and not _SPOKEN.search(piece))
        pieces.append(b"\xff" + piece if hidden else piece)
    address = ctypes.cast(llama_cpp.llama_cpp._lib.llama_tokenize, ctypes.c_void_p).value
    return LLTokenizer.from_llamacpp(tokens=pieces, vocab_ptr=vocab, tokenize_fptr=address, eos_token=ends, slices=None)


_BUFFER = ctypes.create_string_buffer(4096)


def _piece(vocab: Any, token: int) -> bytes:
    size = llama_cpp.llama_token_to_piece(vocab, token, _BUFFER, len(_BUFFER), 0, True)
    return _BUFFER.raw[:size] if size > 0 else b""
