"""`localagent journal verify|stats|export|prune`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.arguments import Parser
from localagent.config import paths
from localagent.errors import ResumeError, UsageError
from localagent.terminal import forget_typed, in_line, told

if TYPE_CHECKING:
    from gateway.ledger import Ledger
    from localagent.config.models_toml import ModelsFile


def main(argv: Sequence[str]) -> int:
    """Runs the command. Raises LocalAgentError, LedgerError."""
    from gateway.ledger import Ledger

    default = paths.data_dir() / "ledger.db"
    args = _parser(default).parse_args(list(argv))
    if args.ledger and not (args.ledger.is_file() and args.ledger.stat().st_size):
        raise UsageError(f"{args.ledger} is no ledger: there is nothing in it; the one of this machine is {default}")
    args.ledger = args.ledger or default
    with Ledger(args.ledger) as ledger:
        return _COMMANDS[args.command](ledger, args)


def _parser(default: Path) -> argparse.ArgumentParser:
    parser = Parser(prog="localagent journal", description="The ledger: proves itself, counts, exports, forgets.")
    sub = parser.add_subparsers(dest="command", required=True, metavar="verify|stats|export|prune")
    commands = {
        name: sub.add_parser(name, help=about)
        for name, about in (
            ("verify", "find any row that was changed, removed or moved; exit status 0 or 4"),
            ("stats", "what happened, in figures"),
            ("export", "all that happened, as another program wants it"),
            ("prune", "erase sessions that have not been used for a while; the ledger still verifies"),
        )
    }
    for command in commands.values():
        command.add_argument("--ledger", metavar="FILE", type=Path, help=f"default: {default}")
        command.add_argument("--json", action="store_true", help="for programs")
    commands["stats"].add_argument("--html", metavar="FILE", help="write them as one HTML file with charts")
    _export_options(commands["export"])
    prune = commands["prune"]
    prune.add_argument("--older-than", metavar="AGE", help="30d, 12h, 4w, 6m, 1y (default: keep_days of models.toml)")
    prune.add_argument("--dry-run", action="store_true", help="only say which")
    prune.add_argument("--yes", action="store_true", help="do not ask; without a terminal nothing is erased otherwise")
    prune.add_argument("--models", metavar="FILE", help="the models.toml with [journal] keep_days")
    return parser


def _export_options(export: argparse.ArgumentParser) -> None:
    from localagent.journal.export import FORMATS

    export.add_argument("--format", choices=FORMATS, help="default: by the name of FILE, otherwise jsonl")
    export.add_argument("--out", metavar="FILE", help="default: standard output")
    export.add_argument("--session", metavar="SESSION", help="only this session")
    export.add_argument("--content", action="store_true", help="otlp: texts too, not only names and counts")
    export.add_argument("--send", action="store_true", help="otlp: post to the `otlp` address of models.toml")
    export.add_argument("--models", metavar="FILE", help="the models.toml with [telemetry] otlp")


def _verify(ledger: Ledger, args: argparse.Namespace) -> int:
    from gateway.journal import verify

    return verify(ledger, as_json=args.json)


def _stats(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.charts import bars
    from localagent.journal.stats import stats

    figures = stats(ledger)
    if args.html:
        from localagent.journal.report import html

        _write(args.html, html(figures))
        print(args.html, file=sys.stderr)
    if args.json:
        print(json.dumps(figures, ensure_ascii=False))
    elif not args.html:
        print(bars(figures))
    return 0


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def _export(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.export import export, format_of
    from localagent.journal.listing import resolve

    form = format_of(args.out, args.format or ("otlp" if args.send else None))
    session = resolve(ledger, args.session) if args.session else None
    if form != "otlp" and (args.content or args.send):
        raise UsageError(f"--content and --send belong to --format otlp, not to {form}")
    file = _models_file(args.models) if form == "otlp" else None
    providers = {name: entry.backend for name, entry in file.entries.items()} if file else {}
    if args.send:
        return _send(ledger, file, session=session, providers=providers, content=args.content)
    export(ledger, form, args.out, session=session, providers=providers, content=args.content)
    return 0


def _send(ledger: Ledger, file: ModelsFile | None, **options: object) -> int:
    from localagent.config.models_toml import host_of
    from localagent.journal.charts import count
    from localagent.journal.export import send
    from localagent.net import fence

    if file is None or not file.otlp:
        raise UsageError('no collector is named: write [telemetry] otlp = "http://127.0.0.1:4318" into models.toml')
    fence.install({host_of(file.otlp)})
    sent = asyncio.run(send(ledger, file.otlp, **options))
    print(f"{count(sent, 'run')} sent to {file.otlp}", file=sys.stderr)
    return 0


def _models_file(path: str | None) -> ModelsFile:
    from localagent.config.models_toml import read_models_toml

    return read_models_toml(paths.models_file(path))


def _prune(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.charts import count
    from localagent.journal.retention import days_of, erase, older_than
    from localagent.models.masking import forget_vault

    file = _models_file(args.models)
    days = days_of(args.older_than) if args.older_than else file.keep_days
    if days is None:
        raise UsageError("say how old: journal prune --older-than 30d, or [journal] keep_days = 30 in models.toml")
    found, rows = older_than(ledger, days), 0
    if found and not (args.dry_run or args.yes or _agreed(found)):
        print("nothing was erased", file=sys.stderr)
        return 0
    for session, title in tuple(found):
        try:
            if not args.dry_run:
                rows += erase(ledger, session, reason=f"older than {days:g} days", data=args.ledger.parent)
                if file.cloud_enabled:
                    forget_vault(session, file.cloud_config)
        except ResumeError as error:  # it is in use
            print(f"kept: {error}", file=sys.stderr)
            found.remove((session, title))
            continue
        if not args.json:
            print(f"{session}  {in_line(title)}")
    if args.json:
        print(json.dumps({"sessions": [session for session, _ in found], "erased_rows": rows}))
    else:
        done = "would be erased" if args.dry_run else "erased"
        print(f"{count(len(found), 'session')} {done}", file=sys.stderr)
    return 0


def _agreed(found: Sequence[tuple[str, str]]) -> bool:
    """Asks the person, who sees what it is about. Raises UsageError where there is nobody to ask."""
    from localagent.journal.charts import count

    what = count(len(found), "session")
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(f"{what} would be erased for good: look with --dry-run, then say it with --yes")
    told("".join(f"{session}  {in_line(title)}\n" for session, title in found))
    forget_typed(sys.stdin)
    told(f"Erase {what} for good? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


_COMMANDS: dict[str, Callable[[Ledger, argparse.Namespace], int]] = {
    "verify": _verify,
    "stats": _stats,
    "export": _export,
    "prune": _prune,
}
