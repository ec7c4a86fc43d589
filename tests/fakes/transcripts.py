"""Streams as the providers send them, built from whole replies: every event of the published protocols, in order.

`pieces` says how each text is cut into deltas, so that a test can cut anywhere. The whole reply that a stream adds up
to is given too: a client must get the same from both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

Event = tuple[str, dict[str, Any]]
Cut = Callable[[str], list[str]]


def sse(events: Iterator[Event] | list[Event], *, named: bool = True, end: str = "\n", done: bool = False) -> bytes:
    """The bytes of a stream; `end` is its line end."""
    out = []
    for name, data in events:
        text = json.dumps(data, ensure_ascii=len(out) % 2 == 0)
        out.append((f"event: {name}{end}" if named and name else "") + f"data: {text}{end}{end}")
    return ("".join(out) + (f"data: [DONE]{end}{end}" if done else "")).encode()


def chat(reply: dict[str, Any], cut: Cut) -> Iterator[Event]:
    """chat.completion.chunk events; choices take turns, a usage chunk ends them."""
    head = {key: reply[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(index: int, delta: dict[str, Any], finish: str | None = None, **more: Any) -> Event:
        return "", {
            **head,
            "choices": [{"index": index, "delta": delta, "finish_reason": finish, **more}],
            "usage": None,
        }

    lanes = [list(_chat_choice(choice, cut, chunk)) for choice in reply["choices"]]
    while any(lanes):
        yield from (lane.pop(0) for lane in lanes if lane)
    yield "", {**head, "choices": [], "usage": reply["usage"]}


def _chat_choice(choice: dict[str, Any], cut: Cut, chunk: Callable[..., Event]) -> Iterator[Event]:
    message, index = choice["message"], choice["index"]
    yield chunk(index, {"role": "assistant", "content": ""})
    for key in ("reasoning_content", "content", "refusal"):
        for piece in cut(message.get(key) or ""):
            logprobs = {"logprobs": {"content": [{"token": piece, "logprob": -1.0, "bytes": [1], "top_logprobs": []}]}}
            yield chunk(index, {key: piece}, **(logprobs if choice.get("logprobs") else {}))
    for at, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        start = {
            "index": at,
            "id": call["id"],
            "type": "function",
            "function": {"name": function["name"], "arguments": ""},
        }
        yield chunk(index, {"tool_calls": [start]})
        for piece in cut(function["arguments"]):
            yield chunk(index, {"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
    yield chunk(index, {}, choice["finish_reason"])


def messages(reply: dict[str, Any], cut: Cut) -> Iterator[Event]:
    """Anthropic's events with a ping between."""
    start = {**reply, "content": [], "stop_reason": None, "stop_sequence": None}
    yield (
        "message_start",
        {"type": "message_start", "message": start | {"usage": {**reply["usage"], "output_tokens": 1}}},
    )
    yield "ping", {"type": "ping"}
    for index, block in enumerate(reply["content"]):
        yield from _block(index, block, cut)
    delta = {key: reply[key] for key in ("stop_reason", "stop_sequence")}
    yield (
        "message_delta",
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": reply["usage"]["output_tokens"]}},
    )
    yield "message_stop", {"type": "message_stop"}


def _block(index: int, block: dict[str, Any], cut: Cut) -> Iterator[Event]:
    empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
    deltas: list[dict[str, Any]] = []
    if block["type"] == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in cut(block["text"])]
    elif block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in cut(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    elif block["type"] == "tool_use":
        pieces = cut(json.dumps(block["input"], ensure_ascii=False))
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces)]
    start = {**block, **empty.get(block["type"], {})}
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def responses(reply: dict[str, Any], cut: Cut) -> Iterator[Event]:
    """OpenAI's response events, numbered."""
    for number, event in enumerate(_response_events(reply, cut)):
        yield event["type"], {**event, "sequence_number": number}


def _response_events(reply: dict[str, Any], cut: Cut) -> Iterator[dict[str, Any]]:
    empty = {**reply, "output": [], "status": "in_progress", "usage": None}
    yield {"type": "response.created", "response": empty}
    yield {"type": "response.in_progress", "response": empty}
    for at, item in enumerate(reply["output"]):
        place = {"output_index": at, "item_id": item["id"]}
        hollow = {
            key: [] if key in ("content", "summary") else "" if key in ("arguments", "input") else value
            for key, value in item.items()
        }
        yield {"type": "response.output_item.added", "output_index": at, "item": hollow}
        for number, part in enumerate(item.get("content") or []):
            key = "refusal" if part["type"] == "refusal" else "text"
            stem = {"output_text": "output_text", "refusal": "refusal", "reasoning_text": "reasoning_text"}[
                part["type"]
            ]
            yield from _part(f"response.{stem}", place | {"content_index": number}, part, key, cut)
        for number, part in enumerate(item.get("summary") or []):
            here = place | {"summary_index": number}
            yield {"type": "response.reasoning_summary_part.added", **here, "part": part | {"text": ""}}
            yield from _text("response.reasoning_summary_text", here, "text", part["text"], cut)
            yield {"type": "response.reasoning_summary_part.done", **here, "part": part}
        if item["type"] == "function_call":
            yield from _text("response.function_call_arguments", place, "arguments", item["arguments"], cut)
        if item["type"] == "custom_tool_call":
            yield from _text("response.custom_tool_call_input", place, "input", item["input"], cut)
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": "response.completed", "response": reply}


def _part(stem: str, place: dict[str, Any], part: dict[str, Any], key: str, cut: Cut) -> Iterator[dict[str, Any]]:
    yield {"type": "response.content_part.added", **place, "part": part | {key: ""}}
    yield from _text(stem, place, key, part[key], cut)
    yield {"type": "response.content_part.done", **place, "part": part}


def _text(stem: str, place: dict[str, Any], key: str, text: str, cut: Cut) -> Iterator[dict[str, Any]]:
    for piece in cut(text):
        yield {"type": f"{stem}.delta", **place, "delta": piece}
    yield {"type": f"{stem}.done", **place, key: text}


def chat_reply(*answers: dict[str, Any], finish: str = "stop", logprobs: bool = False) -> dict[str, Any]:
    """A whole chat completion with these messages as its choices."""
    choices = [
        {
            "index": index,
            "message": {"role": "assistant", "content": None, **answer},
            "finish_reason": finish,
            "logprobs": {"content": []} if logprobs else None,
        }
        for index, answer in enumerate(answers)
    ]
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "gpt-x"}
    return {**head, "choices": choices, "usage": usage}


def call(name: str, arguments: str, at: int = 0) -> dict[str, Any]:
    """A tool call of a chat message."""
    return {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}


def message_reply(*blocks: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    """A whole Anthropic message."""
    usage = {"input_tokens": 7, "output_tokens": 5}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
    return {**head, "content": list(blocks), "stop_reason": stop, "stop_sequence": None, "usage": usage}


def response_reply(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole response."""
    usage = {
        "input_tokens": 7,
        "output_tokens": 5,
        "total_tokens": 12,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    head = {"id": "resp_1", "object": "response", "created_at": 1700000000, "model": "gpt-x", "status": "completed"}
    rest = {"error": None, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "metadata": {}}
    return {**head, **rest, "output": list(items), "usage": usage, **more}


def said(text: str, at: int = 0, kind: str = "output_text") -> dict[str, Any]:
    """An output message of a response."""
    part = {"type": kind, "refusal": text} if kind == "refusal" else {"type": kind, "text": text, "annotations": []}
    return {"id": f"msg_{at}", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
