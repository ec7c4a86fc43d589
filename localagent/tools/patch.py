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
    last: str = " "  # sign of the newest line
    blank: int = 0  # empty lines that count only when the hunk goes on: models drop the space of empty context

    def take(self, sign: str, text: str) -> None:
        """One line that stays (" "), goes ("-") or comes ("+")."""
        self.before += [""] * self.blank + [text] * (sign != "+")
        self.after += [""] * self.blank + [text] * (sign != "-")
        self.blank, self.last = 0, sign


@dataclass(slots=True)
class FilePatch:
    """One file: `old` is "" for a new file, `new` is "" for a deleted one."""

    old: str
    new: str
    hunks: list[Hunk] = field(default_factory=list)
    open_end: bool | None = None  # whether the new file ends without a newline, None where the patch does not say


def parse_patch(text: str) -> list[FilePatch]:
    """The files of a unified diff. Raises ToolFailure invalid where it is none."""
    files: list[FilePatch] = []
    lines = text.replace("\r\n", "\n").split("\n")
    number = 0
    while number < len(lines):
        if _is_head(lines[number : number + 3]):
            _begin(files, _name(lines[number]), _name(lines[number + 1]))
            number += 2
            continue
        if files:
            _take(files[-1], lines[number])
        number += 1
    if not files or not all(part.hunks or not part.new for part in files):
        raise ToolFailure("invalid", say("bad_patch"))
    return files


def _begin(files: list[FilePatch], old: str, new: str) -> None:
    """A file's part, which a later head of the same file goes on with: models write a head for every hunk."""
    same = [part for part in files if old and (part.old, part.new) == (old, new)]
    files[:] = [part for part in files if part not in same] + (same or [FilePatch(old, new)])


def _is_head(lines: list[str]) -> bool:
    """A file's head and the hunk after it; without that it could be a changed line that begins with dashes."""
    return [line[:4] for line in lines[:2]] == ["--- ", "+++ "] and lines[-1].startswith("@@")


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
        part.open_end = part.hunks[-1].last != "-"  # a newline that only the old file lacks comes
    elif not line:
        part.hunks[-1].blank += 1
    elif line[0] in "-+ ":
        part.hunks[-1].take(line[0], line[1:])


def apply_file_patch(text: str, part: FilePatch) -> str:
    """The text with every hunk in place. Raises ToolFailure not_found with the lines that come nearest."""
    lines, shift = text.split("\n"), 0
    for hunk in part.hunks:
        before, after = hunk.before, hunk.after
        if not part.old:
            return "\n".join(after) + ("" if part.open_end else "\n")
        at = _place(lines, before, hunk.line - 1 + shift)
        if at is None:
            near = nearest_lines(text, "\n".join(before))
            raise ToolFailure("not_found", say("no_match", path=part.old, near=near))
        lines[at : at + len(before)] = after
        shift += len(after) - len(before)
    ended = text.endswith("\n")  # then the last of the lines is what follows that newline: nothing
    if part.open_end is not None and lines and ended is part.open_end:
        lines = lines[:-1] if ended else [*lines, ""]
    return "\n".join(lines)


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
