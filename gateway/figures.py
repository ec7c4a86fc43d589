"""The gateway's figures, counted by SQLite from the ledger: by client, model, type, outcome and day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gateway.ledger import Ledger

_ASKED = "kind IN ('gateway_request', 'gateway_refused') AND data IS NOT NULL AND at >= :since AND at < :until"
_SENT = "kind = 'gateway_request' AND data IS NOT NULL AND at >= :since AND at < :until"
_ENDED = "kind = 'gateway_reply' AND data IS NOT NULL AND at >= :since AND at < :until"
_OVER = "kind IN ('gateway_reply', 'gateway_refused') AND data IS NOT NULL AND at >= :since AND at < :until"
_DAY = "date(at, 'unixepoch')"
_LEFT = "sent AND outcome <> 'unsent'"
_EVER = 1e12

COLUMNS = (
    "id", "at", "sent", "client", "model", "protocol", "upstream", "masked", "bytes", "outcome", "status",
    "input_tokens", "output_tokens", "cost_usd", "seconds", "first_seconds",
)  # fmt: skip


def figures(ledger: Ledger, *, since: float = 0.0, until: float = _EVER) -> dict[str, Any]:
    """What happened between two times (seconds since the epoch); every `by_…` is {name: requests}, most first."""
    count = _Counter(ledger, {"since": since, "until": until})
    requests, planned = count.one(
        f"SELECT count(*), coalesce(sum(kind = 'gateway_request'), 0) FROM events WHERE {_ASKED}"
    )
    ended, tokens_in, tokens_out, cost, estimated = count.one(
        f"SELECT count(*), {_sum('input_tokens')}, {_sum('output_tokens')}, {_sum('cost_usd')}, {_sum('estimated')}"
        f" FROM events WHERE {_ENDED}"
    )
    outcomes = count.by("outcome", _OVER)
    if planned > ended:
        outcomes["open"] = planned - ended
    return {
        "requests": requests,
        "sent": planned - outcomes.get("unsent", 0),
        "masked": count.inside("masked", _SENT),
        "passed": count.inside("passed", _SENT),
        "blocked": count.inside("blocked", _ASKED),
        **{f"by_{name}": count.by(name, _ASKED) for name in ("client", "model", "protocol", "upstream")},
        "by_outcome": dict(sorted(outcomes.items(), key=lambda pair: -pair[1])),
        "by_day": dict(count.rows(f"SELECT {_DAY}, count(*) FROM events WHERE {_ASKED} GROUP BY 1 ORDER BY 1")),
        "masked_by_day": dict(
            count.rows(
                f"SELECT {_DAY}, sum(value) FROM events, json_each(data, '$.masked')"
                f" WHERE {_SENT} GROUP BY 1 ORDER BY 1"
            )
        ),
        "input_tokens": int(tokens_in),
        "output_tokens": int(tokens_out),
        "estimated": int(estimated),
        "cost_usd": round(cost, 6),
        "seconds": count.quantiles("seconds"),
    }


def requests(ledger: Ledger, *, since: float = 0.0, until: float = _EVER) -> Iterator[dict[str, Any]]:
    """A row a request, with what became of it; the keys are COLUMNS."""
    sql = (
        f"SELECT {', '.join(_LEFT if name == 'sent' else name for name in COLUMNS)} FROM gateway_requests"
        " WHERE at >= datetime(:since, 'unixepoch') AND at < datetime(:until, 'unixepoch') ORDER BY id"
    )
    for row in ledger.connection.execute(sql, {"since": since, "until": min(until, 2e11)}):
        yield dict(zip(COLUMNS, row, strict=True))


def _sum(name: str) -> str:
    return f"coalesce(sum(json_extract(data, '$.{name}')), 0)"


class _Counter:
    """Queries over the events of one stretch of time."""

    def __init__(self, ledger: Ledger, bounds: dict[str, float]) -> None:
        self._connection, self._bounds = ledger.connection, bounds

    def rows(self, sql: str) -> list[Any]:
        return list(self._connection.execute(sql, self._bounds))

    def one(self, sql: str) -> Any:
        return self.rows(sql)[0]

    def by(self, name: str, where: str) -> dict[str, int]:
        value = f"coalesce(json_extract(data, '$.{name}'), '')"
        return dict(self.rows(f"SELECT {value}, count(*) FROM events WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"))

    def inside(self, name: str, where: str) -> dict[str, int]:
        each = f"json_each(data, '$.{name}')"
        return dict(
            self.rows(f"SELECT key, sum(value) FROM events, {each} WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1")
        )

    def quantiles(self, name: str) -> dict[str, float]:
        """Half and 99 of 100 of the values are no larger; empty where there are none."""
        value = f"json_extract(data, '$.{name}')"
        where = f"{_ENDED} AND {value} IS NOT NULL"
        count = self.one(f"SELECT count(*) FROM events WHERE {where}")[0]
        found: dict[str, float] = {}
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            place = max(0, min(count - 1, int(count * share)))
            rows = self.rows(f"SELECT {value} FROM events WHERE {where} ORDER BY 1 LIMIT 1 OFFSET {place}")
            if rows:
                found[label] = float(rows[0][0])
        return found
