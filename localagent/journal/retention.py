"""Erasing sessions: what they said goes, out of the ledger, its index, its figures and the folders beside it.

The chain of the ledger still holds afterwards, and says what was erased, when and why.
"""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.config import paths
from localagent.errors import UsageError
from localagent.journal.claim import claims_of
from localagent.journal.search import forget

if TYPE_CHECKING:
    from gateway.ledger import Ledger

_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}


def days_of(text: str) -> float:
    """Days from `30d`, `12h`, `4w`, `6m`, `1y` or a number of days. Raises UsageError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdwmy]?)", text.strip().lower())
    if not found:
        raise UsageError(f"{text!r} is no time: write 30d, 12h, 4w, 6m or 1y")
    return float(found[1]) * _UNITS[found[2] or "d"]


def older_than(ledger: Ledger, days: float) -> list[tuple[str, str]]:
    """(session, title) of all that were last used longer ago than that."""
    sql = "SELECT session, title FROM sessions WHERE updated < ? ORDER BY updated"
    return ledger.connection.execute(sql, (time.time() - days * 86400,)).fetchall()


def erase(ledger: Ledger, session: str, *, reason: str, data: Path) -> int:
    """Erases a session and returns how many rows of the ledger it emptied. `data` is the folder of what lies beside.

    Raises ResumeError for one that another process holds: what it still writes would come after.
    """
    with claims_of(data).hold(session):
        return _erase(ledger, session, reason, data)


def _erase(ledger: Ledger, session: str, reason: str, data: Path) -> int:
    rows = ledger.erase(session, reason=reason)
    forget(ledger, session)
    for copy in ledger.path.parent.glob(f"{ledger.path.name}.v*.bak"):  # made before a migration, with all texts in it
        copy.unlink()
    _sweep(data, session)
    return rows


def _sweep(data: Path, session: str) -> None:
    """What a session kept in files: outputs and notes, its marks of foreign words, the contents that undo needs."""
    from localagent.guard.standard import undo_store

    shutil.rmtree(paths.outputs(data, session), ignore_errors=True)
    paths.taint_file(data, session).unlink(missing_ok=True)
    undo_store(data, session).forget()
