"""Prompts that servers offer: written into the person's own prompt, for them to read, change and send."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.errors import UsageError
from localagent.guard.assemble import session_taint
from localagent.mcp.completion import of_prompt
from localagent.mcp.connection import Connection
from localagent.mcp.listing import clean_lines
from localagent.mcp.servers import FIND_SECONDS, Servers, servers_of

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import GetPromptResult

    from localagent.house import House


async def session_prompt(house: House, workspace: Path, session: str, words: str) -> str:
    """`server_prompt` for a session, which reads the words of a stranger with it."""
    text, connection = await server_prompt(servers_of(house.mcp, workspace, house.state), words)
    if stranger := connection.config.stranger:
        session_taint(house.data, session).add(stranger)
    return text


async def server_prompt(servers: Servers | None, words: str) -> tuple[str, Connection]:
    """The text of `SERVER:NAME VALUE…` and whose it is. Raises UsageError with what there is, ServerError.

    Values are given in the order of the prompt's arguments, or as NAME=VALUE. One that ends in `?` asks the server what
    it may be.
    """
    if servers is not None:
        await servers.know(FIND_SECONDS)
    known = {} if servers is None else _known(servers)
    try:
        name, *values = shlex.split(words) or [""]
    except ValueError as error:
        raise UsageError(f"{words}: {error}") from None
    if name not in known:
        shown = ", ".join(f"{one}({', '.join(names)})" for one, (_, names) in known.items())
        raise UsageError(f"prompts of servers: {shown or 'none'}")
    connection, names = known[name]
    prompt, arguments = name.partition(":")[2], _arguments(names, values)
    for argument, value in arguments.items():
        if value.endswith("?"):
            found = await _suggested(connection, prompt, argument, arguments)
            raise UsageError(f"{argument}: {', '.join(found) or 'the server suggests nothing'}")
    return await _text(connection, prompt, arguments), connection


async def _suggested(connection: Connection, prompt: str, argument: str, arguments: dict[str, str]) -> list[str]:
    from mcp import MCPError

    given = {name: value for name, value in arguments.items() if not value.endswith("?")}

    async def work(client: Client) -> list[str]:
        return await of_prompt(client, prompt, argument, arguments[argument].removesuffix("?"), given)

    try:
        return await connection.use(work, connection.config.timeout)
    except MCPError as error:
        raise UsageError(f"{connection.config.name}: {error.message}") from None


def _known(servers: Servers) -> dict[str, tuple[Connection, tuple[str, ...]]]:
    return {
        f"{connection.config.name}:{name}": (connection, arguments)
        for connection in servers.connections
        if connection.usable and connection.listing is not None
        for name, _, arguments in connection.listing.prompts
    }


def _arguments(names: tuple[str, ...], values: list[str]) -> dict[str, str]:
    given = dict(value.split("=", 1) for value in values if value.partition("=")[0] in names and "=" in value)
    rest = (value for value in values if not ("=" in value and value.partition("=")[0] in names))
    return {**dict(zip((name for name in names if name not in given), rest, strict=False)), **given}


async def _text(connection: Connection, name: str, arguments: dict[str, str]) -> str:
    from mcp import MCPError

    async def work(client: Client) -> GetPromptResult:
        return await client.get_prompt(name, arguments)

    try:
        result = await connection.use(work, connection.config.timeout)
    except MCPError as error:
        raise UsageError(f"{connection.config.name}: {error.message}") from None
    parts = [getattr(m.content, "text", None) or _embedded(m.content) for m in result.messages]
    return await asyncio.to_thread(clean_lines, "\n\n".join(parts))


def _embedded(content: object) -> str:
    resource = getattr(content, "resource", None)
    return getattr(resource, "text", None) or f"[{getattr(content, 'type', 'content')}]"
