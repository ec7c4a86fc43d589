"""What the journal knows in figures, read from the rows that `derive` keeps: never from the events themselves."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateway.ledger import Ledger

DAYS = 30  # that the chart over time shows
UNANSWERED = ("limit", "stalled", "handed_off")


def stats(ledger: Ledger) -> dict[str, Any]:
    """Runs by outcome, steps and tokens (p50, p95, max), cost, tools, repairs and prefix reuse."""
    outcomes = dict(_rows(ledger, "SELECT outcome, count(*) FROM run_figures WHERE ended NOT NULL GROUP BY 1"))
    runs = sum(outcomes.values())
    tools = _tools(ledger)
    sums = _sums(ledger)
    return {
        "runs": runs,
        "unfinished": _one(ledger, "SELECT count(*) FROM run_figures WHERE ended IS NULL"),
        "outcomes": outcomes,
        "at_limit": _share(sum(outcomes.get(name, 0) for name in UNANSWERED), runs),
        **{name: _spread(ledger, what) for name, what in _SPREADS.items()},
        **sums,
        "models": _models(ledger),
        "days": _days(ledger),
        "tools": tools,
        "tools_never_called": _never_called(ledger, {tool["tool"] for tool in tools}),
    }


_SPREADS = {
    "steps": "steps",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "seconds": "round(ended - started, 3)",
}


def _rows(ledger: Ledger, sql: str) -> list[tuple[Any, ...]]:
    return ledger.connection.execute(sql).fetchall()


def _one(ledger: Ledger, sql: str) -> Any:
    return _rows(ledger, sql)[0][0]


def _sums(ledger: Ledger) -> dict[str, Any]:
    cost, rejected, repaired, fallbacks, condensed = _rows(
        ledger,
        "SELECT coalesce(sum(cost_usd), 0.0), coalesce(sum(rejected), 0), coalesce(sum(repaired), 0),"
        " coalesce(sum(fallbacks), 0), coalesce(sum(condensed), 0) FROM run_figures",
    )[0]
    read, evaluated = _rows(
        ledger,
        "SELECT coalesce(sum(input_tokens), 0), coalesce(sum(evaluated_tokens), 0) FROM run_figures"
        " WHERE evaluated_tokens NOT NULL AND input_tokens > 0",
    )[0]
    return {
        "cost_usd": round(cost, 6),
        "prefix_reuse": _share(read - evaluated, read),
        "rejected_replies": rejected,
        "repaired_replies": repaired,
        "fallbacks": fallbacks,
        "condensed": condensed,
    }


def _spread(ledger: Ledger, what: str) -> dict[str, float] | None:
    """Percentiles by the nearest rank of the runs that have an end."""
    values = _rows(ledger, f"SELECT {what} AS v FROM run_figures WHERE ended NOT NULL AND v NOT NULL ORDER BY v")
    if not values:
        return None
    rank = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    return {name: values[max(0, -int(-share * len(values) // 1) - 1)][0] for name, share in rank.items()}


def _models(ledger: Ledger) -> list[dict[str, Any]]:
    rows = _rows(
        ledger,
        "SELECT model, count(*), coalesce(sum(steps), 0), coalesce(sum(input_tokens), 0),"
        " coalesce(sum(output_tokens), 0), round(coalesce(sum(cost_usd), 0), 6) FROM run_figures"
        " WHERE ended NOT NULL GROUP BY model ORDER BY 2 DESC, 1",
    )
    names = ("model", "runs", "steps", "input_tokens", "output_tokens", "cost_usd")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _days(ledger: Ledger) -> list[dict[str, Any]]:
    """Runs of each of the last days up to the newest one, also of those without any."""
    newest = _one(ledger, "SELECT date(max(started), 'unixepoch') FROM run_figures")
    if newest is None:
        return []
    first = date.fromisoformat(newest) - timedelta(days=DAYS - 1)
    counts = dict(
        ledger.connection.execute(
            "SELECT date(started, 'unixepoch'), count(*) FROM run_figures WHERE started >= unixepoch(?) GROUP BY 1",
            (first.isoformat(),),
        ).fetchall()
    )
    days = [(first + timedelta(days=n)).isoformat() for n in range(DAYS)]
    return [{"day": day, "runs": counts.get(day, 0)} for day in days]


def _tools(ledger: Ledger) -> list[dict[str, Any]]:
    rows = _rows(
        ledger,
        "SELECT tool, sum(calls), sum(failed), round(sum(seconds), 3), count(*) FROM tool_use GROUP BY tool"
        " ORDER BY 2 DESC, 1",
    )
    names = ("tool", "calls", "failed", "seconds", "runs")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _never_called(ledger: Ledger, called: set[str]) -> list[str]:
    offered = (json.loads(row[0]) for row in _rows(ledger, "SELECT DISTINCT tools FROM run_figures"))
    return sorted({name for names in offered for name in names} - called)


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
