"""The layers of a session from its folders and settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localagent.guard.confine import NoSandbox, Sandbox
from localagent.guard.layers import Layer, Record
from localagent.guard.rules import load_rules
from localagent.guard.sandbox import choose_sandbox
from localagent.guard.standard import standard_layers, undo_store
from localagent.guard.taint import Taint
from localagent.ports import Approver, Mode


def session_layers(
    *,
    home: Path,
    workspace: Path,
    mode: Callable[[], Mode],
    approver: Approver,
    session: str,
    record: Record,
    sandbox: Sandbox | None = None,
) -> tuple[Layer, ...]:
    """Rules from `home/approvals.toml`, undo and taint of the session beside it. Raises ConfigError."""
    return standard_layers(
        mode=mode,
        rules=load_rules(home / "approvals.toml"),
        approver=approver,
        sandbox=sandbox or _best_sandbox(),
        undo=undo_store(home, session),
        taint=session_taint(home, session),
        record=record,
        home=home,
    )


def session_taint(home: Path, session: str) -> Taint:
    """What the session remembers of foreign words; `clear()` is the person's to call."""
    return Taint(home / "taint" / f"{session}.json")


def _best_sandbox() -> Sandbox:
    """What this machine can give; where it gives nothing, each command asks and runs only when the person says so."""
    found = choose_sandbox()
    return found if found.confines else NoSandbox()
