"""OpenAI's chat completions as a stream: one restorer for each text of each choice."""

from __future__ import annotations

from typing import Any

from gateway.proxy.errors import error_body
from gateway.proxy.reply import Restorer, Restoring, way_of

Place = tuple[str | int, ...]
_CHUNK = frozenset(("id", "object", "created", "model", "system_fingerprint", "service_tier", "usage", "obfuscation"))
_CHOICE = frozenset(("index", "finish_reason"))
_WHOLE = ("role", "id", "type", "name", "data")


class ChatStream:
    """Events in, events out; what is held of a choice is given out before the event that finishes it."""

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring
        self._open: dict[Place, Restorer] = {}
        self._last: dict[str, Any] = {}

    def event(self, name: str, data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What is sent instead of this event."""
        choices = data.get("choices")
        if not isinstance(choices, list):
            return [(name, self._restoring.whole(data))]
        self._last = {key: value for key, value in data.items() if key not in ("choices", "usage")}
        before: list[tuple[str, dict[str, Any]]] = []
        new: list[Any] = []
        for choice in choices:
            if not isinstance(choice, dict):
                continue
            index, last = choice.get("index", 0), bool(choice.get("finish_reason"))
            changed = self._others(choice, _CHOICE)
            changed["delta"] = self._walk(choice.get("delta"), (index,), "", last)
            new.append({**choice, **changed})
            if last:
                before += self._flush(index)
        return [*before, (name, {**data, **self._others(data, _CHUNK), "choices": new})]

    def end(self) -> list[tuple[str, dict[str, Any]]]:
        """What is still held when the stream ends without a word."""
        return [event for index in dict.fromkeys(place[0] for place in self._open) for event in self._flush(index)]

    def error(self, message: str) -> tuple[str, dict[str, Any]]:
        """The event that says that the stream broke off."""
        return "", error_body("openai", 500, message)

    def _others(self, table: dict[str, Any], closed: frozenset[str]) -> dict[str, Any]:
        """What is restored of an object beside its texts; most chunks hold closed words only."""
        others = {key: table[key] for key in table.keys() - closed - {"choices", "delta"}}
        return self._restoring.whole(others) if others else others

    def _walk(self, value: Any, place: Place, key: str, last: bool) -> Any:
        """A delta restored; with `last` nothing of its own texts is held any more."""
        if isinstance(value, dict):
            return {name: self._walk(inner, (*place, name), name, last) for name, inner in value.items()}
        if isinstance(value, list):
            if key == "reasoning_details":
                return value
            return [self._walk(inner, (*place, _number(inner, at)), key, last) for at, inner in enumerate(value)]
        if not isinstance(value, str) or not value:
            return value
        if key in _WHOLE:
            return self._restoring.whole(value, key)
        if place not in self._open:
            restoring = self._restoring
            answer = key == "content"
            self._open[place] = restoring.stream_of_answer() if answer else restoring.stream(way_of(key) or "prose")
        text = self._open[place].feed(value)
        return text + self._open.pop(place).close() if last else text

    def _flush(self, index: str | int) -> list[tuple[str, dict[str, Any]]]:
        held = []
        for place in [place for place in self._open if place[0] == index]:
            if text := self._open.pop(place).close():
                choice = {"index": index, "delta": _nested(place[1:], text), "finish_reason": None}
                held.append(("", {**self._last, "choices": [choice]}))
        return held


def _number(value: Any, at: int) -> int:
    index = value.get("index", at) if isinstance(value, dict) else at
    return index if isinstance(index, int) else at


def _nested(place: Place, text: str) -> Any:
    """The delta that holds only `text`, at its place."""
    if not place:
        return text
    inner = _nested(place[1:], text)
    if isinstance(place[0], int):
        return [{"index": place[0], **inner} if isinstance(inner, dict) else inner]
    return {place[0]: inner}
