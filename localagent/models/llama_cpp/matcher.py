"""Grammars at work: llguidance over the vocabulary of a loaded model.

llama.cpp's own grammars are not used: a bad one ends the process, and testing one token costs as much as all.
"""

from __future__ import annotations

import ctypes
import re
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
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
        self._words: Words | None = None
        self._compiled: OrderedDict[str, Any] = OrderedDict()

    def start(self, text: str) -> Matcher:
        """A matcher at the beginning of a reply. Raises GrammarProblem."""
        import llguidance

        if self._tokenizer is None or self._words is None:
            self._tokenizer = tokenizer_of(self._vocab)
            self._words = words_of(self._vocab, self._tokenizer)
        if text not in self._compiled:
            compiled = llguidance.LLMatcher(self._tokenizer, text, log_level=0)
            if compiled.is_error():
                raise GrammarProblem(compiled.get_error().strip().splitlines()[0])
            self._compiled[text] = compiled
            if len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(text)
        return Matcher(self._compiled[text].deep_copy(), self._words)


@dataclass(frozen=True, slots=True)
class Words:
    """What of a vocabulary decides how a refused token is replaced; texts are lower case without blanks around."""

    texts: tuple[str, ...]
    digits: Flags  # tokens that go on with a number
    declines: tuple[int, ...]  # tokens that begin "none"


class Matcher:
    """One reply's way through a grammar. One that breaks down inside lets everything pass: jsonschema checks again."""

    def __init__(self, matcher: Any, words: Words) -> None:
        self._matcher = matcher
        self._words = words
        self._last: int | None = None

    def accepts(self, token: int) -> bool:
        accepted = self._matcher.try_consume_tokens([token]) == 1 or bool(self._matcher.is_error())
        self._last = token if accepted else self._last
        return accepted

    def allowed(self, refused: int | None = None) -> Flags | None:
        """What may come, also instead of a token that was refused; None where the reply had better end here."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        flags = np.unpackbits(bits, bitorder="little").view(np.bool_)
        if refused is None or flags.mean() > _FEW:
            return flags if flags.any() else None
        # What a model would add to whole calls (an invented observation) ends them and does not become one more call.
        if self._matcher.is_accepting() or not flags.any():
            return None
        narrowed = self._past_number(flags, refused) & self._declining(flags, refused)
        return narrowed if narrowed.any() else flags

    def _past_number(self, flags: Flags, refused: int) -> Flags:
        """A number that the model would have left is left: "5, 10" where one number stands is 5 and not 510."""
        left = flags.copy()
        if self._last is not None and self._words.texts[self._last][-1:].isdigit() and not self._words.digits[refused]:
            left[: len(self._words.digits)] &= ~self._words.digits
        return left

    def _declining(self, flags: Flags, refused: int) -> Flags:
        """Where a tool is named and none may be: a name that begins as no tool's does means none, not another tool."""
        declines = [token for token in self._words.declines if flags[token]]
        name = self._words.texts[refused]
        if not declines or not name[:1].isalpha() or any(map(partial(_alike, name), self._allowed_texts(flags))):
            return flags
        only = np.zeros_like(flags)
        only[declines] = True
        return only

    def _allowed_texts(self, flags: Flags) -> list[str]:
        return [self._words.texts[token] for token in flags.nonzero()[0] if token < len(self._words.texts)]

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


def words_of(vocab: Any, tokenizer: Any) -> Words:
    """The words of a vocabulary; about a quarter of a second for 150,000 tokens."""
    texts = [_piece(vocab, token).decode(errors="replace") for token in range(llama_cpp.llama_vocab_n_tokens(vocab))]
    digits = np.array([text[:1].isdigit() or text[:1] == "." for text in texts])
    declines = {tokenizer.tokenize_str(text)[0] for text in ("none", " none")}
    return Words(tuple(text.strip().lower() for text in texts), digits, tuple(declines))


def _alike(name: str, other: str) -> bool:
    return len(other) > 1 and (name.startswith(other) or other.startswith(name))


_BUFFER = ctypes.create_string_buffer(4096)


def _piece(vocab: Any, token: int) -> bytes:
    size = llama_cpp.llama_token_to_piece(vocab, token, _BUFFER, len(_BUFFER), 0, True)
    return _BUFFER.raw[:size] if size > 0 else b""
