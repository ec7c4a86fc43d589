"""Anthropic's Messages API, and whatever else speaks it (llama-server does)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from localagent.config.models_toml import Entry
from localagent.models.anthropic_wire import Reader, body_of
from localagent.models.estimate import estimate
from localagent.models.failures import broken, key_of
from localagent.models.probe import as_configured
from localagent.models.sse import stream_objects
from localagent.net.http import Look, open_client
from localagent.ports import Capabilities, Delta, Request

if TYPE_CHECKING:
    import httpx

VERSION = "2023-06-01"


class AnthropicModel:
    """One entry with `backend = "anthropic"`; `base_url` with or without `/v1`."""

    def __init__(self, entry: Entry, look: Look | None = None) -> None:
        self.name = entry.name
        self._entry = entry
        self._look = look
        self._url = f"{entry.base_url.removesuffix('/v1')}/v1/messages"
        self._client: httpx.AsyncClient | None = None

    async def capabilities(self) -> Capabilities:
        """The API tells nothing of its models: what all of them can do, and the window that the entry names."""
        known = Capabilities(native_tools=True, thinking=bool(self._entry.think), images=True, grammar=False)
        return as_configured(self._entry, known)

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        client, reader = await self._http(), Reader(self._entry)
        body = body_of(request, self._entry)
        async with aclosing(stream_objects(client, self._entry, self._url, body)) as events:
            async for event in events:
                try:
                    deltas = tuple(reader.read(event))
                except (KeyError, TypeError, AttributeError) as error:
                    raise broken(self._entry, f"sent an event that is not of the protocol ({error!r})") from None
                for delta in deltas:
                    yield delta
        yield reader.finish()

    async def count(self, request: Request) -> int | None:
        """Estimated: asking the API would be a second request with the whole text."""
        return estimate(request)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            e = self._entry
            headers = {"anthropic-version": VERSION, **_key(e)}
            self._client = await open_client(
                e.base_url, connect=e.connect_timeout, silence=e.silence_timeout, headers=headers, look=self._look
            )
        return self._client


def _key(entry: Entry) -> dict[str, str]:
    key = key_of(entry)
    return {"x-api-key": key} if key else {}


__all__ = ["AnthropicModel"]
