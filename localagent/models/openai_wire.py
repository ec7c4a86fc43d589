"""OpenAI's chat completions, both ways: a Request as JSON, and chunks as deltas. Nothing here opens a connection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from localagent.calling.grammar import call_schema, gbnf
from localagent.config.models_toml import Entry
from localagent.errors import BadReplyError
from localagent.messages import Message, ToolSpec, Usage
from localagent.models.failures import broken, from_message, message_of
from localagent.models.images import as_base64
from localagent.models.meter import Meter
from localagent.models.values import count_of, dict_of, text_of
from localagent.ports import CallDelta, Delta, Finish, FinishReason, Progress, Request, TextDelta, ThoughtDelta

_FINISHES: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
    "refusal": "refused",
}


def body_of(request: Request, entry: Entry, flavour: str) -> dict[str, Any]:
    """The JSON of a request. `flavour` is `llama-server`, `vllm`, `lmstudio`, `cloud` or `other`."""
    limit = "max_completion_tokens" if entry.host == "api.openai.com" else "max_tokens"
    body: dict[str, Any] = {
        "model": entry.model or "default",
        "messages": messages_of(request, keep_thinking=flavour != "cloud"),
        "stream": True,
        "stream_options": {"include_usage": True},
        limit: request.max_tokens,
        **_sampling(entry, flavour),
        **_thinking(entry, flavour),
    }
    if request.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in request.tools]
    if flavour == "llama-server":
        body["return_progress"] = True
    return {**body, **_constraint(request, flavour)}


def _sampling(entry: Entry, flavour: str) -> dict[str, Any]:
    """Only what the entry says; beyond OpenAI's own names only where a local server knows them."""
    s = entry.sampling
    values: dict[str, Any] = {"temperature": s.temperature, "top_p": s.top_p, "seed": s.seed}
    if flavour != "cloud":
        penalty = "repetition_penalty" if flavour == "vllm" else "repeat_penalty"
        values |= {"top_k": s.top_k, "min_p": s.min_p, penalty: s.repeat_penalty}
    return {key: value for key, value in values.items() if value is not None}


def _thinking(entry: Entry, flavour: str) -> dict[str, Any]:
    if isinstance(entry.think, str):
        return {"reasoning_effort": entry.think}
    if entry.think is None or flavour == "cloud":
        return {}
    return {"chat_template_kwargs": {"enable_thinking": entry.think}}


def _constraint(request: Request, flavour: str) -> dict[str, Any]:
    wanted = request.constraint
    if wanted is None:
        return {}
    if wanted.schema is not None:
        return {"response_format": _response_format(wanted.schema)}
    if request.tools:
        return {"tool_choice": "required"} if wanted.required else {}
    if flavour == "llama-server" and wanted.tools:
        grammar = gbnf(wanted)
        return {"grammar": grammar} if grammar else {}
    if wanted.required and wanted.tools and flavour != "other":
        return {"response_format": _response_format(call_schema(wanted.tools))}
    return {}


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


def _function(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def messages_of(request: Request, *, keep_thinking: bool) -> list[dict[str, Any]]:
    """One system message in front, neighbours of one role merged: strict chat templates refuse anything else."""
    messages = enumerate(request.messages)
    return merged(row for n, message in messages for row in _rows(message, first=n == 0, keep_thinking=keep_thinking))


def merged(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with plain neighbours of one role as one row."""
    together: list[dict[str, Any]] = []
    for row in rows:
        if together and _mergeable(together[-1], row):
            together[-1] = {**row, "content": f"{together[-1]['content']}\n\n{row['content']}"}
        else:
            together.append(row)
    return together


def _rows(message: Message, *, first: bool, keep_thinking: bool) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        for result in message.results:
            yield {"role": "tool", "tool_call_id": result.call_id, "content": result.content}
        return
    role = "user" if message.role == "system" and not first else message.role
    row: dict[str, Any] = {"role": role, "content": _content(message)}
    if message.calls:
        row["tool_calls"] = [_call(call.id, call.name, call.arguments) for call in message.calls]
    if message.thinking and keep_thinking and message.role == "assistant":
        row["reasoning_content"] = message.thinking
    yield row


def _mergeable(before: dict[str, Any], row: dict[str, Any]) -> bool:
    plain = before.keys() == row.keys() == {"role", "content"}
    texts = isinstance(before["content"], str) and isinstance(row["content"], str)
    return plain and texts and before["role"] == row["role"] != "tool"


def _call(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(arguments, ensure_ascii=False)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def _content(message: Message) -> Any:
    if not message.images:
        return message.content
    pictures = (as_base64(path) for path in message.images)
    images = [{"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}} for kind, data in pictures]
    return [{"type": "text", "text": message.content}, *images]


@dataclass(slots=True)
class _Call:
    """A call while it comes in; `begun` once a part of its arguments is there."""

    id: str
    name: str = ""
    begun: bool = False


@dataclass(slots=True)
class Reader:
    """Chunks of one reply in order; `finish` afterwards."""

    entry: Entry
    meter: Meter = field(default_factory=Meter)
    _calls: dict[int, _Call] = field(default_factory=dict)  # by the number that they are given here
    _last: dict[int, int] = field(default_factory=dict)  # by the server's own number, which may be that of several
    _choice: Any = None  # the index of the one that is read
    _reason: str | None = None
    _usage: dict[str, Any] = field(default_factory=dict)
    _timings: dict[str, Any] = field(default_factory=dict)

    def read(self, chunk: dict[str, Any]) -> Iterator[Delta]:
        """The deltas of one chunk, or of a whole completion from a server that does not stream."""
        if chunk.get("error"):
            raise from_message(self.entry, _status(chunk), message_of(chunk), chunk)
        self._usage = dict_of(chunk.get("usage")) or self._usage
        self._timings = dict_of(chunk.get("timings")) or self._timings
        if progress := chunk.get("prompt_progress"):
            yield Progress("reading", progress.get("processed", 0), progress.get("total"))
        choices = chunk.get("choices")
        if choices is None and not ({"usage", "timings", "prompt_progress"} & chunk.keys()):
            raise broken(self.entry, f"sent an object that is no part of a reply, with {', '.join(chunk) or 'no keys'}")
        for choice in choices or ():
            if self._choice is None:
                self._choice = choice.get("index") or 0
            if (choice.get("index") or 0) == self._choice:
                yield from self._deltas(choice)

    def _deltas(self, choice: dict[str, Any]) -> Iterator[Delta]:
        self._reason = choice.get("finish_reason") or self._reason
        delta = choice.get("delta") or choice.get("message") or {}
        if thought := delta.get("reasoning_content") or delta.get("reasoning"):
            self.meter.token()
            yield ThoughtDelta(str(thought))
        if text := delta.get("content") or delta.get("refusal"):
            self.meter.token()
            yield TextDelta(_text(text))
        for position, call in enumerate(delta.get("tool_calls") or ()):
            self.meter.token()
            yield from self._call(call, position)

    def _call(self, call: dict[str, Any], position: int) -> Iterator[CallDelta]:
        function = call.get("function") or {}
        name, arguments = text_of(function.get("name")), function.get("arguments") or ""
        number = self._number(call, position, name)
        known = self._calls[number]
        if name and name != known.name:  # some servers repeat the name in every chunk
            known.name += name
            yield CallDelta(number, name=name)
        if arguments:
            known.begun = True
            text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            yield CallDelta(number, arguments=text)

    def _number(self, call: dict[str, Any], position: int, name: str) -> int:
        """Which call a part belongs to: some servers give all calls of a reply one index, or none."""
        index = call.get("index")
        index, call_id = index if isinstance(index, int) else position, text_of(call.get("id"))
        known = self._calls.get(self._last.get(index, -1))
        other = known and ((call_id and known.id and call_id != known.id) or (known.begun and name != known.name))
        if known is None or (name and other):
            self._last[index] = index if index not in self._calls else max(self._calls) + 1
            self._calls[self._last[index]] = _Call(call_id)
        return self._last[index]

    def finish(self) -> Finish:
        """The last delta. Raises BadReplyError where no chunk said that the reply is complete."""
        if self._reason is None:
            raise self._cut()
        reason = _FINISHES.get(str(self._reason), "stop")
        if self._calls and reason == "stop":
            reason = "tool_calls"
        rate = self._timings.get("predicted_per_second")
        return self.meter.finish(reason, self.usage(), rate=rate if isinstance(rate, int | float) else None)

    def usage(self) -> Usage:
        """llama-server tells what it computed in `timings`, others what they took from the cache, many neither."""
        prompt = count_of(self._usage.get("prompt_tokens"))
        cached = count_of(dict_of(self._usage.get("prompt_tokens_details")).get("cached_tokens"))
        evaluated = count_of(self._timings.get("prompt_n"))
        if evaluated is None and prompt is not None and cached is not None:
            evaluated = count_of(prompt - cached)
        return Usage(prompt, count_of(self._usage.get("completion_tokens")), evaluated)

    def _cut(self) -> BadReplyError:
        return broken(self.entry, "stopped in the middle of its answer: the stream ended without a finish_reason")


def _status(chunk: dict[str, Any]) -> int:
    code = chunk["error"].get("code") if isinstance(chunk["error"], dict) else None
    return code if isinstance(code, int) else 0


def _text(content: Any) -> str:
    """Content parts joined: a few servers stream lists."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


__all__ = ["Reader", "body_of", "merged", "messages_of"]
