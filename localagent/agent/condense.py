"""When the window fills: the head of the history becomes one message, the last whole pairs stay.

The person's own messages are kept word for word as far as a share of the window allows, the model writes the rest under
prompts/condense.md. Once a run, and never without gain: a pass that would not free a tenth is not made.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from localagent.agent.context import request_of, size_of
from localagent.agent.limits import Watch
from localagent.agent.next_seat import move_on
from localagent.agent.parts import Agent
from localagent.config import prompts
from localagent.errors import ContextOverflowError, ModelError, PromptCutError
from localagent.events import Condensed, Event, Notice
from localagent.journal.sessions import condensed
from localagent.messages import Message
from localagent.models.estimate import estimate
from localagent.ports import Request, TextDelta

FULL_AT = 0.85
CHARS_PER_TOKEN = 3.6  # English prose and JSON through the tokenizers of small models
KEEP_SHARE = 0.3  # of the window: the newest messages
WORDS_SHARE = 0.15  # of the window: the person's own words
TRANSCRIPT_SHARE = 0.45  # of the window: what the model reads of the head
SUMMARY_SHARE = 0.12  # of the window: what it may write
GAIN = 0.9


def due(agent: Agent, watch: Watch) -> bool:
    """Whether the next request would take more than 0.85 of the window that is really served."""
    window = agent.seat.capabilities.context
    if window is None or watch.condensed:
        return False
    return size_of(agent) + min(agent.seat.max_tokens, window // 4) * 0.5 >= FULL_AT * window


async def fits_again(agent: Agent, watch: Watch, error: ContextOverflowError) -> AsyncGenerator[Event, None]:
    """Condenses after an overflow; where that was tried or cannot help the next of the chain takes the seat.

    A cut that the server made in silence is told. Raises the overflow at the end of the chain.
    """
    if isinstance(error, PromptCutError):
        yield agent.record(Notice("prompt_cut", str(error)))
    if not watch.condensed:
        events = [event async for event in condense(agent, watch, overflowed=True)]
        for event in events:
            yield event
        if not any(isinstance(event, Notice) for event in events):
            return
    watch.overflowed.add(agent.seat.model.name)
    async with aclosing(move_on(agent, error, watch.overflowed)) as moves:
        async for event in moves:
            yield event


async def condense(agent: Agent, watch: Watch, *, overflowed: bool = False) -> AsyncGenerator[Event, None]:
    """Yields Condensed, or a Notice where nothing would be gained or the model could not do it.

    The runtime's count says when, so no more than half of what was said stays even where it looks short. After an
    overflow every token that is freed is a gain.
    """
    watch.condensed = True
    messages = agent.history.snapshot()
    window = agent.seat.capabilities.context or 4096
    half = sum(len(_line(message)) for message in messages) / CHARS_PER_TOKEN / 2
    kept = keep(messages, int(min(window * KEEP_SHARE, half)))
    head = messages[: len(messages) - kept]
    before = size_of(agent)
    if len(head) < 2:
        yield agent.record(
            Notice("condense_refused", "there is nothing to condense: the last messages fill the window")
        )
        return
    try:
        told = await _summary(agent, head, window)
    except ModelError as error:
        yield agent.record(Notice("condense_failed", f"the summary could not be written: {error}"))
        return
    summary = prompts.read("condensed.md").format(words=_words(head, window), summary=told + _kept(agent))
    after_messages = condensed(messages, summary, kept)
    after = estimate(request_of(agent.seat, after_messages, session=""))
    if after > (before - 1 if overflowed else GAIN * before):
        yield agent.record(Notice("condense_refused", "condensing would free less than a tenth of the window"))
        return
    event = Condensed(summary, kept, before, after)
    yield agent.record(event)
    agent.history.replace(after_messages)
    agent.last_input_tokens = 0


def keep(messages: Sequence[Message], tokens: int) -> int:
    """How many of the last messages stay: whole pairs of a reply and its results, within the tokens."""
    kept, room = 0, tokens * CHARS_PER_TOKEN
    for index in range(len(messages) - 1, -1, -1):
        room -= len(_line(messages[index]))
        if room < 0:
            break
        if messages[index].role != "tool":
            kept = len(messages) - index
    return min(kept, len(messages) - 1)


async def _summary(agent: Agent, head: Sequence[Message], window: int) -> str:
    transcript = _cut("\n".join(_line(m) for m in head), int(window * TRANSCRIPT_SHARE * CHARS_PER_TOKEN))
    ask = prompts.read("condense.md")
    request = Request(
        (Message("system", ask), Message("user", transcript)), max_tokens=max(64, int(window * SUMMARY_SHARE))
    )
    text = ""
    async with aclosing(agent.seat.model.reply(request)) as deltas:  # type: ignore[type-var]
        async for delta in deltas:
            text += delta.text if isinstance(delta, TextDelta) else ""
    if not text.strip():
        raise ModelError("the model wrote nothing")
    return text.strip()


def _words(head: Sequence[Message], window: int) -> str:
    """What the person said, word for word: the first message before all, the newest of the others."""
    said = [m.content for m in head if m.role == "user" and m.by != "house"]
    room = int(window * WORDS_SHARE * CHARS_PER_TOKEN)
    return _cut("\n\n".join(said), room)


def _kept(agent: Agent) -> str:
    """Plan and notes, which the model wrote to have them now."""
    scratch = agent.context.scratch
    texts = {
        name: file.read_text(encoding="utf-8", errors="replace").strip()
        for name in ("plan", "notes")
        if scratch.parts and (file := scratch / f"{name}.md").is_file()
    }
    return "\n\n" + prompts.read("kept.md").format(**{"plan": "-", "notes": "-", **texts}) if texts else ""


def _line(message: Message) -> str:
    calls = "".join(f"\ncalled {c.name} {c.arguments}" for c in message.calls)
    results = "".join(f"\n{r.name} answered: {r.content}" for r in message.results)
    return f"{message.role}: {message.content}{calls}{results}"


def _cut(text: str, room: int) -> str:
    """Head and tail of a text that is too long: the head tells the task, the tail the state."""
    if len(text) <= room:
        return text
    return f"{text[: room * 2 // 3]}\n[…]\n{text[-(room // 3) :]}"
