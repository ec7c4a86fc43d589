"""The bytes of a request: its type, its size and its compression, all within limits; nothing is guessed."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from gateway.config import Limits
from gateway.errors import RequestError

if TYPE_CHECKING:
    from starlette.requests import Request

_TYPE = re.compile(r"application/json\s*(?:;\s*charset\s*=\s*\"?utf-?8\"?\s*)?", re.IGNORECASE)
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_QUERY = re.compile(r"(?:beta=(?:true|false))?")
_LIST_QUERY = re.compile(r"(?:(?:limit=\d{1,4}|(?:after_id|before_id|after)=[\w.:-]{1,80}|beta=true)(?:&|\Z))*")
_IDENTITY = ("", "identity")


async def body_of(request: Request, limits: Limits) -> bytes:
    """The plain body of a JSON request; RequestError 415 for what is no JSON in UTF-8, 413 for what is too large,
    400 for what has two readings."""
    if any(len(request.headers.getlist(name)) > 1 for name in ("content-type", "content-encoding")):
        raise RequestError(400, "the body is said to be two things; it has two readings and is refused")
    if not _TYPE.fullmatch(request.headers.get("content-type", "").strip()):
        raise RequestError(
            415,
            "only a body that is said to be JSON in UTF-8 is read, and nothing is sent on unread: add the header "
            "`content-type: application/json` (curl -H 'content-type: application/json')",
        )
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding not in (*_IDENTITY, *_WINDOWS):
        raise RequestError(415, "this content-encoding is not read; send the body as it is, or as gzip or deflate")
    announced = request.headers.get("content-length", "")
    if announced and "transfer-encoding" in request.headers:
        raise RequestError(400, "the body has a length and comes in chunks; it has two readings and is refused")
    if announced.isdigit():
        _check(int(announced), limits)
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        _check(size, limits)
        pieces.append(piece)
    raw = b"".join(pieces)
    return raw if encoding in _IDENTITY else _inflated(raw, _WINDOWS[encoding], limits)


def check_query(query: str, *, of_list: bool = False) -> None:
    """RequestError for any query but what the SDKs send; of a list nothing of it is forwarded anyway."""
    if not (_LIST_QUERY if of_list else _QUERY).fullmatch(query):
        raise RequestError(400, "query values are not forwarded; leave them out")


def _check(size: int, limits: Limits) -> None:
    if size > limits.body_mb * 1e6:
        raise RequestError(413, f"the body is larger than {limits.body_mb} MB; [limits] body_mb allows more")


def _inflated(raw: bytes, window: int, limits: Limits) -> bytes:
    """Never more than the limit is unpacked; one stream, whole, with nothing behind it."""
    unpack = zlib.decompressobj(window)
    try:
        plain = unpack.decompress(raw, int(limits.body_mb * 1e6) + 1)
    except zlib.error:
        raise RequestError(400, "the compressed body is damaged; send it plain") from None
    _check(len(plain), limits)
    if not unpack.eof or unpack.unused_data:
        raise RequestError(400, "the compressed body is cut or has something behind it; send it plain")
    return plain
