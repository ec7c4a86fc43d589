"""Skills by the open Agent Skills specification: folders with a SKILL.md, which the model reads when a task fits.

The front matter is YAML with at least `name` and `description`; further files lie beside it. One that is wrong is told
with file and line, and left out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = "SKILL.md"
WORKSPACE_FOLDERS = (".agents/skills", ".claude/skills")
NAME_CHARS, DESCRIPTION_CHARS = 64, 1024
FRONT_CHARS = 16_384
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FENCE = re.compile(r"---[ \t]*$", re.M)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that can be used; `file` is its SKILL.md."""

    name: str
    description: str
    file: Path


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a skill is left out; lines count from 1."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


def find_skills(*folders: Path) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
    """The skills of the folders in their order, by name inside each; of one name the first counts."""
    skills: dict[str, Skill] = {}
    problems: list[Problem] = []
    for file in (file for folder in folders for file in _files(folder)):
        read = read_skill(file)
        if isinstance(read, Problem):
            problems.append(read)
        elif read.name in skills:
            problems.append(Problem(file, 1, f"{skills[read.name].file} has this name already"))
        else:
            skills[read.name] = read
    return tuple(skills.values()), tuple(problems)


def workspace_folders(workspace: Path) -> tuple[Path, ...]:
    """Where a workspace keeps skills; a folder that is not there has none."""
    return tuple(workspace / folder for folder in WORKSPACE_FOLDERS)


def _files(folder: Path) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    yield from (place / FILE for place in inside if (place / FILE).is_file())


def read_skill(file: Path) -> Skill | Problem:
    """The skill of a SKILL.md, or what is wrong with it."""
    try:
        with file.open("rb") as opened:  # a session begins with all of these, so that only their heads are read
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(opened.read(4 * FRONT_CHARS))
    except (OSError, UnicodeDecodeError) as error:
        return Problem(file, 1, f"it cannot be read as UTF-8 text: {error}")
    fences = list(_FENCE.finditer(text.replace("\r\n", "\n")[:FRONT_CHARS]))
    if len(fences) < 2 or fences[0].start():
        return Problem(file, 1, "it does not begin with front matter: a line ---, name and description, a line ---")
    front = text.replace("\r\n", "\n")[fences[0].end() : fences[1].start()]
    return _from_front(file, front)


def _from_front(file: Path, front: str) -> Skill | Problem:
    import yaml  # type: ignore[import-untyped]

    try:
        fields = yaml.safe_load(front)
    except Exception as error:  # noqa: BLE001 - a file of others: PyYAML's readers of numbers and dates raise anything
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "it is no YAML"
        return Problem(file, line, f"the front matter is no valid YAML: {problem}; put a value with a colon in quotes")
    if not isinstance(fields, dict):
        return Problem(file, 2, "the front matter holds no fields; it needs name and description")
    wrong = _wrong(fields, file.parent.name)
    if wrong:
        key, text = wrong
        return Problem(file, _line_of(key, front), text)
    return Skill(fields["name"], _visible(fields["description"]), file)


def _visible(text: str) -> str:
    """On one line, without what a person could not see: marks of direction, tag and control characters."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _wrong(fields: dict[Any, Any], folder: str) -> tuple[str, str] | None:
    """The first field that breaks the specification, and how."""
    for key, most in (("name", NAME_CHARS), ("description", DESCRIPTION_CHARS)):
        value = fields.get(key)
        if not isinstance(value, str) or not value.strip():
            return key, f"{key} is missing; it is a text of 1 to {most} characters"
        if len(value) > most:
            return key, f"{key} has {len(value)} characters; allowed: at most {most}"
    name = fields["name"]
    if not _NAME.fullmatch(name):
        return "name", f"name is {name!r}; allowed: lower-case letters, digits and single hyphens between them"
    if name != folder:
        return "name", f"name is {name!r}, but its folder is {folder!r}; they must be the same"
    return None


def _line_of(key: str, front: str) -> int:
    lines = front.split("\n")
    return next((number for number, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)
