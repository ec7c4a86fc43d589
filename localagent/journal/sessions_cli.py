"""`localagent sessions list|show|search|export|handoff|fork|undo|rename|delete|resume`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gateway.arguments import Parser
from localagent.config import paths
from localagent.errors import UsageError
from localagent.terminal import in_line, plain, put

if TYPE_CHECKING:
    from gateway.ledger import Ledger


def main(argv: Sequence[str]) -> int:
    """Runs the command. Raises LocalAgentError, LedgerError."""
    args = _parser().parse_args(list(argv))
    if args.command == "resume":
        from localagent.headless import main as run

        return run(["--resume", args.session, *args.rest])
    from gateway.ledger import Ledger

    with Ledger(paths.data_dir() / "ledger.db") as ledger:
        status: int = _COMMANDS[args.command](ledger, args)
        return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="localagent sessions", description="Conversations so far: each is a session, with one or more runs."
    )
    sub = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listing = sub.add_parser("list", help="the newest sessions first")
    listing.add_argument("--limit", type=_count, default=50, metavar="N", help="how many (default 50)")
    listing.add_argument("--json", action="store_true")
    for name, text in (("show", "what was said and done"), ("export", "write a session to a file")):
        command = sub.add_parser(name, help=text)
        command.add_argument("session", metavar="SESSION", help="its id, or the beginning of it")
        command.add_argument("--json", action="store_true", help="its events, one object a line")
        if name == "export":
            command.add_argument("--out", metavar="FILE", help="default: standard output; .md or .jsonl")
    search = sub.add_parser("search", help="find words in all sessions")
    search.add_argument("words", nargs="+")
    search.add_argument("--json", action="store_true")
    handoff = sub.add_parser("handoff", help="what somebody needs to take the last run over, as Markdown")
    handoff.add_argument("session", metavar="SESSION")
    handoff.add_argument("--out", metavar="FILE", help="default: standard output")
    fork = sub.add_parser("fork", help="a new session that goes on from a message of this one")
    fork.add_argument("session", metavar="SESSION")
    fork.add_argument("--at", type=int, metavar="N", help="the last message that is kept, by its number in `show`")
    fork.add_argument("--json", action="store_true")
    undo = sub.add_parser("undo", help="take back what the session changed in files: the newest step, or all")
    undo.add_argument("session", metavar="SESSION")
    undo.add_argument("--all", action="store_true", help="every change of the session, the newest first")
    undo.add_argument(
        "--force", action="store_true", help="also files that changed since, whose later changes are lost"
    )
    undo.add_argument("--json", action="store_true")
    rename = sub.add_parser("rename", help="give a session another title")
    rename.add_argument("session", metavar="SESSION")
    rename.add_argument("title")
    delete = sub.add_parser("delete", help="erase what a session holds; the journal still verifies")
    delete.add_argument("session", metavar="SESSION")
    delete.add_argument("--json", action="store_true")
    resume = sub.add_parser("resume", help="go on with a session, as `localagent run --resume SESSION`")
    resume.add_argument("session", metavar="SESSION")
    resume.add_argument("rest", nargs=argparse.REMAINDER, help="a task and options of `localagent run`")
    return parser


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number above 0")
    return number


def _list(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.listing import sessions

    rows = sessions(ledger, limit=args.limit)
    if args.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False))
        return 0
    if not rows:
        print("no sessions yet; begin one with: localagent run TASK", file=sys.stderr)
    for row in rows:
        when = datetime.fromtimestamp(row.updated).strftime("%Y-%m-%d %H:%M")
        cost = f" {row.cost_usd:.4f} USD" if row.cost_usd else ""
        outcome = row.outcome or ("unfinished" if row.runs else "fork")
        print(f"{row.session}  {when}  {outcome:<10} {in_line(row.model)}  {in_line(row.title)}{cost}")
    return 0


def _show(ledger: Ledger, args: argparse.Namespace) -> int:
    put(_text(ledger, args.session, as_json=args.json))
    return 0


def _text(ledger: Ledger, session: str, *, as_json: bool) -> str:
    from localagent.journal.listing import as_markdown, resolve

    session = resolve(ledger, session)
    if not as_json:
        return as_markdown(ledger, session)
    return "".join(json.dumps(_row(row), ensure_ascii=False) + "\n" for row in ledger.rows(session=session))


def _row(row: Any) -> dict[str, Any]:
    return {"id": row.id, "at": row.at, "session": row.session, "run": row.run, "event": row.kind, **(row.data or {})}


def _export(ledger: Ledger, args: argparse.Namespace) -> int:
    as_json = args.json or bool(args.out and args.out.endswith(".jsonl"))
    return _put(_text(ledger, args.session, as_json=as_json), args.out)


def _put(text: str, out: str | None) -> int:
    if not out:
        put(text)
        return 0
    try:
        Path(out).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from None
    print(out, file=sys.stderr)
    return 0


def _handoff(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.handoff import hand_off
    from localagent.journal.listing import resolve

    return _put(hand_off(ledger, resolve(ledger, args.session)) + "\n", args.out)


def _fork(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.forking import fork
    from localagent.journal.listing import resolve

    parent = resolve(ledger, args.session)
    session = fork(ledger, parent, at=args.at, data=paths.data_dir())
    print(json.dumps({"session": session, "parent": parent}) if args.json else session)
    print(f'go on with: localagent run --resume {session} "TASK"', file=sys.stderr)
    return 0


def _search(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.search import search

    found = search(ledger, " ".join(args.words))
    if args.json:
        print(json.dumps([asdict(hit) for hit in found], ensure_ascii=False))
        return 0
    if not found:
        print("nothing was found in what was said, called and answered", file=sys.stderr)
    for hit in found:
        print(f"{hit.session}  {in_line(hit.title)}\n    {in_line(hit.excerpt)}")
    return 0


def _undo(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.guard.standard import undo_store
    from localagent.journal.listing import resolve

    store = undo_store(paths.data_dir(), resolve(ledger, args.session))
    names = [str(change.path) for change in store.undo(everything=args.all, force=args.force)]
    print(json.dumps({"undone": names}, ensure_ascii=False) if args.json else "\n".join(map(plain, names)))
    return 0


def _rename(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.listing import rename, resolve

    if not args.title.strip():
        raise UsageError("a title has at least one letter: sessions rename SESSION TITLE")
    rename(ledger, resolve(ledger, args.session), args.title)
    return 0


def _delete(ledger: Ledger, args: argparse.Namespace) -> int:
    from localagent.journal.listing import resolve
    from localagent.journal.retention import erase
    from localagent.models.catalogue import load_catalogue
    from localagent.models.masking import forget_vault

    session = resolve(ledger, args.session)
    config = load_catalogue().file.cloud_config  # a models.toml that cannot be read is said before anything is gone
    rows = erase(ledger, session, reason="the person deleted the session", data=paths.data_dir())
    forget_vault(session, config)
    print(json.dumps({"session": session, "erased_rows": rows}) if args.json else f"{session}: {rows} events erased")
    return 0


_COMMANDS = {
    "list": _list,
    "show": _show,
    "export": _export,
    "search": _search,
    "handoff": _handoff,
    "fork": _fork,
    "undo": _undo,
    "rename": _rename,
    "delete": _delete,
}
