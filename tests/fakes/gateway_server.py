"""The real proxy under a real uvicorn, before an upstream that a test scripts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn

from gateway.config import Config, Upstream
from gateway.ledger import Ledger
from gateway.mask import Finder, Masker
from gateway.policy import Policy
from gateway.proxy.app import build
from tests.fakes.http_server import Asked, Handler, HttpServer


@dataclass(frozen=True, slots=True)
class Served:
    """A running gateway and what its upstream saw."""

    url: str
    upstream: HttpServer
    ledger: Path

    @property
    def asked(self) -> list[Asked]:
        """The requests that arrived upstream."""
        return self.upstream.asked

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """Rows of the ledger."""
        with Ledger(self.ledger) as ledger:
            return [row.data or {} for row in ledger.rows(kinds=[kind])]

    def everything_written(self) -> bytes:
        """All bytes that the ledger left on the disk."""
        return b"".join(path.read_bytes() for path in self.ledger.parent.iterdir() if path.is_file())


@asynccontextmanager
async def serving(
    handler: Handler, folder: Path, detector: Finder, policy: dict[str, Any] | None = None, **more: Any
) -> AsyncIterator[Served]:
    """Runs both; `more` goes into the configuration. The upstream speaks both protocols under one address."""
    async with HttpServer(handler) as upstream, proxy(upstream.url, folder, detector, policy, **more) as url:
        yield Served(url, upstream, folder / "ledger.db")


@asynccontextmanager
async def proxy(
    upstream: str, folder: Path, detector: Finder, policy: dict[str, Any] | None = None, **more: Any
) -> AsyncIterator[str]:
    """Runs the gateway before a server at `upstream`; gives the gateway's own address."""
    both = tuple(Upstream(name, name, f"{upstream}/v1") for name in ("openai", "anthropic"))
    rules = Policy.from_table(policy or {})
    config = replace(Config(upstreams=both, ledger=folder / "ledger.db", policy=rules), **more)
    async with served(build(config, Masker(detector, rules))) as url:
        yield url


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[str]:
    """The address of a running application."""
    server = uvicorn.Server(uvicorn.Config(app, http="h11", ws="none", port=0, log_level="warning"))
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
