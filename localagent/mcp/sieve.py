"""What a server says, before the SDK reads it: one broken entry of a list is left out, and a flood becomes a trickle.

The SDK refuses a whole list for one entry that breaks the protocol, and would read notices as fast as they come.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from localagent.mcp.listing import MOST

if TYPE_CHECKING:
    from mcp_types import JSONRPCNotification, JSONRPCResponse

LISTS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}
PER_SECOND, BURST = 1000.0, 2000.0  # notices; more of them wait in the server's own pipe
DEEPEST = 100  # levels of an entry; the parser of the SDK ends at 200 of a message
CHANGES = ("notifications/tools/list_changed", "notifications/prompts/list_changed")


@asynccontextmanager
async def sieved(
    transport: AbstractAsyncContextManager[Any],
    version: Callable[[], str],
    left_out: Callable[[str], None],
    changed: Callable[[], None],
) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of a transport, what is read of them sieved.

    `left_out` is told what is missing and why, `changed` that the server says it has other things now.
    """
    async with transport as (heard, said):
        yield _Sieve(heard, version, left_out, changed), said


class _Sieve:
    """The SDK's ReadStream around another."""

    def __init__(
        self, inner: Any, version: Callable[[], str], left_out: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self._inner, self._version, self._left_out, self._changed = inner, version, left_out, changed
        self._room, self._at = BURST, monotonic()

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        from mcp_types import JSONRPCNotification, JSONRPCResponse

        while True:
            item = await self._inner.receive()
            message = getattr(item, "message", None)
            if isinstance(message, JSONRPCNotification):
                await self._pace()
                if _is_change(message):
                    self._changed()
                    continue
            elif isinstance(message, JSONRPCResponse):
                item.message = self._sound(message)
            return item

    async def _pace(self) -> None:
        now = monotonic()
        self._room = min(BURST, self._room + (now - self._at) * PER_SECOND) - 1
        self._at = now
        if self._room < 0:
            await asyncio.sleep(-self._room / PER_SECOND)

    def _sound(self, response: JSONRPCResponse) -> JSONRPCResponse:
        kept = {
            key: [entry for entry in entries[:MOST] if self._fits(key, entry)]
            for key, entries in response.result.items()
            if key in LISTS and isinstance(entries, list)
        }
        return response.model_copy(update={"result": {**response.result, **kept}}) if kept else response

    def _fits(self, key: str, entry: Any) -> bool:
        why = _why_not(key, entry, self._version())
        if why:
            name = entry.get("name") if isinstance(entry, Mapping) else None
            self._left_out(f"{key.rstrip('s')} {name!r}: {why}")
        return not why

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Sieve:
        return self

    async def __anext__(self) -> Any:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> _Sieve:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _is_change(message: JSONRPCNotification) -> bool:
    """Whether a server of the older protocol says so; those of the newer one answer who listens, on its own stream."""
    return message.method in CHANGES and not (message.params or {}).get("_meta")


def _why_not(key: str, entry: Any, version: str) -> str:
    """Why the protocol does not allow the entry, "" where it does."""
    from mcp_types.methods import MONOLITH_RESULTS, SERVER_RESULTS, parse_server_result
    from pydantic import ValidationError

    if not isinstance(entry, Mapping) or not entry.get("name"):
        return "it has no name"
    if (LISTS[key], version) not in SERVER_RESULTS or LISTS[key] not in MONOLITH_RESULTS:
        return ""
    try:
        parse_server_result(LISTS[key], version, {key: [entry], **_HINTS})
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'][2:]))}: {first['msg']}"
    return ""


_HINTS = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}  # what the newest protocol wants of every list


def shallow(line: bytes) -> bytes | None:
    """A message that no parser reads for the depth of some entries, without those; None where it is not that."""
    try:
        message = json.loads(line)
        lists = {key: value for key, value in message["result"].items() if key in LISTS and isinstance(value, list)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None
    for key, entries in lists.items():
        message["result"][key] = [{"name": _name(e)} if _deeper(e, DEEPEST) else e for e in entries]
    return json.dumps(message).encode() if lists else None


def _name(entry: Any) -> Any:
    return entry.get("name") if isinstance(entry, dict) else None


def _deeper(value: Any, left: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left < 0 or any(_deeper(one, left - 1) for one in inner)


__all__ = ["shallow", "sieved"]
