"""All servers of a workspace: their tools under stable names, started side by side, and only when needed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from localagent.config.paths import config_dir
from localagent.config.trust import is_trusted
from localagent.config.watch import Stamp, stamp_of
from localagent.guard.sandbox import choose_sandbox
from localagent.mcp.config import MOST, ServerConfig, most_listed, servers
from localagent.mcp.connection import Connection, ServerError
from localagent.mcp.listing import allowed
from localagent.mcp.people import People
from localagent.mcp.stdio import LOG_BYTES
from localagent.mcp.tool import McpTool, tool_names

OWN, SHARED = "mcp.json", ".mcp.json"
FIRST_SECONDS = 5.0  # a new session waits no longer for servers that it does not know yet
FIND_SECONDS = 30.0  # a search waits longer, since somebody wants them now


@dataclass(slots=True)
class Servers:
    """The connections in the order of their files, and who answers their questions."""

    connections: tuple[Connection, ...]
    people: People
    most: int = MOST  # more tools than that are found, not listed
    stamps: tuple[Stamp, ...] = ()  # of the files that name them
    before: Servers | None = None  # what the files named before, which a running seat may still use
    _starts: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def know(self, seconds: float = FIRST_SECONDS) -> None:
        """Waits until every usable server has been listed at some time, or the time is up; they go on starting."""
        for connection in self._unknown():
            name = connection.config.name
            if name not in self._starts or self._starts[name].done():
                self.start(name, _started(connection))
        running = [task for name, task in self._starts.items() if name and not task.done()]
        if running:
            await asyncio.wait(running, timeout=seconds)

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Something in the background that ends with the servers; only what has a name is waited for."""
        self._starts[name] = asyncio.create_task(work)

    def _unknown(self) -> list[Connection]:
        return [c for c in self.connections if c.usable and c.listing is None]

    @property
    def complete(self) -> bool:
        """Whether the tools of all usable servers are known."""
        return not self._unknown()

    def tools(self) -> dict[str, McpTool]:
        """The tools of every server that was ever listed, by the name that the model uses."""
        found: dict[str, McpTool] = {}
        for connection in self.connections:
            config = connection.config
            if not connection.usable or connection.listing is None:
                continue
            for name, offered in tool_names(config.label, allowed(connection.listing.tools, config.tools)):
                reads = any(fnmatchcase(offered.name, pattern) for pattern in config.reads)
                found[name] = McpTool(connection, offered, "read" if reads else "send", name)
        return found

    def with_resources(self) -> tuple[Connection, ...]:
        return tuple(c for c in self.connections if c.usable and c.listing is not None and c.listing.resources)

    async def close(self) -> None:
        for task in self._starts.values():
            task.cancel()
        await asyncio.gather(*self._starts.values(), return_exceptions=True)
        await asyncio.gather(*(connection.close() for connection in self.connections))
        if self.before is not None:
            await self.before.close()


async def _started(connection: Connection) -> None:
    try:
        await connection.client()
    except ServerError as error:
        connection.people.notify(str(error))


def open_servers(
    *,
    own: Path,
    shared: Path | None,
    workspace: Path,
    state: Path,
) -> Servers:
    """The servers of the person and of a trusted workspace, none of them started. Raises ConfigError."""
    people = People(workspace, log=partial(_append, state / "mcp" / "messages.log"))
    configs = servers(own, shared, workspace)
    connections = (Connection(config, state, people, partial(_argv, workspace)) for config in configs)
    return Servers(tuple(connections), people, most_listed(own))


def trusted_file(workspace: Path) -> Path | None:
    """The workspace's own list of servers, None where it has none or the person does not trust the folder."""
    shared = workspace / SHARED
    return shared if shared.is_file() and is_trusted(workspace) else None


def servers_of(opened: dict[Path, Servers], workspace: Path, state: Path) -> Servers | None:
    """The servers of a workspace, opened once a process and anew when their files change; None where there are none.

    One that failed is tried again. Raises ConfigError.
    """
    own, shared = config_dir() / OWN, trusted_file(workspace)
    stamps = (stamp_of(own), stamp_of(shared) if shared else None)
    before = opened.get(workspace)
    if before is None or before.stamps != stamps:
        fresh = open_servers(own=own, shared=shared, workspace=workspace, state=state)
        fresh.stamps, fresh.before = stamps, before
        if before is not None:
            fresh.start("", before.close())
        opened[workspace] = fresh
    servers = opened[workspace]
    for connection in servers.connections:
        connection.forgive()
    return servers if any(connection.usable for connection in servers.connections) else None


def _argv(workspace: Path, config: ServerConfig) -> Sequence[str]:
    """How a program is started; confined, it also sees files that its arguments name. Raises SandboxRefusedError."""
    if not config.sandboxed:
        return config.argv
    named = [Path(word) for word in config.argv if word.startswith("/") and Path(word).exists()]
    return choose_sandbox().confine(config.argv, workspace=workspace, roots=named)


def _append(file: Path, text: str) -> None:
    """One more line of what servers tell, as long as the file is not too long."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = not file.exists() or file.stat().st_size > LOG_BYTES
    with file.open("w" if fresh else "a", encoding="utf-8", errors="replace") as log:
        log.write(text.replace("\n", " ") + "\n")


__all__ = ["FIND_SECONDS", "Servers", "open_servers", "servers_of", "trusted_file"]
