"""Calls out: only headers that are closed words, retries only while nothing was sent, nothing kept of a reply.

Requests go straight to the connections: httpx's client would keep the cookies of a provider and send them with the
requests of others, follow what it is told, and take a third of the time of a call."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gateway.config import Limits, Upstream
from gateway.errors import RequestError, UpstreamError

if TYPE_CHECKING:
    import httpx

_PASSED = ("anthropic-version", "anthropic-beta", "openai-organization", "openai-project", "openai-beta")
_CLOSED = re.compile(r"[A-Za-z0-9_.=-]{1,80}(?:\s*[,;]\s*[A-Za-z0-9_.=-]{1,80}){0,20}")
_BACK = re.compile(r"x-request-id|request-id|retry-after(?:-ms)?|(?:x|anthropic)-ratelimit-[a-z0-9-]+")
_ALWAYS = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "gateway"}
_PLAIN = re.compile(r"[\x20-\x7e]{0,200}")
_PAUSES = (0.1, 0.2, 0.4)  # seconds between tries
_CONNECT_SECONDS = 10.0
_LARGEST = 256 * 1024 * 1024  # bytes of a whole reply
_MOST_TOKENS = 10**12  # of one request; sums of more would not fit the ledger's numbers


class Caller:
    """The connections to all upstreams; HTTP/2 where they speak it, no proxies or certificates from the environment."""

    def __init__(self, limits: Limits) -> None:
        import httpx

        from gateway.proxy.pool import Pools

        kept = httpx.Limits(max_connections=None, max_keepalive_connections=256, keepalive_expiry=30.0)
        checked = httpx.create_ssl_context(trust_env=False)  # read once for all pools
        self._transport = Pools(
            lambda: httpx.AsyncHTTPTransport(verify=checked, http2=True, trust_env=False, limits=kept)
        )
        self._seconds = limits.upstream_seconds

    async def send(
        self, method: str, url: str, headers: dict[str, str], body: bytes = b"", *, seconds: float | None = None
    ) -> httpx.Response:
        """The reply with its body still to be read; what httpx and the system raise. `seconds` bound each step."""
        import httpx

        all_ = seconds or self._seconds
        timeout = {"connect": min(_CONNECT_SECONDS, all_), "read": all_, "write": all_, "pool": all_}
        request = httpx.Request(
            method, _parsed(url), headers=_ALWAYS | headers, content=body or None, extensions={"timeout": timeout}
        )
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Closes what is open."""
        await self._transport.aclose()


@lru_cache(maxsize=64)
def _parsed(url: str) -> httpx.URL:
    import httpx

    return httpx.URL(url)


def request_headers(upstream: Upstream, asked: Mapping[str, str]) -> dict[str, str]:
    """What goes on of the client's headers, with the key of the upstream; RequestError for a value that is no word."""
    headers = {"content-type": "application/json"}
    if upstream.protocol == "anthropic":
        headers["anthropic-version"] = "2023-06-01"
    for name in _PASSED:
        if name in asked:
            if not _CLOSED.fullmatch(asked[name]):
                raise RequestError(400, f"the header {name} holds more than closed words; it is not sent on")
            headers[name] = asked[name]
    return headers | _key(upstream, asked)


def passed_words(asked: Mapping[str, str]) -> tuple[str, ...]:
    """What of the client's own headers goes on, to be looked at as the body is."""
    return tuple(asked[name] for name in _PASSED if name in asked)


def _key(upstream: Upstream, asked: Mapping[str, str]) -> dict[str, str]:
    if upstream.pass_through:
        return {name: asked[name] for name in ("authorization", "x-api-key") if name in asked}
    own = os.environ.get(upstream.api_key_env, "").strip() if upstream.api_key_env else ""  # a file ends in a line end
    if not own:
        return {}
    if not (own.isascii() and own.isprintable()):
        raise RequestError(
            500, f"the key in {upstream.api_key_env} holds what no header may hold; set it anew. Nothing was sent on"
        )
    return {"x-api-key": own} if upstream.protocol == "anthropic" else {"authorization": f"Bearer {own}"}


def reply_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """What of the upstream's headers the client gets: ids, rates and when to try again, if they are plain words."""
    return {name: value for name, value in headers.items() if _BACK.fullmatch(name.lower()) and _PLAIN.fullmatch(value)}


def url_of(upstream: Upstream, path: str, query: str = "") -> str:
    """`base_url` with the path behind it; its own /v1 is not doubled."""
    base = upstream.base_url.rstrip("/")
    whole = base + (path.removeprefix("/v1") if base.endswith("/v1") else path)
    return f"{whole}?{query}" if query else whole


async def call(
    caller: Caller, upstream: Upstream, method: str, url: str, headers: dict[str, str], body: bytes = b""
) -> httpx.Response:
    """The reply with its body still to be read. UpstreamError 502 or 504; never retried once it may have been sent."""
    import httpx

    for pause in (*_PAUSES, None):
        try:
            return await caller.send(method, url, headers, body)
        except httpx.ConnectError as error:
            if pause is None:
                raise unusable(upstream, error) from None
            await asyncio.sleep(pause)
        except (httpx.HTTPError, OSError) as error:
            raise unusable(upstream, error) from None
    raise AssertionError("the loop above returns or raises")


async def read(reply: httpx.Response, upstream: Upstream, largest: int = _LARGEST) -> bytes:
    """The whole body of a reply; UpstreamError for one without end, which would take all memory."""
    import httpx

    pieces: list[bytes] = []
    try:
        async for piece in reply.aiter_bytes():
            pieces.append(piece)
            largest -= len(piece)
            if largest < 0:
                raise UpstreamError(502, f"the reply of the upstream {upstream.name} is too large to be restored")
        return b"".join(pieces)
    except (httpx.HTTPError, OSError) as error:
        raise unusable(upstream, error) from None
    finally:
        await reply.aclose()


def unusable(upstream: Upstream, error: BaseException) -> UpstreamError:
    """What is said of a failed call, in words; the error's own text may hold anything and is left out."""
    import httpx

    who = f"the upstream {upstream.name}"
    late = isinstance(error, httpx.TimeoutException)
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        what = _why_unreached(error)
        return UpstreamError(
            504 if late else 502,
            f"{who} cannot be reached: {what}. Nothing was sent; check that it runs, and its base_url in gateway.toml",
            unsent=True,
        )
    if late:
        return UpstreamError(504, f"{who} took too long; try again later. [limits] upstream_seconds allows more")
    if isinstance(error, httpx.DecodingError):
        return UpstreamError(502, f"the reply of {who} is packed in a way that cannot be read; try again later")
    return UpstreamError(502, f"the connection to {who} broke off before its answer was whole; try again later")


def _why_unreached(error: BaseException) -> str:
    import httpx

    if isinstance(error, httpx.ConnectTimeout):
        return "it does not answer in time"
    causes = _causes(error)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return "its certificate is not one that this machine trusts"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "it does not speak HTTPS as it should"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "the name of its host is not known"
    return "nothing takes connections there"


def _causes(error: BaseException | None) -> list[BaseException]:
    """The error and what it came of."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def tokens_of(usage: Any) -> tuple[int | None, int | None]:
    """Input and output tokens of a usage object of either protocol; None for what is no count."""
    if not isinstance(usage, Mapping):
        return None, None
    given = (
        usage.get("prompt_tokens", usage.get("input_tokens")),
        usage.get("completion_tokens", usage.get("output_tokens")),
    )
    first, second = (value if type(value) is int and 0 <= value <= _MOST_TOKENS else None for value in given)
    return first, second
