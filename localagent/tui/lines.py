"""Single lines that say something about a reply, a run or a plan."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.errors import GatewayError
from localagent.errors import LocalAgentError
from localagent.events import FellBack, Replied, RunResult
from localagent.i18n import t
from localagent.ports import ApprovalRequest

TROUBLES = (LocalAgentError, GatewayError, OSError)  # what a person is told in a sentence: the disk may be full, too


def plan_states(items: Sequence[tuple[str, bool]]) -> tuple[tuple[str, str], ...]:
    """The items with their state; the first that is not done is the one in hand."""
    current = next((at for at, (_, done) in enumerate(items) if not done), -1)
    return tuple(
        ("done" if done else "doing" if at == current else "todo", item) for at, (item, done) in enumerate(items)
    )


def plan_line(items: Sequence[tuple[str, bool]]) -> str:
    """How far a plan is, and what comes now."""
    done = sum(done for _, done in items)
    current = next((item for item, done in items if not done), "")
    return " ".join(part for part in (t("plan.title", done=done, total=len(items)) + ".", current) if part)


def figures_line(event: Replied) -> str:
    """What a reply cost, in one line; what nobody knows is left out."""
    parts = [event.model]
    if event.usage.output_tokens is not None:
        parts.append(t("figures.tokens", n=event.usage.output_tokens))
    if event.tokens_per_second:
        parts.append(t("figures.speed", n=f"{event.tokens_per_second:.0f}"))
    if event.first_token_seconds is not None:
        parts.append(t("figures.first", n=f"{event.first_token_seconds:.1f}"))
    return " · ".join(parts)


def reason_line(request: ApprovalRequest) -> str:
    """Why the guard asks; a reason that it has no word for stays as it is, as all do in the ledger."""
    if not request.why:
        return request.reason
    return t(f"reason.{request.why}", paths=", ".join(map(str, request.outside)))


def fell_back_line(event: FellBack) -> str:
    """Why another model goes on, or the same one again; "" where the person asked for it."""
    if event.why == "asked":
        return ""
    why = t(f"why.{event.why or 'failed'}", name=event.failed)
    again = event.failed == event.to
    return t("note.again" if again else "note.fell_back", why=why, to=event.to, reason=event.reason)


def error_line(error: Exception) -> str:
    """What went wrong: first in the person's language where the catalogue knows the kind, then in the error's words."""
    if isinstance(error, OSError):
        return explained("Disk", f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return explained(type(error).__name__.removesuffix("Error"), str(error))


def explained(kind: str, text: str) -> str:
    key = f"error.{kind}"
    lead = t(key)
    return text if lead in ("", key) else f"{lead}\n{text}"


def outcome_line(result: RunResult) -> str:
    """One sentence about a run that did not end well, or whose answer did not come to its end."""
    if result.is_cut:
        return t("outcome.cut")
    error = result.error or {}
    problem = explained(error.get("type", ""), error.get("message", ""))
    return " ".join(part for part in (t(f"outcome.{result.outcome}"), problem) if part)
