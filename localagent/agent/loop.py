"""The loop: one generator of events from a task to its outcome.

Every event that must last is in the ledger before it is yielded, and before its effect. Whoever reads the events
(the screen, headless, an editor) cannot change what happens, but for closing the generator or cancelling its task.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from localagent.agent.act import act
from localagent.agent.condense import condense, due, fits_again
from localagent.agent.deadline import TimeIsUpError, until
from localagent.agent.ending import Ending, Tally, ended, failure, from_stop, result_in
from localagent.agent.limits import Watch
from localagent.agent.opening import begin, note, said_meanwhile
from localagent.agent.parts import Agent
from localagent.agent.seen import changed
from localagent.agent.settle import settle
from localagent.agent.think import think
from localagent.errors import ContextOverflowError, LocalAgentError
from localagent.events import Event, Replied, RunFinished, ToolFinished


async def run(agent: Agent, task: str | None, images: tuple[str, ...] = ()) -> AsyncGenerator[Event, None]:
    """Yields all that one run does; the last event is RunFinished. `task` None goes on with a run that was cut off.

    `images` are paths of files that go with the task to a model that sees them.
    """
    watch, tally = Watch(agent.limits, agent.clock), Tally(agent)
    agent.watch = watch
    ending = Ending("failed", None)
    try:
        async with aclosing(_steps(agent, task, images, watch)) as steps, aclosing(until(steps, watch)) as timed:
            async for event in timed:
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
    except TimeIsUpError as up:
        ending = from_stop(up.stop)
    except LocalAgentError as error:
        ending = failure(error)
    except Exception as error:  # noqa: BLE001 - the loop owns the stop: also a defect of ours ends with an outcome
        ending = failure(error)
    yield agent.record(RunFinished(ended(agent, tally, ending)))


async def _steps(
    agent: Agent, task: str | None, images: tuple[str, ...], watch: Watch
) -> AsyncGenerator[Event | Ending, None]:
    agent.stale = await asyncio.to_thread(changed, agent.files) if agent.files else {}
    for event in agent.record_all(begin(agent, task, images)):
        yield event
    output = agent.output
    async for event in settle(agent, watch):
        output = event.output if isinstance(event, ToolFinished) and event.result.ok else output
        yield event
    if (ending := _already_ended(agent, task, output)) is not None:
        yield ending
        return
    while (stop := watch.stop()) is None:
        if due(agent, watch):
            async for event in condense(agent, watch):
                yield event
        for event in said_meanwhile(agent, watch):
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
                if output is None and isinstance(event, ToolFinished) and event.result.ok:
                    output = event.output
                yield event
            if output is not None:
                yield Ending("done", output)
                return
        elif agent.schema is not None:
            if (written := result_in(reply.message.content, agent.schema)) is not None:
                yield Ending("done", written)
                return
            yield agent.record(note(agent, "needs_finish", {}))
            watch.unfinished += 1
        elif not agent.inbox and not watch.cut(reply):
            yield Ending("answered", reply.message.content, partial=reply.finish_reason == "length")
            return
    yield from_stop(stop)


def _already_ended(agent: Agent, task: str | None, output: object) -> Ending | None:
    """The end of a resumed run that was killed between its last reply and its outcome."""
    if output is not None:
        return Ending("done", output)
    last = agent.history.snapshot()[-1:]
    if task is None and last and last[0].role == "assistant" and not last[0].calls and agent.schema is None:
        return Ending("answered", last[0].content)
    return None
