"""Ways out of the sandbox: each succeeds without it, so that the test can fail, and fails with every kind of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from localagent.guard.jail import landlock
from localagent.guard.jail.plan import Limits
from localagent.guard.sandbox import KINDS, Kind, LinuxSandbox, SandboxRefusedError, choose_sandbox, works

PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
SECRET = "the person's own"
ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="a plain user cannot do it without the sandbox either")

if sys.platform != "linux":
    pytest.skip("the sandbox is Linux's", allow_module_level=True)


@dataclass(frozen=True)
class Place:
    """A workspace, and beside it what a command must not reach."""

    kind: Kind
    top: Path
    limits: Limits = Limits()  # noqa: RUF009 - immutable

    @property
    def workspace(self) -> Path:
        return self.top / "work"

    @property
    def secret(self) -> Path:
        return self.top / "home" / ".ssh" / "id_test"

    def start(self, argv: list[str], *, confined: bool, network: bool = False, **more: object) -> subprocess.Popen[str]:
        if confined:
            sandbox = LinuxSandbox(self.kind, self.limits)
            argv = sandbox.confine(argv, workspace=self.workspace, roots=[Path(sys.base_prefix)], network=network)
        told = {"cwd": self.workspace, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, **told)  # type: ignore[call-overload,no-any-return]

    def shell(self, line: str, *, confined: bool = True, **more: object) -> subprocess.CompletedProcess[str]:
        return self._ended(self.start(["/bin/bash", "-c", line], confined=confined, **more))  # type: ignore[arg-type]

    def python(self, code: str, *, confined: bool = True, **more: object) -> subprocess.CompletedProcess[str]:
        return self._ended(self.start([str(PYTHON), "-I", "-c", code], confined=confined, **more))  # type: ignore[arg-type]

    def _ended(self, process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        with process:
            out, err = process.communicate(timeout=30)
        assert "could not be confined" not in err, err
        return subprocess.CompletedProcess([], process.returncode, out, err)


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    if not works(LinuxSandbox(request.param)):
        pytest.skip(f"{request.param} does not work on this machine (not installed, or forbidden by the kernel)")
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def place(kind: Kind, tmp_path: Path) -> Place:
    place = Place(kind, tmp_path)
    (place.workspace / ".git" / "hooks").mkdir(parents=True)
    (place.workspace / ".git" / "config").write_text("[core]\n")
    place.secret.parent.mkdir(parents=True)
    place.secret.write_text(SECRET)
    return place


@pytest.fixture
def view(place: Place) -> Place:
    if place.kind == "landlock":
        pytest.skip("Landlock alone gives no view of its own")
    return place


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["/bin/sleep", "60"], env={"TOKEN": SECRET})
    yield process
    process.kill()
    process.wait()


# files


READS = {
    "by path": 'cat "{secret}"',
    "by a link": 'ln -sf "{secret}" link; cat link',
    "by a hard link": 'ln "{secret}" hard; cat hard',
    "through the parent's root": 'cat "/proc/{parent}/root{secret}"',
    "through the parent's folder": 'cat "/proc/{parent}/cwd/{from_cwd}"',
    "through the workspace's parent": "cat ../home/.ssh/id_test",
}


@pytest.mark.parametrize("way", READS)
def test_no_file_of_the_person_is_read(place: Place, way: str) -> None:
    from_cwd = os.path.relpath(place.secret, os.getcwd())
    line = READS[way].format(secret=place.secret, parent=os.getpid(), from_cwd=from_cwd)
    assert place.shell(line, confined=False).stdout == SECRET
    (place.workspace / "hard").unlink(missing_ok=True)
    confined = place.shell(line)
    assert SECRET not in confined.stdout
    assert confined.returncode != 0


@only_root
def test_the_root_of_the_first_process_is_closed(place: Place) -> None:
    line = f'cat "/proc/1/root{place.secret}"'
    if place.shell(line, confined=False).stdout != SECRET:
        pytest.skip("this machine keeps its first process closed, or in another root")
    assert SECRET not in place.shell(line).stdout


@only_root
def test_no_file_of_another_user_is_read_or_written(place: Place) -> None:
    other = place.top / "other"
    other.write_text(SECRET)
    os.chown(other, 65534, 65534)
    assert place.shell(f'cat "{other}"', confined=False).stdout == SECRET
    assert SECRET not in place.shell(f'cat "{other}"; echo > "{other}"').stdout
    assert other.read_text() == SECRET


def test_an_inherited_folder_is_no_way_out(place: Place) -> None:
    held = os.open(place.secret.parent, os.O_RDONLY)
    code = f"import os; print(os.read(os.open('id_test', os.O_RDONLY, dir_fd={held}), 99).decode())"
    try:
        assert SECRET in place.python(code, confined=False, pass_fds=[held]).stdout
        assert SECRET not in place.python(code, pass_fds=[held]).stdout
    finally:
        os.close(held)


@pytest.mark.parametrize("line", ['echo x > "{outside}/new"', 'ln -sfn "{outside}" way; echo x > way/new'])
def test_nothing_is_written_outside(place: Place, line: str) -> None:
    outside = place.top / "outside"
    outside.mkdir()
    line = line.format(outside=outside)
    assert place.shell(line, confined=False).returncode == 0
    (outside / "new").unlink()
    place.shell(line)
    assert list(outside.iterdir()) == []


def test_nothing_outside_is_truncated_or_renamed(place: Place) -> None:
    code = f"import os; os.truncate({str(place.secret)!r}, 3)"
    assert place.python(code).returncode != 0
    assert place.shell(f'mv "{place.secret}" .').returncode != 0
    assert place.secret.read_text() == SECRET
    assert place.python(code, confined=False).returncode == 0


@pytest.mark.parametrize(
    "line", ["echo evil > .git/hooks/pre-commit", "mv .git away", "rm .git/config", "mv .git/hooks h"]
)
def test_what_git_would_run_later_stays(view: Place, line: str) -> None:
    assert view.shell(line).returncode != 0
    assert (view.workspace / ".git" / "config").exists()
    assert view.shell(line, confined=False).returncode == 0


def test_a_link_in_place_of_the_hooks_opens_nothing(view: Place) -> None:
    shutil.rmtree(view.workspace / ".git" / "hooks")
    (view.workspace / ".git" / "hooks").symlink_to(view.secret.parent)
    assert SECRET in view.shell("cat .git/hooks/id_test", confined=False).stdout
    assert SECRET not in view.shell("cat .git/hooks/id_test").stdout


@only_root
@pytest.mark.parametrize("switch", ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/power/state"])
def test_the_machines_switches_are_out_of_reach(place: Place, switch: str) -> None:
    if place.shell(f"test -w {switch}", confined=False).returncode:
        pytest.skip(f"this machine has no {switch}")
    code = f"import os; os.open({switch!r}, os.O_WRONLY)"
    assert place.python(code).returncode != 0


# network


def _connect(family: str, address: object) -> str:
    return f"import socket; s = socket.socket(socket.{family}); s.settimeout(5); s.connect({address!r}); print('in')"


def test_no_connection_without_network_and_one_with_it(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = _connect("AF_INET", server.getsockname())
        assert place.python(code, confined=False).stdout == "in\n"
        assert place.python(code).returncode != 0
        assert place.python(code, network=True).stdout == "in\n"


def test_no_name_is_asked_for(place: Place) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(1)
        code = f"import socket; socket.socket(2, socket.SOCK_DGRAM).sendto(b'secret.example', {server.getsockname()!r})"
        place.python(code, confined=False)
        assert server.recv(99) == b"secret.example"
        place.python(code)
        with pytest.raises(TimeoutError):
            server.recv(99)


@pytest.mark.parametrize("abstract", [True, False])
@pytest.mark.parametrize("network", [True, False])
def test_no_socket_of_another_program_is_spoken_to(place: Place, abstract: bool, network: bool) -> None:
    if abstract and network and place.kind == "bubblewrap":
        pytest.skip("bubblewrap with network shares abstract sockets; it is asked about each time")
    if abstract and network and landlock.version() < 6:
        pytest.skip("before Linux 6.12 the network brings abstract sockets with it")
    name = f"\0localagent-{os.getpid()}" if abstract else str(place.top / "s")
    with contextlib.chdir(place.top), socket.socket(socket.AF_UNIX) as server:
        server.bind(name if abstract else "s")
        server.listen()
        code = f"import os; os.chdir({str(place.top)!r})\n" if not abstract else ""
        code += _connect("AF_UNIX", name if abstract else "s")
        assert place.python(code, confined=False).stdout == "in\n"
        assert place.python(code, network=network).returncode != 0


@pytest.mark.parametrize(
    "kind_of", ["AF_INET, socket.SOCK_RAW, 1", "AF_PACKET, socket.SOCK_RAW", "AF_VSOCK", "AF_ALG, 5"]
)
@pytest.mark.parametrize("network", [True, False])
def test_no_raw_packets_and_no_way_to_the_host(place: Place, kind_of: str, network: bool) -> None:
    code = f"import socket; socket.socket(socket.{kind_of})"
    if place.python(code, confined=False).returncode:
        pytest.skip("this kernel or user has no such socket")
    assert place.python(code, network=network).returncode != 0


# processes and rights


@pytest.mark.parametrize("number", [0, signal.SIGTERM])
def test_no_signal_reaches_the_persons_processes(
    place: Place, victim: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    if place.kind == "landlock" and landlock.version() < 6:
        pytest.skip("before Linux 6.12, Landlock does not hold back signals")
    code = f"import os; os.kill({victim.pid}, {int(number)}); os.kill({os.getpid()}, 0)"
    assert place.python(code).returncode != 0
    assert place.python(f"import os; os.kill({os.getpid()}, 0)").returncode != 0
    assert victim.poll() is None
    assert place.python(code, confined=False).returncode == 0


def test_no_environment_or_memory_of_other_processes(place: Place, victim: subprocess.Popen[bytes]) -> None:
    assert SECRET in place.shell(f"cat /proc/{victim.pid}/environ", confined=False).stdout
    assert SECRET not in place.shell("cat /proc/[0-9]*/environ").stdout


def test_the_launcher_inside_holds_nothing_open(view: Place) -> None:
    listed = view.shell('for f in /proc/1/fd/* /proc/1/root /proc/1/cwd; do readlink "$f" && echo open; done; true')
    assert "home" not in listed.stdout
    if view.kind == "namespaces":
        assert "open" not in listed.stdout


def test_no_program_gains_rights(place: Place) -> None:
    code = "import ctypes; assert ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 0"
    assert place.python(code, confined=False).returncode == 0
    assert place.python(code).returncode != 0


@only_root
@pytest.mark.parametrize("deed", ["os.setuid(65534)", "os.chroot('.')", "os.chown('.git', 1, 1)", "os.nice(-1)"])
def test_root_has_no_powers(place: Place, deed: str) -> None:
    assert place.python(f"import os; {deed}").returncode != 0
    assert place.python(f"import os; {deed}", confined=False).returncode == 0


def test_no_namespaces_inside(view: Place) -> None:
    code = "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0"
    if view.python(code, confined=False).returncode:
        pytest.skip("nor outside")
    assert view.python(code).returncode != 0


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


def test_the_command_ends_with_its_launcher_and_that_with_its_parent(view: Place) -> None:
    wrap = f"import subprocess, sys; p = subprocess.Popen(sys.argv[1:], cwd={str(view.workspace)!r}); p.wait()"
    sandbox = LinuxSandbox(view.kind)
    inner = sandbox.confine(["/bin/bash", "-c", f"{LEAVES}; sleep 60"], workspace=view.workspace)
    inner[4] = inner[4].replace(f'"parent": {os.getpid()}', '"parent": 0')
    with view.start([str(PYTHON), "-c", wrap, *inner], confined=False) as process:
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
