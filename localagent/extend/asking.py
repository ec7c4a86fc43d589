"""The question whether a folder's own instructions count, put to a person who is there, once a folder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from localagent.config.trust import is_trusted, trust
from localagent.extend.preamble import find_extras
from localagent.i18n import t

DECLINED = "declined.json"  # folders of which the person never wants to be asked again
Ask = Callable[[str, Sequence[str]], Awaitable[str]]


async def ask_trust(workspace: Path, home: Path, ask: Ask) -> None:
    """Asks where the folder brings something and is not trusted; any answer but the three is "not now"."""
    brought = find_extras(workspace, home).untrusted
    if not brought or is_trusted(workspace, home / DECLINED):
        return
    yes, later, never = t("trust.yes"), t("trust.later"), t("trust.never")
    answer = await ask(t("trust.question", folder=str(workspace), brought=", ".join(brought)), (yes, later, never))
    if answer == yes:
        trust(workspace)
    elif answer == never:
        trust(workspace, home / DECLINED)
