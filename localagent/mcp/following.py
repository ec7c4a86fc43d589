"""The resources of a server that were read, and which of them it says have changed since."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp import Client

UPDATED = "notifications/resources/updated"


@dataclass(slots=True)
class Followed:
    """Of one run of a server."""

    _followed: set[str] = field(default_factory=set)
    _updated: list[str] = field(default_factory=list)

    async def follow(self, client: Client, uri: str) -> None:
        """Asks to be told when the resource changes, where the server can do that."""
        from mcp import MCPError

        able = client.server_capabilities.resources
        if not (able and able.subscribe) or uri in self._followed:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the newest protocol has it no longer, today's servers do
                await client.subscribe_resource(uri)
            self._followed.add(uri)
        except MCPError:  # it was read, and that is what was wanted
            pass

    def heard(self, message: object) -> None:
        """Takes whatever the server says, and keeps what is about a followed resource."""
        uri = str(getattr(getattr(message, "params", None), "uri", ""))
        if uri in self._followed and getattr(message, "method", "") == UPDATED:
            self._updated.append(uri)

    def take(self) -> tuple[str, ...]:
        """What changed since somebody took it, each once."""
        updated, self._updated = tuple(dict.fromkeys(self._updated)), []
        return updated
