"""The tool that finds passages of the workspace's documents, and what was said and done in earlier sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.memory.words import match_all, terms
from localagent.ports import Outcome, ToolContext
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

if TYPE_CHECKING:
    from gateway.ledger import Ledger
    from localagent.journal.search import Found as Said
    from localagent.memory.library import Answer, Library
    from localagent.memory.search import Found

HITS = 6
SAID = 2  # places in earlier sessions
FEWEST_CHARS = 200  # of a passage, however little room there is


def search_documents(profile: Profile, library: Library, ledger: Ledger, session: str) -> BuiltinTool:
    """`session` is the one that searches: what it said itself is no find."""

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        query = arguments["query"]
        if not terms(query):
            raise ToolFailure("invalid", say("empty_query"))
        answer = await library.search(query, limit=HITS, report=_reporter(context))
        earlier = _in_sessions(ledger, session, query, context, library.data)
        return _outcome(answer, earlier, query, context)

    return BuiltinTool(spec_of("search_documents", (Param("query", required=True),), profile), "read", action)


def _outcome(answer: Answer, earlier: Sequence[str], query: str, context: ToolContext) -> Outcome:
    """Passages first, what earlier sessions said after them, then what the model should know of the search."""
    notes = list(answer.notes)
    if answer.no_model:
        notes.append(say("words_only"))
    if answer.waiting:
        notes.append(say("vectors_wait", count=answer.waiting))
    room = max(FEWEST_CHARS, (context.result_chars - 1000) // HITS)
    parts = [*(_shown(found, room) for found in answer.found), *earlier] or [say("no_passages", query=query)]
    sources = tuple(dict.fromkeys(found.path for found in answer.found))
    return Outcome("\n\n".join([*parts, *(f"[{note}]" for note in notes)]), sources=sources)


def _reporter(context: ToolContext) -> Callable[[str, int, int], None]:
    """Progress for the screen, from whichever thread it comes."""
    loop = asyncio.get_running_loop()

    def report(what: str, done: int, total: int) -> None:
        if total > done or total > 500:
            loop.call_soon_threadsafe(context.emit, f"{what} {done} of {total}\n")

    return report


def _shown(found: Found, room: int) -> str:
    """A citation that read_file understands, then the passage."""
    lines = f"{found.line}-{found.last}" if found.last > found.line else f"{found.line}"
    heading = f" ({found.title.rpartition(': ')[2]})" if found.title and found.title != found.path else ""
    text = found.text if len(found.text) <= room else f"{found.text[:room].rstrip()} …"
    return f"{found.path}:{lines}{heading}\n{text}"


def _in_sessions(ledger: Ledger, session: str, query: str, context: ToolContext, data: Path) -> list[str]:
    """The best places in earlier sessions of this folder that speak of all of it.

    A session that read what others wrote is only named: its words may be theirs.
    """
    from localagent.guard.assemble import session_taint
    from localagent.journal.search import matching

    wanted = match_all(query)
    found = matching(ledger, wanted, limit=SAID, besides=session, workspace=str(context.workspace)) if wanted else []
    return [
        say("foreign_session", session=one.session) if session_taint(data, one.session).active else _remembered(one)
        for one in found
    ]


def _remembered(said: Said) -> str:
    day = date.fromtimestamp(said.at).isoformat()
    return f"session {said.session} of {day} ({said.title}):\n{' '.join(said.excerpt.split())}"
