"""One reply of the model that is understood: stream, interpret, ask again, fall back.

Attempts at a reply that cannot be read: the first failure is answered with what was wrong, the second with the same
and a grammar where the backend has one, the third ends the run. A model that fails is tried once more where that may
help, then the next of its chain takes the seat.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from localagent.agent.context import request_of, size_of
from localagent.agent.limits import Watch
from localagent.agent.next_seat import move_on
from localagent.agent.parts import Agent, Seat
from localagent.calling import (
    AnswerPiece,
    CallPiece,
    Interpretation,
    NativeCall,
    StreamInterpreter,
    ThoughtPiece,
)
from localagent.calling.grammar_schema import kept_short
from localagent.config import prompts
from localagent.errors import (
    BadReplyError,
    ContextOverflowError,
    ModelError,
    ModelTimeoutError,
    ToolsUnsupportedError,
)
from localagent.events import (
    CallAnnounced,
    Event,
    FellBack,
    MessageAdded,
    Replied,
    ReplyRejected,
    RequestSent,
    Text,
    Thought,
    Working,
)
from localagent.messages import Message, ToolCall
from localagent.ports import CallDelta, Constraint, Finish, Progress, TextDelta, ThoughtDelta

PATIENCE_SECONDS, LONGEST_WAIT_SECONDS = 5.0, 60.0  # for a busy server: where another model waits, and where none does


async def think(agent: Agent, watch: Watch) -> AsyncGenerator[Event, None]:
    """Yields the events of one understood reply, or of the rejected ones when the watch says stop.

    Raises ModelError when the chain is at its end, ContextOverflowError at once: condensing is the loop's business.
    """
    retried: set[str] = set()
    while watch.stop() is None:
        seat = agent.seat
        hearing = Hearing(seat)
        try:
            async with aclosing(_listen(agent, hearing, watch)) as events:
                async for event in events:
                    yield event
        except ContextOverflowError:
            raise
        except ToolsUnsupportedError as error:
            if seat.textual:
                raise
            reason = f"{error}; its tools go on as text"
            yield agent.record(FellBack(seat.model.name, seat.model.name, reason, error.why))
            agent.seat = await agent.take_seat(seat.model.name, textual=True)
            continue
        except ModelError as error:
            for event in _on_the_way(agent):
                yield event
            again = _worth_another_try(error, seat) and seat.model.name not in retried
            retried.add(seat.model.name)
            if again:
                yield agent.record(FellBack(seat.model.name, seat.model.name, str(error), error.why))
                await asyncio.sleep(error.wait)
                continue
            async with aclosing(move_on(agent, error, retried)) as events:
                async for event in events:
                    yield event
            continue
        verdict = _judge(agent, hearing, watch)
        for event in (*hearing.held_back(), *agent.record_all(verdict)):
            yield event
        if isinstance(verdict[0], Replied):
            return


def _worth_another_try(error: ModelError, seat: Seat) -> bool:
    """Transient failures are, but for a model that is too slow, or wants much patience, where another one waits."""
    slow = isinstance(error, ModelTimeoutError) or error.wait > PATIENCE_SECONDS
    return error.transient and not (slow and seat.fallback) and error.wait <= LONGEST_WAIT_SECONDS


async def _listen(agent: Agent, hearing: Hearing, watch: Watch) -> AsyncGenerator[Event, None]:
    seat = agent.seat
    request = request_of(seat, agent.history, session=agent.journal.session, constraint=_constraint(agent, watch))
    request = replace(request, max_tokens=watch.may_write(seat.max_tokens))
    sent = RequestSent(watch.steps + 1, seat.model.name, len(request.messages), size_of(agent), seat.cloud)
    if seat.cloud:
        agent.record(sent)
    else:
        agent.journal.later(sent)
    yield sent
    began = agent.clock.monotonic()
    async with aclosing(seat.model.reply(request)) as deltas:  # type: ignore[type-var]
        async for delta in deltas:
            for event in (*_on_the_way(agent), *hearing.hear(delta)):
                yield event
    hearing.seconds = agent.clock.monotonic() - began
    if hearing.finish is None:
        raise BadReplyError("the model's reply ended without saying that it is complete; try again")


def _on_the_way(agent: Agent) -> Iterator[Event]:
    """What the model itself made durable, such as a request that left the house."""
    while not agent.outbox.empty():
        if (event := agent.outbox.get_nowait()) is not None:
            yield event


def _constraint(agent: Agent, watch: Watch) -> Constraint | None:
    """The grammar of the next reply: free to answer, bound to its schemas once it calls; a call after two failures."""
    seat = agent.seat
    if not seat.constrain or seat.dialect == "none":
        return None
    last = agent.limits.max_steps is not None and watch.steps >= agent.limits.max_steps - 1
    # The smallest models walk on in a circle whatever they are told: theirs ends with an answer, their lists somewhere.
    specs = tuple(kept_short(spec) for spec in seat.specs) if watch.ran_on and seat.shots else seat.specs
    if watch.unfinished:
        return Constraint(tuple(t for t in specs if t.name == "finish"), seat.dialect, required=True)
    answer_only = last or (bool(watch.barred) and bool(seat.shots))
    tools = tuple(t for t in specs if t.name not in watch.barred)
    if answer_only:
        tools = tuple(t for t in tools if t.name == "finish") if agent.schema is not None else ()
    required = watch.invalid >= 2 and bool(tools)
    return Constraint(tools, seat.dialect, required=required, several=seat.capabilities.several_calls)


class Hearing:
    """One reply while it comes in."""

    def __init__(self, seat: Seat) -> None:
        self._stream = StreamInterpreter(seat.known, dialect=seat.dialect)
        self._native: dict[int, tuple[str, str]] = {}
        self.text = ""
        self.thinking = ""
        self.finish: Finish | None = None
        self.seconds = 0.0

    def hear(self, delta: object) -> list[Event]:
        """The events that a delta means for a reader."""
        match delta:
            case TextDelta(text):
                self.text += text
                return [_shown(piece) for piece in self._stream.feed(text)]
            case ThoughtDelta(text):
                self.thinking += text
                return [Thought(text)]
            case CallDelta(index, name, arguments):
                before = self._native.get(index, ("", ""))
                self._native[index] = (before[0] + name, before[1] + arguments)
                return [CallAnnounced(name)] if name else []
            case Progress(phase, done, total, note):
                return [Working(phase, done, total, note)]
            case Finish():
                self.finish = delta
        return []

    def understood(self) -> Interpretation:
        """What the whole reply says, once its finish was heard."""
        assert self.finish is not None
        native = [NativeCall(name, arguments) for _, (name, arguments) in sorted(self._native.items())]
        return self._stream.close(self.finish.reason, native_calls=native)

    @property
    def native(self) -> bool:
        """Whether the runtime parsed calls itself."""
        return bool(self._native)

    def held_back(self) -> list[Event]:
        """What the screen has not seen yet, once the reply is understood."""
        return [_shown(piece) for piece in self._stream.tail]


def _shown(piece: ThoughtPiece | AnswerPiece | CallPiece) -> Event:
    match piece:
        case ThoughtPiece(text):
            return Thought(text)
        case AnswerPiece(text):
            return Text(text)
        case CallPiece(name):
            return CallAnnounced(name)


def _judge(agent: Agent, hearing: Hearing, watch: Watch) -> list[Event]:
    """Either the reply, which enters the history, or why it was rejected and what the model is told."""
    heard = hearing.understood()
    assert hearing.finish is not None
    seat, finish = agent.seat, hearing.finish
    kind, note = _complaint(heard, finish.reason)
    if kind:
        watch.rejected(kind, finish.usage, seat.cost(finish.usage))
        rejected = ReplyRejected(hearing.text, kind, note, watch.invalid, seat.model.name, finish.usage)
        if watch.stop() is not None:
            return [rejected]
        message = Message("user", note, by="house")
        agent.history.append(message)
        return [rejected, MessageAdded(message, "house")]
    calls = tuple(ToolCall(agent.call_id(), c.name, c.arguments) for c in heard.calls)
    raw = hearing.text if not heard.repairs and not hearing.native and hearing.text != heard.text else ""
    thinking = (hearing.thinking + heard.thinking).strip()
    message = Message("assistant", heard.text, thinking, calls, raw=raw)
    agent.history.append(message)
    reply = Replied(
        message, seat.model.name, finish.usage, finish.reason, hearing.seconds,
        finish.first_token_seconds, finish.tokens_per_second, seat.cost(finish.usage), heard.repairs,
    )  # fmt: skip
    watch.replied(reply)
    read = finish.usage.input_tokens  # None or 0: the runtime does not count, and what it wrote is no size either
    agent.last_input_tokens = read + (finish.usage.output_tokens or 0) if read else 0
    return [reply]


def _complaint(heard: Interpretation, reason: str) -> tuple[str, str]:
    """The kind of what is wrong with a reply and what the model is told, empty where it is fine."""
    if heard.problem is not None:
        return heard.problem.kind, heard.problem.message
    if not heard.calls and not heard.text.strip():
        return "empty", prompts.read("notes/cut.md" if reason == "length" else "notes/empty.md")
    return "", ""
