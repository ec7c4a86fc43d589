"""The journal's figures over time and by kind, as series that can be drawn. One pass of SQL each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gateway.ledger import Ledger

DAYS = 14  # days back, today included
MOST = 12  # kinds in one series
DAY = "date(at, 'unixepoch', 'localtime')"
PART = f"data IS NOT NULL AND {DAY} > date(?, 'unixepoch', 'localtime', '-{DAYS} days')"
REUSED = (
    "100.0 * (1 - sum(json_extract(data, '$.usage.evaluated_tokens')) * 1.0 /"
    " sum(CASE WHEN json_extract(data, '$.usage.evaluated_tokens') IS NOT NULL"
    " THEN json_extract(data, '$.usage.input_tokens') END))"
)


@dataclass(frozen=True, slots=True)
class Series:
    """A name, and a value for each label; `daily` ones have a label for every day, oldest first.

    `unit` is shown as it is.
    """

    name: str
    labels: tuple[str, ...]
    values: tuple[float, ...]
    unit: str = ""
    daily: bool = False


def series(ledger: Ledger, now: float) -> list[Series]:
    """Runs, tokens, speed, reuse and cost of the last days; outcomes, models and tools of all time."""
    q, days = ledger.connection.execute, _days(ledger, now)

    def daily(name: str, unit: str, value: str, kind: str) -> Series:
        sql = f"SELECT {DAY}, {value} FROM events WHERE kind = ? AND {PART} GROUP BY 1"
        found = dict(q(sql, (kind, now)).fetchall())
        return Series(name, tuple(days), tuple(float(found.get(day) or 0) for day in days), unit, daily=True)

    def by(name: str, unit: str, key: str, kind: str, where: str = "1") -> Series:
        sql = (
            f"SELECT json_extract(data, '$.{key}'), count(*) FROM events WHERE kind = ? AND data IS NOT NULL"
            f" AND {where} GROUP BY 1 ORDER BY 2 DESC LIMIT {MOST}"
        )
        return _kinds(name, q(sql, (kind,)).fetchall(), unit)

    return [
        daily("runs", "runs", "count(*)", "run_finished"),
        daily("tokens", "tokens", "sum(json_extract(data, '$.usage.output_tokens'))", "replied"),
        daily("speed", "tok/s", "avg(json_extract(data, '$.tokens_per_second'))", "replied"),
        daily("first", "s", "avg(json_extract(data, '$.first_token_seconds'))", "replied"),
        daily("reused", "%", REUSED, "replied"),
        daily("cost", "USD", "sum(json_extract(data, '$.cost_usd'))", "replied"),
        by("outcomes", "runs", "result.outcome", "run_finished"),
        by("models", "replies", "model", "replied"),
        by("tools", "calls", "result.name", "tool_finished"),
        by("failed", "calls", "result.name", "tool_finished", "NOT json_extract(data, '$.result.ok')"),
    ]


def _days(ledger: Ledger, now: float) -> list[str]:
    """The last days as dates of this place, oldest first."""
    sql = "SELECT date(?, 'unixepoch', 'localtime', ?)"
    back = range(DAYS - 1, -1, -1)
    return [ledger.connection.execute(sql, (now, f"-{n} days")).fetchone()[0] for n in back]


def _kinds(name: str, rows: Iterable[tuple[str | None, int]], unit: str) -> Series:
    found = [(label or "?", float(count)) for label, count in rows]
    return Series(name, tuple(label for label, _ in found), tuple(count for _, count in found), unit)
