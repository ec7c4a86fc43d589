"""Commands run inside the sandbox, and what they need beyond it is found out before the person is asked."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from localagent.guard.layers import Layer, Runner
from localagent.messages import ToolCall
from localagent.net import fence
from localagent.ports import Outcome, Tool, ToolContext
from localagent.tools.paths import inside, locate
from localagent.tools.tool import ToolFailure

_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /etc /proc /dev /opt /nix"
SYSTEM = tuple(Path(folder) for folder in _SYSTEM.split())
_PATHS = re.compile(r"(?:^|(?<=[\s=:'\"<>(,@]))(~[^\s'\";|&<>()]*|/[^\s'\";|&<>()]+|\.\.(?:/[^\s'\";|&<>()]*)?)")


class Sandbox(Protocol):
    """What can start a command so that it sees the workspace and nothing else of the person's."""

    @property
    def confines(self) -> bool:
        """False where this machine has no way to; commands are then asked about each time."""
        ...

    def confine(
        self, argv: Sequence[str], *, workspace: Path, roots: Sequence[Path] = (), network: bool = False
    ) -> Sequence[str]:
        """The argv to start instead. `roots` are readable besides the workspace, which is writable."""
        ...


class NoSandbox:
    """Nothing is confined: each command needs the person."""

    confines = False

    def confine(
        self, argv: Sequence[str], *, workspace: Path, roots: Sequence[Path] = (), network: bool = False
    ) -> Sequence[str]:
        return argv


def confine_commands(sandbox: Sandbox) -> Layer:
    """Gives a tool a context in which every program that it starts is confined, also where it only looks."""

    def layer(tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            confine = partial(
                sandbox.confine,
                workspace=context.workspace.resolve(),
                roots=context.roots,
                network=tool.effect == "execute" and bool(call.arguments.get("network")),
            )
            return await inner(call, replace(context, confine=confine))

        return run

    return layer


def open_host(tool: Tool, inner: Runner) -> Runner:
    """Opens the fence to the host of an approved address, for this call only."""

    async def run(call: ToolCall, context: ToolContext) -> Outcome:
        try:
            host = urlsplit(str(call.arguments.get("url") or "").strip()).hostname
        except ValueError:  # no address at all: the tool says so itself
            host = None
        with fence.opening(*([host] if host else []), far=True):
            return await inner(call, context)

    return run if tool.effect == "send" else inner


def needed_folders(line: str, context: ToolContext) -> tuple[Path, ...]:
    """Paths that a command names and that are there, outside the workspace and outside the system's own folders."""
    found: list[Path] = []
    for match in _PATHS.finditer(line):
        path = _real(match.group(1), context)
        if path is not None and path not in found and _beyond(path, context):
            found.append(path)
    return tuple(found)


def _real(text: str, context: ToolContext) -> Path | None:
    try:
        path = locate(text, context)
        return path if path.exists() else None
    except (ToolFailure, OSError, RuntimeError):  # no path, too long a name, or nobody's home
        return None


def _beyond(path: Path, context: ToolContext) -> bool:
    if path in (Path(os.sep), Path("/tmp")) or inside(path, context):  # both look different inside
        return False
    return not any(path.is_relative_to(folder) for folder in SYSTEM)
