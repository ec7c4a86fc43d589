"""Looking at a git repository without a shell: a fixed list of reading commands, nothing that runs helpers."""

from __future__ import annotations

import asyncio
import os
import shutil

from localagent.ports import Outcome, ToolContext
from localagent.tools.paths import resolve
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


def git(profile: Profile) -> BuiltinTool:
    params = (Param("action", required=True, choices=tuple(COMMANDS)), Param("revision"), Param("path"))
    return BuiltinTool(spec_of("git", params, profile), "read", _git, paths=path_argument)


async def _git(arguments: Arguments, context: ToolContext) -> Outcome:
    argv = _argv(arguments, context)
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
    }
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=context.workspace,
        env={**env, "GIT_CEILING_DIRECTORIES": str(context.workspace.resolve().parent), "HOME": "/nonexistent"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            out, problem = await process.communicate()
    except TimeoutError:
        raise ToolFailure("failed", say("timed_out", seconds=int(SECONDS))) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ToolFailure("invalid", problem.decode("utf-8", "replace").strip())
    text, full = fit(out.decode("utf-8", "replace").rstrip() or say("no_output"), context)
    return Outcome(text, full=full)


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
