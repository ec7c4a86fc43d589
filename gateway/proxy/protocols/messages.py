"""Anthropic's messages as a stream: one restorer a content block. Thoughts pass as they are: they are signed."""

from __future__ import annotations

from typing import Any

from gateway.proxy.errors import error_body
from gateway.proxy.reply import Restorer, Restoring

_DELTAS = {"text_delta": "text", "input_json_delta": "partial_json"}
_AS_THEY_ARE = ("thinking_delta", "signature_delta")


class MessagesStream:
    """Events in, events out; what is held of a block is given out before the event that stops it."""

    def __init__(self, restoring: Restoring) -> None:
        self._restoring = restoring
        self._open: dict[int, tuple[str, Restorer]] = {}

    def event(self, name: str, data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What is sent instead of this event."""
        kind, index = data.get("type"), data.get("index", 0)
        if kind == "content_block_start":
            block = data.get("content_block")
            text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
            new = self._restoring.whole(block)
            return [(name, {**data, "content_block": new | {"text": self._feed(index, "text", text)} if text else new})]
        if kind == "content_block_delta" and isinstance(delta := data.get("delta"), dict):
            return [(name, {**data, "delta": self._delta(index, delta)})]
        before = self._flush(index) if kind == "content_block_stop" else []
        if kind in ("message_delta", "message_stop"):
            before = self.end()
        return [*before, (name, self._restoring.whole(data))]

    def end(self) -> list[tuple[str, dict[str, Any]]]:
        """What is still held when the stream ends without a word."""
        return [event for index in list(self._open) for event in self._flush(index)]

    def error(self, message: str) -> tuple[str, dict[str, Any]]:
        """The event that says that the stream broke off."""
        return "error", error_body("anthropic", 500, message)

    def _delta(self, index: int, delta: dict[str, Any]) -> dict[str, Any]:
        kind = str(delta.get("type"))
        field = _DELTAS.get(kind, "")
        if field and isinstance(delta.get(field), str):
            return {**delta, field: self._feed(index, kind, delta[field])}
        return delta if kind in _AS_THEY_ARE else self._restoring.whole(delta)

    def _feed(self, index: int, kind: str, text: str) -> str:
        if index not in self._open:
            restoring = self._restoring
            new = restoring.stream("json") if kind == "input_json_delta" else restoring.stream_of_answer()
            self._open[index] = ("text_delta" if kind == "text" else kind, new)
        return self._open[index][1].feed(text)

    def _flush(self, index: int) -> list[tuple[str, dict[str, Any]]]:
        kind, restorer = self._open.pop(index, ("", None))
        if restorer is None or not (text := restorer.close()):
            return []
        delta = {"type": kind, _DELTAS[kind]: text}
        return [("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})]
