"""`localagent mcp`: serves the agent; `localagent mcp list`: the servers that the agent itself may use."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gateway.arguments import Parser
from localagent.config import paths
from localagent.errors import MissingExtraError
from localagent.mcp.connection import Connection, ServerError
from localagent.mcp.listing import allowed, clean
from localagent.mcp.servers import OWN, SHARED, Servers, open_servers, trusted_file
from localagent.mcp.tool import tool_names

EXIT_FAILED = 4


def main(arguments: list[str]) -> int:
    """Dispatches; without a subcommand it serves."""
    try:
        import mcp  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtraError("MCP needs its package: pip install 'localagent[mcp]'") from None
    if arguments[:1] == ["list"]:
        return _list(arguments[1:])
    from localagent.serve import main as serve

    return serve(arguments[1:] if arguments[:1] == ["serve"] else arguments)


def _list(arguments: Sequence[str]) -> int:
    args = _parser().parse_args(list(arguments))
    return asyncio.run(_show(paths.workspace(args.cwd), as_json=args.json))


def _parser() -> argparse.ArgumentParser:
    p = Parser(
        prog="localagent mcp list",
        description="Starts the configured MCP servers and shows what they offer.",
        epilog=f"servers stand in {OWN} of the configuration folder, and in {SHARED} of a folder that you trust",
    )
    p.add_argument("--cwd", metavar="DIR", default=".", help="the folder to work in")
    p.add_argument("--json", action="store_true", help="one JSON object instead of text")
    return p


async def _show(workspace: Path, *, as_json: bool) -> int:
    own, shared = paths.config_dir() / OWN, trusted_file(workspace)
    if shared is None and (there := workspace / SHARED).is_file():
        sys.stderr.write(f"{there} is not read, since you do not trust this folder: localagent trust {workspace}\n")
    servers = open_servers(own=own, shared=shared, workspace=workspace, state=paths.state_dir())
    try:
        await asyncio.gather(*(_try(connection) for connection in servers.connections))
        if as_json:
            print(json.dumps([_row(connection) for connection in servers.connections], ensure_ascii=False))
        else:
            _print(servers, own)
        return EXIT_FAILED if any(connection.state == "failed" for connection in servers.connections) else 0
    finally:
        await servers.close()


async def _try(connection: Connection) -> None:
    if connection.usable:
        try:
            await connection.client()
        except ServerError:  # its state and its problem tell it
            pass


def _row(connection: Connection) -> dict[str, Any]:
    config, listing = connection.config, connection.listing if connection.state == "ready" else None
    return {
        "name": config.name,
        "state": connection.state,
        "problem": connection.problem or None,
        "where": config.where,
        "file": str(config.source),
        "server": listing.server if listing else None,
        "protocol": listing.version if listing else None,
        "features": list(listing.features) if listing else [],
        "tools": [
            {"name": name, "description": tool.description}
            for name, tool in tool_names(config.label, allowed(listing.tools, config.tools) if listing else ())
        ],
        "prompts": [{"name": name, "arguments": list(arguments)} for name, _, arguments in listing.prompts]
        if listing
        else [],
        "resources": bool(listing and listing.resources),
    }


def _print(servers: Servers, own: Path) -> None:
    if not servers.connections:
        sys.stderr.write(f'no servers yet; write {{"mcpServers": {{"NAME": {{"command": …}}}}}} into {own}\n')
    for connection in servers.connections:
        row = _row(connection)
        head = f"{row['name']}: {row['state']}" + (f", {row['server']}, {row['protocol']}" if row["server"] else "")
        print(head + f"  ({row['where']})")
        if row["problem"]:
            print(f"  {row['problem']}")
            print(
                f"  correct it in {row['file']}" + (f"; its words: {connection.log}" if connection.log.exists() else "")
            )
        for tool in row["tools"]:
            print(f"  {tool['name']}  {tool['description'][:100]}")
        for prompt in row["prompts"]:
            print("  " + clean(f"prompt {prompt['name']}({', '.join(prompt['arguments'])})", 200))
        if row["resources"]:
            print("  resources: read with mcp_resources")
