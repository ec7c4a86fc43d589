"""Anthropic's Messages API, both ways: a Request as JSON, and events as deltas. Nothing here opens a connection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from localagent.config.models_toml import Entry
from localagent.messages import Message, Usage
from localagent.models.failures import broken, from_message, message_of
from localagent.models.images import as_base64
from localagent.models.meter import Meter
from localagent.models.values import count_of, dict_of, text_of
from localagent.ports import CallDelta, Delta, Finish, FinishReason, Request, TextDelta, ThoughtDelta

THINKING_TOKENS = {"low": 1024, "medium": 4096, "high": 16384, "max": 32768}
_CACHED = {"cache_control": {"type": "ephemeral"}}
_FINISHES: dict[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refused",
}
_STATUS = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "invalid_request_error": 400,
}


def body_of(request: Request, entry: Entry) -> dict[str, Any]:
    """The JSON of a request; the system text and the newest message are marked, so that what is before is cached."""
    system = [m.content for m in request.messages[:1] if m.role == "system"]
    messages = _messages(request.messages[len(system) :])
    body: dict[str, Any] = {
        "model": entry.model,
        "max_tokens": request.max_tokens,
        "stream": True,
        "messages": messages,
    }
    if messages:
        messages[-1]["content"][-1] |= _CACHED
    if system and system[0]:
        body["system"] = [{"type": "text", "text": system[0], **_CACHED}]
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": t.parameters} for t in request.tools
        ]
        if request.constraint and request.constraint.required:
            body["tool_choice"] = {"type": "any"}
    return body | _sampling(request, entry)


def _sampling(request: Request, entry: Entry) -> dict[str, Any]:
    """Thinking allows no sampling of one's own, no forced call, and wants its signed blocks back after a call.

    Those blocks are not kept, so that the replies after tool results go without thinking.
    """
    answered = bool(request.messages) and request.messages[-1].role == "tool"
    forced = request.constraint is not None and request.constraint.required
    if entry.think and not answered and not forced:
        budget = THINKING_TOKENS.get(str(entry.think), THINKING_TOKENS["medium"])
        return {"thinking": {"type": "enabled", "budget_tokens": budget}, "max_tokens": request.max_tokens + budget}
    s = entry.sampling
    temperature = None if s.temperature is None else min(s.temperature, 1.0)
    values = {"temperature": temperature, "top_p": s.top_p, "top_k": s.top_k}
    return {key: value for key, value in values.items() if value is not None}


def _messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """Turns of user and assistant in alternation, each a list of blocks; empty text blocks are refused by the API."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = list(_blocks(message))
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    for result in message.results:
        block = {"type": "tool_result", "tool_use_id": result.call_id, "content": result.content}
        yield block if result.ok else block | {"is_error": True}
    for path in message.images:
        kind, data = as_base64(path)
        yield {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
    if message.content.strip() and message.role != "tool":
        yield {"type": "text", "text": message.content}
    for call in message.calls:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}


@dataclass(slots=True)
class Reader:
    """Events of one reply in order; `finish` afterwards."""

    entry: Entry
    meter: Meter = field(default_factory=Meter)
    _calls: dict[int, int] = field(default_factory=dict)  # block index → call index
    _usage: dict[str, Any] = field(default_factory=dict)
    _reason: str | None = None
    _complete: bool = False

    def read(self, event: dict[str, Any]) -> Iterator[Delta]:
        """The deltas of one event; unknown events are passed over, as the API asks."""
        match event.get("type"):
            case "message_start":
                self._usage |= _numbers(event["message"].get("usage"))
            case "content_block_start":
                yield from self._start(event["index"], event["content_block"])
            case "content_block_delta":
                yield from self._delta(event["index"], event["delta"])
            case "message_delta":
                self._usage |= _numbers(event.get("usage"))
                self._reason = event["delta"].get("stop_reason") or self._reason
            case "message_stop":
                self._complete = True
            case "error":
                kind = str(dict_of(event.get("error")).get("type"))
                raise from_message(self.entry, _STATUS.get(kind, 0), message_of(event), event)
            case "message":
                raise broken(self.entry, "answered in one piece although a stream was asked for")

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[Delta]:
        if block.get("type") == "tool_use":
            self.meter.token()
            self._calls[index] = len(self._calls)
            yield CallDelta(self._calls[index], name=text_of(block["name"]))
        elif text := text_of(block.get("text")):
            yield TextDelta(text)

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[Delta]:
        self.meter.token()
        match delta.get("type"):
            case "text_delta":
                yield TextDelta(text_of(delta["text"]))
            case "thinking_delta":
                yield ThoughtDelta(text_of(delta["thinking"]))
            case "input_json_delta" if delta["partial_json"]:
                yield CallDelta(self._calls[index], arguments=text_of(delta["partial_json"]))

    def finish(self) -> Finish:
        """The last delta. Raises BadReplyError where no event said that the message is complete."""
        if not self._complete and self._reason is None:
            raise broken(self.entry, "stopped in the middle of its answer: the stream ended without message_stop")
        return self.meter.finish(_FINISHES.get(str(self._reason), "stop"), self.usage())

    def usage(self) -> Usage:
        """`input_tokens` of the API leaves out what was read from the cache; ours is the whole prompt."""
        if "input_tokens" not in self._usage:
            return Usage(output_tokens=self._usage.get("output_tokens"))
        computed = self._usage["input_tokens"] + self._usage.get("cache_creation_input_tokens", 0)
        whole = computed + self._usage.get("cache_read_input_tokens", 0)
        return Usage(whole, self._usage.get("output_tokens"), computed)


def _numbers(usage: Any) -> dict[str, int]:
    counts = {key: count_of(value) for key, value in dict_of(usage).items()}
    return {key: count for key, count in counts.items() if count is not None}


__all__ = ["Reader", "body_of"]
