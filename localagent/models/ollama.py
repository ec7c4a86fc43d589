"""Models of an Ollama server, through its own client (imported when the first reply is asked for)."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from localagent.config.models_toml import Entry
from localagent.errors import BadReplyError, ContextOverflowError, ModelError, ModelNotFoundError
from localagent.models.estimate import at_least, estimate
from localagent.models.failures import broken, from_message, message_of, not_there, shorten, too_silent
from localagent.models.ollama_wire import Reader, arguments_of, check_cut
from localagent.models.probe import as_configured, from_ollama, trained_context
from localagent.models.sse import cut
from localagent.net.http import client_options, silence_of
from localagent.ports import Capabilities, Delta, Progress, Request

DEFAULT_WINDOW = 8192  # Ollama's own 4096 hardly holds a task; the keys and values of 8192 fit small GPUs
IDLE_SECONDS = 240.0  # after which the model may have been unloaded


@dataclass(frozen=True, slots=True)
class Facts:
    """What the server said of the model. `whole_counts`: see ollama_wire.check_cut."""

    capabilities: Capabilities
    num_ctx: int
    whole_counts: bool


class OllamaModel:
    """One entry with `backend = "ollama"`."""

    def __init__(self, entry: Entry) -> None:
        self.name = entry.name
        self._entry = entry
        self._client: Any = None
        self._facts: Facts | None = None
        self._last = 0.0

    async def capabilities(self) -> Capabilities:
        return (await self._known()).capabilities

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        facts = await self._known()
        self._refuse_overflow(request, facts)
        if time.monotonic() - self._last > IDLE_SECONDS and not await self._running():
            yield Progress("loading", note="Ollama loads the model")
        yield Progress("reading", 0, estimate(request))
        thinks = facts.capabilities.thinking is not False
        reader = Reader(self._entry)
        async with aclosing(self._chunks(arguments_of(request, self._entry, facts.num_ctx, thinks=thinks))) as chunks:
            async for chunk in chunks:
                for delta in reader.read(chunk):
                    yield delta
        self._last = time.monotonic()
        finish = reader.finish()
        await self._check_cut(request, reader.prompt_tokens, facts)
        yield finish

    async def count(self, request: Request) -> int | None:
        """Estimated: Ollama has no tokenizer to ask."""
        return estimate(request)

    async def pull(self) -> AsyncGenerator[Progress, None]:
        """Lets the server fetch the model, one Progress a step. Raises ModelError."""
        client = await self._connected()
        try:
            async with aclosing(await client.pull(self._entry.model, stream=True)) as steps:
                async for step in steps:
                    yield Progress("pulling", step.completed or 0, step.total, step.status or "")
        except Exception as error:  # noqa: BLE001  as in _asked
            raise await self._meaning(error, 1) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _refuse_overflow(self, request: Request, facts: Facts) -> None:
        floor = at_least(request)
        if floor > facts.num_ctx:
            raise ContextOverflowError(
                f"{self.name}: the prompt has at least {floor} tokens and the window {facts.num_ctx}; raise context in "
                "its entry of models.toml or begin a new session",
                needed=max(floor, estimate(request)),
                window=facts.num_ctx,
            )

    async def _check_cut(self, request: Request, prompt_tokens: int | None, facts: Facts) -> None:
        window = facts.num_ctx
        if prompt_tokens and prompt_tokens < estimate(request):  # only then is it worth asking
            window = min((await self._running()).get("context_length") or window, window)
        check_cut(self._entry, request, prompt_tokens, window, asked=facts.num_ctx, whole_counts=facts.whole_counts)

    async def _known(self) -> Facts:
        if self._facts is None:
            show = await self._asked("show", self._entry.model)
            num_ctx = self._entry.context or min(trained_context(show) or DEFAULT_WINDOW, DEFAULT_WINDOW)
            found = from_ollama(show, await self._running(), num_ctx)
            whole_counts = isinstance(show.get("capabilities"), list)
            self._facts = Facts(as_configured(self._entry, found), num_ctx, whole_counts)
        return self._facts

    async def _running(self) -> dict[str, Any]:
        """The model's row of `/api/ps`, {} while it is not loaded."""
        wanted = _tagged(self._entry.model)
        rows = (await self._asked("ps")).get("models") or ()
        return next((row for row in rows if _tagged(row.get("model") or row.get("name") or "") == wanted), {})

    async def _asked(self, what: str, *arguments: str) -> dict[str, Any]:
        """A server's answer about itself, {} where it does not know the question or answers oddly."""
        client = await self._connected()
        try:
            answer = await getattr(client, what)(*arguments)
            data: dict[str, Any] = answer.model_dump()
        except Exception as error:  # noqa: BLE001  the client lets errors of four libraries through: _meaning sorts them
            meaning = await self._meaning(error, 0)
            if isinstance(meaning, BadReplyError) or getattr(error, "status_code", 0) in (404, 405, 501):
                if isinstance(meaning, ModelNotFoundError):
                    raise meaning from None
                return {}
            raise meaning from None
        return data

    async def _chunks(self, arguments: dict[str, Any]) -> AsyncGenerator[Any, None]:
        client = await self._connected()
        count = 0
        try:
            async with aclosing(await client.chat(**arguments)) as chunks:
                async for chunk in chunks:
                    count += 1
                    yield chunk
        except Exception as error:  # noqa: BLE001  as above
            raise await self._meaning(error, count) from None
        if not count:
            raise broken(self._entry, "answered with nothing at all: an empty 200")

    async def _connected(self) -> Any:
        if self._client is None:
            self._client = await asyncio.to_thread(self._connect)
        return self._client

    def _connect(self) -> Any:
        entry = self._entry
        options = client_options(entry.base_url, connect=entry.connect_timeout, silence=entry.silence_timeout)
        return importlib.import_module("ollama").AsyncClient(host=entry.base_url, **options)

    async def _meaning(self, error: Exception, count: int) -> Exception:
        """The client lets errors of four libraries through; what none of them explains is raised as it is."""
        import httpx
        import ollama

        entry = self._entry
        match error:
            case ModelError():
                return error
            case ollama.ResponseError():
                return self._refusal(error.status_code, error.error)
            case httpx.ReadTimeout():
                return too_silent(entry, silence_of(entry.base_url, entry.silence_timeout))
            case ConnectionError() | httpx.ConnectError() | httpx.TimeoutException():
                return not_there(entry, ConnectionError("nobody listens there"))
            case httpx.TransportError() | httpx.DecodingError():
                return await cut(entry, error, count)
            case ValueError() | TypeError() | AttributeError():  # JSON, pydantic, or JSON that is no object
                return broken(entry, f"sent what is no chunk of Ollama's protocol: {shorten(str(error), 120)}")
        return error

    def _refusal(self, status: int, said: Any) -> ModelError:
        text = message_of(said) or str(said)
        if status == 404 and "model" in text.lower():
            return ModelNotFoundError(
                f"{self.name}: Ollama at {self._entry.base_url} has no model {self._entry.model}; "
                f"fetch it with: localagent models pull {self.name}"
            )
        return from_message(self._entry, max(status, 0), shorten(text), {"error": said})


def _tagged(model: str) -> str:
    """`qwen3` is `qwen3:latest` for Ollama."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


__all__ = ["OllamaModel"]
