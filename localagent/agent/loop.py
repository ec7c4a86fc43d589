"""The loop: one generator of events from a task to its outcome.

Every event that must last is in the ledger before it is yielded, and before its effect. Whoever reads the events
(the screen, headless, an editor) cannot change what happens, but for closing the generator or cancelling its task.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

from localagent.agent.act import act
from localagent.agent.condense import condense, due, fits_again
from localagent.agent.ending import Ending, Tally, ended, failure, from_stop
from localagent.agent.limits import Watch
from localagent.agent.parts import Agent
from localagent.agent.settle import settle
from localagent.agent.think import think
from localagent.config import prompts
from localagent.errors import ContextOverflowError, LocalAgentError
from localagent.events import Event, MessageAdded, Replied, RunFinished, RunStarted, ToolFinished
from localagent.messages import Message


async def run(agent: Agent, task: str | None) -> AsyncIterator[Event]:
    """Yields all that one run does; the last event is RunFinished. `task` None goes on with a run that was cut off."""
    watch, tally = Watch(agent.limits, agent.clock), Tally(agent)
    ending = Ending("failed", None)
    try:
        async with aclosing(_steps(agent, task, watch)) as steps:
            async for event in steps:
                if isinstance(event, Ending):
                    ending = event
                else:
                    tally.count(event)
                    yield event
    except asyncio.CancelledError:
        ending = Ending("cancelled", None)
        current = asyncio.current_task()
        if current is not None:
            current.uncancel()
    except GeneratorExit:
        agent.record(RunFinished(ended(agent, tally, Ending("cancelled", None))))
        raise
    except LocalAgentError as error:
        ending = failure(error)
    except Exception as error:  # noqa: BLE001 - the loop owns the stop: also a defect of ours ends with an outcome
        ending = failure(error)
    yield agent.record(RunFinished(ended(agent, tally, ending)))


async def _steps(agent: Agent, task: str | None, watch: Watch) -> AsyncIterator[Event | Ending]:
    for event in _begin(agent, task):
        yield agent.record(event)
    async for event in settle(agent, watch):
        yield event
    while (stop := watch.stop()) is None:
        if due(agent, watch):
            async for event in condense(agent, watch):
                yield event
        for event in _said_meanwhile(agent, watch):
            yield agent.record(event)
        reply: Replied | None = None
        try:
            async with aclosing(think(agent, watch)) as events:
                async for event in events:
                    reply = event if isinstance(event, Replied) else reply
                    yield event
        except ContextOverflowError as error:
            async for event in fits_again(agent, watch, error):
                yield event
            continue
        if reply is None:
            continue  # the watch has its reason to stop
        if reply.message.calls:
            output = None
            async for event in act(agent, reply.message.calls, watch):
                output = event.output if isinstance(event, ToolFinished) and event.result.ok else output
                yield event
            if output is not None:
                yield Ending("done", output)
                return
        elif agent.schema is not None:
            yield agent.record(_note(agent, "needs_finish", {}))
            watch.invalid += 1
        elif not agent.inbox:
            yield Ending("answered", reply.message.content, partial=reply.finish_reason == "length")
            return
    yield from_stop(stop)


def _begin(agent: Agent, task: str | None) -> Iterator[Event]:
    seat = agent.seat
    yield RunStarted(
        task or "", seat.model.name, str(agent.context.workspace), agent.mode, agent.limits.as_json(), seat.system,
        tuple(seat.tools), seat.dialect,
    )  # fmt: skip
    if task is not None:
        agent.inbox.appendleft(Message("user", task))


def _said_meanwhile(agent: Agent, watch: Watch) -> Iterator[Event]:
    """The person's messages and the house's notes, at the end of the history where they break no prefix."""
    while agent.inbox:
        message = agent.inbox.popleft()
        agent.history.append(message)
        yield MessageAdded(message)
    for name, values in watch.take_warnings():
        yield _note(agent, name, values)


def _note(agent: Agent, name: str, values: dict[str, object]) -> MessageAdded:
    message = Message("user", prompts.read(f"notes/{name}.md").format(**values))
    agent.history.append(message)
    return MessageAdded(message, "house")
