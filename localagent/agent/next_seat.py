"""The fallback chain: which model takes the seat when one cannot go on, and why, as an event for every move."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection

from localagent.agent.parts import Agent
from localagent.errors import ContextOverflowError, LocalAgentError, ModelError
from localagent.events import Event, FellBack, Notice


async def move_on(agent: Agent, error: ModelError, tried: Collection[str]) -> AsyncGenerator[Event, None]:
    """Puts the next usable model of the chain into the seat; yields a FellBack for it and for each that was not there.

    After an overflow only a model with a larger window is one. Raises `error` at the end of the chain.
    """
    seat = agent.seat
    failed, why, reason = seat.model.name, error.why, str(error)
    last: LocalAgentError | None = None
    for name in (n for n in seat.fallback if n not in tried):
        try:
            candidate = await agent.take_seat(name)
        except LocalAgentError as problem:  # it is not there either, or may not be used
            yield agent.record(FellBack(failed, name, reason, why))
            last = problem
            failed, why, reason = name, getattr(problem, "why", "failed"), str(problem)
            continue
        if isinstance(error, ContextOverflowError) and not _larger(candidate.capabilities.context, agent, error):
            continue
        yield agent.record(FellBack(failed, name, reason, why))
        agent.seat = candidate
        return
    if last is not None:
        yield agent.record(Notice("no_model_left", str(last)))
    raise error


def _larger(window: int | None, agent: Agent, error: ContextOverflowError) -> bool:
    """Whether a window may hold what did not fit; one that nobody knows may."""
    here = error.window or agent.seat.capabilities.context
    return window is None or here is None or window > max(here, error.needed or 0)


__all__ = ["move_on"]
