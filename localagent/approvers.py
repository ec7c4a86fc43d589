"""Who answers when the agent asks and there is no screen: the terminal, or nobody."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from localagent.errors import LocalAgentError
from localagent.ports import MODES, ApprovalRequest, Approver, Change, Decision, Mode
from localagent.terminal import forget_typed, hear, told

DIFF_LINES = 60
_COVERED: dict[str, Mode] = {
    "files": "edit",
    "command": "all",
}  # why the person is asked, and the mode that needs no question for it


def approver_for(mode: str) -> Approver:
    """The terminal where there is one, otherwise a refusal that says why. `mode` names what needs no question."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        return TerminalApprover()
    return Nobody(mode)


class Nobody:
    """Refuses, since there is no terminal to ask at."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._refused: list[ApprovalRequest] = []

    def advice(self) -> str:
        """What was refused and which flag lets it happen, in lines for the person; "" where nothing was refused."""
        if not self._refused:
            return ""
        first, more = self._refused[0], len(self._refused) - 1
        what = f"{first.call.name} ({first.reason})" + (f" and {more} more" if more else "")
        widest = max(MODES.index(_COVERED.get(request.why, "all")) for request in self._refused)
        helps = widest > MODES.index(self._mode) and all(request.why in _COVERED for request in self._refused)
        how = f"--approve {MODES[widest]} lets it happen" if helps else "in a terminal you would be asked"
        return f"localagent: refused, for nobody was there to ask: {what}; {how}\n"

    async def approve(self, request: ApprovalRequest) -> Decision:
        self._refused.append(request)
        reason = f"nobody is there to ask, and --approve {self._mode} does not cover this: {request.reason}"
        return Decision(False, reason=reason, by="mode")

    async def ask(self, question: str, options: Sequence[str]) -> str:
        return ""


class TerminalApprover:
    """Asks on standard error and reads the answer from standard input."""

    async def approve(self, request: ApprovalRequest) -> Decision:
        lines = [
            f"\n{request.summary}",
            f"  ({request.call.name}: {request.reason})",
            *(f"  $ {s}" for s in request.segments),
        ]
        lines += [line for change in request.changes for line in diff_of(change)]
        forget_typed(sys.stdin)
        told("\n".join(lines) + "\nallow? [y]es, [s]ession, [a]lways, or no with a reason: ")
        answer = (await hear(sys.stdin)).strip()
        match answer.lower():
            case "y" | "yes":
                return Decision(True)
            case "s" | "session":
                return Decision(True, "session")
            case "a" | "always":
                return Decision(True, "always")
        reason = answer.removeprefix("no").removeprefix("n").strip(" ,:") or "the person said no"
        return Decision(False, reason=reason)

    async def ask(self, question: str, options: Sequence[str]) -> str:
        choices = f" ({' / '.join(options)})" if options else ""
        forget_typed(sys.stdin)
        told(f"\n{question}{choices}\n> ")
        return (await hear(sys.stdin)).strip()


def diff_of(change: Change) -> list[str]:
    """A unified diff of a change, cut where it is long; bytes that are no text are only named."""
    try:
        before, after = ((side or b"").decode().splitlines() for side in (change.before, change.after))
    except UnicodeDecodeError:
        return [f"  {change.path}: binary, {len(change.after or b'')} bytes"]
    name = str(change.path)
    lines = list(difflib.unified_diff(before, after, name, name, lineterm=""))
    return lines if len(lines) <= DIFF_LINES else [*lines[:DIFF_LINES], f"… {len(lines) - DIFF_LINES} more lines"]


class LateApprover:
    """Stands in until the screen has put itself in its place."""

    def __init__(self) -> None:
        self.real: Approver | None = None

    def __getattr__(self, name: str) -> object:
        if self.real is None:
            raise LocalAgentError("nobody is there to ask yet")
        return getattr(self.real, name)
