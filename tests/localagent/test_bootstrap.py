"""The first command of a clone, in a copy whose environment is there already."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from localagent import bootstrap


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "localagent").mkdir()
    shutil.copy(bootstrap.__file__, tmp_path / "localagent")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".venv/bin").mkdir(parents=True)
    command = tmp_path / ".venv/bin/localagent"
    command.write_text('#!/bin/sh\necho "did $*"\ntest "$2" != "a lost cause" || exit 3\n')
    command.chmod(0o755)
    (tmp_path / ".venv/.localagent-all").touch()
    return tmp_path


def run(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(clone / "localagent/bootstrap.py"), *arguments]
    return subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=60)


def test_standard_output_holds_the_answer_alone(clone: Path) -> None:
    done = run(clone, "run", "a task", "--json")
    assert (done.returncode, done.stdout) == (0, "did run a task --json\n")
    assert done.stderr == "did models pull embedded\n"


def test_the_exit_status_is_that_of_the_run(clone: Path) -> None:
    assert run(clone, "run", "a lost cause").returncode == 3


def test_another_word_shows_the_usage(clone: Path) -> None:
    done = run(clone, "rnu", "a task")
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python3 -m localagent.bootstrap run TASK")
