"""What happened, turned into what is sent: a pure function of seat and history.

A request is a prefix of the next one: messages are only added at the end, and each is written the same way for ever.
"""

from __future__ import annotations

from collections.abc import Iterable

from localagent.agent.parts import Seat
from localagent.messages import Message
from localagent.ports import Constraint, Request

CHARS_PER_TOKEN = 3.6  # English prose and JSON through the tokenizers of small models
OVERHEAD_TOKENS = 6  # role marks around a message


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


def estimate_tokens(request: Request) -> int:
    """Tokens of a request where the runtime cannot count them."""
    chars = sum(len(m.content) + sum(len(str(c.arguments)) + len(c.name) for c in m.calls) for m in request.messages)
    chars += sum(len(r.content) for m in request.messages for r in m.results)
    chars += sum(len(t.name) + len(t.description) + len(str(t.parameters)) for t in request.tools)
    return int(chars / CHARS_PER_TOKEN) + OVERHEAD_TOKENS * len(request.messages)
