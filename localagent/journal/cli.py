"""`localagent journal verify|stats|export`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from localagent.config import paths


def main(argv: Sequence[str]) -> int:
    """Runs the command. Raises LedgerError."""
    from gateway import journal
    from gateway.ledger import Ledger
    from localagent.journal.stats import bars, stats

    args = journal.parser("localagent", paths.data_dir() / "ledger.db").parse_args(list(argv))
    if args.command == "export" and args.out and args.out.endswith(".md"):
        with Ledger(args.ledger) as ledger:
            Path(args.out).write_text(_all_markdown(ledger, args.session), encoding="utf-8")
        return 0
    return journal.run(args, stats, bars)


def _all_markdown(ledger: object, session: str | None) -> str:
    from gateway.ledger import Ledger
    from localagent.journal.listing import as_markdown, sessions

    assert isinstance(ledger, Ledger)
    wanted = [session] if session else [row.session for row in sessions(ledger, limit=1_000_000)]
    return "\n".join(f"# {name}\n\n{as_markdown(ledger, name)}" for name in wanted)
