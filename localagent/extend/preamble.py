"""What stands in the system prompt besides the house's own words: the folder's AGENTS.md, skills, remembered facts.

Read once, when a session begins, so that the prompt stays the same in all its runs; bounded by what a model can bear.
What a folder brings counts only where the person trusts the folder; what lies in their own configuration always does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from localagent.config import prompts
from localagent.config.trust import is_trusted
from localagent.extend.skills import Problem, Skill, find_skills, workspace_folders
from localagent.tools.schema import Profile

AGENTS = "AGENTS.md"
MOST = 100_000  # characters that are read of it; no profile has room for more


@dataclass(frozen=True, slots=True)
class Room:
    """Characters that a profile has for each part."""

    agents: int
    skills: int
    skill: int  # of one description
    facts: int


ROOMS: dict[Profile, Room] = {
    "nano": Room(0, 0, 0, 0),
    "minimal": Room(1500, 800, 120, 500),
    "full": Room(6000, 4000, 300, 2000),
}


@dataclass(frozen=True, slots=True)
class Extras:
    """What was found for a folder. `untrusted` names what the folder has and may not give."""

    agents: tuple[tuple[str, str], ...] = ()  # as the model is told the place, and the text
    skills: tuple[Skill, ...] = ()
    problems: tuple[Problem, ...] = ()
    untrusted: tuple[str, ...] = ()
    home: Path = Path()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders outside the workspace that the model may read without asking."""
        own = self.home / "skills"
        return (own.resolve(),) if any(skill.file.is_relative_to(own) for skill in self.skills) else ()


def find_extras(workspace: Path, home: Path) -> Extras:
    """Looks into the workspace and the person's own folder `home`. Raises ConfigError for a damaged list of trust."""
    brought = _brought(workspace)
    trusted = bool(brought) and is_trusted(workspace)
    own, theirs = home / AGENTS, workspace / AGENTS
    places = [(own, str(own)), *([(theirs, AGENTS)] if trusted and _lies_in(theirs, workspace) else [])]
    agents = tuple((name, text) for file, name in places if (text := _text(file)))
    skills, problems = find_skills(*(workspace_folders(workspace) if trusted else ()), home / "skills")
    return Extras(agents, skills, problems, () if trusted else brought, home)


def _brought(workspace: Path) -> tuple[str, ...]:
    """What the workspace has that needs trust, as a person reads it."""
    count = sum(len(list(folder.glob("*/SKILL.md"))) for folder in workspace_folders(workspace))
    skills = [f"{count} skill{'s' if count > 1 else ''}"] if count else []
    return (*([AGENTS] if (workspace / AGENTS).is_file() else []), *skills)


def preamble(extras: Extras, profile: Profile, workspace: Path, facts: Callable[[int], str]) -> str:
    """The blocks that follow the house's own words, "" for none. `facts` gives what is remembered within its room."""
    room = ROOMS[profile]
    blocks = [_agents_block(name, text, room.agents) for name, text in extras.agents]
    blocks.append(_skills_block(extras.skills, room, workspace))
    kept = facts(room.facts) if room.facts else ""
    blocks.append(prompts.read("system/remembered.md").format(facts=kept) if kept else "")
    return "\n\n".join(block for block in blocks if block)


def _agents_block(name: str, text: str, room: int) -> str:
    if not room:
        return ""
    if len(text) > room:
        text = text[:room].rsplit("\n", 1)[0].rstrip() + "\n" + prompts.read("system/agents_cut.md").format(name=name)
    return prompts.read("system/agents.md").format(name=name, text=text)


def _skills_block(skills: Sequence[Skill], room: Room, workspace: Path) -> str:
    lines, left = [], room.skills
    for skill in skills:
        line = f"- {skill.name}: {_short(skill.description, room.skill)} ({_place(skill.file, workspace)})"
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return prompts.read("system/skills.md").format(skills="\n".join(lines)) if lines else ""


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"


def _place(file: Path, workspace: Path) -> str:
    return file.relative_to(workspace).as_posix() if file.is_relative_to(workspace) else str(file)


def _lies_in(file: Path, workspace: Path) -> bool:
    """Whether it is the folder's own: a link may lead to a file that nobody trusts."""
    return file.resolve().is_relative_to(workspace.resolve())


def _text(file: Path) -> str:
    """What a regular file begins with; "" for none, such as a pipe, which would never end."""
    try:
        if not file.is_file():
            return ""
        with file.open(encoding="utf-8-sig", errors="replace") as opened:
            return opened.read(MOST).strip()
    except OSError:
        return ""
