"""Frames between app and worker: four bytes of length, big endian, then one JSON object in UTF-8."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO

Frame = dict[str, Any]
_LENGTH = struct.Struct(">I")


def pack(frame: Frame) -> bytes:
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return _LENGTH.pack(len(body)) + body


def unpack(body: bytes) -> Frame:
    frame: Frame = json.loads(body.decode("utf-8", "surrogatepass"))
    return frame


def read(stream: BinaryIO) -> Frame | None:
    """The next frame, None where the other side closed the pipe."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    body = stream.read(_LENGTH.unpack(head)[0])
    return unpack(body)


async def receive(reader: asyncio.StreamReader) -> Frame | None:
    """The same for the app's side."""
    try:
        head = await reader.readexactly(_LENGTH.size)
        body = await reader.readexactly(_LENGTH.unpack(head)[0])
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return unpack(body)
