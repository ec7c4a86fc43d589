"""Why the guard asks, in the person's language: its own sentences are those of the ledger, which stay as they are."""

from __future__ import annotations

from localagent.i18n import t

REASONS = {
    "it changes files": "reason.files",
    "it runs a command": "reason.command",
    "it wants the network": "reason.network",
    "it sends something": "reason.sends",
    "it may change or send something": "reason.other",
    "commands cannot be confined here; it would run with all your rights": "reason.unconfined",
}
OUTSIDE = "it reaches outside the workspace: "


def translated(reason: str) -> str:
    """The reason in the language of the screen; one that is not known here stays as it is."""
    if reason.startswith(OUTSIDE):
        return t("reason.outside", paths=reason.removeprefix(OUTSIDE))
    key = REASONS.get(reason)
    return t(key) if key else reason
