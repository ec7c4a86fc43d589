"""Looking at a git repository without a shell: a fixed list of reading commands.

Even these start programs that the repository's own configuration names (filters, signatures, transports), and that was
written by whoever wrote the folder. So git runs in the sandbox; without one, only where there are no such settings.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Sequence

from localagent.ports import Outcome, ToolContext
from localagent.tools.paths import resolve
from localagent.tools.process import kill
from localagent.tools.result import fit
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure, path_argument
from localagent.tools.words import say

SECONDS = 30.0
COMMANDS = {
    "status": ("status", "--short", "--branch"),
    "diff": ("diff", "--no-ext-diff", "--no-textconv"),
    "log": ("log", "--oneline", "--no-show-signature", "-n", "30"),
    "show": ("show", "--no-ext-diff", "--no-textconv", "--no-show-signature"),
    "blame": ("blame", "--no-textconv", "--date=short"),
    "branches": ("branch", "--all", "--verbose"),
}
QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "--no-pager")

# Settings that name no program; any other one keeps git from running where nothing confines it.
_HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|safecrlf|quotepath)|remote\..*\.(url|pushurl|fetch)|branch\..*|submodule\..*\.(url|active|path|branch)"
    r"|user\.(name|email)|color\..*|init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote)"
)


def git(profile: Profile) -> BuiltinTool:
    params = (Param("action", required=True, choices=tuple(COMMANDS)), Param("revision"), Param("path"))
    return BuiltinTool(spec_of("git", params, profile), "read", _git, paths=path_argument)


async def _git(arguments: Arguments, context: ToolContext) -> Outcome:
    argv = _argv(arguments, context)
    try:
        confined = list(context.confine(argv))
    except OSError as error:  # a folder that no program may see as a whole
        raise ToolFailure("denied", str(error)) from None
    if confined == argv:
        await _check_settings(argv[0], context)
    text, full = fit(await _told(confined, context) or say("no_output"), context)
    return Outcome(text, full=full)


async def _check_settings(program: str, context: ToolContext) -> None:
    """Raises ToolFailure for a repository whose configuration may start programs."""
    listed = await _told([program, "config", "--show-scope", "--includes", "--name-only", "--list"], context)
    settings = (line.partition("\t") for line in listed.split("\n"))
    odd = next(
        (name for scope, _, name in settings if scope != "system" and name and not _HARMLESS.fullmatch(name)), ""
    )
    if odd:
        raise ToolFailure("denied", say("git_settings", setting=odd))


async def _told(argv: Sequence[str], context: ToolContext) -> str:
    """What the command writes. Raises ToolFailure."""
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C.UTF-8",
    }
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=context.workspace,
        env={**env, "GIT_CEILING_DIRECTORIES": str(context.workspace.resolve().parent), "HOME": "/nonexistent"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(SECONDS):
            out, problem = await process.communicate()
    except TimeoutError:
        raise ToolFailure("failed", say("timed_out", seconds=int(SECONDS))) from None
    finally:
        await kill(process)
    if process.returncode:
        raise ToolFailure("invalid", problem.decode("utf-8", "replace").strip())
    return out.decode("utf-8", "replace").rstrip()


def _argv(arguments: Arguments, context: ToolContext) -> list[str]:
    program = shutil.which("git")
    if program is None:
        raise ToolFailure("failed", say("no_git"))
    argv = [program, *QUIET, "-c", f"safe.directory={context.workspace.resolve()}", *COMMANDS[arguments["action"]]]
    revision = arguments.get("revision") or ""
    if revision.startswith("-"):
        raise ToolFailure("invalid", say("bad_revision", revision=revision))
    argv += [revision] if revision else []
    return [*argv, "--", str(resolve(arguments["path"], context))] if arguments.get("path") else [*argv, "--"]
