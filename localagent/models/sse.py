"""A streamed HTTP answer as JSON objects; whatever can go wrong on the way is a ModelError.

Closing the generator closes the connection at once, which is how a reply is cancelled on every server.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from localagent.config.models_toml import Entry
from localagent.errors import ModelError, ModelUnavailableError
from localagent.models.discover import listens
from localagent.models.failures import broken, not_there, refusal, shorten, too_silent
from localagent.net.http import silence_of

if TYPE_CHECKING:
    import httpx

DONE = "[DONE]"
_DYING_SECONDS = 0.1  # a killed server closes its sockets one after the other: it may seem to listen still


async def stream_objects(
    client: httpx.AsyncClient, entry: Entry, url: str, body: dict[str, Any]
) -> AsyncGenerator[dict[str, Any], None]:
    """Posts `body` and yields every object of the answer, also where the server does not stream. Raises ModelError."""
    import httpx

    count = 0
    try:
        async with client.stream("POST", url, content=encoded(body), headers=_JSON) as response:
            if response.status_code >= 300:
                raise refusal(entry, response.status_code, await response.aread(), response.headers)
            async with aclosing(_objects(entry, response)) as objects:
                async for data in objects:
                    count += 1
                    yield data
    except httpx.ReadTimeout:
        raise too_silent(entry, silence_of(entry.base_url, entry.silence_timeout)) from None
    except httpx.TimeoutException as error:
        raise not_there(entry, error) from None
    except httpx.ConnectError as error:
        raise not_there(entry, error) from None
    except (httpx.TransportError, httpx.DecodingError) as error:
        raise await cut(entry, error, count) from None
    if not count:
        raise broken(entry, "answered with nothing at all: an empty 200")


def encoded(body: dict[str, Any]) -> bytes:
    """The body as UTF-8; lone surrogates of odd file names become question marks."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


async def cut(entry: Entry, error: Exception, count: int) -> ModelError:
    """The connection broke: the server died, or only this answer did."""
    await asyncio.sleep(_DYING_SECONDS)
    parts = urlsplit(entry.base_url)
    alive = await listens(parts.port or (443 if parts.scheme == "https" else 80), parts.hostname or "")
    when = "in the middle of its answer" if count else "without an answer"
    if not alive:
        return ModelUnavailableError(f"{entry.name}: the server at {entry.base_url} went away {when} ({error})")
    return broken(entry, f"closed the connection {when} ({error})")


async def _objects(entry: Entry, response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        body = await response.aread()
        if body.strip():
            yield _object(entry, body.decode("utf-8", "replace"))
        return
    if kind not in ("text/event-stream", "text/plain", "application/octet-stream", ""):
        raise broken(entry, f"answered with {kind} where a stream of events was due; is base_url right?")
    async for text in payloads(response.aiter_bytes()):
        if text == DONE:
            return
        yield _object(entry, text)


def _object(entry: Entry, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        raise broken(entry, f"sent what is no JSON: {shorten(text, 80)}") from None
    if not isinstance(data, dict):
        raise broken(entry, f"sent JSON that is no object: {shorten(text, 80)}")
    return data


async def payloads(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each server-sent event. Lines end at line feeds only: JSON may hold U+2028 and its like."""
    held: list[str] = []
    async for line in _lines(chunks):
        if not line and held:
            yield "\n".join(held)
            held = []
        elif line.startswith("data:"):
            held.append(line[5:].removeprefix(" "))
        elif line.startswith("{") or line.startswith("error:"):
            held.append(line.removeprefix("error:"))  # llama.cpp before 2025, and proxies that forget the field name
    if held:
        yield "\n".join(held)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


_JSON = {"content-type": "application/json", "accept": "text/event-stream, application/json"}

__all__ = ["DONE", "cut", "encoded", "payloads", "stream_objects"]
