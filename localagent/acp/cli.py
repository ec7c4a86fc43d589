"""`localagent acp`: the agent behind an editor. Standard output belongs to the protocol, and to nothing else."""

from __future__ import annotations

import argparse
import asyncio
import os
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO, cast

from gateway.arguments import Parser
from localagent.errors import MissingExtraError, UsageError
from localagent.ports import MODES

if TYPE_CHECKING:
    from acp import Agent

LARGEST = 50 * 1024 * 1024  # bytes of one message


def parser() -> argparse.ArgumentParser:
    p = Parser(
        prog="localagent acp",
        description="Speaks the Agent Client Protocol on standard input and output, for Zed, Toad and other editors.",
        epilog="The editor starts it; docs/acp.md shows how it is told to.",
    )
    p.add_argument("--model", metavar="NAME", default="", help="an entry of models.toml (default: its `default`)")
    p.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    p.add_argument("--approve", choices=MODES, default="ask", help="the mode at the start; the editor can change it")
    return p


def main(argv: Sequence[str]) -> int:
    """Serves one editor until it closes the stream. Raises MissingExtraError, UsageError, ConfigError."""
    args = parser().parse_args(list(argv))
    try:
        import acp  # noqa: F401 - said here in one line, not where it is used
    except ImportError:
        raise MissingExtraError("editors need the extra acp: pip install 'localagent[acp]'") from None
    _check_pipes()
    wire = _take_stdout()
    asyncio.run(_serve(args, wire))
    return 0


def _check_pipes() -> None:
    """Raises UsageError where nobody can talk: an event loop does not read and write files or /dev/null."""
    for stream in (0, 1):
        mode = os.fstat(stream).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(stream)):
            name = "output" if stream else "input"
            raise UsageError(
                f"standard {name} is no pipe: `localagent acp` is started by an editor, which talks with it there; "
                "docs/acp.md shows how"
            )


def _take_stdout() -> TextIO:
    """Keeps standard output for the protocol: whatever prints from now on, in C too, writes to standard error."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return wire


async def _serve(args: argparse.Namespace, wire: TextIO) -> None:
    from acp import run_agent
    from acp.stdio import stdio_streams

    from localagent.acp.agent import EditorAgent
    from localagent.acp.wire import Wire
    from localagent.house import close, open_house

    sys.stdout = wire
    reader, writer = await stdio_streams(limit=LARGEST)
    sys.stdout = sys.stderr
    house = open_house(args.models)
    if args.model:
        house.catalogue.entry(args.model)  # said to who wrote the editor's settings, not to each prompt
    agent = EditorAgent(house, model=args.model, mode=args.approve)
    try:
        await run_agent(cast("Agent", agent), Wire(reader, writer), use_unstable_protocol=True)
    finally:
        await agent.close()
        await close(house)
