"""One loaded model answering requests: reading the prompt, writing the reply, keeping states. Runs in the worker."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import llama_cpp

from localagent.models.llama_cpp.engine import Cancelled, Engine
from localagent.models.llama_cpp.frames import Frame
from localagent.models.llama_cpp.matcher import GrammarProblem, Grammars
from localagent.models.llama_cpp.prompt import Prompt
from localagent.models.llama_cpp.sampler import Grammar, Sampler
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.models.llama_cpp.state import StateStore, model_key
from localagent.models.llama_cpp.template import Template
from localagent.models.llama_cpp.voice import Voice

Send = Callable[[Frame], None]
_ROOM = 16  # tokens that a reply needs at the very least
_CHUNK_SECONDS = 0.5  # how long a piece of the prompt is computed before progress is told
_SMALLEST, _LARGEST = 32, 512
_TOLD = 64  # prompts shorter than this are read without progress
_UNSAVED = 256  # new tokens after which a state is written at once and not when there is nothing to do


class Overflow(Exception):
    """The prompt does not fit the window."""

    def __init__(self, needed: int, window: int) -> None:
        super().__init__(f"{needed} of {window}")
        self.needed = needed
        self.window = window


@dataclass(slots=True)
class Tally:
    """What a reply cost; times are of `time.monotonic`."""

    prompt: int
    computed: int
    written: int = 0
    first: float = 0.0
    last: float = 0.0
    masked: int = 0

    @property
    def tokens_per_second(self) -> float | None:
        return (self.written - 1) / (self.last - self.first) if self.written > 1 and self.last > self.first else None


class ModelSession:
    """The model, its template and its states."""

    def __init__(self, settings: LlamaCppSettings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._grammars = Grammars(engine.vocab)
        self._states = _states(settings, engine)
        self._size = _SMALLEST * 2
        self._owner = ""
        self._unsaved = 0
        self.template = _template(settings, engine)

    def count(self, frame: Frame) -> int:
        return len(self._engine.lay(self.template.render(frame["messages"], frame["tools"])))

    def reply(self, frame: Frame, send: Send) -> Frame:
        """Answers one request; returns its last frame. Raises Cancelled, Overflow, TemplateProblem."""
        prompt = self.template.render(frame["messages"], frame["tools"])
        grammar = self._grammar(frame.get("grammar"), send)
        tokens = self._place(prompt, frame["session"])
        engine = self._engine
        reused = engine.reuse(tokens)
        tally = Tally(prompt=len(tokens), computed=len(tokens) - reused)
        self._unsaved += tally.computed
        self._read(tokens[reused:], send)
        budget = min(frame["max_tokens"], self._settings.max_tokens, engine.window - len(tokens))
        if prompt.opens_thought:
            send({"ev": "text", "text": "<think>\n"})  # so that the reply reads as what it is
        sampler = Sampler(self._settings, engine.vocab_size, grammar)
        voice = Voice(lambda text: send({"ev": "text", "text": text}), self.template.ends)
        try:
            reason = self._write(sampler, grammar, budget, tally, voice)
            voice.close()
        finally:
            tally.masked = sampler.counts.masked
            self._unsaved += tally.written
            sampler.close()
        return _last_frame(reason, tally)

    def keep(self, *, idle: bool) -> None:
        """Writes the state of the current session where enough is new, or anything while there is nothing to do."""
        if self._states and self._owner and self._unsaved >= (1 if idle else _UNSAVED):
            self._states.save(self._owner, self._engine, self._engine.kept.tokens)
            self._unsaved = 0

    def _place(self, prompt: Prompt, session: str) -> list[int]:
        """The prompt's tokens, with the best known prefix in the context. Raises Overflow before computing."""
        engine = self._engine
        tokens = engine.lay(prompt)
        if len(tokens) + _ROOM > engine.window:
            raise Overflow(len(tokens), engine.window)
        if session != self._owner:
            self.keep(idle=True)
        if self._states and self._states.restore(engine, engine.kept.tokens, tokens):
            tokens = engine.lay(prompt)  # what was sampled then may stand for the same text
            self._unsaved = 0
        self._owner = session
        return tokens

    def _read(self, tokens: list[int], send: Send) -> None:
        """Computes the new part of a prompt, in pieces of about half a second."""
        done = 0
        while done < len(tokens):
            if len(tokens) > _TOLD:
                send({"ev": "progress", "phase": "reading", "done": done, "total": len(tokens)})
            piece = tokens[done : done + self._size]
            start = time.monotonic()
            self._engine.compute(piece)
            done += len(piece)
            if len(piece) == self._size:
                self._adapt(time.monotonic() - start)
        if len(tokens) > _TOLD:
            send({"ev": "progress", "phase": "reading", "done": done, "total": len(tokens)})

    def _adapt(self, seconds: float) -> None:
        fitting = self._size * 2 if seconds < _CHUNK_SECONDS / 2 else self._size
        fitting = self._size // 2 if seconds > _CHUNK_SECONDS * 2 else fitting
        self._size = max(_SMALLEST, min(_LARGEST, fitting))

    def _write(self, sampler: Sampler, grammar: Grammar | None, budget: int, tally: Tally, voice: Voice) -> str:
        """Samples until the model, its grammar or the budget ends the reply; returns the finish reason."""
        engine = self._engine
        while True:
            token = sampler.draw(engine.logits())
            if token is None or engine.is_end(token):
                return "stop"
            tally.written += 1
            tally.last = time.monotonic()
            tally.first = tally.first or tally.last
            if voice.add(engine.piece(token)) or (grammar is not None and grammar.finished):
                return "stop"
            if tally.written >= budget:
                return "length"
            if engine.cancelled:
                raise Cancelled
            engine.compute([token])

    def _grammar(self, text: str | None, send: Send) -> Grammar | None:
        if not text:
            return None
        try:
            return self._grammars.start(text)
        except GrammarProblem as problem:
            send({"ev": "grammar_refused", "text": str(problem)})
            return None


def _last_frame(reason: str, tally: Tally) -> Frame:
    return {
        "ev": "finish",
        "reason": reason,
        "input": tally.prompt,
        "output": tally.written,
        "evaluated": tally.computed,
        "speed": tally.tokens_per_second,
        "masked": tally.masked,
    }


def _template(settings: LlamaCppSettings, engine: Engine) -> Template:
    source = llama_cpp.llama_model_chat_template(engine.model, None)
    begins = source or llama_cpp.llama_vocab_get_add_bos(engine.vocab)
    bos, eos = llama_cpp.llama_vocab_bos(engine.vocab), llama_cpp.llama_vocab_eos(engine.vocab)
    return Template(
        source.decode(errors="replace") if source else None,
        bos=engine.special_text(bos) if begins else "",
        eos=engine.special_text(eos),
        specials=engine.control_texts(),
        think=settings.think,
    )


def _states(settings: LlamaCppSettings, engine: Engine) -> StateStore | None:
    if settings.state_dir is None:
        return None
    key = model_key(settings.file, engine.window, llama_cpp.__version__)
    return StateStore(settings.state_dir, key, settings.state_bytes)
