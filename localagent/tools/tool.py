"""A built-in tool as data: its words, its effect and the functions behind it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localagent.messages import ToolSpec
from localagent.ports import Change, Effect, Outcome, ToolContext

Arguments = dict[str, Any]
Action = Callable[[Arguments, ToolContext], Awaitable[Outcome]]
Preview = Callable[[Arguments, ToolContext], tuple[Change, ...]]
Paths = Callable[[Arguments], tuple[str, ...]]


class ToolFailure(Exception):
    """A tool could not do it; `kind` is one of Outcome's failures and the text tells the model the next step.

    `source` says whose words the text may hold, "" for nobody else's.
    """

    def __init__(self, kind: str, text: str, source: str = "") -> None:
        super().__init__(text)
        self.kind, self.source = kind, source


def no_changes(arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
    return ()


def path_argument(arguments: Arguments) -> tuple[str, ...]:
    """The one path of most tools, the workspace itself where none was given."""
    return (str(arguments.get("path") or "."),)


def no_paths(arguments: Arguments) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class BuiltinTool:
    """See ports.Tool. `paths` names the files and folders that a call touches, as the model wrote them."""

    spec: ToolSpec
    effect: Effect
    action: Action
    changes: Preview = no_changes
    paths: Paths = no_paths

    async def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        try:
            return await self.action(arguments, context)
        except ToolFailure as failure:
            return Outcome(str(failure), failure=failure.kind, taint=failure.source)

    async def preview(self, arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
        """Empty where the call would fail: `run` then says why."""
        try:
            return await asyncio.to_thread(self.changes, arguments, context)
        except (ToolFailure, OSError):  # a closed folder on the way
            return ()


def idempotency_key(name: str, arguments: Arguments, workspace: Path) -> str:
    """The same for calls of one meaning: key order, spaces at a path's end and absent options do not count."""
    told = {key: value for key, value in arguments.items() if value is not None}
    if isinstance(told.get("path"), str):
        told["path"] = str((workspace / told["path"].strip()).resolve())
    canonical = json.dumps([name, told], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:32]
