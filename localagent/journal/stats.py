"""What the journal knows in figures. One pass of SQL a question; nothing is loaded into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateway.ledger import Ledger

_RUN = "SELECT {what} FROM events WHERE kind = 'run_finished' AND data IS NOT NULL"


def stats(ledger: Ledger) -> dict[str, Any]:
    """Runs by outcome, steps and tokens (p50, p95, max), cost, tools, repairs and prefix reuse."""
    q = ledger.connection.execute
    runs = q(
        _RUN.format(
            what="json_extract(data, '$.result.outcome'), json_extract(data, '$.result.steps'),"
            " json_extract(data, '$.result.usage.input_tokens'), json_extract(data, '$.result.usage.output_tokens'),"
            " json_extract(data, '$.result.usage.evaluated_tokens'), json_extract(data, '$.result.cost_usd')"
        )
    ).fetchall()
    outcomes: dict[str, int] = {}
    for row in runs:
        outcomes[row[0]] = outcomes.get(row[0], 0) + 1
    tools = _tools(ledger)
    known = [(r[2], r[4]) for r in runs if r[2] and r[4] is not None]
    read, evaluated = sum(r[0] for r in known), sum(r[1] for r in known)
    return {
        "runs": len(runs),
        "outcomes": dict(sorted(outcomes.items())),
        "at_limit": _share(outcomes.get("limit", 0) + outcomes.get("stalled", 0), len(runs)),
        "steps": _spread([r[1] for r in runs]),
        "input_tokens": _spread([r[2] for r in runs]),
        "output_tokens": _spread([r[3] for r in runs]),
        "cost_usd": round(sum(r[5] or 0 for r in runs), 6),
        "prefix_reuse": _share(read - evaluated, read),
        "rejected_replies": q("SELECT count(*) FROM events WHERE kind = 'reply_rejected'").fetchone()[0],
        "fallbacks": q(
            "SELECT count(*) FROM events WHERE kind = 'fell_back' AND json_extract(data, '$.why') IS NOT 'asked'"
        ).fetchone()[0],
        "tools": tools,
        "tools_never_called": _never_called(ledger, {tool["tool"] for tool in tools}),
    }


def _tools(ledger: Ledger) -> list[dict[str, Any]]:
    rows = ledger.connection.execute(
        "SELECT json_extract(data, '$.result.name') AS name, count(*), sum(NOT json_extract(data, '$.result.ok')),"
        " sum(json_extract(data, '$.seconds')) FROM events WHERE kind = 'tool_finished' AND data IS NOT NULL"
        " GROUP BY name ORDER BY count(*) DESC, name"
    )
    return [
        {"tool": name, "calls": calls, "failed": failed or 0, "seconds": round(seconds or 0, 3)}
        for name, calls, failed, seconds in rows
    ]


def _never_called(ledger: Ledger, called: set[str]) -> list[str]:
    offered = ledger.connection.execute(
        "SELECT DISTINCT value FROM events, json_each(data, '$.tools') WHERE kind = 'run_started' AND data IS NOT NULL"
    )
    return sorted(row[0] for row in offered if row[0] not in called)


def _spread(values: list[float | None]) -> dict[str, float] | None:
    known = sorted(v for v in values if v is not None)
    if not known:
        return None
    pick = {"p50": 0.5, "p95": 0.95}
    return {**{k: known[min(len(known) - 1, int(q * len(known)))] for k, q in pick.items()}, "max": known[-1]}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def bars(figures: dict[str, Any], width: int = 40) -> str:
    """The figures as lines with bars for a terminal."""
    lines = [f"{figures['runs']} runs, {figures['cost_usd']:.4f} USD, {figures['rejected_replies']} replies rejected"]
    if figures["prefix_reuse"] is not None:
        lines.append(f"prefix reused: {figures['prefix_reuse']:.0%} of all input tokens")
    for name in ("steps", "input_tokens", "output_tokens"):
        if figures[name]:
            lines.append(f"{name}: " + ", ".join(f"{k} {v:g}" for k, v in figures[name].items()))
    lines += _chart("outcome", figures["outcomes"], width)
    lines += _chart("tool", {t["tool"]: t["calls"] for t in figures["tools"]}, width)
    failed = {t["tool"]: t["failed"] for t in figures["tools"] if t["failed"]}
    lines += _chart("failed", failed, width)
    if figures["tools_never_called"]:
        lines.append("never called: " + ", ".join(figures["tools_never_called"]))
    return "\n".join(lines)


def _chart(title: str, values: dict[str, int], width: int) -> list[str]:
    if not values:
        return []
    top = max(values.values())
    return ["", title, *(f"  {k:<16} {'█' * max(1, v * width // top)} {v}" for k, v in values.items())]
