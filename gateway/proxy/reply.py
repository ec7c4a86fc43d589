"""Restores a whole reply: prose as prose, arguments of tools verbatim as JSON, what is signed or an id not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol

from gateway.restore import StreamRestorer, restore

_DIGIT = re.compile(r"\d")
_FIXED_KEYS = """
id object type role status model signature encrypted_content call_id tool_call_id tool_use_id item_id finish_reason
stop_reason previous_response_id system_fingerprint service_tier obfuscation b64_json partial_image_b64
"""
_FIXED = frozenset(_FIXED_KEYS.split())
_JSON = ("{", "[", '"')
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_SIGNED = ("thinking", "redacted_thinking")


class Restorer(Protocol):
    """What restores a text that comes in pieces."""

    def feed(self, chunk: str) -> str:
        """What is certain after this piece."""
        ...

    def close(self) -> str:
        """The rest."""
        ...


class Restoring:
    """The way back of one reply. `structured` says that the model was asked to answer in JSON."""

    def __init__(self, mapping: Mapping[str, str], *, structured: bool = False) -> None:
        self.mapping = mapping
        self.structured = structured
        self._seen: dict[tuple[str, bool], str] = {}

    def text(self, text: str, *, json: bool = False) -> str:
        """A text restored; what was restored before is known (a stream repeats its texts at the end)."""
        if not self.mapping or not _DIGIT.search(text):
            return text
        key = (text, json)
        if key not in self._seen:
            self._seen[key] = restore(text, self.mapping, json=json)
        return self._seen[key]

    def stream(self, *, json: bool = False) -> Restorer:
        """A restorer of a text that comes in pieces."""
        return StreamRestorer(self.mapping, json=json)

    def answer(self, text: str) -> str:
        """What a model said for people, or as the JSON that it was asked for."""
        return self.text(text, json=self.structured and text.lstrip()[:1] in _JSON)

    def stream_of_answer(self) -> Restorer:
        """The same for a text that comes in pieces."""
        return _Answer(self.mapping) if self.structured else self.stream()

    def data(self, value: Any) -> Any:
        """A JSON value restored verbatim, without a thought of grammar."""
        return json.loads(self.text(json.dumps(value, ensure_ascii=False), json=True)) if value else value

    def whole(self, value: Any, key: str = "", parent: Mapping[str, Any] | None = None) -> Any:
        """A reply, or any part of one."""
        if not self.mapping:
            return value
        if isinstance(value, str):
            return value if key in _FIXED else self._string(value, key, parent or {})
        if isinstance(value, list):
            return [self.whole(inner, key, parent) for inner in value]
        return self._object(value) if isinstance(value, dict) else value

    def _object(self, table: dict[str, Any]) -> dict[str, Any]:
        if table.get("type") in _SIGNED:
            return table
        result: dict[str, Any] = {}
        for name, inner in table.items():
            if name == "logprobs":
                result[name] = without_logprobs(inner)
            elif name == "input" and table.get("type") in _CALLS:
                result[name] = self.data(inner)
            else:
                result[self.text(name)] = self.whole(inner, name, table)
        return result

    def _string(self, text: str, key: str, parent: Mapping[str, Any]) -> str:
        if key in ("arguments", "partial_json"):
            return self.text(text, json=True)
        said = (key == "content" and parent.get("role") == "assistant") or (
            key == "text" and parent.get("type") in ("output_text", "text")
        )
        return self.answer(text) if said else self.text(text)


class _Answer:
    """A model that was asked for JSON may still speak prose: its first letter tells."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = mapping
        self._inner: StreamRestorer | None = None

    def feed(self, chunk: str) -> str:
        if self._inner is None:
            if not (start := chunk.lstrip()):
                return chunk
            self._inner = StreamRestorer(self._mapping, json=start[0] in _JSON)
        return self._inner.feed(chunk)

    def close(self) -> str:
        return self._inner.close() if self._inner else ""


def without_logprobs(value: Any) -> Any:
    """Tokens spell placeholders in pieces, so that they fit no restored text: they are left out."""
    return [] if isinstance(value, list) else None
