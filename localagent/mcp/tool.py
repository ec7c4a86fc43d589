"""A server's tool as one of ours, and its resources as one more."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from localagent.mcp.completion import of_template
from localagent.mcp.config import ServerConfig
from localagent.mcp.connection import Connection, ServerError
from localagent.mcp.listing import Offered, short
from localagent.mcp.results import outcome_of, resource_outcome
from localagent.messages import ToolSpec
from localagent.ports import Change, Effect, Outcome, ToolContext
from localagent.tools.schema import Param, object_schema
from localagent.tools.words import describe, say

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult

NAME_CHARS = 64  # as long as the wires allow
RESOURCES = "mcp_resources"
LIST_MOST = 200
PROBLEM_CHARS = 500


def tool_names(server: str, tools: Sequence[Offered]) -> list[tuple[str, Offered]]:
    """`mcp__server__tool` in the characters that every wire takes, by the server's label; each name once.

    What does not fit keeps its hash, and so does a name that only becomes the same as another by this.
    """
    owners: dict[str, str] = {}
    for tool in sorted(tools, key=lambda tool: (_wire(tool.name) != tool.name, tool.name)):
        owners.setdefault(_fitted(server, tool.name), tool.name)
    named: dict[str, Offered] = {}
    for tool in tools:
        name = _fitted(server, tool.name)
        named.setdefault(name if owners[name] == tool.name else _hashed(name, server, tool.name), tool)
    return list(named.items())


def _fitted(server: str, tool: str) -> str:
    name = f"mcp__{server}__{_wire(tool)}"
    return name if len(name) <= NAME_CHARS else _hashed(name, server, tool)


def _wire(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _hashed(name: str, server: str, tool: str) -> str:
    return f"{name[: NAME_CHARS - 7]}_{hashlib.sha256(f'{server}/{tool}'.encode()).hexdigest()[:6]}"


@dataclass(frozen=True, slots=True)
class McpTool:
    """See ports.Tool. It sends unless the person's entry says that it only reads: a server's own hint is no more."""

    connection: Connection
    offered: Offered
    effect: Effect
    name: str

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, short(self.offered.description), self.offered.parameters)

    @property
    def trusted(self) -> bool:
        """Whether its words are the person's own, by the entry of its server."""
        return self.connection.config.trusted

    @property
    def whole(self) -> ToolSpec:
        """With all the words that the server has for it."""
        return ToolSpec(self.name, self.offered.description, self.offered.parameters)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        from mcp import MCPError

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            share = f" of {total:g}" if total else ""
            self.connection.sign()
            context.emit(f"{progress:g}{share}{f' {message}' if message else ''}\n")

        async def work(client: Client) -> CallToolResult:
            return await client.call_tool(self.offered.name, arguments, progress_callback=progress)

        config = self.connection.config
        try:
            result = await self.connection.use(work, config.timeout)
        except ServerError as error:
            return _failed(config, str(error))
        except MCPError as error:
            return _failed(config, say("mcp_error", server=config.name, problem=error.message))
        except (RuntimeError, ValueError) as error:  # an answer that breaks the tool's own schema, or the protocol
            return _failed(config, say("mcp_error", server=config.name, problem=str(error)[:PROBLEM_CHARS]))
        return _with_news(self.connection, outcome_of(result, context, config.stranger))

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Change, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class ResourcesTool:
    """Lists what servers hold, and reads one of it. Asks like every call of a server: reading runs their code."""

    connections: Sequence[Connection]
    effect: Effect = "send"

    @property
    def spec(self) -> ToolSpec:
        words = describe(RESOURCES)
        names = tuple(connection.config.name for connection in self.connections)
        params = (Param("server", required=True, choices=names), Param("uri"))
        return ToolSpec(RESOURCES, words["text"], object_schema(params, words.get("parameters")))

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        from mcp import MCPError

        connection = next((c for c in self.connections if c.config.name == arguments["server"]), None)
        if connection is None:
            return Outcome(say("mcp_no_server", server=arguments["server"]), failure="not_found")
        config = connection.config
        uri = str(arguments.get("uri") or "")

        async def read(client: Client) -> ReadResourceResult:
            result = await client.read_resource(uri)
            await connection.followed.follow(client, uri)
            return result

        try:
            if "{" in uri:
                return await _filled(connection, uri)
            if uri:
                told = resource_outcome(await connection.use(read, config.timeout), context, config.stranger)
                return _with_news(connection, told)
            return Outcome(await connection.use(_resources, config.timeout), taint=config.stranger)
        except ServerError as error:
            return _failed(config, str(error))
        except MCPError as error:
            return _failed(config, say("mcp_error", server=config.name, problem=error.message))
        except ValueError as error:  # an answer that breaks the protocol
            return _failed(config, say("mcp_error", server=config.name, problem=str(error)[:PROBLEM_CHARS]))

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Change, ...]:
        return ()


def _failed(config: ServerConfig, text: str) -> Outcome:
    """What a server says of its failure is its own words too."""
    return Outcome(text, failure="failed", taint=config.stranger)


def _with_news(connection: Connection, outcome: Outcome) -> Outcome:
    """What the model read of the server and has changed since is named once."""
    updated = connection.followed.take()
    if not updated:
        return outcome
    news = say("mcp_updated", uris=", ".join(updated))
    return replace(outcome, content=f"{outcome.content}\n{news}")


async def _filled(connection: Connection, template: str) -> Outcome:
    """A template is no address: what may stand in its places."""

    async def ask(client: Client) -> dict[str, list[str]]:
        return await of_template(client, template)

    config = connection.config
    found = await connection.use(ask, config.timeout)
    values = "; ".join(f"{name}: {', '.join(some) or '?'}" for name, some in found.items())
    return Outcome(say("mcp_template", uri=template, values=values), failure="invalid", taint=config.stranger)


async def _resources(client: Client) -> str:
    from mcp import MCPError

    lines: list[str] = []
    cursor: str | None = None
    while len(lines) < LIST_MOST:
        page: ListResourcesResult = await client.list_resources(cursor=cursor)
        lines += [f"{one.uri} {short(one.title or one.description or one.name, 120)}" for one in page.resources]
        cursor = page.next_cursor
        if cursor is None:
            break
    try:
        templates: ListResourceTemplatesResult = await client.list_resource_templates()
        lines += [
            f"{one.uri_template} {short(one.description or one.name, 120)}" for one in templates.resource_templates
        ]
    except MCPError:  # a server without templates may say so this way
        pass
    return "\n".join(lines[:LIST_MOST]) or say("no_output")
