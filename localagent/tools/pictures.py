"""Whether bytes are a picture that a model can be shown: one that it cannot read would fail every later request."""

from __future__ import annotations

MOST_BYTES = 8_000_000


def is_picture(content: bytes) -> bool:
    """A PNG, JPEG, GIF or WebP with its beginning and its end."""
    if len(content) > MOST_BYTES:
        return False
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return int.from_bytes(content[4:8], "little") + 8 <= len(content)
    ends = {b"\x89PNG\r\n\x1a\n": b"IEND\xaeB`\x82", b"\xff\xd8\xff": b"\xff\xd9", b"GIF8": b";"}
    return any(content.startswith(head) and content.rstrip(b"\0\n").endswith(end) for head, end in ends.items())
