"""llama.cpp as this project uses it: one model, one context, one sequence; the low-level API and nothing around it.

Lives in the worker process only. Every call may block; `cancel` may be called from another thread.
"""

from __future__ import annotations

import ctypes
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import llama_cpp

from localagent.models.llama_cpp.prompt import Kept, Prompt, common_prefix
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.models.llama_cpp.threads import Threads

Report = Callable[[int, int], None]
_BATCH = 512
_ABORTED = 2  # what llama_decode returns when its abort callback says so
_LOG_ERROR = 4  # GGML_LOG_LEVEL_ERROR


class LoadError(Exception):
    """The file cannot be loaded; the text is llama.cpp's reason."""


class Cancelled(Exception):
    """`cancel` was called while tokens were computed."""


class Engine:
    """A loaded model and what its context holds."""

    def __init__(self, settings: LlamaCppSettings, report: Report) -> None:
        self._log = _quiet_log()
        llama_cpp.llama_backend_init()
        self.model = self._load(settings, report)
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.vocab_size: int = llama_cpp.llama_vocab_n_tokens(self.vocab)
        self.threads = Threads(settings.threads)
        self._flag = ctypes.create_string_buffer(2)
        self.context = self._open(settings)
        self.window: int = llama_cpp.llama_n_ctx(self.context)
        self._memory = llama_cpp.llama_get_memory(self.context)
        self.piece = lru_cache(maxsize=None)(self._piece)
        self.kept = Kept(self.piece, self.is_control)
        self._exact = self._round_trips("Hello <world>\n 1")

    def _load(self, settings: LlamaCppSettings, report: Report) -> Any:
        size = settings.file.stat().st_size

        def told(part: float, _: Any) -> bool:
            report(int(part * size), size)
            return True

        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = settings.gpu_layers if settings.gpu_layers >= 0 else 0x7FFFFFFF
        progress = llama_cpp.llama_progress_callback(told)
        params.progress_callback = progress
        model = llama_cpp.llama_model_load_from_file(str(settings.file).encode(), params)
        if not model:
            raise LoadError("; ".join(self._log.lines) or "llama.cpp cannot read it")
        return model

    def _open(self, settings: LlamaCppSettings) -> Any:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = served_context(settings.context, llama_cpp.llama_model_n_ctx_train(self.model))
        params.n_batch = params.n_ubatch = _BATCH
        params.n_threads = params.n_threads_batch = self.threads.now()
        params.no_perf = True
        context = llama_cpp.llama_init_from_model(self.model, params)
        if not context:
            raise LoadError("; ".join(self._log.lines) or f"no memory for a context of {params.n_ctx} tokens")
        # strlen is the abort callback: it says true once the first byte of the flag is set, without any Python.
        strlen = ctypes.cast(ctypes.CDLL(None).strlen, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, strlen, ctypes.cast(self._flag, ctypes.c_void_p))
        self._abort = strlen
        return context

    def cancel(self) -> None:
        """Stops the computation that is going on, or the next one, within milliseconds."""
        self._flag[0] = b"\x01"

    def ready(self) -> None:
        """Forgets a cancel that came too late."""
        self._flag[0] = b"\x00"

    @property
    def cancelled(self) -> bool:
        return self._flag[0] != b"\x00"

    def lay(self, prompt: Prompt) -> list[int]:
        """The prompt's tokens, the kept ones reused; see Kept.lay."""
        if self._exact:
            return self.kept.lay(prompt, self.tokenize)
        return prompt.tokens(self.tokenize)

    def reuse(self, tokens: Sequence[int]) -> int:
        """Cuts the context back to what `tokens` begins with; at least one token stays to be computed."""
        count = min(common_prefix(self.kept.tokens, tokens), len(tokens) - 1)
        return self._cut(count)

    def compute(self, tokens: Sequence[int]) -> None:
        """Appends tokens to the context, at most a batch. Raises Cancelled, and the context is as before."""
        count = len(self.kept.tokens)
        threads = self.threads.for_one() if len(tokens) == 1 else self.threads.now()
        start = time.monotonic()
        llama_cpp.llama_set_n_threads(self.context, threads, threads)
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        status = llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(array, len(tokens)))
        if status != 0:
            self._cut(count)
            if status == _ABORTED:
                raise Cancelled
            raise RuntimeError(f"llama_decode returned {status}: {'; '.join(self._log.lines)}")
        if len(tokens) == 1:
            self.threads.took(threads, time.monotonic() - start)
        self.kept.extend(tokens)

    def _cut(self, count: int) -> int:
        """Drops everything behind `count` tokens; a model that cannot drop a part (a recurrent one) drops all."""
        if not llama_cpp.llama_memory_seq_rm(self._memory, 0, count, -1):
            llama_cpp.llama_memory_clear(self._memory, True)
            count = 0
        self.kept.cut(count)
        return count

    def logits(self) -> Any:
        """The logits of the last token: a pointer into llama.cpp's own memory, valid until the next compute."""
        return llama_cpp.llama_get_logits_ith(self.context, -1)

    def save(self, path: Path) -> int:
        """Writes the context's state; returns its bytes, 0 for failure."""
        tokens = self.kept.tokens
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        size: int = llama_cpp.llama_state_seq_save_file(self.context, str(path).encode(), 0, array, len(tokens))
        return size

    def restore(self, path: Path) -> bool:
        """Reads a state that `save` wrote; afterwards the context holds that, or nothing."""
        array, count = (llama_cpp.llama_token * self.window)(), ctypes.c_size_t()
        self._cut(0)
        size = llama_cpp.llama_state_seq_load_file(
            self.context, str(path).encode(), 0, array, self.window, ctypes.byref(count)
        )
        if size == 0:
            self._cut(0)
            return False
        self.kept.extend(array[: count.value])
        return True

    def tokenize(self, text: str, special: bool = True) -> list[int]:
        data = text.encode()
        room = len(data) + 16
        array = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocab, data, len(data), array, room, False, special)
        if count < 0:
            raise RuntimeError(f"llama_tokenize returned {count}")
        return list(array[:count])

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(64)
        size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, True)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, True)
        return buffer.raw[:size]

    def is_control(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_control(self.vocab, token))

    def is_end(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))

    def special_text(self, token: int) -> str:
        return self.piece(token).decode(errors="replace") if token >= 0 else ""

    def control_texts(self) -> list[str]:
        """The texts of all control tokens, such as `<|im_end|>`."""
        return [text for t in range(self.vocab_size) if self.is_control(t) and (text := self.special_text(t))]

    def _round_trips(self, text: str) -> bool:
        """Whether pieces joined are the text again; not so where a tokenizer puts a space in front."""
        return b"".join(map(self.piece, self.tokenize(text))) == text.encode()


def served_context(wanted: int, trained: int) -> int:
    """Whole multiples of 256, as llama.cpp rounds, and within what the model was trained for."""
    rounded = -(-wanted // 256) * 256
    return min(rounded, trained // 256 * 256) if trained >= 256 else rounded


class _Log:
    """Keeps llama.cpp's last errors instead of printing them."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=3)
        self.callback = llama_cpp.llama_log_callback(self._take)

    def _take(self, level: int, text: bytes, _: Any) -> None:
        if level == _LOG_ERROR:
            self.lines.append(text.decode(errors="replace").strip())


@cache
def _quiet_log() -> _Log:
    """One for the process and for ever: llama.cpp goes on to call it when no engine is left."""
    log = _Log()
    llama_cpp.llama_log_set(log.callback, None)
    return log
