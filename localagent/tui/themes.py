"""Three looks of our own, and the terminal's colours for those who like them."""

from __future__ import annotations

from textual.theme import Theme

TERMINAL = "ansi-dark"  # Textual's own: the 16 colours of the terminal


def themes() -> dict[str, Theme]:
    """By the name that settings use."""
    return {
        "dark": Theme(
            name="localagent-dark", primary="#7aa2c9", secondary="#8fb59a", accent="#d8a657", warning="#d8a657",
            error="#e06c75", success="#8fb573", foreground="#d4d4d0", background="#16181b", surface="#1e2125",
            panel="#262a2f", dark=True,
        ),
        "light": Theme(
            name="localagent-light", primary="#2f6690", secondary="#4a7a57", accent="#a35d00", warning="#a35d00",
            error="#b3261e", success="#3c7a2a", foreground="#24262a", background="#fbfaf7", surface="#f1efe9",
            panel="#e6e3da", dark=False,
        ),
        "contrast": Theme(
            name="localagent-contrast", primary="#66ccff", secondary="#ffffff", accent="#ffff00", warning="#ffff00",
            error="#ff6666", success="#66ff66", foreground="#ffffff", background="#000000", surface="#000000",
            panel="#1a1a1a", dark=True,
            variables={"foreground-muted": "#ffffff", "foreground-disabled": "#cccccc", "boost": "#1a1a1a"},
        ),
    }  # fmt: skip
