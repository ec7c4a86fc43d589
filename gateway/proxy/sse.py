"""Server-sent events out of bytes that come in any pieces, each with its own bytes, so that it can pass untouched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gateway.errors import PayloadError

_END = re.compile(rb"\r\n\r\n|\n\r?\n|\r\r(?!\n)")
_LINE = re.compile(r"\r\n|\n|\r")
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Event:
    """`raw` is all of its bytes; `name` and `data` are empty for a comment."""

    raw: bytes
    name: str = ""
    data: str = ""


class EventReader:
    """Feed it bytes, it gives events; `close` gives one that the end of the stream left without its empty line."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Events that are complete now; PayloadError for one without end."""
        self._buffer += piece
        while match := _END.search(self._buffer, self._searched):
            if match[0] == b"\r\r" and match.end() == len(self._buffer):
                break  # the next byte may belong to the line end
            raw = bytes(self._buffer[: match.end()])
            del self._buffer[: match.end()]
            self._searched = 0
            yield parse(raw)
        self._searched = max(0, len(self._buffer) - 3)
        if len(self._buffer) > _LARGEST:
            raise PayloadError("the upstream sends an event without end")

    def close(self) -> Iterator[Event]:
        """The rest."""
        if self._buffer:
            yield parse(bytes(self._buffer) + b"\n\n")
            self._buffer.clear()


def parse(raw: bytes) -> Event:
    """One event; bytes that are no UTF-8 become replacement characters, as the standard says."""
    name, data = "", []
    for line in _LINE.split(raw.decode("utf-8", "replace").removeprefix("\ufeff")):
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif field == "event":
            name = value.removeprefix(" ")
    return Event(raw, name, "\n".join(data))


def written(name: str, data: dict[str, Any]) -> bytes:
    """An event of our own."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {text}\n\n".encode("utf-8", "backslashreplace")  # half a character stays the escape it was
