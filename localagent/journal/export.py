"""The journal in other forms: lines of JSON, a database, a document, a page, traces; to a file or to a collector."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.errors import LocalAgentError, UsageError
from localagent.journal.listing import as_markdown, sessions
from localagent.journal.report import STYLE, page_head

if TYPE_CHECKING:
    from gateway.ledger import Ledger

FORMATS = ("jsonl", "sqlite", "markdown", "html", "otlp")
SUFFIXES = {".jsonl": "jsonl", ".db": "sqlite", ".sqlite": "sqlite", ".md": "markdown", ".html": "html"}
SEND_SECONDS = 30.0


def format_of(out: str | None, wanted: str | None) -> str:
    """The wanted format, or the one that the file's name tells."""
    return wanted or SUFFIXES.get(Path(out or "").suffix.lower(), "jsonl")


def export(
    ledger: Ledger,
    form: str,
    out: str | None,
    *,
    session: str | None = None,
    providers: Mapping[str, str] | None = None,
    content: bool = False,
) -> None:
    """Writes all sessions, or one, to a file or to standard output. Raises UsageError, LedgerError."""
    if form == "sqlite":
        _copy(ledger, out, session)
        return
    pieces = {
        "jsonl": lambda: _lines(ledger, session),
        "markdown": lambda: _documents(ledger, session),
        "html": lambda: _page(ledger, session),
        "otlp": lambda: _otlp(ledger, session, providers or {}, content),
    }[form]()
    try:
        stream = open(out, "w", encoding="utf-8", errors="replace") if out else sys.stdout  # noqa: SIM115 - not closed
        try:
            for piece in pieces:
                stream.write(piece)
        finally:
            if out:
                stream.close()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{out or 'standard output'} cannot be written: {error.strerror}") from None


def _copy(ledger: Ledger, out: str | None, session: str | None) -> None:
    if not out or session:
        raise UsageError("a database is exported whole and to a file: journal export --format sqlite --out FILE.db")
    if Path(out).resolve() == ledger.path.resolve():
        raise UsageError(f"{out} is the journal itself; choose another file")
    part = Path(f"{out}.part")
    part.unlink(missing_ok=True)
    try:
        ledger.connection.execute("VACUUM INTO ?", (str(part),))
        part.replace(out)
    except (OSError, sqlite3.OperationalError) as error:
        raise UsageError(f"{out} cannot be written: {error}") from None


def _lines(ledger: Ledger, session: str | None) -> Iterator[str]:
    for row in ledger.rows(session=session):
        line = {"id": row.id, "at": row.at, "session": row.session, "run": row.run, "event": row.kind, "data": row.data}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _wanted(ledger: Ledger, session: str | None) -> list[tuple[str, str]]:
    rows = [(row.session, row.title) for row in sessions(ledger, limit=-1)]
    return [row for row in rows if session is None or row[0] == session]


def _documents(ledger: Ledger, session: str | None) -> Iterator[str]:
    for name, title in _wanted(ledger, session):
        yield f"# {title or name}\n\n*session {name}*\n\n{as_markdown(ledger, name)}\n"


def _page(ledger: Ledger, session: str | None) -> Iterator[str]:
    """Every session as text that folds; what was said is never markup of the page."""
    yield page_head("localagent sessions", STYLE + _FOLDS) + "<h1>Sessions</h1>\n"
    wanted = _wanted(ledger, session)
    opened = " open" if len(wanted) == 1 else ""
    for name, title in wanted:
        body = escape(as_markdown(ledger, name))
        yield f"<details{opened}><summary>{escape(title or name)}</summary><pre>{body}</pre></details>\n"
    yield "</body></html>\n"


_FOLDS = "\nsummary { cursor: pointer; padding: .3rem 0 } pre { white-space: pre-wrap; overflow-wrap: anywhere }"


def _otlp(ledger: Ledger, session: str | None, providers: Mapping[str, str], content: bool) -> Iterator[str]:
    from localagent.journal.otlp import traces

    for one in traces(ledger, session=session, providers=providers, content=content):
        yield json.dumps(one, ensure_ascii=False) + "\n"


async def send(ledger: Ledger, url: str, **options: Any) -> int:
    """Posts every trace to the collector at `url` and returns how many it took. Raises LocalAgentError.

    The fence must know the host: configuration names it, nothing else is reached.
    """
    import httpx

    from localagent.journal.otlp import traces
    from localagent.net.http import open_client

    address = url if url.endswith("/v1/traces") else f"{url}/v1/traces"
    sent = 0
    client = await open_client(address, silence=SEND_SECONDS)
    async with client:
        for one in traces(ledger, **options):
            try:
                reply = await client.post(address, json=one)
            except httpx.HTTPError as error:
                raise LocalAgentError(
                    f"{address} took {sent} runs and is not there: {error}; nothing is lost"
                ) from None
            if reply.status_code // 100 != 2:
                said = " ".join(reply.text.split())[:200]
                raise LocalAgentError(f"{address} took {sent} runs, then said {reply.status_code}: {said}")
            sent += 1
    return sent
