"""A stream of events on its way to the client: what holds nothing to restore passes byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gateway.proxy.protocols.chat import ChatStream
from gateway.proxy.protocols.messages import MessagesStream
from gateway.proxy.protocols.responses import ResponsesStream
from gateway.proxy.reply import Restoring
from gateway.proxy.sse import Event, EventReader, written

# What a stream may end with, and what it certainly ends with.
_ENDS = {
    "/v1/chat/completions": re.compile(rb'\[DONE\]|"finish_reason"\s*:\s*"|^data:\s*\{"error"'),
    "/v1/messages": re.compile(rb'message_stop|"stop_reason"\s*:\s*"|"type"\s*:\s*"error"|^data:\s*\{"error"'),
    "/v1/responses": re.compile(
        rb'"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|error)"|\[DONE\]|^data:\s*\{"error"'
    ),
}
_LAST = {
    "/v1/chat/completions": re.compile(rb"^data:\s*\[DONE\]"),
    "/v1/messages": re.compile(rb'"type"\s*:\s*"(?:message_stop|error)"'),
    "/v1/responses": _ENDS["/v1/responses"],
}
_USAGE = re.compile(rb'"usage"\s*:\s*\{')


class Rewriter(Protocol):
    """What a protocol does with its events."""

    def event(self, name: str, data: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """What is sent instead of this event."""
        ...

    def end(self) -> list[tuple[str, dict[str, Any]]]:
        """What is still held."""
        ...

    def error(self, message: str) -> tuple[str, dict[str, Any]]:
        """The event that says that the stream broke off."""
        ...


_STREAMS: dict[str, Callable[[Restoring], Rewriter]] = {
    "/v1/chat/completions": ChatStream,
    "/v1/messages": MessagesStream,
    "/v1/responses": ResponsesStream,
}


def streams(path: str) -> bool:
    """Whether replies of this route may be streams."""
    return path in _STREAMS


class Relay:
    """Bytes in, bytes for the client out. `usage` is what was said of tokens.

    `ended` says that the model came to an end, `complete` that nothing follows any more."""

    def __init__(self, path: str, restoring: Restoring) -> None:
        self._rewriter: Rewriter = _STREAMS[path](restoring)
        self._ends, self._last = _ENDS[path], _LAST[path]
        self._touch = bool(restoring.mapping)
        self._reader = EventReader()
        self.usage: dict[str, Any] = {}
        self.ended = self.complete = False

    def feed(self, piece: bytes) -> bytes:
        """What is certain after these bytes."""
        return b"".join([self._event(event) for event in self._reader.feed(piece)])

    def close(self) -> bytes:
        """The rest; an error event where the upstream stopped in the middle."""
        rest = [self._event(event) for event in self._reader.close() if _is_whole(event.data)]
        rest += [written(*event) for event in self._rewriter.end()]
        if not self.ended:
            rest.append(written(*self._rewriter.error("the upstream ended the stream in the middle; try again")))
        return b"".join(rest)

    def broken(self, message: str) -> bytes:
        """What is held, and the event that says why no more comes."""
        error = () if self.complete else (self._rewriter.error(message),)
        return b"".join([written(*event) for event in (*self._rewriter.end(), *error)])

    def _event(self, event: Event) -> bytes:
        self.ended = self.ended or self._ends.search(event.raw) is not None
        self.complete = self.complete or (self.ended and self._last.search(event.raw) is not None)
        counts = b'"usage"' in event.raw and _USAGE.search(event.raw) is not None
        if not event.data or not (self._touch or counts):
            return event.raw
        try:
            data = json.loads(event.data)
        except ValueError:
            data = None
        if not isinstance(data, dict):  # `[DONE]`
            return b"".join([written(*held) for held in self._rewriter.end()]) + event.raw
        if counts:
            self._count(data)
        if not self._touch:
            return event.raw
        new = self._rewriter.event(event.name, data)
        same = len(new) == 1 and new[0] == (event.name, data)
        return event.raw if same else b"".join([written(*one) for one in new])

    def _count(self, data: dict[str, Any]) -> None:
        for holder in (data, data.get("message"), data.get("response")):
            usage = holder.get("usage") if isinstance(holder, Mapping) else None
            if isinstance(usage, Mapping):
                self.usage |= {key: value for key, value in usage.items() if value is not None}


def _is_whole(data: str) -> bool:
    """Whether an event that lacks its empty line was not cut inside."""
    try:
        return data == "[DONE]" or isinstance(json.loads(data), dict)
    except ValueError:
        return False
