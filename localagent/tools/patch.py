"""Unified diffs as models write them: line numbers are hints, the context decides."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from localagent.tools.nearest import nearest_lines
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

_HUNK = re.compile(r"@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)?)? ?@@|^@@$")


@dataclass(slots=True)
class Hunk:
    """`before` must stand in the file, near line `line` (1-based, 0 for unknown), and becomes `after`."""

    line: int
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FilePatch:
    """One file: `old` is "" for a new file, `new` is "" for a deleted one."""

    old: str
    new: str
    hunks: list[Hunk] = field(default_factory=list)
    open_end: bool = False  # "\\ No newline at end of file"


def parse_patch(text: str) -> list[FilePatch]:
    """The files of a unified diff. Raises ToolFailure invalid where it is none."""
    files: list[FilePatch] = []
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines):
        follows = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("--- ") and follows.startswith("+++ "):
            files.append(FilePatch(_name(line), _name(follows)))
        elif files and not (line.startswith("+++ ") and lines[number - 1].startswith("--- ")):
            _take(files[-1], line)
    if not files or not all(part.hunks or not part.new for part in files):
        raise ToolFailure("invalid", say("bad_patch"))
    return files


def _name(line: str) -> str:
    name = line[4:].split("\t")[0].strip()
    return "" if name == "/dev/null" else re.sub(r"^[ab]/", "", name)


def _take(part: FilePatch, line: str) -> None:
    """One line of the file's part; what stands outside hunks (index lines, modes) is passed over."""
    hunk = _HUNK.match(line)
    if hunk:
        part.hunks.append(Hunk(int(hunk.group(1) or 0)))
    elif not part.hunks or line.startswith("diff --git "):
        return
    elif line.startswith("\\"):
        part.open_end = True
    elif line[:1] in ("-", "+", " ", ""):
        if line[:1] != "+":
            part.hunks[-1].before.append(line[1:])
        if line[:1] != "-":
            part.hunks[-1].after.append(line[1:])


def apply_file_patch(text: str, part: FilePatch) -> str:
    """The text with every hunk in place. Raises ToolFailure not_found with the lines that come nearest."""
    lines, shift = text.split("\n"), 0
    for hunk in part.hunks:
        before, after = _trimmed(hunk)
        if not part.old:
            return "\n".join(after) + ("" if part.open_end else "\n")
        at = _place(lines, before, hunk.line - 1 + shift)
        if at is None:
            near = nearest_lines(text, "\n".join(before))
            raise ToolFailure("not_found", say("no_match", path=part.old, near=near))
        lines[at : at + len(before)] = after
        shift += len(after) - len(before)
    return "\n".join(lines)


def _trimmed(hunk: Hunk) -> tuple[list[str], list[str]]:
    """Without the empty line that splitting the patch leaves after the last hunk."""
    before, after = list(hunk.before), list(hunk.after)
    while before and after and before[-1] == after[-1] == "":
        before.pop()
        after.pop()
    return before, after


def _place(lines: list[str], before: list[str], hint: int) -> int | None:
    """Where the lines stand; of several places the one nearest to the hint, none where two are as near."""
    if not before:
        return max(0, min(hint + 1, len(lines)))
    size = len(before)
    places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == before]
    if not places:
        bare = [row.rstrip() for row in before]
        places = [at for at in range(len(lines) - size + 1) if [r.rstrip() for r in lines[at : at + size]] == bare]
    if len(places) > 1 and hint < 0:
        return None
    places.sort(key=lambda at: abs(at - hint))
    return places[0] if places else None
