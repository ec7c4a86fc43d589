"""A model behind the gateway: what goes out is masked, what comes back is restored, and nothing leaves unseen.

    request → mask (one vault a session) → consent, once a session → last look over the bytes → ledger → out
    reply   → restored while it streams; arguments of calls verbatim, so that tools work on real values

Anything that goes wrong before the bytes leave is a CloudRefusedError, and the fallback chain goes on without them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from localagent.config.models_toml import Entry, ModelsFile
from localagent.errors import CloudRefusedError, ConfigError, LocalAgentError, ModelError
from localagent.events import CloudRequest
from localagent.models.backends import make_direct
from localagent.models.failures import key_of
from localagent.models.masking import Conversation, Engine, MaskedRequest, engine_of, refused, require_gateway
from localagent.models.unmask import Unmask
from localagent.net.http import Look
from localagent.ports import Capabilities, Delta, Escort, Model, Outgoing, Progress, Request

BACKENDS = ("openai", "anthropic")
# What is about to leave in this task; several may be on their way in one session.
_leaving: ContextVar[tuple[Conversation, MaskedRequest] | None] = ContextVar("leaving", default=None)


def build(entry: Entry, file: ModelsFile, *, state_dir: Path) -> CloudModel:
    """The model of a `cloud = true` entry; nothing is loaded or reached yet. Raises ConfigError, MissingExtraError."""
    if entry.backend not in BACKENDS:
        raise ConfigError(
            f'{entry.name}: a cloud model has backend = "openai" or "anthropic", found "{entry.backend}"; if '
            f"{entry.host or 'it'} is your own machine, write cloud = false in its entry"
        )
    require_gateway()
    return CloudModel(entry, engine_of(file.cloud_config), state_dir)


class CloudModel:
    """The entry; it answers within a session only (`within`), because only a session has somebody to ask."""

    def __init__(self, entry: Entry, engine: Engine, state_dir: Path) -> None:
        self.name = entry.name
        self.entry = entry
        self.engine = engine
        self._state_dir = state_dir
        self._plain = make_direct(entry, state_dir=state_dir)
        self._sessions: dict[str, Shielded] = {}

    async def within(self, session: str, escort: Escort) -> Shielded:
        """The model as one session uses it; the one that was there before is closed."""
        await self._leave(session)
        self._sessions[session] = shielded = Shielded(self, session, escort)
        return shielded

    async def capabilities(self) -> Capabilities:
        """As configured, since a cloud is not probed; it sees no images, which cannot be masked.

        Raises ModelError where the key is missing.
        """
        key_of(self.entry)
        return replace(await self._plain.capabilities(), images=False)

    def reply(self, request: Request) -> AsyncIterator[Delta]:
        raise CloudRefusedError(f"{self.name} is a cloud model and answers within a session only; nothing was sent")

    async def count(self, request: Request) -> int | None:
        return await self._plain.count(request)

    async def close(self) -> None:
        for session in list(self._sessions):
            await self._leave(session)
        await self._plain.close()

    def backend(self, look: Look) -> Model:
        """A backend of its own whose requests `look` sees before they leave."""
        return make_direct(self.entry, state_dir=self._state_dir, look=look)

    async def _leave(self, session: str) -> None:
        if session in self._sessions:
            await self._sessions.pop(session).close()


class Shielded:
    """A cloud model for one session: masks, asks, looks, records, restores."""

    def __init__(self, model: CloudModel, session: str, escort: Escort) -> None:
        self.name = model.name
        self._cloud = model
        self._session = session
        self._escort = escort
        self._backend = model.backend(self._leaves)

    async def capabilities(self) -> Capabilities:
        return await self._cloud.capabilities()

    async def count(self, request: Request) -> int | None:
        return await self._cloud.count(request)

    async def close(self) -> None:
        await self._backend.close()

    async def reply(self, request: Request) -> AsyncGenerator[Delta, None]:
        if not self._cloud.engine.loaded:
            yield Progress("loading", note="the masking engine")
        conversation, masked = await asyncio.to_thread(self._mask, request)
        entry = self._cloud.entry
        if masked.local:
            kinds = ", ".join(sorted(masked.local))
            raise CloudRefusedError(
                f"{self.name}: the policy keeps {kinds} in the house; only a local model may answer"
            )
        await self._escort.consent(Outgoing(entry.host, entry.model, masked.texts, masked.counts))
        _leaving.set((conversation, masked))
        unmask = Unmask(conversation.vault.map.readable(), textual=not request.tools)
        async with aclosing(self._backend.reply(masked.request)) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                for restored in unmask.feed(delta):
                    yield restored

    def _mask(self, request: Request) -> tuple[Conversation, MaskedRequest]:
        """In a thread: loads the engine where that is still to do."""
        from gateway.errors import GatewayError

        try:
            conversation = self._cloud.engine.conversation(self._session)
            return conversation, conversation.mask(request)
        except GatewayError as error:
            raise refused(self.name, error) from None
        except ModelError:
            raise
        except LocalAgentError as error:  # gateway.toml or an extra
            raise refused(self.name, error) from None

    async def _leaves(self, body: bytes) -> None:
        """The last that happens before bytes leave. Raises CloudRefusedError."""
        from gateway.errors import GatewayError
        from gateway.lastlook import last_look

        entry, leaving = self._cloud.entry, _leaving.get()
        if leaving is None:
            raise CloudRefusedError(f"{self.name}: a request that nobody masked was about to leave; nothing was sent")
        conversation, masked = leaving
        _leaving.set(None)
        try:
            await asyncio.to_thread(last_look, body, conversation.vault)
        except GatewayError as error:
            raise refused(self.name, error) from None
        count = len(masked.request.messages)
        self._escort.leaves(CloudRequest(entry.host, entry.model, len(body), count, masked.counts))


class OwnWords:
    """The escort of words that are the program's own, such as those of `models check`: nobody needs to be asked."""

    async def consent(self, outgoing: Outgoing) -> None:
        return None

    def leaves(self, request: CloudRequest) -> None:
        return None


__all__ = ["CloudModel", "OwnWords", "Shielded", "build"]
