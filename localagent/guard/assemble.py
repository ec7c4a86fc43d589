"""The layers of a session from its folders and settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localagent.config.paths import taint_file
from localagent.config.trust import is_trusted
from localagent.guard.confine import NoSandbox, Sandbox
from localagent.guard.layers import Layer, Record
from localagent.guard.rules import Rules, load_rules
from localagent.guard.sandbox import choose_sandbox
from localagent.guard.standard import standard_layers, undo_store
from localagent.guard.taint import FOREIGN, UNTRUSTED, Taint
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
    rules = load_rules(home / "approvals.toml")
    taint = watching_taint(home, workspace, session, rules)
    return standard_layers(
        mode=mode,
        rules=rules,
        approver=approver,
        sandbox=sandbox or _best_sandbox(),
        undo=undo_store(home, session),
        taint=taint,
        record=record,
        home=home,
    )


def watching_taint(home: Path, workspace: Path, session: str, rules: Rules | None = None) -> Taint:
    """The session's taint with the names of what others wrote. Raises ConfigError."""
    rules = rules or load_rules(home / "approvals.toml")
    taint = session_taint(home, session)
    taint.foreign = FOREIGN if rules.foreign is None else rules.foreign
    if not is_trusted(workspace):
        taint.foreign = (*taint.foreign, *UNTRUSTED)
    return taint


def session_taint(home: Path, session: str) -> Taint:
    """What the session remembers of foreign words; `clear()` is the person's to call."""
    return Taint(taint_file(home, session))


def _best_sandbox() -> Sandbox:
    """What this machine can give; where it gives nothing, each command asks and runs only when the person says so."""
    found = choose_sandbox()
    return found if found.confines else NoSandbox()
