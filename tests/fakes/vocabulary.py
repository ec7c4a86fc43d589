"""A real vocabulary without its weights: texts and random walks through grammars, as sampling would do it."""

from __future__ import annotations

import ctypes
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.weights import smollm2

_CLOSERS = ('"', '"}', "}", "]", '"]', "\n", ":", ",", "0", "a")


class Vocabulary:
    """The tokens of one GGUF."""

    def __init__(self, file: Path) -> None:
        import llama_cpp

        from localagent.models.llama_cpp.matcher import Grammars, tokenizer_of

        self._api = llama_cpp
        self._log = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self._log, None)
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(str(file).encode(), params)
        self.vocab = llama_cpp.llama_model_get_vocab(self._model)
        self.tokenizer = tokenizer_of(self.vocab)
        self.grammars = Grammars(self.vocab)
        self._closers = [self.tokenizer.tokenize_str(text)[0] for text in _CLOSERS]

    def feed(self, lark: str, text: str) -> tuple[str, bool]:
        """What of the text the grammar refuses, and whether the reply may end there."""
        matcher = self.grammars.start(lark)._matcher
        tokens = self.tokenizer.tokenize_str(text)
        taken = matcher.try_consume_tokens(tokens)
        return self.tokenizer.decode_str(tokens[taken:]), bool(matcher.is_accepting())

    def walk(self, lark: str, choice: random.Random, begin: str = "") -> str:
        """A text that the grammar allows: random tokens at first, then whatever ends it soonest."""
        matcher = self.grammars.start(lark)
        tokens: list[int] = []
        for token in self.tokenizer.tokenize_str(begin):
            assert matcher.accepts(token)
            tokens.append(token)
        for step in range(600):
            if matcher.finished:
                return str(self.tokenizer.decode_str(tokens))
            token = self._choose(matcher.allowed(), choice, patient=step < 40)
            if token == self.tokenizer.eos_token:
                return str(self.tokenizer.decode_str(tokens))
            assert matcher.accepts(token)
            tokens.append(token)
        pytest.fail(f"no end in sight: {self.tokenizer.decode_str(tokens)!r}")

    def _choose(self, allowed: Any, choice: random.Random, *, patient: bool) -> int:
        assert allowed is not None
        if allowed[self.tokenizer.eos_token]:
            return int(self.tokenizer.eos_token)
        if not patient or choice.random() < 0.3:
            fitting = [token for token in self._closers if allowed[token]]
            if fitting:
                return fitting[0]
        return int(choice.choice(allowed.nonzero()[0]))

    def reads_gbnf(self, text: str) -> bool:
        sampler = self._api.llama_sampler_init_grammar(self.vocab, text.encode(), b"root")
        if sampler:
            self._api.llama_sampler_free(sampler)
        return bool(sampler)

    def passes_gbnf(self, grammar: str, text: str) -> bool:
        """Whether llama.cpp's grammar sampler leaves every token of the text standing."""
        api = self._api
        sampler = api.llama_sampler_init_grammar(self.vocab, grammar.encode(), b"root")
        assert sampler
        try:
            for token in self.tokenizer.tokenize_str(text):
                data = (api.llama_token_data * 1)(api.llama_token_data(token, 1.0, 0.0))
                array = api.llama_token_data_array(data=data, size=1, selected=-1, sorted=False)
                api.llama_sampler_apply(sampler, ctypes.byref(array))
                if array.data[0].logit < 0:
                    return False
                api.llama_sampler_accept(sampler, token)
            return True
        finally:
            api.llama_sampler_free(sampler)


@cache
def smollm2_vocabulary() -> Vocabulary:
    """SmolLM2's; skips the test where llama.cpp, llguidance or the file cannot be had."""
    pytest.importorskip("llama_cpp")
    pytest.importorskip("llguidance")
    return Vocabulary(smollm2())
