"""The layers that every tool gets, in one list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localagent.guard.approve import Approval
from localagent.guard.confine import Sandbox, confine_commands, open_host
from localagent.guard.layers import Layer, Record, announce, limit_size
from localagent.guard.rules import Rules
from localagent.guard.taint import Taint, mark_foreign
from localagent.guard.undo import UndoStore, remember_changes
from localagent.ports import Approver, Mode


def standard_layers(
    *,
    mode: Callable[[], Mode],
    rules: Rules,
    approver: Approver,
    sandbox: Sandbox,
    undo: UndoStore,
    taint: Taint,
    record: Record,
    home: Path | None = None,
) -> tuple[Layer, ...]:
    """Outermost first: a result is cut before it is marked; a call is durable only when it may happen."""
    return (
        mark_foreign(taint),
        limit_size,
        Approval(mode, rules, approver, sandbox, taint, record, home).layer,
        announce(record),
        remember_changes(undo, record),
        confine_commands(sandbox),
        open_host,
    )


def undo_store(home: Path, session: str) -> UndoStore:
    """Where the changes of a session are kept."""
    return UndoStore(home / "undo", session)
