"""/v1/models: what the upstreams of a protocol serve, in the protocol's own shape."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from gateway.config import Client, Config, Upstream
from gateway.errors import RequestError, UpstreamError
from gateway.proxy import forward
from gateway.proxy.access import check_provider_key
from gateway.proxy.plan import MODEL
from gateway.proxy.route import takes


async def models_of(
    caller: forward.Caller,
    config: Config,
    client: Client,
    protocol: str,
    asked: Mapping[str, str],
    name: str | None = None,
) -> dict[str, Any]:
    """All models that requests of this client reach, or the one of that name; RequestError 404 if there is none."""
    if name is not None and not MODEL.fullmatch(name):
        raise RequestError(404, "this is no name of a model")
    rows = [row for row in await _rows(caller, config, client, protocol, asked) if takes(client, row["id"])]
    if name is not None:
        found: dict[str, Any] | None = next((row for row in rows if row["id"] == name), None)
        if found is None:
            raise RequestError(404, "no upstream of gateway.toml has this model")
        return found
    if protocol == "openai":
        return {"object": "list", "data": rows}
    ends = {"first_id": rows[0]["id"], "last_id": rows[-1]["id"]} if rows else {"first_id": None, "last_id": None}
    return {"data": rows, "has_more": False, **ends}


async def _rows(
    caller: forward.Caller, config: Config, client: Client, protocol: str, asked: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The models of all upstreams; one that does not answer is left out, unless none does."""
    upstreams = [one for one in config.upstreams if one.protocol == protocol]
    if not upstreams:
        raise RequestError(404, f"gateway.toml names no {protocol} upstream")
    pages = await asyncio.gather(*(_page(caller, client, one, asked) for one in upstreams), return_exceptions=True)
    rows: list[dict[str, Any]] = []
    for upstream, page in zip(upstreams, pages, strict=True):
        if isinstance(page, BaseException) and not isinstance(page, RequestError):
            raise page
        rows += [row for row in page if _is_served(row, upstream)] if isinstance(page, list) else []
    if not rows and (failed := next((page for page in pages if isinstance(page, RequestError)), None)):
        raise failed
    return rows


def _is_served(row: Any, upstream: Upstream) -> bool:
    name = row.get("id") if isinstance(row, dict) else None
    return isinstance(name, str) and takes(upstream, name)


async def _page(caller: forward.Caller, client: Client, upstream: Upstream, asked: Mapping[str, str]) -> list[Any]:
    check_provider_key(client, upstream, asked)
    headers = forward.request_headers(upstream, asked)
    query = "limit=1000" if upstream.protocol == "anthropic" else ""
    reply = await forward.call(caller, upstream, "GET", forward.url_of(upstream, "/v1/models", query), headers)
    body = await forward.read(reply, upstream)
    if reply.status_code != 200:  # a wrong key, or a server that still loads
        raise UpstreamError(502, f"the upstream {upstream.name} answers {reply.status_code} when asked for its models")
    try:
        rows = json.loads(body)["data"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UpstreamError(502, f"the upstream {upstream.name} has no list of models") from None
    return rows if isinstance(rows, list) else []
