"""What an image file says of itself in its first bytes: its kind and size, without a decoder."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

HEAD = 64 * 1024  # bytes that are read: a JPEG may carry a preview before its size


@dataclass(frozen=True, slots=True)
class Facts:
    """`width` and `height` in pixels, 0 where they could not be told; `kind` is "" for no image."""

    kind: str = ""
    width: int = 0
    height: int = 0

    @property
    def words(self) -> str:
        """Such as "640×480 png"."""
        return f"{self.width}×{self.height} {self.kind}" if self.width else self.kind


def facts(path: Path) -> Facts:
    """Looks into the file; a file that cannot be read is no image."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return Facts()
    return read(head)


def read(head: bytes) -> Facts:
    """The facts of a file that begins with these bytes."""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return Facts("png", *struct.unpack(">II", head[16:24]))
    if head.startswith((b"GIF87a", b"GIF89a")) and len(head) >= 10:
        return Facts("gif", *struct.unpack("<HH", head[6:10]))
    if head.startswith(b"BM") and len(head) >= 26:
        width, height = struct.unpack("<ii", head[18:26])
        return Facts("bmp", width, abs(height))
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return _jpeg(head) if head.startswith(b"\xff\xd8") else Facts()


def _webp(head: bytes) -> Facts:
    form = head[12:16]
    if form == b"VP8X" and len(head) >= 30:
        return Facts("webp", 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little"))
    if form == b"VP8 " and len(head) >= 30:
        width, height = struct.unpack("<HH", head[26:30])
        return Facts("webp", width & 0x3FFF, height & 0x3FFF)
    if form == b"VP8L" and len(head) >= 25:
        bits = int.from_bytes(head[21:25], "little")
        return Facts("webp", 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    return Facts("webp")


def _jpeg(head: bytes) -> Facts:
    """Walks the segments to the one that holds the size."""
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        marker, length = head[at + 1], int.from_bytes(head[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return Facts("jpeg", width, height)
        at += 2 + length
    return Facts("jpeg")
