"""Looking: folders and files. Long files come in pages of whole numbered lines."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from localagent.ports import Outcome, ToolContext
from localagent.tools.apart import SECONDS, apart
from localagent.tools.documents import is_document, to_markdown
from localagent.tools.ignore import Ignore
from localagent.tools.paths import missing, os_failure, read_bytes, resolve, shown
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import decode, is_binary
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure, path_argument
from localagent.tools.words import say

LINE_CHARS = 2000
ENTRIES = 200
NOTE_CHARS = 120  # room for the note that says where a page ends


def list_dir(profile: Profile) -> BuiltinTool:
    params = (Param("path"), Param("depth", "integer"))
    return BuiltinTool(spec_of("list_dir", params, profile), "read", _list_dir, paths=path_argument)


def read_file(profile: Profile) -> BuiltinTool:
    params = (Param("path", required=True), Param("start", "integer"), Param("lines", "integer"))
    return BuiltinTool(spec_of("read_file", params, profile), "read", _read_file, paths=path_argument)


async def _list_dir(arguments: Arguments, context: ToolContext) -> Outcome:
    folder = resolve(arguments.get("path") or ".", context)
    if not folder.exists():
        raise missing(folder, context)
    if not folder.is_dir():
        raise ToolFailure("invalid", say("not_folder", path=shown(folder, context)))
    depth = max(1, min(5, arguments.get("depth") or 1))
    return Outcome(await asyncio.to_thread(_listing, folder, depth, context))


def _listing(folder: Path, depth: int, context: ToolContext) -> str:
    lines: list[str] = []
    try:
        _list_into(lines, folder, depth, "", Ignore(folder, context.workspace))
    except OSError as error:
        raise os_failure(error, folder, context) from None
    if not lines:
        return say("empty_folder", path=shown(folder, context))
    more = len(lines) - ENTRIES
    return "\n".join(lines[:ENTRIES] + ([say("more_entries", count=more)] if more > 0 else []))


def _list_into(lines: list[str], folder: Path, depth: int, indent: str, ignore: Ignore) -> None:
    """Folders first, then files with their sizes; ignored folders are named, not entered."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: (not _is_folder(entry), entry.name.casefold(), entry.name))
    for entry in found:
        lines.append(indent + _line(entry))
        closed = entry.is_symlink() or entry.name == ".git" or not _is_folder(entry)
        if depth > 1 and not closed and len(lines) <= ENTRIES and not ignore(Path(entry.path), folder=True):
            _list_into(lines, Path(entry.path), depth - 1, indent + "  ", ignore)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _line(entry: os.DirEntry[str]) -> str:
    name = _printable(entry.name)
    if entry.is_symlink():
        return f"{name} -> {_printable(os.readlink(entry.path))}"
    return f"{name}/" if _is_folder(entry) else f"{name}  {_size(entry.stat().st_size)}"


def _printable(name: str) -> str:
    """A name on one line, whatever is in it."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text if text.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in text)


def _size(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


async def _read_file(arguments: Arguments, context: ToolContext) -> Outcome:
    path = resolve(arguments["path"], context)
    if path.is_dir():  # there is one reading of it, and the smallest models have no other way to list
        return await _list_dir({"path": arguments["path"]}, context)
    content = await asyncio.to_thread(read_bytes, path, context)
    name = shown(path, context)
    taint = ""
    if is_document(path, content):
        text, taint = await apart(SECONDS, to_markdown, path, content, name), name
    elif is_binary(content):
        raise ToolFailure("invalid", say("binary", path=name, size=_size(len(content))))
    else:
        text = decode(content).text
    page = _page(text, arguments.get("start") or 1, arguments.get("lines"), name, context)
    return Outcome(page, taint=taint, sources=(name,))


def _page(text: str, start: int, count: int | None, name: str, context: ToolContext) -> str:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return say("empty_file", path=name)
    start = max(1, len(lines) + 1 + start if start < 0 else start)
    if start > len(lines):
        raise ToolFailure("invalid", say("past_end", path=name, lines=len(lines)))
    end = len(lines) if count is None else min(len(lines), start - 1 + max(1, count))
    shown_lines = _numbered(lines, start, end, context.result_chars - NOTE_CHARS)
    last = start - 1 + len(shown_lines)
    if start > 1 or last < len(lines):
        key = "page_more" if last < len(lines) else "page_last"
        shown_lines.append(say(key, first=start, last=last, lines=len(lines), next=last + 1))
    return "\n".join(shown_lines)


def _numbered(lines: list[str], start: int, end: int, budget: int) -> list[str]:
    """Whole lines `start` to `end` as far as the budget of characters goes, at least one."""
    out: list[str] = []
    widest = max(40, min(LINE_CHARS, budget))
    for number in range(start, end + 1):
        line = lines[number - 1]
        if len(line) > widest:
            line = line[:widest] + say("line_cut", count=len(line) - widest)
        row = f"{number}\t{line}"
        budget -= len(row) + 1
        if budget < 0 and out:
            break
        out.append(row)
    return out
