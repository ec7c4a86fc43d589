"""What a confined command may use, how it ends, and what goes on working."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from localagent.guard.jail.plan import Limits
from localagent.guard.sandbox import LinuxSandbox, SandboxRefusedError, choose_sandbox, works
from localagent.tools.process import kill
from tests.localagent.guard.confined import PYTHON, ROOT, Place

if sys.platform != "linux":
    pytest.skip("the sandbox is Linux's", allow_module_level=True)


# limits and ends


def test_processes_are_bounded(place: Place) -> None:
    if ROOT and place.kind != "namespaces":
        pytest.skip("the kernel's limit of processes does not hold for root")
    if ROOT and tuple(map(int, os.uname().release.split(".")[:2])) < (6, 14):
        pytest.skip("before Linux 6.14 nothing bounds the processes of root")
    code = """
import os, signal
born = []
try:
    while len(born) < 700:
        child = os.fork()
        if not child:
            signal.pause()
        born.append(child)
except OSError:
    pass
print(len(born))
for child in born:
    os.kill(child, 9)
"""
    assert int(place.python(code, confined=False).stdout) == 700
    bounded = replace(place, limits=Limits(processes=320))
    assert int(bounded.python(code).stdout) <= 320


def test_time_is_bounded(place: Place) -> None:
    code = "import time\nwhile time.process_time() < 2.5: pass\nprint('done')"
    assert place.python(code, confined=False).stdout == "done\n"
    assert place.python(code).stdout == "done\n"
    ended = replace(place, limits=Limits(cpu_seconds=1)).python(code)
    assert ended.stdout == ""
    assert ended.returncode == 128 + signal.SIGKILL


def test_memory_and_files_are_bounded(place: Place) -> None:
    small = replace(place, limits=Limits(memory=200 << 20, file_bytes=1 << 20))
    grow, write = "print(len(bytearray(300 << 20)))", "open('big', 'wb').write(bytes(2 << 20))"
    assert place.python(grow).returncode == place.python(write).returncode == 0
    assert small.python(grow).returncode != 0
    assert small.python(write).returncode != 0
    assert (place.workspace / "big").stat().st_size <= 1 << 20


def test_who_eats_the_machines_memory_goes_first(view: Place) -> None:
    assert view.shell("cat /proc/self/oom_score_adj", confined=False).stdout != "1000\n"
    assert view.shell("cat /proc/self/oom_score_adj; echo 0 > /proc/self/oom_score_adj").stdout == "1000\n"


def _silent(process: subprocess.Popen[str]) -> bool:
    """Whether nobody holds the output any more, which every descendant does while it lives."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            if os.read(process.stdout.fileno(), 4096) == b"":
                return True
        time.sleep(0.02)
    return False


LEAVES = "setsid sleep 60 & setsid bash -c 'sleep 60 & sleep 60' & echo started"


def test_what_a_command_leaves_running_ends_with_it(place: Place) -> None:
    with place.start(["/bin/bash", "-c", LEAVES], confined=True) as process:
        assert _silent(process)
    with place.start(["/bin/bash", "-c", "setsid sleep 2 & echo"], confined=False) as process:
        process.wait()
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        os.read(process.stdout.fileno(), 4096)
        with pytest.raises(BlockingIOError):
            os.read(process.stdout.fileno(), 1)


DEAF = "trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 60 & sleep 60' & echo started; sleep 60"


async def test_who_does_not_heed_its_end_leaves_nothing_running(place: Place) -> None:
    """As the shell tool ends a command: politely, then by force."""
    argv = LinuxSandbox(place.kind).confine(["/bin/bash", "-c", DEAF], workspace=place.workspace)
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *argv, cwd=place.workspace, stdin=nothing, stdout=pipe, start_new_session=True
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"started\n"
    await kill(process)
    assert await asyncio.wait_for(process.stdout.read(), 10) == b""


def test_the_command_ends_with_its_launcher_and_that_with_its_parent(place: Place) -> None:
    wrap = f"import subprocess, sys; p = subprocess.Popen(sys.argv[1:], cwd={str(place.workspace)!r}); p.wait()"
    inner = LinuxSandbox(place.kind).confine(["/bin/bash", "-c", f"{LEAVES}; sleep 60"], workspace=place.workspace)
    inner[4] = inner[4].replace(f'"parent": {os.getpid()}', '"parent": 0')
    with place.start([str(PYTHON), "-c", wrap, *inner], confined=False) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.kill()
        assert _silent(process)


def test_a_polite_end_is_passed_on(place: Place) -> None:
    if place.kind == "bubblewrap":
        pytest.skip("bubblewrap ends at once")
    line = "trap 'echo bye; exit 3' TERM; echo started; while :; do sleep 0.05; done"
    with place.start(["/bin/bash", "-c", line], confined=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.terminate()
        assert process.communicate(timeout=10)[0] == "bye\n"
    assert process.returncode == 3


# what works


def test_ordinary_work_goes_on(place: Place) -> None:
    line = (
        "set -e; echo a > f; mkdir d; mv f d/g; cat d/g; yes | head -1; cat <(echo sub); echo t > $TMPDIR/t; ls $HOME/t"
    )
    done = place.shell(f"{line}; touch .git/index; id -un; exit 7")
    assert done.stdout.startswith("a\ny\nsub\n")
    assert done.returncode == 7
    assert (place.workspace / "d" / "g").read_text() == "a\n"
    assert place.shell("kill -SEGV $$").returncode == 128 + signal.SIGSEGV


def test_git_goes_on(place: Place) -> None:
    shutil.rmtree(place.workspace / ".git")
    line = "git init -q && echo a > f && git add f && git -c user.name=a -c user.email=a@example.org commit -qm first"
    done = place.shell(f"{line} && git log --format=%s")
    assert (done.stdout, done.returncode) == ("first\n", 0), done.stderr


def test_a_server_of_its_own_can_be_spoken_to(view: Place) -> None:
    code = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print(1)"
    )
    assert view.python(code).stdout == "1\n"


def test_an_opened_folder_is_read_and_not_written(place: Place) -> None:
    opened = place.top / "opened"
    opened.mkdir()
    (opened / "f").write_text("shown")
    argv = LinuxSandbox(place.kind).confine(
        ["/bin/bash", "-c", f'cat "{opened}/f"; echo x > "{opened}/f"'], workspace=place.workspace, roots=[opened]
    )
    ended = subprocess.run(argv, capture_output=True, text=True, cwd=place.workspace, check=False)
    assert (ended.stdout, ended.returncode) == ("shown", 1)
    assert (opened / "f").read_text() == "shown"


def test_the_private_tmp_is_gone_afterwards(place: Place) -> None:
    left = place.shell("echo x > $TMPDIR/localagent-mark; echo $TMPDIR").stdout.strip()
    assert not (Path(left) / "localagent-mark").exists()


def test_a_module_in_the_workspace_is_not_run_by_the_launcher(place: Place) -> None:
    for name in ("ctypes", "json", "resource", "signal", "jail", "localagent"):
        (place.workspace / f"{name}.py").write_text(f"open({str(place.top / 'ran')!r}, 'w')")
    assert place.shell("true", env={**os.environ, "PYTHONPATH": str(place.workspace)}).returncode == 0
    assert not (place.top / "ran").exists()


def test_a_plan_that_cannot_be_kept_starts_nothing(place: Place) -> None:
    argv = LinuxSandbox(place.kind).confine(["/bin/sh", "-c", "echo ran"], workspace=place.workspace)
    for text in ("{}", "no plan", argv[4].replace(str(place.workspace), str(place.top / "gone"))):
        ended = subprocess.run([*argv[:4], text, *argv[5:]], capture_output=True, text=True, cwd="/", check=False)
        if place.kind != "bubblewrap" or "workspace" not in text:
            assert (ended.stdout, ended.returncode) == ("", 125)


# choosing


def test_whole_homes_and_roots_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    sandbox = LinuxSandbox("namespaces")
    for folder in (tmp_path, tmp_path / "home", Path("/"), Path("/proc/self")):
        with pytest.raises(SandboxRefusedError):
            sandbox.confine(["true"], workspace=folder)
    with pytest.raises(SandboxRefusedError):
        sandbox.confine(["true"], workspace=tmp_path / "home" / "project", roots=[Path("/proc/1/root")])
    assert sandbox.confine(["true"], workspace=tmp_path / "home" / "project")[-1] == "true"


def test_without_a_sandbox_nothing_runs_until_accepted(tmp_path: Path) -> None:
    nothing = LinuxSandbox("none")
    assert not nothing.confines
    with pytest.raises(SandboxRefusedError):
        nothing.confine(["true"], workspace=tmp_path)
    assert nothing.accept().confine(["true"], workspace=tmp_path) == ["true"]


def test_what_is_chosen_works_and_can_be_told() -> None:
    chosen = choose_sandbox()
    assert chosen.kind == "none" or works(chosen)
    assert chosen.describe()
