"""Calls that a killed run left without a result: never twice, never lost.

A call that had not started is run now. One that had is run again only where its tool just reads, or where its effect
can be seen not to have happened; where it can be seen to have happened that is the result; otherwise the result says
that the outcome is unknown.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

from localagent.agent.act import act, finished
from localagent.agent.limits import Watch
from localagent.agent.parts import Agent
from localagent.config import prompts
from localagent.events import Event, ToolFinished
from localagent.journal.sessions import Pending
from localagent.messages import Message
from localagent.ports import Outcome


async def settle(agent: Agent, watch: Watch) -> AsyncGenerator[Event, None]:
    """Answers every open call of the resumed session, in the order of the calls."""
    pending, agent.pending = agent.pending, []
    if not pending:
        return
    results = {r.call_id: r for r in agent.answered}
    for item in pending:
        outcome = await _known(agent, item)
        if outcome is not None:
            known = finished(item.call, outcome, 0.0)
            results[item.call.id] = known.result
            yield agent.record(known)
            continue
        async for event in act(agent, [item.call], watch, remember=False):
            if isinstance(event, ToolFinished):
                results[event.result.call_id] = event.result
            yield event
    calls = next(m.calls for m in reversed(agent.history.snapshot()) if m.role == "assistant")
    agent.history.append(Message("tool", results=tuple(results[c.id] for c in calls)))
    agent.answered = []


async def _known(agent: Agent, item: Pending) -> Outcome | None:
    """The outcome of an open call without running it; None where it may be run."""
    tool = agent.seat.tool(item.call.name)
    if not item.started or tool is None or tool.effect in ("read", "ask", "finish"):
        return None
    happened = agent.happened(item.call)
    if happened is None:
        return Outcome(prompts.read("notes/interrupted.md"), failure="interrupted")
    return Outcome(prompts.read("notes/happened.md")) if happened else None
