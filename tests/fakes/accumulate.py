"""What a client makes of a stream: the whole reply, added up from its events."""

from __future__ import annotations

import json
from typing import Any

from gateway.proxy.sse import EventReader


def events_of(raw: bytes) -> list[tuple[str, Any]]:
    """Name and data of each event; `[DONE]` stays a string."""
    reader = EventReader()
    events = [*reader.feed(raw), *reader.close()]
    return [(e.name, e.data if e.data == "[DONE]" else json.loads(e.data)) for e in events if e.data]


def chat(raw: bytes) -> dict[str, Any]:
    """Choices with their texts and calls, as the SDK adds them up."""
    choices: dict[int, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    for _, data in events_of(raw):
        if data == "[DONE]" or "error" in data:
            continue
        whole |= {key: value for key, value in data.items() if key not in ("choices",) and value is not None}
        for choice in data["choices"]:
            kept = choices.setdefault(choice["index"], {"texts": {}, "calls": {}, "finish": None})
            assert kept["finish"] is None, "nothing comes after the finish of a choice"
            kept["finish"] = choice["finish_reason"]
            for key, value in choice["delta"].items():
                if key == "tool_calls":
                    for piece in value:
                        made = kept["calls"].setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                        made["id"] += piece.get("id", "")
                        made["name"] += piece.get("function", {}).get("name", "")
                        made["arguments"] += piece.get("function", {}).get("arguments", "")
                elif key != "role":
                    kept["texts"][key] = kept["texts"].get(key, "") + (value or "")
    return {"choices": choices, "usage": whole.get("usage"), "id": whole.get("id"), "model": whole.get("model")}


def chat_whole(reply: dict[str, Any]) -> dict[str, Any]:
    """The same of a reply that was no stream."""
    choices = {}
    for choice in reply["choices"]:
        message = choice["message"]
        texts = {key: message[key] for key in ("reasoning_content", "refusal") if message.get(key)}
        calls = {
            at: {"id": call["id"], **{key: call["function"][key] for key in ("name", "arguments")}}
            for at, call in enumerate(message.get("tool_calls") or [])
        }
        texts["content"] = message.get("content") or ""
        choices[choice["index"]] = {"texts": texts, "calls": calls, "finish": choice["finish_reason"]}
    return {"choices": choices, "usage": reply["usage"], "id": reply["id"], "model": reply["model"]}


def messages(raw: bytes) -> dict[str, Any]:
    """The message with its blocks."""
    whole: dict[str, Any] = {}
    partial: dict[int, str] = {}
    closed: set[int] = set()
    for name, data in events_of(raw):
        assert name == data["type"]
        if name == "message_start":
            whole = data["message"]
        elif name == "content_block_start":
            assert data["index"] == len(whole["content"])
            whole["content"].append(data["content_block"])
        elif name == "content_block_delta":
            assert data["index"] not in closed, "nothing comes after the stop of a block"
            block, delta = whole["content"][data["index"]], data["delta"]
            if delta["type"] == "input_json_delta":
                partial[data["index"]] = partial.get(data["index"], "") + delta["partial_json"]
            else:
                key = delta["type"].removesuffix("_delta")
                block[key] = block.get(key, "") + delta[key]
        elif name == "content_block_stop":
            closed.add(data["index"])
            if data["index"] in partial:
                whole["content"][data["index"]]["input"] = json.loads(partial[data["index"]])
        elif name == "message_delta":
            whole |= data["delta"]
            whole["usage"] = whole["usage"] | data["usage"]
    return whole


def responses(raw: bytes) -> dict[str, Any]:
    """The whole response of the last event, after each text was found to be the sum of its deltas."""
    sums: dict[tuple[Any, ...], str] = {}
    whole: dict[str, Any] = {}
    numbers = []
    for name, data in events_of(raw):
        assert name == data["type"]
        numbers.append(data["sequence_number"])
        stem, _, ending = name.rpartition(".")
        place = (stem, *(data.get(key) for key in ("item_id", "output_index", "content_index", "summary_index")))
        if ending == "delta":
            sums[place] = sums.get(place, "") + data["delta"]
        elif place in sums:
            key = next(key for key in ("text", "arguments", "input", "refusal") if key in data)
            assert data[key] == sums.pop(place)
        elif name == "response.completed":
            whole |= data["response"]
        if name == "response.output_item.done":
            whole.setdefault("items", []).append(data["item"])
    assert not sums
    assert numbers == list(range(len(numbers)))
    return whole
