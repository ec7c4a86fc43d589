"""What a person is told when a session begins: skills that are wrong, and what an untrusted folder may not give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from localagent.extend.preamble import Extras


def notes_on(extras: Extras, workspace: Path) -> Iterator[str]:
    """One sentence each."""
    if extras.untrusted:
        yield untrusted_note(workspace, extras.untrusted)
    for problem in extras.problems:
        yield f"a skill is left out: {problem}"


def untrusted_note(workspace: Path, brought: Sequence[str]) -> str:
    """What is said of a folder whose own words are not used."""
    return f"{workspace} brings {' and '.join(brought)}, not used until you trust it: localagent trust {workspace}"
