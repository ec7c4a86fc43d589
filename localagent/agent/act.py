"""The calls of one reply: read-only ones side by side, the rest in order, all answered together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from localagent.agent.limits import Watch
from localagent.agent.opening import note
from localagent.agent.parts import Agent
from localagent.agent.seen import seen
from localagent.events import Delegated, Event, PlanChanged, Replied, ReplyRejected, ToolFinished, ToolOutput
from localagent.messages import Message, ToolCall, ToolResult
from localagent.ports import Outcome
from localagent.tools.plan import items_of

RETRIES = 2
BACKOFF_SECONDS = 0.2


async def act(
    agent: Agent, calls: Sequence[ToolCall], watch: Watch, *, remember: bool = True
) -> AsyncGenerator[Event, None]:
    """Runs the calls and yields what they do; the results enter the history when the last one is there."""
    finished: dict[str, ToolFinished] = {}
    for batch in _batches(agent, calls):
        async for event in _run_batch(agent, batch):
            match event:
                case ToolFinished(result=result):
                    finished[result.call_id] = event
                case Delegated(event=(Replied() | ReplyRejected()) as reply):
                    watch.spent(reply.usage, agent.seat.cost(reply.usage))
            yield event
    for call in calls:
        watch.answered(call, finished[call.id], effect=_effect(agent, call))
    if remember:
        agent.history.append(Message("tool", results=tuple(finished[c.id].result for c in calls)))
        images = tuple(image for call in calls for image in finished[call.id].images)
        if images and agent.seat.capabilities.images:  # no wire takes them inside the answer to a call
            yield agent.record(note(agent, "pictures", {}, images))


def _batches(agent: Agent, calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
    for reads, group in groupby(calls, key=lambda call: _effect(agent, call) == "read"):
        if reads:
            yield list(group)
        else:
            yield from ([call] for call in group)


def _effect(agent: Agent, call: ToolCall) -> str:
    tool = agent.seat.tool(call.name)
    return tool.effect if tool else "read"


async def _run_batch(agent: Agent, batch: Sequence[ToolCall]) -> AsyncGenerator[Event, None]:
    tasks = [asyncio.create_task(_finish(agent, call)) for call in batch]
    done = asyncio.gather(*tasks, return_exceptions=True)
    done.add_done_callback(agent.wake)
    try:
        while not (done.done() and agent.outbox.empty()):
            if (event := await agent.outbox.get()) is not None:  # None only wakes
                yield event
        for task in tasks:
            task.result()
    finally:
        done.remove_done_callback(agent.wake)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _finish(agent: Agent, call: ToolCall) -> None:
    outcome = await run_call(agent, call)
    ended = agent.clock.monotonic()
    seconds = ended - agent.began.pop(call.id, ended)  # the time in which a person made up their mind is not the tool's
    files = await asyncio.to_thread(seen, outcome.sources, agent.context.workspace) if outcome.sources else ()
    agent.emit(replace(finished(call, outcome, seconds), files=files))
    if call.name == "plan" and outcome.ok and (items := items_of(outcome.content)):
        agent.emit(PlanChanged(items))


def finished(call: ToolCall, outcome: Outcome, seconds: float) -> ToolFinished:
    """The event of a call that has its outcome."""
    result = ToolResult(call.id, call.name, outcome.content, outcome.ok, outcome.failure)
    return ToolFinished(
        result, seconds, outcome.failure, outcome.full, outcome.taint, outcome.output, images=outcome.images
    )


async def run_call(agent: Agent, call: ToolCall) -> Outcome:
    """One call through all its layers. What is transient is tried again where nothing can happen twice."""
    runner = agent.seat.runners.get(call.name)
    if runner is None:
        names = ", ".join(agent.seat.tools)
        return Outcome(f"There is no tool {call.name!r}. The tools are: {names}.", failure="invalid")
    context = replace(agent.context, call=call.id, emit=lambda text: agent.emit(ToolOutput(call.id, text)))
    for attempt in range(RETRIES + 1):
        try:
            outcome = await runner(call, context)
        except Exception as error:  # noqa: BLE001 - a tool's failure, whatever it is, is an observation
            outcome = Outcome(f"{call.name} failed: {type(error).__name__}: {error}", failure="failed")
        if outcome.failure != "transient" or _effect(agent, call) != "read" or attempt == RETRIES:
            return outcome
        await asyncio.sleep(BACKOFF_SECONDS * 4**attempt)
    raise AssertionError("the last attempt returns")
