"""A server behind an address: the fence is opened to its host alone, and no message may be endless."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from localagent.config.models_toml import host_of, is_near

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 300.0


@asynccontextmanager
async def http(url: str, headers: Mapping[str, str]) -> AsyncIterator[Any]:
    """The two streams of the server at `url`. Redirects to other hosts are not followed."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from localagent.mcp.bounded import ANSWER_BYTES, bound

    timeout = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
    near = is_near(host_of(url))
    told = {**headers, "Accept-Encoding": "identity"}  # a small packed answer may unpack to anything
    hooks = {"response": [bound]}
    async with (
        httpx2.AsyncClient(headers=told, timeout=timeout, trust_env=not near, event_hooks=hooks) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=ANSWER_BYTES) as streams,
    ):
        yield streams
