"""`journal verify|stats|export` over a ledger: what both command lines share, and the gateway's own figures."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gateway.config import home
from gateway.ledger import Ledger

Stats = Callable[[Ledger], dict[str, Any]]
Bars = Callable[[dict[str, Any]], str]


def parser(prog: str, default: Path) -> argparse.ArgumentParser:
    """The command line of `PROG journal`."""
    top = argparse.ArgumentParser(prog=f"{prog} journal", description="The ledger: proves itself, counts, exports.")
    sub = top.add_subparsers(dest="command", required=True, metavar="verify|stats|export")
    for name, text in (
        ("verify", "find any row that was changed, removed or moved; exit status 0 or 4"),
        ("stats", "what happened, in figures"),
        ("export", "every event as JSONL, or a copy of the database"),
    ):
        command = sub.add_parser(name, help=text)
        command.add_argument("--ledger", metavar="FILE", type=Path, default=default, help=f"default: {default}")
        command.add_argument("--json", action="store_true", help="for programs")
        if name == "export":
            command.add_argument("--out", metavar="FILE", help="default: standard output; .jsonl, .db or .md")
            command.add_argument("--session", metavar="SESSION", help="only this session")
    return top


def run(args: argparse.Namespace, stats: Stats, bars: Bars) -> int:
    """Carries a parsed command out. Raises LedgerError."""
    with Ledger(args.ledger) as ledger:
        if args.command == "verify":
            return verify(ledger, as_json=args.json)
        if args.command == "stats":
            figures = stats(ledger)
            print(json.dumps(figures, ensure_ascii=False) if args.json else bars(figures))
            return 0
        return export(ledger, args.out, args.session)


def verify(ledger: Ledger, *, as_json: bool) -> int:
    """Prints the verdict: {"ok", "rows", "erased", "faults": [{"id", "what"}]}; 0 when the chain holds, otherwise 4."""
    verdict = ledger.verify()
    if as_json:
        faults = [{"id": fault.id, "what": fault.what} for fault in verdict.faults]
        print(json.dumps({"ok": verdict.ok, "rows": verdict.rows, "erased": verdict.erased, "faults": faults}))
    else:
        print(f"{ledger.path}: {verdict.rows} rows, {verdict.erased} erased, {'whole' if verdict.ok else 'NOT whole'}")
        for fault in verdict.faults:
            print(f"  row {fault.id}: {fault.what}")
    return 0 if verdict.ok else 4


def export(ledger: Ledger, out: str | None, session: str | None) -> int:
    """Every event as a line of JSON, or the database itself where the file's name ends in .db."""
    if out and out.endswith(".db"):
        Path(out).unlink(missing_ok=True)
        ledger.connection.execute("VACUUM INTO ?", (out,))
        return 0
    stream = open(out, "w", encoding="utf-8") if out else sys.stdout  # noqa: SIM115 - standard output is not closed
    try:
        for row in ledger.rows(session=session):
            line = {"id": row.id, "at": row.at, "session": row.session, "run": row.run, "event": row.kind}
            stream.write(json.dumps({**line, "data": row.data}, ensure_ascii=False) + "\n")
    finally:
        if out:
            stream.close()
    return 0


def request_stats(ledger: Ledger) -> dict[str, Any]:
    """The gateway's figures: requests by client, model and outcome, entities masked by type, tokens and cost."""
    by: dict[str, Counter[str]] = {key: Counter() for key in ("client", "model", "protocol", "outcome")}
    masked: Counter[str] = Counter()
    requests, tokens, cost = 0, Counter[str](), 0.0
    for row in ledger.rows(kinds=["gateway_request", "gateway_reply"]):
        data = row.data or {}
        if row.kind == "gateway_request":
            requests += 1
            masked.update(data.get("masked", {}))
            for key in ("client", "model", "protocol"):
                by[key][str(data.get(key, "?"))] += 1
        else:
            by["outcome"][str(data.get("outcome", "?"))] += 1
            tokens.update({k: data.get(k) or 0 for k in ("input_tokens", "output_tokens")})
            cost += data.get("cost_usd") or 0.0
    figures = {f"by_{key}": dict(counter.most_common()) for key, counter in by.items()}
    return {"requests": requests, "masked": dict(masked.most_common()), **figures, **tokens, "cost_usd": round(cost, 6)}


def request_bars(figures: dict[str, Any], width: int = 40) -> str:
    """The gateway's figures for a terminal."""
    lines = [f"{figures['requests']} requests, {figures['cost_usd']:.4f} USD"]
    for title in ("masked", "by_client", "by_model", "by_outcome"):
        values = figures.get(title) or {}
        top = max(values.values(), default=1)
        lines += ["", title.removeprefix("by_")] if values else []
        lines += [f"  {name:<20} {'█' * max(1, count * width // top)} {count}" for name, count in values.items()]
    return "\n".join(lines)


def main(argv: Sequence[str]) -> int:
    """`gateway journal …` over the ledger that the proxy writes. Raises LedgerError."""
    return run(parser("gateway", home() / "ledger.db").parse_args(list(argv)), request_stats, request_bars)
