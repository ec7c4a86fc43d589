"""One page of the web, where a rule or the person opened its host for this call."""

from __future__ import annotations

import asyncio
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from localagent.errors import ConnectionRefusedByFenceError
from localagent.net.http import open_client
from localagent.ports import Outcome, ToolContext
from localagent.tools.apart import SECONDS, apart
from localagent.tools.documents import to_markdown
from localagent.tools.result import fit
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import decode, is_binary
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

if TYPE_CHECKING:
    import httpx

BYTES = 5_000_000  # of a page; the rest is not read
SILENCE = 30.0  # seconds
_HEAD, _BARE = zlib.MAX_WBITS | 32, -zlib.MAX_WBITS  # deflate comes with a head, and from some servers without
_PACKINGS = {"gzip": (_HEAD,), "x-gzip": (_HEAD,), "deflate": (_HEAD, _BARE)}
WHOLE = 120.0  # seconds for all of a page: one that comes drop by drop is never silent


def http_get(profile: Profile) -> BuiltinTool:
    """Sends: an address can carry anything out, so that no mode allows it by itself."""
    return BuiltinTool(spec_of("http_get", (Param("url", required=True),), profile), "send", _http_get)


async def _http_get(arguments: Arguments, context: ToolContext) -> Outcome:
    import httpx

    url = arguments["url"].strip()
    if not _is_address(url):
        raise ToolFailure("invalid", say("bad_url", url=url))
    try:
        async with asyncio.timeout(WHOLE):
            text = await _page(url)
    except TimeoutError:
        raise ToolFailure("transient", say("no_page", url=url, problem=f"not here after {WHOLE:.0f} seconds")) from None
    except (ConnectionRefusedByFenceError, ExceptionGroup) as error:
        if not _refused(error):
            raise
        raise ToolFailure("denied", say("host_closed", host=urlsplit(url).hostname)) from None
    except httpx.InvalidURL:
        raise ToolFailure("invalid", say("bad_url", url=url)) from None
    except httpx.HTTPError as error:
        problem = say("no_page", url=url, problem=str(error) or type(error).__name__)
        raise ToolFailure("transient", problem, source=url) from None
    content, full = fit(text, context)
    return Outcome(content, full=full, taint=url)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # such as a port that is none
        return False


def _refused(error: Exception) -> bool:
    """By the fence, alone or in the group in which several addresses were tried."""
    grouped = isinstance(error, ExceptionGroup) and error.subgroup(ConnectionRefusedByFenceError) is not None
    return grouped or isinstance(error, ConnectionRefusedByFenceError)


async def _page(url: str) -> str:
    plain = {"Accept-Encoding": "identity"}
    async with await open_client(url, silence=SILENCE, headers=plain) as client, client.stream("GET", url) as reply:
        if reply.is_redirect:
            place = urljoin(url, reply.headers.get("location", ""))
            raise ToolFailure("failed", say("moved_page", url=place), source=url)
        if reply.status_code >= 400:
            kind = "not_found" if reply.status_code in (404, 410) else "failed"
            raise ToolFailure(kind, say("page_status", url=url, status=reply.status_code))
        return await _readable(await _body(reply), reply.headers.get("content-type", ""), url)


async def _body(reply: httpx.Response) -> bytes:
    """The first bytes of it, unpacked here as far as that: a small packed page may unpack to anything."""
    body = bytearray()
    async for part in reply.aiter_raw():
        body += part
        if len(body) > BYTES:
            break
    packing = reply.headers.get("content-encoding", "identity").strip().lower()
    if packing in ("", "identity"):
        return bytes(body[:BYTES])
    for form in _PACKINGS.get(packing, ()):
        with suppress(zlib.error):
            return zlib.decompressobj(form).decompress(body, BYTES)
    raise ToolFailure("invalid", say("no_text_page", url=reply.url, kind=packing), source=str(reply.url))


async def _readable(content: bytes, kind: str, url: str) -> str:
    if is_binary(content):
        raise ToolFailure("invalid", say("no_text_page", url=url, kind=kind or "?"), source=url)
    if "html" in kind or content.lstrip()[:5].lower() in (b"<!doc", b"<html"):
        return await apart(SECONDS, to_markdown, Path("page.html"), content, url)
    return decode(content).text
