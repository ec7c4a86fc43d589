"""What an editor lists beside its prompt: the modes, the models, the commands."""

from __future__ import annotations

from typing import Any, Literal

from acp import schema

from localagent.i18n import t
from localagent.ports import MODES
from localagent.tui.driver import ModelRow

COMMANDS = ("undo", "condense")
Category = Literal["mode", "model"]


def modes(current: str) -> schema.SessionModeState:
    """What may run without asking."""
    known = [schema.SessionMode(id=mode, name=t(f"mode.{mode}"), description=t(f"mode.{mode}_is")) for mode in MODES]
    return schema.SessionModeState(current_mode_id=current, available_modes=known)


def options(mode: str, model: str, rows: list[ModelRow]) -> list[Any]:
    """The two choices of a session; a model that is not on this machine is not offered."""
    ready = [row for row in rows if not row.offer and row.reachable is not False]
    names = [row.name for row in ready]
    shown = ready if model in names else [ModelRow(model, ""), *ready]
    return [
        _select("mode", t("key.mode"), mode, [(m, t(f"mode.{m}"), t(f"mode.{m}_is")) for m in MODES]),
        _select("model", t("key.models"), model, [(row.name, row.name, row.note) for row in shown]),
    ]


def _select(
    name: Category, label: str, current: str, rows: list[tuple[str, str, str]]
) -> schema.SessionConfigOptionSelect:
    choices = [schema.SessionConfigSelectOption(value=v, name=n, description=about or None) for v, n, about in rows]
    return schema.SessionConfigOptionSelect(
        id=name, name=label, category=name, current_value=current, options=choices, type="select"
    )


def commands() -> schema.AvailableCommandsUpdate:
    """What can be typed behind a slash."""
    known = [schema.AvailableCommand(name=name, description=t(f"command.{name}")) for name in COMMANDS]
    return schema.AvailableCommandsUpdate(session_update="available_commands_update", available_commands=known)
