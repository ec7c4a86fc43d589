"""Finding files by name and lines by text, without what .gitignore hides."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from localagent.ports import Outcome, ToolContext
from localagent.tools.apart import apart, reach
from localagent.tools.ignore import walk
from localagent.tools.paths import missing, read_bytes, resolve, shown
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import decode, is_binary
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure, path_argument
from localagent.tools.words import say

HITS = 100
FILES = 100
LINE_CHARS = 240
FILE_LIMIT = 8 * 1024 * 1024  # bytes
SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    text: str


def search_text(profile: Profile) -> BuiltinTool:
    params = (Param("pattern", required=profile == "nano"), Param("glob"), Param("path"))
    return BuiltinTool(spec_of("search_text", params, profile), "read", _search_text, paths=path_argument)


async def _search_text(arguments: Arguments, context: ToolContext) -> Outcome:
    start, glob = _start(arguments, context), arguments.get("glob") or ""
    if not arguments.get("pattern"):
        return await _find_files(start, glob, context)
    pattern = _compiled(arguments["pattern"])
    hits, finished = await apart(SECONDS * 1.5, _hits, start, pattern, glob, reach(context))
    if not hits:
        return Outcome(say("no_hits" if finished else "no_hits_in_time", pattern=arguments["pattern"]))
    lines = [f"{hit.path}:{hit.line}: {hit.text}" for hit in hits[:HITS]]
    if len(hits) > HITS or not finished:
        lines.append(say("more_hits", count=HITS))
    return Outcome("\n".join(lines), sources=tuple(dict.fromkeys(hit.path for hit in hits)))


async def _find_files(start: Path, glob: str, context: ToolContext) -> Outcome:
    if not glob:
        raise ToolFailure("invalid", say("empty_pattern"))
    names = await asyncio.to_thread(_names, start, glob, context)
    if not names:
        return Outcome(say("no_files", glob=glob))
    more = [say("more_files", count=len(names) - FILES)] if len(names) > FILES else []
    return Outcome("\n".join(names[:FILES] + more))


def _names(start: Path, glob: str, context: ToolContext) -> list[str]:
    return [shown(path, context) for path in walk(start, context.workspace) if _matches(path, start, glob)]


def _start(arguments: Arguments, context: ToolContext) -> Path:
    start = resolve(arguments.get("path") or ".", context)
    if not start.exists():
        raise missing(start, context)
    return start


def _compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression, or the words themselves where they are none; lower case finds any case."""
    flags = re.IGNORECASE if pattern == pattern.lower() else re.NOFLAG
    try:
        return re.compile(pattern, flags)
    except re.error:
        return re.compile(re.escape(pattern), flags)


def _hits(start: Path, pattern: re.Pattern[str], glob: str, context: ToolContext) -> tuple[list[Hit], bool]:
    """At most one more than HITS, and whether the whole tree was seen within its time."""
    deadline = time.monotonic() + SECONDS
    hits: list[Hit] = []
    for path in walk(start, context.workspace):
        if glob and not _matches(path, start, glob):
            continue
        hits += _hits_in(path, pattern, context, HITS + 1 - len(hits))
        if len(hits) > HITS or time.monotonic() > deadline:
            return hits, len(hits) > HITS
    return hits, True


def _hits_in(path: Path, pattern: re.Pattern[str], context: ToolContext, limit: int) -> Iterator[Hit]:
    try:
        if path.stat().st_size > FILE_LIMIT:
            return
        content = read_bytes(path, context)
    except (OSError, ToolFailure):  # gone or closed since it was listed
        return
    if is_binary(content):
        return
    name = shown(path, context)
    for number, line in enumerate(decode(content).text.split("\n"), 1):
        found = pattern.search(line[:100_000])
        if found:
            yield Hit(name, number, _around(line, found.start()))
            limit -= 1
            if not limit:
                return


def _around(line: str, position: int) -> str:
    line_start = max(0, min(position - LINE_CHARS // 3, len(line) - LINE_CHARS))
    piece = line[line_start : line_start + LINE_CHARS].strip()
    return ("…" if line_start else "") + piece + ("…" if line_start + LINE_CHARS < len(line) else "")


def _matches(path: Path, start: Path, glob: str) -> bool:
    """`*.py` fits a name anywhere, a glob with a slash the path below the start; `**/` may stand for nothing."""
    if "/" not in glob:
        return fnmatch(path.name, glob)
    relative = path.relative_to(start).as_posix() if start.is_dir() else path.name
    return fnmatch(relative, glob.removeprefix("./")) or fnmatch(relative, glob.removeprefix("./").replace("**/", ""))
