"""A house with a gateway: a recording upstream and a gateway with any configuration, over sockets."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.config import Client, Config, Upstream
from gateway.ledger import Ledger
from gateway.mask import Masker
from gateway.proxy.app import build
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import served
from tests.fakes.http_server import Answer, Asked, HttpServer

MAIL = "ada@lab.example"
CHAT = "/v1/chat/completions"


def client_of(name: str, key: str, **more: Any) -> Client:
    """A client of gateway.toml with this key."""
    return Client(name, "sha256:" + hashlib.sha256(key.encode()).hexdigest(), **more)


def chat(text: str = f"To {MAIL}", model: str = "gpt-9", **more: Any) -> dict[str, Any]:
    """The body of a chat request."""
    return {"model": model, "messages": [{"role": "user", "content": text}], **more}


async def say(asked: Asked, answer: Answer) -> None:
    """Answers with a sentence that holds a placeholder, and with usage."""
    message = {"role": "assistant", "content": "to <EMAIL_ADDRESS_1>"}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    await answer.whole({"id": "c", "object": "chat.completion", "created": 1, "choices": choices, "usage": usage})


@dataclass
class House:
    """Upstreams and gateways of one test, and the ledger that they share."""

    folder: Path
    stack: AsyncExitStack
    upstreams: list[HttpServer] = field(default_factory=list)

    @property
    def ledger(self) -> Path:
        return self.folder / "l.db"

    async def upstream(self, name: str, handler: Callable[..., Any] = say, **more: Any) -> Upstream:
        """A new upstream and its entry of gateway.toml."""
        server = await self.stack.enter_async_context(HttpServer(handler))
        self.upstreams.append(server)
        return Upstream(name, more.pop("protocol", "openai"), server.url + "/v1", **more)

    async def gateway(self, config: Config, detector: FakeDetector | None = None) -> httpx.AsyncClient:
        """A client of a new gateway."""
        config = replace(config, ledger=self.ledger)
        app = build(config, Masker(detector or FakeDetector(), config.policy))
        url = await self.stack.enter_async_context(served(app))
        return await self.stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=10))

    def rows(self, *kinds: str) -> list[dict[str, Any]]:
        """The data of the ledger's rows of these kinds."""
        with Ledger(self.ledger) as ledger:
            return [{"kind": row.kind, "id": row.id, **(row.data or {})} for row in ledger.rows(kinds=kinds or None)]

    async def closed(self, count: int = 1) -> list[dict[str, Any]]:
        """Waits until so many requests have their last row."""
        for _ in range(500):
            if len(rows := self.rows("gateway_reply", "gateway_refused")) >= count:
                return rows
            await asyncio.sleep(0.01)
        raise AssertionError(f"there are {json.dumps(rows)}")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """An empty house."""
    async with AsyncExitStack() as stack:
        yield House(tmp_path, stack)
