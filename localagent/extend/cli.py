"""`localagent skills`, `localagent trust` and `localagent untrust`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from gateway.arguments import Parser
from localagent.config import paths
from localagent.config.trust import folders, is_trusted, trust
from localagent.errors import UsageError
from localagent.extend.notes import untrusted_note
from localagent.extend.preamble import find_extras


def main(argv: Sequence[str]) -> int:
    """Lists the skills that a session in the folder would have. Raises ConfigError, UsageError."""
    parser = Parser(
        prog="localagent skills",
        description="Skills are folders with a SKILL.md: .agents/skills and .claude/skills of a trusted folder, and "
        f"{paths.config_dir() / 'skills'}.",
    )
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the folder (default: this one)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(list(argv))
    workspace = paths.workspace(args.cwd)
    extras = find_extras(workspace, paths.config_dir())
    if args.json:
        rows = [{"name": s.name, "description": s.description, "file": str(s.file)} for s in extras.skills]
        problems = [{"file": str(p.file), "line": p.line, "problem": p.text} for p in extras.problems]
        print(
            json.dumps({"skills": rows, "problems": problems, "untrusted": list(extras.untrusted)}, ensure_ascii=False)
        )
        return 0
    for skill in extras.skills:
        print(f"{skill.name:<24} {skill.description}\n{'':<24} {skill.file}")
    for problem in extras.problems:
        print(f"localagent: left out: {problem}", file=sys.stderr)
    if extras.untrusted:
        print(f"localagent: {untrusted_note(workspace, extras.untrusted)}", file=sys.stderr)
    elif not extras.skills:
        print("localagent: no skills here", file=sys.stderr)
    return 0


def trust_main(argv: Sequence[str], *, yes: bool = True) -> int:
    """Trusts a folder, or no longer; with --list the folders that are. Raises ConfigError, UsageError."""
    word = "trust" if yes else "untrust"
    parser = Parser(
        prog=f"localagent {word}",
        description="A trusted folder, with what lies in it, may bring AGENTS.md, skills and MCP servers.",
    )
    parser.add_argument("folder", nargs="?", metavar="DIR", default=".", help="the folder (default: this one)")
    parser.add_argument("--list", action="store_true", help="print the trusted folders and change nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(list(argv))
    if not args.list:
        folder = Path(args.folder).expanduser().resolve()
        if yes and not folder.is_dir():
            raise UsageError(f"{args.folder} is not a folder")
        trust(folder, yes=yes)
        if not yes and is_trusted(folder):
            raise UsageError(f"{folder} lies in a folder that is still trusted; `localagent trust --list` shows them")
        if not args.json:
            print(f"{folder} is {'trusted' if yes else 'no longer trusted'}")
            return 0
    trusted = list(map(str, folders()))
    if args.json:
        print(json.dumps({"trusted": trusted}, ensure_ascii=False))
    else:
        print("\n".join(trusted) if trusted else "no folder is trusted")
    return 0
