"""OpenAI's responses as a stream: one restorer for each text that comes in `….delta` events.

An event of ours, put in before `….done`, takes a number of its own; those behind it move up and stay in order.
"""

from __future__ import annotations

from typing import Any

from gateway.proxy.reply import Restorer, Restoring, Way

_WHOSE = ("_id", "_index")
_WAYS: dict[str, Way] = {
    "response.function_call_arguments": "json",
    "response.mcp_call_arguments": "json",
    "response.custom_tool_call_input": "code",
    "response.code_interpreter_call_code": "code",
    "response.shell_call_command": "code",
    "response.shell_call_output_content": "code",
}
_ANSWER = "response.output_text"
_BYTES = ("response.audio.delta", "response.output_audio.delta")
Place = tuple[str, frozenset[tuple[str, Any]], str]
"""What the text is, the ids and indices that say whose it is, and its name where several come in one event."""


class ResponsesStream:
    """Events in, events out; what is held of a text is given out before the event that says that it is done."""

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring
        self._open: dict[Place, tuple[dict[str, Any], Restorer]] = {}
        self._next = 0  # the number of the next event, without ours
        self._ours = 0

    def event(self, name: str, data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What is sent instead of this event."""
        number = data.get("sequence_number")
        self._next = number if isinstance(number, int) else self._next
        events = self._events(name, data)
        self._next += 1
        return events

    def _events(self, name: str, data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        stem, _, ending = str(data.get("type", name)).rpartition(".")
        if ending == "delta" and isinstance(data.get("delta"), str | dict) and data.get("type") not in _BYTES:
            return [(name, self._numbered(self._delta(stem, data)))]
        if stem == "response" or not stem:
            before = self.end() if ending in ("completed", "incomplete", "failed", "error") else []
        else:
            before = self._done(stem, _whose(data)) if ending == "done" else []
        whole = self._restoring.whole(data)
        if stem == _ANSWER and isinstance(text := data.get("text"), str):
            whole["text"] = self._restoring.answer(text)
        return [*before, (name, self._numbered(whole))]

    def end(self) -> list[tuple[str, dict[str, Any]]]:
        """What is still held when the stream ends without a word."""
        return [event for place in list(self._open) for event in self._flush(place)]

    def error(self, message: str) -> tuple[str, dict[str, Any]]:
        """The event that says that the stream broke off."""
        error = {"type": "server_error", "code": "server_error", "message": message, "param": None}
        return "error", {**error, "type": "error", "sequence_number": self._next + self._ours, "error": error}

    def _delta(self, stem: str, data: dict[str, Any]) -> dict[str, Any]:
        delta = data["delta"]
        if isinstance(delta, dict):
            fed = {name: self._feed(stem, data, name, text) for name, text in delta.items()}
            return {**data, "delta": fed}
        new = {**data, "delta": self._feed(stem, data, "", delta)}
        return new | {"logprobs": []} if "logprobs" in data else new

    def _feed(self, stem: str, data: dict[str, Any], name: str, text: Any) -> Any:
        if not isinstance(text, str):
            return self._restoring.whole(text, name)
        place = (stem, _whose(data), name)
        if place not in self._open:
            restoring = self._restoring
            answer = stem == _ANSWER
            restorer = restoring.stream_of_answer() if answer else restoring.stream(_WAYS.get(stem, "prose"))
            self._open[place] = (data, restorer)
        return self._open[place][1].feed(text)

    def _done(self, stem: str, whose: frozenset[tuple[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        """What is held of the texts that an event closes; it may name more than their pieces did."""
        places = [place for place in self._open if place[0] == stem and place[1] <= whose]
        return [event for place in places for event in self._flush(place)]

    def _flush(self, place: Place) -> list[tuple[str, dict[str, Any]]]:
        first, restorer = self._open.pop(place)
        if not (text := restorer.close()):
            return []
        event = {key: value for key, value in first.items() if key not in ("obfuscation", "logprobs")}
        if "logprobs" in first:
            event["logprobs"] = []
        if "sequence_number" in event:
            event["sequence_number"] = self._next + self._ours
        self._ours += 1
        return [(event["type"], event | {"delta": {place[2]: text} if place[2] else text})]

    def _numbered(self, data: dict[str, Any]) -> dict[str, Any]:
        number = data.get("sequence_number")
        return data | {"sequence_number": number + self._ours} if isinstance(number, int) and self._ours else data


def _whose(data: dict[str, Any]) -> frozenset[tuple[str, Any]]:
    return frozenset(
        (key, value) for key, value in data.items() if key.endswith(_WHOSE) and isinstance(value, str | int)
    )
