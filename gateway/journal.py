"""`gateway journal verify|stats|export|find`: the record proves itself, counts, and answers an auditor."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from gateway.arguments import Parser
from gateway.config import find_config, home, load_config
from gateway.errors import ConfigError
from gateway.figures import COLUMNS, figures, requests
from gateway.hashes import load_key, of_question
from gateway.ledger import Ledger

_KINDS = ("gateway_request", "gateway_refused", "gateway_reply")
_BLOCK = "█"
_FORMATS = ("jsonl", "csv", "db")


def main(argv: Sequence[str]) -> int:
    """Carries out one command over the ledger that the proxy writes. Raises ConfigError, LedgerError."""
    args = _parser().parse_args(list(argv))
    path = args.ledger or (load_config(args.config).ledger if find_config(args.config) else home() / "ledger.db")
    if not path.exists():
        raise ConfigError(f"{path}: there is no ledger yet; name one with --ledger, or gateway.toml with --config")
    with Ledger(path) as ledger:
        if args.command == "verify":
            return verify(ledger, as_json=args.json)
        if args.command == "find":
            return _find(ledger, as_json=args.json)
        span = {"since": _time(args.since, 0.0), "until": _time(args.until, 1e12)}
        if args.command == "stats":
            found = figures(ledger, **span)
            print(json.dumps(found, ensure_ascii=False) if args.json else bars(found))
            return 0
        return _export(ledger, args, span)


def _parser() -> argparse.ArgumentParser:
    top = Parser(prog="gateway journal", description="The ledger: proves itself, counts, exports, and tells what left.")
    sub = top.add_subparsers(dest="command", required=True, metavar="verify|stats|export|find")
    for name, text in (
        ("verify", "find any row that was changed, removed or moved; exit status 0 or 4"),
        ("stats", "requests by client, model, type, outcome and day, tokens and cost"),
        ("export", "the gateway's rows as JSONL, requests as CSV, or a copy of the database"),
        ("find", "did a value leave? one value a line on standard input; exit status 0 found, 1 not"),
    ):
        command = sub.add_parser(name, help=text, description=text)
        command.add_argument("--ledger", metavar="FILE", type=Path, help="default: the one that gateway.toml names")
        command.add_argument("--config", metavar="FILE", type=Path, help="gateway.toml (default: ./, then the home's)")
        command.add_argument("--json", action="store_true", help="for programs")
        if name in ("stats", "export"):
            command.add_argument("--since", metavar="DAY", help="2026-11-30, or with a time (UTC)")
            command.add_argument("--until", metavar="DAY", help="up to and without this day or time (UTC)")
        if name == "export":
            command.add_argument("--out", metavar="FILE", help="default: standard output")
            command.add_argument("--format", choices=_FORMATS, help="default: by the name of FILE, else jsonl")
    return top


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


def bars(found: dict[str, Any], width: int = 40) -> str:
    """The figures for a terminal."""
    sent = f"{found['requests']} requests, {found['sent']} of them left"
    tokens = f"{found['input_tokens']} tokens in, {found['output_tokens']} out, {found['cost_usd']:.4f} USD"
    lines = [f"{sent}; {tokens}"]
    for title in ("masked", "passed", "blocked", "by_outcome", "by_client", "by_model", "by_upstream", "by_day"):
        values = {name or "(none)": count for name, count in (found[title] or {}).items()}
        top = max(values.values(), default=1)
        lines += ["", title.removeprefix("by_")] if values else []
        lines += [f"  {name:<24} {_BLOCK * max(1, count * width // top)} {count}" for name, count in values.items()]
    return "\n".join(lines)


def _export(ledger: Ledger, args: argparse.Namespace, span: dict[str, float]) -> int:
    kind = args.format or (Path(args.out).suffix.lstrip(".") if args.out else "jsonl")
    if kind == "db":
        if not args.out:
            raise ConfigError("a copy of the database needs --out FILE")
        Path(args.out).unlink(missing_ok=True)
        ledger.connection.execute("VACUUM INTO ?", (args.out,))
        return 0
    with _writing(args.out) as stream:
        if kind == "csv":
            rows = csv.DictWriter(stream, COLUMNS)
            rows.writeheader()
            rows.writerows(requests(ledger, **span))
            return 0
        for row in ledger.rows(kinds=_KINDS):
            if span["since"] <= row.at < span["until"]:
                line = {"id": row.id, "at": row.at, "session": row.session, "run": row.run, "event": row.kind}
                stream.write(json.dumps({**line, "data": row.data}, ensure_ascii=False) + "\n")
    return 0


@contextmanager
def _writing(out: str | None) -> Iterator[TextIO]:
    if out is None:
        yield sys.stdout
        return
    with open(out, "w", encoding="utf-8", newline="") as stream:
        yield stream


def _find(ledger: Ledger, *, as_json: bool) -> int:
    """The values themselves are never shown again: lines are named by their number."""
    key = load_key(ledger.path, create=False)
    values = [line.strip() for line in sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()]
    found_any = False
    for number, value in enumerate(values, 1):
        if not value:
            continue
        masked, passed = _met(ledger, of_question(key, value))
        found_any = found_any or bool(masked or passed)
        if as_json:
            print(json.dumps({"line": number, "masked": masked, "left_in_clear": passed}, ensure_ascii=False))
            continue
        print(f"line {number}: masked in {len(masked)} requests, left in clear in {len(passed)}")
        for what, rows in (("masked", masked), ("LEFT IN CLEAR, as the policy said", passed)):
            for row in rows:
                who = row["client"] or "no client"
                print(f"  row {row['id']}, {row['at']}, {who}, {row['model']}, {row['type']}: {what}")
    return 0 if found_any else 1


def _met(ledger: Ledger, hashes: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The requests in which one of the hashes was masked, and those in which it was let pass."""
    masked: list[dict[str, Any]] = []
    passed: list[dict[str, Any]] = []
    where = " OR ".join("instr(data, ?)" for _ in hashes)
    sql = f"SELECT id, at, data FROM events WHERE kind = 'gateway_request' AND ({where}) ORDER BY id"
    for id_, at, text in ledger.connection.execute(sql, hashes):
        data = json.loads(text)
        said = {"id": id_, "at": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")}
        said |= {name: data.get(name) for name in ("client", "model", "upstream")}
        for key, rows in (("hashes", masked), ("passed_hashes", passed)):
            kinds = [kind for kind, kept in data.get(key, {}).items() if set(kept) & set(hashes)]
            rows += [{**said, "type": ", ".join(kinds)}] if kinds else []
    return masked, passed


def _time(text: str | None, default: float) -> float:
    if text is None:
        return default
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{text}: no day; write it as 2026-11-30 or 2026-11-30T12:00") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
