"""Ollama's chat API, both ways: a Request as arguments of its client, chunks as deltas, and the cut that it hides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from localagent.calling.grammar import call_schema
from localagent.config.models_toml import Entry
from localagent.errors import PromptCutError
from localagent.messages import Message, Usage
from localagent.models.estimate import at_least, estimate
from localagent.models.failures import broken
from localagent.models.meter import Meter
from localagent.models.openai_wire import merged
from localagent.models.values import count_of
from localagent.ports import CallDelta, Delta, Finish, FinishReason, Request, TextDelta, ThoughtDelta

KEEP_ALIVE = "30m"  # Ollama's own five minutes are shorter than reading a diff


def arguments_of(request: Request, entry: Entry, num_ctx: int, *, thinks: bool) -> dict[str, Any]:
    """Keyword arguments of `AsyncClient.chat`. `num_ctx` is always sent: another one would reload the model."""
    arguments: dict[str, Any] = {
        "model": entry.model,
        "messages": messages_of(request),
        "stream": True,
        "options": _options(request, entry, num_ctx),
        "keep_alive": KEEP_ALIVE if entry.keep_alive is None else entry.keep_alive,
    }
    if request.tools:
        functions = ({"name": t.name, "description": t.description, "parameters": t.parameters} for t in request.tools)
        arguments["tools"] = [{"type": "function", "function": function} for function in functions]
    if entry.think is not None and thinks:
        arguments["think"] = entry.think
    if (schema := _format(request)) is not None:
        arguments["format"] = schema
    return arguments


def _options(request: Request, entry: Entry, num_ctx: int) -> dict[str, Any]:
    s = entry.sampling
    options = {
        "num_ctx": num_ctx,
        "num_predict": request.max_tokens,
        "temperature": s.temperature,
        "top_p": s.top_p,
        "top_k": s.top_k,
        "min_p": s.min_p,
        "repeat_penalty": s.repeat_penalty,
        "seed": s.seed,
        "num_thread": entry.threads,
        "num_gpu": entry.gpu_layers,
    }
    return {key: value for key, value in options.items() if value is not None}


def _format(request: Request) -> dict[str, Any] | None:
    """A schema where the reply must satisfy one; Ollama knows no grammar that leaves prose free."""
    wanted = request.constraint
    if wanted is None or request.tools:
        return None
    if wanted.schema is not None:
        return wanted.schema
    return call_schema(wanted.tools) if wanted.required and wanted.tools else None


def messages_of(request: Request) -> list[dict[str, Any]]:
    """One system message in front; calls carry objects, results the name of their tool."""
    return merged(row for n, message in enumerate(request.messages) for row in _rows(message, first=n == 0))


def _rows(message: Message, *, first: bool) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        for result in message.results:
            yield {"role": "tool", "tool_name": result.name, "content": result.content}
        return
    row: dict[str, Any] = {"role": "user" if message.role == "system" and not first else message.role}
    row["content"] = message.content
    if message.calls:
        row["tool_calls"] = [{"function": {"name": c.name, "arguments": c.arguments}} for c in message.calls]
    if message.thinking and message.role == "assistant":
        row["thinking"] = message.thinking
    if message.images:
        row["images"] = list(message.images)
    yield row


@dataclass(slots=True)
class Reader:
    """Chunks of one reply in order; `finish` afterwards."""

    entry: Entry
    meter: Meter = field(default_factory=Meter)
    prompt_tokens: int | None = None
    _calls: int = 0
    _done: dict[str, Any] | None = None

    def read(self, chunk: Any) -> Iterator[Delta]:
        """The deltas of one ChatResponse of the client."""
        message = chunk.message
        if message.thinking:
            self.meter.token()
            yield ThoughtDelta(message.thinking)
        if message.content:
            self.meter.token()
            yield TextDelta(message.content)
        for call in message.tool_calls or ():
            self.meter.token()
            yield CallDelta(self._calls, name=call.function.name)
            yield CallDelta(self._calls, arguments=json.dumps(dict(call.function.arguments), ensure_ascii=False))
            self._calls += 1
        if chunk.done:
            self._done = chunk.model_dump(exclude={"message"})
            self.prompt_tokens = count_of(chunk.prompt_eval_count)

    def finish(self) -> Finish:
        """The last delta. Raises BadReplyError where no chunk said `done`.

        `prompt_eval_count` counts the whole prompt, also what came from the cache: what was really computed
        Ollama does not tell, and evaluated_tokens stays None.
        """
        if self._done is None:
            raise broken(self.entry, "stopped in the middle of its answer: the stream ended without `done`")
        reason: FinishReason = "length" if self._done.get("done_reason") == "length" else "stop"
        if self._calls and reason == "stop":
            reason = "tool_calls"
        tokens, nanoseconds = (count_of(self._done.get(key)) for key in ("eval_count", "eval_duration"))
        rate = tokens * 1e9 / nanoseconds if tokens and nanoseconds else None
        return self.meter.finish(reason, Usage(self.prompt_tokens, tokens), rate=rate)


def check_cut(
    entry: Entry, request: Request, evaluated: int | None, window: int, *, asked: int, whole_counts: bool
) -> None:
    """Raises PromptCutError where the server must have dropped a part of the prompt.

    `window` is what is served in tokens and `asked` what was asked for; `whole_counts` is false for Ollama before
    0.6.4, which may leave cached tokens out of its count.
    """
    if not evaluated:
        return
    guess, floor = estimate(request), at_least(request)
    surely = whole_counts and evaluated < floor
    probably = guess > 0.75 * window and evaluated < 0.6 * guess
    if surely or probably:
        needed = max(guess, floor)
        raise PromptCutError(
            f"{entry.name}: Ollama read only {evaluated} of about {needed} tokens and dropped the rest in silence: "
            + _way_out(needed + request.max_tokens, window, asked),
            needed=needed,
            window=window,
        )


def _way_out(wanted: int, window: int, asked: int) -> str:
    """What to do about a cut; a window that the server already refused to serve is not advised again."""
    if window < asked:
        return (
            f"it serves {window} of the {asked} tokens that were asked for, as it does where the model was trained for "
            "no more. Begin a new session, or choose a model with a larger window"
        )
    wider = max(_round_up(wanted), _round_up(asked + 1))
    return f"set context = {wider} in its entry of models.toml (now {asked})"


def _round_up(tokens: int) -> int:
    return -(-tokens // 4096) * 4096


__all__ = ["Reader", "arguments_of", "check_cut", "messages_of"]
