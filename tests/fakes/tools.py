"""A workspace with the built-in tools in it, and a person who answers as told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from localagent.events import Event
from localagent.guard import Runner, guarded, standard_layers
from localagent.guard.rules import Rules
from localagent.guard.taint import Taint
from localagent.guard.undo import UndoStore
from localagent.messages import ToolCall
from localagent.ports import ApprovalRequest, Decision, Mode, Outcome, Tool, ToolContext
from localagent.tools.jobs import Jobs
from localagent.tools.registry import builtin_tools


@dataclass
class Person:
    """Answers every question with the same decision and remembers what was asked."""

    decision: Decision = field(default_factory=lambda: Decision(False))
    asked: list[ApprovalRequest] = field(default_factory=list)

    async def approve(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        return self.decision

    async def ask(self, question: str, options: Sequence[str]) -> str:
        return options[0] if options else question.upper()


@dataclass
class OpenSandbox:
    """Says that it confines and does not: for tests of what stands around commands, not of the sandbox."""

    confines: bool = True
    asked: list[tuple[tuple[Path, ...], bool]] = field(default_factory=list)

    def confine(
        self, argv: Sequence[str], *, workspace: Path, roots: Sequence[Path] = (), network: bool = False
    ) -> Sequence[str]:
        self.asked.append((tuple(roots), network))
        return argv


@dataclass
class Bench:
    """The tools of a profile on a folder, with and without their layers."""

    workspace: Path
    mode: Mode = "ask"
    person: Person = field(default_factory=Person)
    sandbox: OpenSandbox = field(default_factory=OpenSandbox)
    rules: Rules = field(default_factory=Rules)
    events: list[Event] = field(default_factory=list)
    result_chars: int = 8000
    emitted: list[str] = field(default_factory=list)
    jobs: Jobs = field(default_factory=Jobs)
    extra: tuple[Tool, ...] = ()
    calls: int = 0

    def __post_init__(self) -> None:
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.home = self.workspace.parent / "home"
        self.tools = {tool.spec.name: tool for tool in (*builtin_tools("full", jobs=self.jobs, web=True), *self.extra)}
        self.undo = UndoStore(self.home / "undo", "s")
        self.taint = Taint(self.home / "taint.json")

    @property
    def context(self) -> ToolContext:
        scratch = self.workspace.parent / "scratch"
        return ToolContext(
            self.workspace,
            emit=self.emitted.append,
            ask=self.person.ask,
            scratch=scratch,
            result_chars=self.result_chars,
        )

    async def run(self, name: str, **arguments: Any) -> Outcome:
        """The bare tool."""
        return await self.tools[name].run(arguments, self.context)

    def runner(self, name: str) -> Runner:
        layers = standard_layers(
            mode=lambda: self.mode,
            rules=self.rules,
            approver=self.person,
            sandbox=self.sandbox,
            undo=self.undo,
            taint=self.taint,
            record=self.events.append,
            home=self.home,
        )
        return guarded(self.tools[name], layers)

    async def call(self, name: str, **arguments: Any) -> Outcome:
        """The tool inside its layers."""
        self.calls += 1
        return await self.runner(name)(ToolCall(f"call_{self.calls}", name, arguments), self.context)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
