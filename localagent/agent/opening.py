"""What is put at the end of the history before a request: the task, the person's words, the house's notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from localagent.agent.limits import Watch
from localagent.agent.parts import Agent
from localagent.config import prompts
from localagent.events import Event, MessageAdded, RunStarted
from localagent.messages import Message

NAMED = 20  # files that a note names
GONE = " (gone)"


def begin(agent: Agent, task: str | None, images: tuple[str, ...] = ()) -> list[Event]:
    """The run and its task in one: a run that is in the ledger always has its task there too."""
    seat = agent.seat
    started = RunStarted(
        agent.unfinished if task is None else task, seat.model.name, str(agent.context.workspace), agent.mode,
        agent.limits.as_json(), seat.system, tuple(seat.tools), seat.dialect, resumed=task is None, schema=agent.schema,
    )  # fmt: skip
    if task is None:
        return [started]
    message = Message("user", task, images=images)
    if agent.pending:  # their results come first
        agent.inbox.appendleft(message)
        return [started]
    told = list(_changed_files(agent))
    agent.history.append(message)
    return [started, *told, MessageAdded(message)]


def said_meanwhile(agent: Agent, watch: Watch) -> Iterator[Event]:
    """The person's messages and the house's notes, at the end of the history where they break no prefix."""
    while agent.inbox:
        message = agent.inbox.popleft()
        agent.history.append(message)
        yield MessageAdded(message)
    yield from _changed_files(agent)
    for name, values in watch.take_warnings():
        yield note(agent, name, values)


def _changed_files(agent: Agent) -> Iterator[Event]:
    """Names the files that are no longer what the model saw in earlier runs; said once."""
    stale, agent.stale = agent.stale, {}
    if not stale:
        return
    root = f"{agent.context.workspace.resolve()}/"
    names = [path.removeprefix(root) + ("" if digest else GONE) for path, digest in stale.items()]
    shown = names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])
    agent.files.update(stale)
    said = note(agent, "files_changed", {"files": ", ".join(shown)})
    yield replace(said, files=tuple((path, digest or "") for path, digest in stale.items()))


def note(agent: Agent, name: str, values: dict[str, object], images: tuple[str, ...] = ()) -> MessageAdded:
    """A note of prompts/notes, as a message of the house, perhaps with pictures."""
    message = Message("user", prompts.read(f"notes/{name}.md").format(**values), images=images, by="house")
    agent.history.append(message)
    return MessageAdded(message, "house")
