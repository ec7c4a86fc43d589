"""Restores a whole reply: prose as prose, arguments of tools verbatim as JSON, what is signed or an id not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, Protocol

from gateway.restore import StreamRestorer, restore

_DIGIT = re.compile(r"\d")
_FIXED_KEYS = """
id object type role status model signature encrypted_content call_id tool_call_id tool_use_id item_id finish_reason
stop_reason previous_response_id system_fingerprint service_tier obfuscation b64_json partial_image_b64
"""
_FIXED = frozenset(_FIXED_KEYS.split())
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+")
_LONG = 4096
Way = Literal["prose", "json", "code"]
_WAYS: dict[str, Way] = {"arguments": "json", "partial_json": "json", "input": "code", "code": "code", "name": "code"}
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
        self._seen: dict[tuple[str, Way], str] = {}

    def text(self, text: str, way: Way = "prose") -> str:
        """A text restored; what was restored before is known (a stream repeats its texts at the end)."""
        if not self.mapping or not _DIGIT.search(text) or _is_bytes(text):
            return text
        if (text, way) not in self._seen:
            restored = restore(text, self.mapping, json=way == "json", verbatim=way == "code")
            self._seen[text, way] = restored
        return self._seen[text, way]

    def stream(self, way: Way = "prose") -> Restorer:
        """A restorer of a text that comes in pieces."""
        return StreamRestorer(self.mapping, json=way == "json", verbatim=way == "code")

    def answer(self, text: str) -> str:
        """What a model said for people, or as the JSON that it was asked for."""
        return self.text(text, "json" if self.structured and text.lstrip()[:1] in _JSON else "prose")

    def stream_of_answer(self) -> Restorer:
        """The same for a text that comes in pieces."""
        return _Answer(self.mapping) if self.structured else self.stream()

    def data(self, value: Any) -> Any:
        """A JSON value restored verbatim, without a thought of grammar."""
        return json.loads(self.text(json.dumps(value, ensure_ascii=False), "json")) if value else value

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
        if way := way_of(key):
            return self.text(text, way)
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


def way_of(key: str) -> Way | None:
    """How a text under this key is restored, whatever holds it; None for what is said to people."""
    return _WAYS.get(key)


def _is_bytes(text: str) -> bool:
    """A picture or a sound in base64, which would be searched for long and for nothing."""
    return len(text) > _LONG and "<" not in text and _BASE64.fullmatch(text) is not None


def without_logprobs(value: Any) -> Any:
    """Tokens spell placeholders in pieces, so that they fit no restored text: they are left out."""
    return [] if isinstance(value, list) else None
