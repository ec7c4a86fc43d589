"""A reader that a run sends out: clean memory, tools that only look, no reader of its own, one text back.

Its events are the parent's, wrapped: they lie in the ledger under the parent's run and pass by its readers. It has
its own ceiling of steps and spends what the parent may still spend. One reader works at a time: a local runtime
answers one after the other anyway. One that a kill cut off has changed nothing, so that it simply runs again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from localagent.agent.limits import Limits, Watch
from localagent.agent.loop import run
from localagent.agent.parts import Agent, Seat
from localagent.events import Delegated, Event, RunFinished, RunResult, ToolFinished
from localagent.journal.store import RunJournal
from localagent.messages import History
from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

STEPS = 16
READERS = ("list_dir", "read_file", "search_text", "search_documents", "query_table", "git")


class ReadingSeat(Protocol):
    """Makes the parent's seat one of a reader, whose layers emit to the reader."""

    def __call__(self, seat: Seat, emit: Callable[[Event], None]) -> Seat: ...


@dataclass(frozen=True, slots=True)
class Nested(RunJournal):
    """The reader's journal: its events become the parent's."""

    parent: RunJournal = field(kw_only=True)
    call: str = field(kw_only=True)

    def later(self, event: Event) -> None:
        self.parent.later(Delegated(self.call, event))

    def record(self, *events: Event) -> None:
        self.parent.record(*(Delegated(self.call, event) for event in events))


def delegate(profile: Profile, parent: Callable[[], Agent], reading: ReadingSeat) -> BuiltinTool:
    """Counts as reading, since all that it can do is read. `parent` is asked when the tool runs."""
    turn = asyncio.Lock()

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        if not arguments["task"].strip():
            raise ToolFailure("invalid", say("empty_task"))
        async with turn:
            return await _send_out(parent(), reading, arguments["task"], context)

    return BuiltinTool(spec_of("delegate", (Param("task", required=True),), profile), "read", action)


async def _send_out(parent: Agent, reading: ReadingSeat, task: str, context: ToolContext) -> Outcome:
    reader = _reader(parent, reading, context)
    taint, result = "", None
    async with aclosing(run(reader, task)) as events:
        async for event in events:
            parent.outbox.put_nowait(Delegated(context.call, event))
            if isinstance(event, ToolFinished):
                taint = taint or event.taint
            if isinstance(event, RunFinished):
                result = event.result
    assert result is not None, "every run ends with its result"
    if result.outcome == "cancelled":
        raise asyncio.CancelledError
    return _outcome(result, taint)


def _outcome(result: RunResult, taint: str) -> Outcome:
    """The reader's answer; where it had none, what it reached and why it ended."""
    text = result.output if isinstance(result.output, str) else ""
    if result.outcome in ("answered", "done"):
        return Outcome(text, taint=taint)
    return Outcome(text or say("no_report", why=(result.error or {}).get("message", "")), failure="failed", taint=taint)


def _reader(parent: Agent, reading: ReadingSeat, context: ToolContext) -> Agent:
    reader: Agent

    def emit(event: Event) -> None:
        reader.emit(event)

    async def take_seat(name: str, *, textual: bool = False) -> Seat:
        return reading(await parent.take_seat(name, textual=textual), emit)

    journal = parent.journal
    reader = Agent(
        journal=Nested(journal.ledger, f"{journal.session}.reader", journal.run, parent=journal, call=context.call),
        history=History([]),
        seat=reading(parent.seat, emit),
        take_seat=take_seat,
        context=replace(context, ask=None),
        clock=parent.clock,
        limits=_limits(parent.watch),
        mode="read",
    )
    return reader


def _limits(watch: Watch | None) -> Limits:
    return watch.left(STEPS) if watch is not None else Limits(max_steps=STEPS)
