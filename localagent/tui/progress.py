"""Where a run stands: what the runtime is doing, and what the newest reply cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Phase:
    """What the runtime is doing right now; `kind` "" is at rest."""

    kind: str = ""
    done: int = 0
    total: int | None = None
    note: str = ""
    since: float = 0.0


@dataclass(slots=True)
class Figures:
    """What the newest reply cost and how fast it was; None where nobody can say."""

    tokens_per_second: float | None = None
    first_token_seconds: float | None = None
    reused: float | None = None  # share of the prompt that was not computed again
    cost_usd: float = 0.0
    step: int = 0
