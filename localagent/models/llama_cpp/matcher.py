"""Grammars at work: llguidance over the vocabulary of a loaded model.

llama.cpp's own grammars are not used: a bad one ends the process, and testing one token costs as much as all.
"""

from __future__ import annotations

import ctypes
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import llama_cpp
import numpy as np

Flags = np.ndarray[Any, np.dtype[np.bool_]]
_KEPT = 8  # compiled grammars
_FEW = 0.01  # of the vocabulary: only what belongs to the form may follow, no free text
# Control tokens that a reply is made of; a grammar sees them as their text. All others it never lets through.
_SPOKEN = re.compile(rb"tool|think|python_tag|function|call|channel|message|argument", re.IGNORECASE)


class GrammarProblem(Exception):
    """The grammar cannot be compiled; the text is llguidance's reason."""


class Grammars:
    """Compiles grammars for one vocabulary and remembers the last ones."""

    def __init__(self, vocab: Any) -> None:
        self._vocab = vocab
        self._tokenizer: Any = None
        self._digits: Digits | None = None
        self._compiled: OrderedDict[str, Any] = OrderedDict()

    def start(self, text: str) -> Matcher:
        """A matcher at the beginning of a reply. Raises GrammarProblem."""
        import llguidance

        if self._tokenizer is None or self._digits is None:
            self._tokenizer, self._digits = tokenizer_of(self._vocab), digits_of(self._vocab)
        if text not in self._compiled:
            compiled = llguidance.LLMatcher(self._tokenizer, text, log_level=0)
            if compiled.is_error():
                raise GrammarProblem(compiled.get_error().strip().splitlines()[0])
            self._compiled[text] = compiled
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(text)
        return Matcher(self._compiled[text].deep_copy(), self._digits)


@dataclass(frozen=True, slots=True)
class Digits:
    """One flag a token: whether it goes on with a number, and whether it ends inside one."""

    begins: Flags
    ends: Flags


class Matcher:
    """One reply's way through a grammar. One that breaks down inside lets everything pass: jsonschema checks again."""

    def __init__(self, matcher: Any, digits: Digits) -> None:
        self._matcher = matcher
        self._digits = digits
        self._last: int | None = None

    def accepts(self, token: int) -> bool:
        accepted = self._matcher.try_consume_tokens([token]) == 1 or bool(self._matcher.is_error())
        self._last = token if accepted else self._last
        return accepted

    def allowed(self, refused: int | None = None) -> Flags | None:
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        flags = np.unpackbits(bits, bitorder="little").view(np.bool_)
        if refused is None:
            return flags if flags.any() else None
        # What a model would add to whole calls (an invented observation) ends them and does not become one more call.
        ended = flags.mean() < _FEW and self._matcher.is_accepting()
        return None if ended or not flags.any() else self._past_number(flags, refused)

    def _past_number(self, flags: Flags, refused: int) -> Flags:
        """A number that the model would have left is left: "5, 10" where one number stands is 5 and not 510."""
        digits = self._digits
        if self._last is None or not digits.ends[self._last] or digits.begins[refused]:
            return flags
        left = flags.copy()
        left[: len(digits.begins)] &= ~digits.begins
        return left if left.any() else flags

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


def digits_of(vocab: Any) -> Digits:
    """Which tokens of a vocabulary are parts of numbers."""
    pieces = [_piece(vocab, token) for token in range(llama_cpp.llama_vocab_n_tokens(vocab))]
    begins = [piece[:1].isdigit() or piece[:1] == b"." for piece in pieces]
    return Digits(np.array(begins), np.array([piece[-1:].isdigit() for piece in pieces]))


_BUFFER = ctypes.create_string_buffer(4096)


def _piece(vocab: Any, token: int) -> bytes:
    size = llama_cpp.llama_token_to_piece(vocab, token, _BUFFER, len(_BUFFER), 0, True)
    return _BUFFER.raw[:size] if size > 0 else b""
