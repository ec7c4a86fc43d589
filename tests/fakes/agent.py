"""An agent around a scripted model and toy tools: the real loop, ledger and calling, and a clock of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.ledger import Ledger
from localagent.agent.limits import Limits
from localagent.agent.loop import run
from localagent.agent.parts import Agent, Seat
from localagent.config.models_toml import Entry
from localagent.errors import ToolsUnsupportedError
from localagent.events import Event, RunFinished, RunResult, ToolStarted
from localagent.journal.sessions import load
from localagent.journal.store import RunJournal
from localagent.messages import History, ToolCall, ToolSpec
from localagent.models.scripted import ScriptedModel
from localagent.ports import Change, Clock, Effect, Outcome, Request, ToolContext

Handler = Callable[[dict[str, Any]], Awaitable[Outcome]]


class StepClock:
    """Time that moves by `step` seconds each time it is read."""

    def __init__(self, step: float = 0.0) -> None:
        self.time, self.step = 1000.0, step

    def now(self) -> float:
        return self.monotonic()

    def monotonic(self) -> float:
        self.time += self.step
        return self.time


@dataclass
class ToyTool:
    """A tool of one handler; counts how often it ran."""

    name: str
    handler: Handler
    effect: Effect = "read"
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {"a": {}}})
    ran: list[dict[str, Any]] = field(default_factory=list)

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, f"{self.name} does it", self.parameters)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        self.ran.append(arguments)
        return await self.handler(arguments)

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Change, ...]:
        return ()


def toy(name: str, answer: str | Outcome = "fine", *, effect: Effect = "read", **kwargs: Any) -> ToyTool:
    """A tool that always answers the same."""

    async def handler(arguments: dict[str, Any]) -> Outcome:
        return answer if isinstance(answer, Outcome) else Outcome(answer)

    return ToyTool(name, handler, effect, **kwargs)


def finish_tool() -> ToyTool:
    async def handler(arguments: dict[str, Any]) -> Outcome:
        return Outcome("finished", output=arguments)

    return ToyTool("finish", handler, "finish", {"type": "object", "properties": {"total": {"type": "integer"}}})


class Recording(ScriptedModel):
    """A scripted model that keeps the requests it got."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(entry)
        self.requests: list[Request] = []

    def reply(self, request: Request):  # type: ignore[no-untyped-def]
        self.requests.append(request)
        return super().reply(request)


class Toolless(Recording):
    """A model whose server refuses native tools, as it says only when it is asked."""

    def reply(self, request: Request):  # type: ignore[no-untyped-def]
        if request.tools:
            raise ToolsUnsupportedError("the model takes no tools")
        return super().reply(request)


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A scripted reply that calls one tool."""
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


class World:
    """Builds agents over one ledger; each `agent()` is what a new process would make of it."""

    def __init__(
        self, folder: Path, replies: Sequence[dict[str, Any]], tools: Sequence[ToyTool] = (), **seat: Any
    ) -> None:
        self.folder = folder
        self.tools = {tool.name: tool for tool in tools}
        self.ledger = Ledger(folder / "ledger.db")
        self.seat_options = seat
        self.kind = Recording
        self.windows: dict[str, int] = {}
        self.others: dict[str, Sequence[dict[str, Any]]] = {}
        self.script("script", replies)

    def script(self, name: str, replies: Sequence[dict[str, Any]]) -> None:
        self.others[name] = replies
        text = "".join(json.dumps(reply) + "\n" for reply in replies)
        (self.folder / f"{name}.jsonl").write_text(text, encoding="utf-8")

    def model(self, name: str = "script") -> Recording:
        window = self.windows.get(name, 4096)
        return self.kind(Entry(name, "scripted", file=self.folder / f"{name}.jsonl", context=window))

    def agent(
        self, session: str = "s1", *, limits: Limits | None = None, clock: Clock | None = None, **options: Any
    ) -> Agent:
        saved = load(self.ledger, session) if any(True for _ in self.ledger.rows(session=session)) else None
        agents: list[Agent] = []

        async def take_seat(name: str, *, textual: bool = False) -> Seat:
            model = self.model(name)
            model.position = saved.replies[name] if saved else 0
            return Seat(
                model=model,
                capabilities=await model.capabilities(),
                dialect="react" if textual else "native",
                system="You are a test.",
                tools=self.tools,
                runners={name: self._runner(tool, agents) for name, tool in self.tools.items()},
                **self.seat_options,
            )

        agent = Agent(
            journal=RunJournal(self.ledger, session, saved.run if saved and saved.unfinished is not None else "r1"),
            history=History(list(saved.messages) if saved else []),
            seat=asyncio.run(take_seat("script")),
            take_seat=take_seat,
            context=ToolContext(self.folder),
            clock=clock or StepClock(),
            limits=limits or Limits(),
            **options,
        )
        if saved:
            agent.pending, agent.answered = list(saved.pending), list(saved.results.values())
            agent.output, agent.unfinished = saved.output, saved.unfinished or ""
            agent.calls = saved.calls
        agents.append(agent)
        return agent

    def _runner(self, tool: ToyTool, agents: list[Agent]) -> Callable[[ToolCall, ToolContext], Awaitable[Outcome]]:
        async def runner(call: ToolCall, context: ToolContext) -> Outcome:
            agents[0].emit(ToolStarted(call, tool.effect))
            return await tool.run(call.arguments, context)

        return runner

    def run(
        self, task: str | None = "do it", agent: Agent | None = None, **options: Any
    ) -> tuple[RunResult, list[Event]]:
        """Runs to the end and returns the result with all events."""
        agent = agent or self.agent(**options)

        async def go() -> list[Event]:
            agent.outbox = asyncio.Queue()
            return [event async for event in run(agent, task)]

        events = asyncio.run(go())
        last = events[-1]
        assert isinstance(last, RunFinished)
        return last.result, events
