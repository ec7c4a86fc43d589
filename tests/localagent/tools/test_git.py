"""The git tool looks and never runs what a repository wants it to run."""

import shutil
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from localagent.guard.sandbox import choose_sandbox
from tests.fakes.tools import Bench


@pytest.fixture
def repository(bench: Bench) -> Bench:
    bench.write("a.txt", "one\n")
    for argv in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first words"],
    ):
        subprocess.run(["git", *argv], cwd=bench.workspace, check=True)
    bench.write("a.txt", "two\n")
    return bench


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"action": "status"}, " M a.txt"),
        ({"action": "diff"}, "+two"),
        ({"action": "log"}, "first words"),
        ({"action": "show", "revision": "HEAD"}, "+one"),
        ({"action": "blame", "path": "a.txt"}, "two"),
        ({"action": "branches"}, "main"),
    ],
)
async def test_reading(repository: Bench, arguments: dict[str, str], part: str) -> None:
    outcome = await repository.run("git", **arguments)
    assert outcome.ok, outcome.content
    assert part in outcome.content


@pytest.mark.parametrize("revision", ["--output=x", "-h", "--ext-diff"])
async def test_options_are_no_revisions(repository: Bench, revision: str) -> None:
    outcome = await repository.run("git", action="diff", revision=revision)
    assert outcome.failure == "invalid"


async def test_a_path_outside_is_refused(repository: Bench) -> None:
    assert (await repository.run("git", action="log", path="../..")).failure == "denied"


@pytest.mark.parametrize("key", ["core.fsmonitor", "core.pager", "diff.external", "core.sshCommand"])
async def test_programs_of_the_repository_do_not_run(repository: Bench, key: str) -> None:
    mark = repository.workspace.parent / "ran"
    hook = repository.workspace.parent / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", key, str(hook)], cwd=repository.workspace, check=True)
    for action in ("status", "diff", "log", "show"):
        await repository.run("git", action=action)
    assert not mark.exists()


def _traps(work: Path, mark: Path) -> None:
    """A filter of what is read and a program for signatures, in a second configuration that git takes for the first."""
    hook = work / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch ran {mark}\ncat\n")
    hook.chmod(0o755)
    shutil.copytree(work / ".git", work / "other")
    with (work / "other" / "config").open("a") as config:
        config.write(f'[filter "x"]\nclean = {hook}\n[gpg]\nprogram = {hook}\n[format]\npretty = %G? %s\n')
    (work / ".git" / "commondir").write_text("../other")
    (work / ".gitattributes").write_text("* filter=x\n")


async def test_programs_of_the_repository_reach_nothing_outside(repository: Bench) -> None:
    """The sandbox that the machine has; where it has none, such a repository is not looked at."""
    mark = repository.workspace.parent / "ran"
    _traps(repository.workspace, mark)
    sandbox = choose_sandbox()
    context = replace(repository.context, confine=partial(sandbox.accept().confine, workspace=repository.workspace))
    for action in ("status", "diff", "show"):
        outcome = await repository.tools["git"].run({"action": action}, context)
        assert outcome.ok or not sandbox.confines, outcome.content
    assert not mark.exists()
    assert (repository.workspace / "ran").exists() == sandbox.confines  # so it was run, inside


async def test_without_a_sandbox_a_repository_that_starts_programs_is_not_looked_at(repository: Bench) -> None:
    _traps(repository.workspace, repository.workspace.parent / "ran")
    outcome = await repository.run("git", action="status")
    assert (outcome.failure, "filter.x.clean" in outcome.content) == ("denied", True)
    assert not (repository.workspace.parent / "ran").exists()


async def test_the_layers_confine_it(repository: Bench) -> None:
    assert (await repository.call("git", action="status")).ok
    assert repository.sandbox.asked == [((), False)]


async def test_no_repository_is_said(bench: Bench) -> None:
    outcome = await bench.run("git", action="status")
    assert outcome.failure == "invalid"
    assert "not a git repository" in outcome.content
