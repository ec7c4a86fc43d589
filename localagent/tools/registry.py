"""The built-in tools of a profile, always in the same order, so that a prompt's prefix never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localagent.tools.ask import ask_user
from localagent.tools.edit import apply_patch, edit_file, write_file
from localagent.tools.files import list_dir, read_file
from localagent.tools.finish import finish
from localagent.tools.git import git
from localagent.tools.http_get import http_get
from localagent.tools.jobs import Jobs, job
from localagent.tools.plan import plan
from localagent.tools.schema import Profile
from localagent.tools.search import search_text
from localagent.tools.shell import run_command
from localagent.tools.tables import query_table

if TYPE_CHECKING:
    from localagent.ports import Tool


def builtin_tools(
    profile: Profile, *, schema: dict[str, Any] | None = None, jobs: Jobs | None = None, web: bool = False
) -> tuple[Tool, ...]:
    """nano: look and write; minimal: edit, run and ask too; full: everything. `schema` is the shape of the result.

    The smallest models choose among three, where reading a folder lists it, and end with their answer: finish is theirs
    only with a schema. `web` adds http_get, where the person's rules open hosts for it.
    """
    jobs = jobs or Jobs()
    if profile == "nano":
        end = (finish(profile, schema),) if schema is not None else ()
        return (read_file(profile), search_text(profile), write_file(profile), *end)
    tools: list[Tool] = [list_dir(profile), read_file(profile), search_text(profile)]
    if profile == "full":
        tools += [query_table(profile), git(profile)]
    tools += [write_file(profile), edit_file(profile)]
    if profile == "full":
        tools.append(apply_patch(profile))
    tools.append(run_command(profile, jobs))
    if profile == "full":
        tools += [job(profile, jobs), plan(profile), *([http_get(profile)] if web else [])]
    return (*tools, ask_user(profile), finish(profile, schema))
