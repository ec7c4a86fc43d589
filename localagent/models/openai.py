"""Any server that speaks OpenAI's chat completions: llama-server, vLLM, LM Studio, and clouds behind the gateway."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from localagent.config.models_toml import Entry
from localagent.errors import ContextOverflowError, ModelError, ModelUnavailableError
from localagent.models.estimate import estimate
from localagent.models.failures import StillLoadingError, broken, key_of, not_there, refusal, too_silent
from localagent.models.openai_wire import Reader, body_of, messages_of
from localagent.models.probe import as_configured, from_lmstudio, from_models, from_props, row_of, rows
from localagent.models.sse import encoded, stream_objects
from localagent.net.http import Look, open_client, silence_of
from localagent.ports import Capabilities, Delta, Progress, Request

if TYPE_CHECKING:
    import httpx

LOADING_SECONDS = 0.5  # between two looks at a server that is loading its model


@dataclass(frozen=True, slots=True)
class Server:
    """What a server turned out to be: `llama-server`, `vllm`, `lmstudio`, `cloud` or `other`."""

    flavour: str
    capabilities: Capabilities


class OpenAIModel:
    """One entry with `backend = "openai"`. A key is sent only where `api_key_env` names one."""

    def __init__(self, entry: Entry, look: Look | None = None) -> None:
        self.name = entry.name
        self._entry = entry
        self._look = look
        self._client: httpx.AsyncClient | None = None
        self._server: Server | None = None

    async def capabilities(self) -> Capabilities:
        """Waits for a server that is still loading, as long as `silence_timeout` allows."""
        began = time.monotonic()
        while True:
            try:
                return (await self._probed()).capabilities
            except StillLoadingError:
                await self._wait(began)

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        began = time.monotonic()
        while True:
            try:
                async with aclosing(self._attempt(request)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except StillLoadingError:
                yield Progress("loading", note="the server loads its model")
                await self._wait(began)
            except (ModelUnavailableError, ContextOverflowError):
                self._server = None  # the next one there may be another server, with another window
                raise

    async def count(self, request: Request) -> int | None:
        """Exact where the server is a llama-server (it renders its template and tokenizes), else estimated."""
        try:
            if (await self._probed()).flavour == "llama-server":
                return await self._counted(request)
        except ModelError:
            pass  # the reply itself will say what is wrong
        return estimate(request)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _wait(self, began: float) -> None:
        quiet = silence_of(self._entry.base_url, self._entry.silence_timeout)
        if time.monotonic() - began > quiet:
            raise too_silent(self._entry, quiet)
        await asyncio.sleep(LOADING_SECONDS)

    async def _attempt(self, request: Request) -> AsyncGenerator[Delta, None]:
        server, client = await self._probed(), await self._http()
        body = body_of(request, self._entry, server.flavour)
        reader = Reader(self._entry)
        url = f"{self._entry.base_url}/chat/completions"
        async with aclosing(stream_objects(client, self._entry, url, body)) as chunks:
            async for chunk in chunks:
                try:
                    deltas = tuple(reader.read(chunk))
                except (KeyError, TypeError, AttributeError) as error:
                    raise broken(self._entry, f"sent a chunk that is not of the protocol ({error})") from None
                for delta in deltas:
                    yield delta
        yield reader.finish()

    async def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            e = self._entry
            self._client = await open_client(
                e.base_url, connect=e.connect_timeout, silence=e.silence_timeout, headers=_headers(e), look=self._look
            )
        return self._client

    async def _probed(self) -> Server:
        if self._server is None:
            self._server = await self._probe()
        return self._server

    async def _probe(self) -> Server:
        if self._entry.cloud:
            return Server("cloud", as_configured(self._entry, Capabilities()))
        flavour, capabilities = await self._asked()
        return Server(flavour, as_configured(self._entry, capabilities))

    async def _asked(self) -> tuple[str, Capabilities]:
        entry, root = self._entry, self._entry.base_url.removesuffix("/v1")
        props = await self._get(f"{root}/props")
        models = await self._get(f"{entry.base_url}/models")
        if "default_generation_settings" in props:
            return "llama-server", from_props(props, models)
        listed = await self._get(f"{root}/api/v0/models")
        if any("loaded_context_length" in row or "max_context_length" in row for row in rows(listed)):
            return "lmstudio", from_lmstudio(row_of(listed, entry.model))
        known = from_models(models, entry.model)
        owner = row_of(models, entry.model).get("owned_by")
        return ("vllm" if owner == "vllm" else "other"), known

    async def _get(self, url: str) -> dict[str, Any]:
        """The object at `url`; {} where the server has none. Raises where there is no server or it is loading."""
        import httpx

        client = await self._http()
        try:
            response = await client.get(url, timeout=httpx.Timeout(10.0, connect=self._entry.connect_timeout))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise not_there(self._entry, error) from None
        except httpx.HTTPError:
            return {}
        return self._object(response)

    def _object(self, response: httpx.Response) -> dict[str, Any]:
        if response.status_code == 503:
            failure = refusal(self._entry, 503, response.content)
            if isinstance(failure, StillLoadingError):
                raise failure
        try:
            data = response.json() if response.is_success else {}
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}

    async def _counted(self, request: Request) -> int | None:
        import httpx

        client, root = await self._http(), self._entry.base_url.removesuffix("/v1")
        body: dict[str, Any] = {"messages": messages_of(request, keep_thinking=True)}
        body |= {"tools": b["tools"]} if "tools" in (b := body_of(request, self._entry, "llama-server")) else {}
        try:
            prompt = (await client.post(f"{root}/apply-template", content=encoded(body))).json()["prompt"]
            wanted = {"content": prompt, "add_special": True, "parse_special": True}
            return len((await client.post(f"{root}/tokenize", content=encoded(wanted))).json()["tokens"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            return estimate(request)


def _headers(entry: Entry) -> dict[str, str]:
    key = key_of(entry)
    return {"authorization": f"Bearer {key}"} if key else {}


__all__ = ["OpenAIModel", "Server"]
