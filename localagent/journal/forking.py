"""A new session that goes on from a message of another one; the old one stays as it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.config import paths
from localagent.errors import ResumeError
from localagent.events import Condensed, Forked, MessageAdded
from localagent.journal.sessions import Saved, apply, events_of
from localagent.journal.store import RunJournal, new_id
from localagent.messages import Message

if TYPE_CHECKING:
    from gateway.ledger import Ledger, Row


def fork(ledger: Ledger, session: str, *, at: int | None = None, data: Path | None = None) -> str:
    """Forks after message `at` of the session, as `sessions show` numbers them; by default after the last.

    What the model saw then is what the new session holds. `data` is the folder whose kept outputs go with it. Returns
    the new session. Raises ResumeError.
    """
    saved, count = _until(session, ledger.rows(session=session), at or -1)
    if at is not None and at != count:
        raise ResumeError(f"session {session} has {count} messages; fork at 1 to {count}")
    if saved.pending and at is not None:
        raise ResumeError(f"message {at} calls tools, whose results belong to it; fork at {at - 1} or {at + 1}")
    messages = saved.messages[:-1] if saved.pending else saved.messages
    if not messages:
        raise ResumeError(f"session {session} holds nothing to go on from; `localagent sessions list` shows others")
    return write_fork(ledger, saved, messages, data=data)


def write_fork(ledger: Ledger, parent: Saved, messages: Sequence[Message], *, data: Path | None = None) -> str:
    """The new session with these messages, each by whom it was."""
    session, run = new_id(), new_id("r")
    said = [MessageAdded(m, m.by or ("person" if m.role == "user" else "house")) for m in messages]
    forked = Forked(parent.session, len(messages), parent.model, parent.workspace)
    RunJournal(ledger, session, run).record(forked, *said)
    if data is not None and (kept := paths.outputs(data, parent.session)).is_dir():
        shutil.copytree(kept, paths.outputs(data, session))
    if data is not None and (foreign := paths.taint_file(data, parent.session)).is_file():
        shutil.copyfile(foreign, paths.taint_file(data, session))  # the words of others come along
    return session


def _until(session: str, rows: Iterable[Row], at: int) -> tuple[Saved, int]:
    """The session as it was after message `at`, or to its end where there is none such, and how many there were."""
    saved, count = Saved(session), 0
    for event in events_of(rows, saved):
        before = len(saved.messages)
        apply(saved, event)
        if not isinstance(event, Condensed):
            count += len(saved.messages) - before
        if count == at:
            break
    return saved, count
