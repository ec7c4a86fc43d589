"""Changing files: whole, or by exact replacements that are refused where they could mean two places."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from localagent.ports import Change, Outcome, ToolContext
from localagent.tools.documents import is_document
from localagent.tools.nearest import nearest_lines
from localagent.tools.patch import apply_file_patch, parse_patch
from localagent.tools.paths import read_bytes, remove, resolve, shown, write_bytes
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import Text, decode, is_binary
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure, path_argument
from localagent.tools.words import say

NAMED_LINES = 10  # of places that one edit could mean
_EDITS = {"type": "array", "items": {"type": "object", "required": ["old", "new"]}}


def write_file(profile: Profile) -> BuiltinTool:
    params = (Param("path", required=True), Param("content", required=True))
    return _writer("write_file", params, profile, _write_changes)


def edit_file(profile: Profile) -> BuiltinTool:
    params = [Param("path", required=True), Param("old"), Param("new"), Param("all", "boolean")]
    if profile == "full":
        params.append(Param("edits", _EDITS))
    return _writer("edit_file", params, profile, _edit_changes)


def apply_patch(profile: Profile) -> BuiltinTool:
    return _writer("apply_patch", (Param("patch", required=True),), profile, _patch_changes, _patched_paths)


def _writer(
    name: str,
    params: Sequence[Param],
    profile: Profile,
    changes: Callable[[Arguments, ToolContext], tuple[Change, ...]],
    paths: Callable[[Arguments], tuple[str, ...]] = path_argument,
) -> BuiltinTool:
    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        return await asyncio.to_thread(lambda: _carry_out(changes(arguments, context), context))

    return BuiltinTool(spec_of(name, params, profile), "write", action, changes, paths)


def _carry_out(changes: tuple[Change, ...], context: ToolContext) -> Outcome:
    for change in changes:
        if change.after is None:
            remove(change.path, context)
        elif change.after != change.before:
            write_bytes(change.path, change.after, context)
    return Outcome("\n".join(_told(change, context) for change in changes))


def _told(change: Change, context: ToolContext) -> str:
    name = shown(change.path, context)
    if change.after is None:
        return say("deleted", path=name)
    if change.before == change.after:
        return say("unchanged", path=name)
    lines = change.after.count(b"\n") + (not change.after.endswith(b"\n") and change.after != b"")
    return say("created" if change.before is None else "changed", path=name, lines=lines)


def before(path: Path, context: ToolContext) -> bytes | None:
    """The file's content now, None where there is none."""
    return read_bytes(path, context) if path.exists() else None


def _text_of(path: Path, context: ToolContext) -> tuple[bytes, Text]:
    content = read_bytes(path, context)
    if is_binary(content) or is_document(path, content):
        raise ToolFailure("invalid", say("not_text", path=shown(path, context)))
    return content, decode(content)


def _encoded(form: Text, text: str, path: Path, context: ToolContext) -> bytes:
    try:
        return form.encode(text)
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.start + 1]
        name = shown(path, context)
        raise ToolFailure("invalid", say("not_encodable", path=name, char=bad, encoding=form.encoding)) from None


def _write_changes(arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
    """A file that is there keeps its encoding where that can hold the new text, and its line ends."""
    path = resolve(arguments["path"], context)
    if path.is_dir():
        raise ToolFailure("invalid", say("is_folder", path=shown(path, context)))
    old = before(path, context)
    form = decode(old) if old and not is_binary(old) else Text("")
    try:
        new = form.encode(arguments["content"])
    except UnicodeEncodeError:
        new = arguments["content"].encode("utf-8", "replace")
    return (Change(path, old, new),)


def _edit_changes(arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
    path = resolve(arguments["path"], context)
    old, form = _text_of(path, context)
    edits = [(str(edit["old"]), str(edit["new"])) for edit in arguments.get("edits") or ()]
    if arguments.get("old") is not None:
        edits.insert(0, (arguments["old"], arguments.get("new") or ""))
    if not edits:
        raise ToolFailure("invalid", say("no_edits"))
    text, name = form.text, shown(path, context)
    for before_text, after_text in edits:
        text = _replace(text, before_text, after_text, bool(arguments.get("all")), name)
    return (Change(path, old, _encoded(form, text, path, context)),)


def _replace(text: str, old: str, new: str, everywhere: bool, name: str) -> str:
    """Exactly; where that fails, the one place that differs only in space at line ends and in indentation."""
    if "\r" not in text:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ToolFailure("invalid", say("empty_old"))
    count = text.count(old)
    if count == 1 or (count and everywhere):
        return text.replace(old, new)
    if count:
        lines = ", ".join(str(number) for number in islice(_line_numbers(text, old), NAMED_LINES))
        raise ToolFailure("invalid", say("ambiguous", path=name, count=count, lines=lines))
    loose = _replace_loosely(text, old, new)
    if loose is None:
        raise ToolFailure("not_found", say("no_match", path=name, near=nearest_lines(text, old)))
    return loose


def _line_numbers(text: str, old: str) -> Iterator[int]:
    number, counted, at = 1, 0, text.find(old)
    while at >= 0:
        number += text.count("\n", counted, at)
        yield number
        counted, at = at, text.find(old, at + len(old))


def _replace_loosely(text: str, old: str, new: str) -> str | None:
    """The replacement where whole lines match but for trailing space and one common indentation; None if not unique."""
    wanted = [line.strip() for line in old.strip("\n").split("\n")]
    lines = text.split("\n")
    if not any(wanted):
        return None
    size = len(wanted)
    rows = [row.strip() for row in lines]
    starts = (at for at in range(len(lines) - size + 1) if rows[at] == wanted[0])
    places = [at for at in starts if rows[at : at + size] == wanted]
    shifts = {at: _shift(lines[at : at + size], old.strip("\n").split("\n")) for at in places}
    if len(places) != 1 or shifts[places[0]] is None:
        return None
    at, shift = places[0], shifts[places[0]] or ("", "")
    return "\n".join(lines[:at] + _moved(new.strip("\n"), shift) + lines[at + size :])


def _shift(there: list[str], given: list[str]) -> tuple[str, str] | None:
    """(given indentation, real indentation) where one exchange explains every line; None where not."""
    pairs = {(_indent(g), _indent(t)) for g, t in zip(given, there, strict=True) if t.strip()}
    first = min(pairs, key=lambda pair: len(pair[0]))
    fits = all(g == first[0] + g[len(first[0]) :] and t == first[1] + g[len(first[0]) :] for g, t in pairs)
    return first if fits else None


def _moved(new: str, shift: tuple[str, str]) -> list[str]:
    given, real = shift
    rows = new.split("\n") if new else []
    return [real + row[len(given) :] if row.strip() and row.startswith(given) else row for row in rows]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _patched_paths(arguments: Arguments) -> tuple[str, ...]:
    try:
        return tuple(name for part in parse_patch(arguments["patch"]) for name in (part.old, part.new) if name)
    except ToolFailure:
        return ()


def _patch_changes(arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
    """All files of the patch or none: every hunk is placed before anything is written."""
    changes: list[Change] = []
    for part in parse_patch(arguments["patch"]):
        path = resolve(part.new or part.old, context)
        if part.old and part.new and part.old != part.new:
            raise ToolFailure("invalid", say("patch_rename"))
        if any(change.path == path for change in changes):
            raise ToolFailure("invalid", say("patch_twice", path=shown(path, context)))
        if not part.old:
            if path.exists():
                raise ToolFailure("invalid", say("patch_exists", path=shown(path, context)))
            changes.append(Change(path, None, apply_file_patch("", part).encode()))
            continue
        old, form = _text_of(path, context)
        text = apply_file_patch(form.text, part)
        changes.append(Change(path, old, _encoded(form, text, path, context) if part.new else None))
    return tuple(changes)
