"""`localagent mcp`: the agent and its journal as an MCP server over stdio, for other clients.

Loaded only when it is asked for, since it is built on the SDK. A run that a client starts asks nobody: what its mode
does not allow is refused, and the default mode only reads. One run at a time, as a local model has one window.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from gateway.arguments import Parser
from localagent import __version__
from localagent.approvers import Nobody
from localagent.config import paths
from localagent.errors import LocalAgentError, UsageError
from localagent.events import CallAnnounced, Event, FellBack, Replied, RunFinished, ToolFinished
from localagent.tools.words import describe

if TYPE_CHECKING:
    from localagent.house import House
    from localagent.ports import Mode

SHOWN_CHARS = 100_000  # of a session


class Service:
    """What clients can call. The house is opened once; the folder of a run lies in the folder that is served."""

    def __init__(self, house: House, folder: Path, mode: Mode, model: str) -> None:
        self._house, self._folder, self._mode, self._model = house, folder, mode, model
        self._one = asyncio.Lock()

    async def run_task(self, task: str, ctx: Context[Any, Any], folder: str = "", session: str = "") -> dict[str, Any]:
        with _told():
            return await self._run(task, ctx, folder, session)

    async def _run(self, task: str, ctx: Context[Any, Any], folder: str, session: str) -> dict[str, Any]:
        from localagent.assemble import Settings, drive

        if not task.strip():
            raise UsageError("the task is empty: say what is to be done")
        workspace = self._inside(folder)
        settings = Settings(workspace=workspace, approver=Nobody(self._mode), model=self._model, mode=self._mode)
        steps = 0
        async with self._one, aclosing(drive(self._house, settings, task, session=session)) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, RunFinished):
                    return event.result.as_json()
                if told := _progress(event):
                    steps += 1
                    await ctx.report_progress(steps, message=told)
        raise LocalAgentError("the run ended without a result")

    def _inside(self, folder: str) -> Path:
        with suppress(OSError, ValueError):  # such as a name that is too long, or none at all
            path = (self._folder / folder).resolve()
            if path.is_relative_to(self._folder) and path.is_dir():
                return path
        raise UsageError(f"{folder[:200]!r} is no folder in {self._folder}, which is all that is served")

    async def search_journal(self, words: str, limit: int = 10) -> list[dict[str, Any]]:
        from localagent.journal.search import search

        return [asdict(found) for found in search(self._house.ledger, words, limit=max(1, min(50, limit)))]

    async def list_sessions(self, limit: int = 20) -> list[dict[str, Any]]:
        from localagent.journal.listing import sessions

        rows = sessions(self._house.ledger, limit=max(1, min(200, limit)))
        return [
            {
                "session": row.session,
                "title": row.title,
                "updated": datetime.fromtimestamp(row.updated).isoformat(timespec="seconds"),
                "workspace": row.workspace,
                "outcome": row.outcome or "unfinished",
            }
            for row in rows
        ]

    async def show_session(self, session: str) -> str:
        from localagent.journal.listing import as_markdown, resolve

        with _told():
            text = as_markdown(self._house.ledger, resolve(self._house.ledger, session))
        return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "\n[…]"


@contextmanager
def _told() -> Iterator[None]:
    """Our own errors reach the client with their words; the SDK keeps those of others to itself."""
    try:
        yield
    except LocalAgentError as error:
        raise ToolError(str(error)) from None


def _progress(event: Event) -> str:
    """One line for a client that waits; "" for what it need not know."""
    match event:
        case CallAnnounced(name=name):
            return f"calls {name}"
        case ToolFinished(result=result):
            return f"{result.name}: {'ok' if result.ok else 'failed'}"
        case Replied(message=message) if message.content:
            return message.content[:200]
        case FellBack(failed=failed, to=to):
            return f"{failed} failed, going on with {to}"
    return ""


def build(service: Service) -> MCPServer:
    """The server with its four tools."""
    server = MCPServer("localagent", version=__version__, log_level="WARNING", subscriptions=False)
    for tool in (service.run_task, service.search_journal, service.list_sessions, service.show_session):
        server.add_tool(tool, name=tool.__name__, description=describe(tool.__name__)["text"])
    return server


def parser() -> argparse.ArgumentParser:
    p = Parser(
        prog="localagent mcp",
        description="Serves the agent and its journal to an MCP client over standard input and output. "
        "`localagent mcp list` shows the servers that the agent itself may use.",
        epilog='in a client: {"mcpServers": {"agent": {"command": "localagent", "args": ["mcp", "--cwd", "DIR"]}}}',
    )
    p.add_argument("--cwd", metavar="DIR", default=".", help="the folder whose files runs may see (default: this one)")
    p.add_argument("--model", metavar="NAME", default="", help="an entry of models.toml (default: its `default`)")
    p.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    p.add_argument(
        "--approve", choices=("read", "edit", "all"), default="read", help="what runs may do unasked (default: read)"
    )
    return p


def main(argv: Sequence[str]) -> int:
    """Serves until the client closes standard input."""
    args = parser().parse_args(list(argv))
    workspace = paths.workspace(args.cwd)
    if sys.stdin.isatty():
        sys.stderr.write("localagent mcp speaks MCP on standard input; a client starts it (Ctrl-D ends it)\n")
    logging.getLogger().setLevel(logging.WARNING)
    asyncio.run(_serve(args, workspace))
    return 0


async def _serve(args: argparse.Namespace, workspace: Path) -> None:
    from localagent.house import close, open_house

    house = open_house(args.models)
    try:
        await build(Service(house, workspace, args.approve, args.model)).run_stdio_async()
    finally:
        await close(house)
