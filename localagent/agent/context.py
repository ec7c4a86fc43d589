"""What happened, turned into what is sent: a pure function of seat and history.

A request is a prefix of the next one: messages are only added at the end, and each is written the same way for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from localagent.agent.parts import Agent, Seat
from localagent.messages import Message
from localagent.models.estimate import estimate
from localagent.ports import Constraint, Request


def request_of(
    seat: Seat, history: Iterable[Message], *, session: str, constraint: Constraint | None = None
) -> Request:
    """The request for the next reply."""
    said = [Message("system", seat.system), *seat.shots, *history]
    messages = tuple(_as_text(m, seat.dialect) for m in said) if seat.textual else tuple(said)
    tools = () if seat.textual or seat.dialect == "none" else seat.specs
    return Request(messages, tools, seat.max_tokens, constraint, session)


def _as_text(message: Message, dialect: str) -> Message:
    from localagent.calling.render import render_calls, render_results

    if message.role == "assistant" and message.calls:
        return Message("assistant", message.raw or render_calls(message.content, message.calls, dialect))
    if message.role == "assistant" and message.raw:
        return Message("assistant", message.raw)
    if message.role == "tool":
        return Message("user", render_results(message.results, dialect))
    return message


def size_of(agent: Agent) -> int:
    """Tokens of the next request: what the runtime counted up to the last reply, and an estimate of what came since."""
    messages = agent.history.snapshot()
    since = len(messages)
    while since and messages[since - 1].role != "assistant":
        since -= 1
    if not since or not agent.last_input_tokens:
        return estimate(request_of(agent.seat, messages, session=""))
    return agent.last_input_tokens + estimate(Request(messages[since:]))
