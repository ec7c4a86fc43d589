"""Ways out of the sandbox: each succeeds without it, so that the test can fail, and fails with every kind of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from localagent.guard.jail import landlock
from tests.localagent.guard.confined import SECRET, Place, only_root

if sys.platform != "linux":
    pytest.skip("the sandbox is Linux's", allow_module_level=True)


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


GIT_TRAPS = {
    "hooks of a repository that has none yet": "echo evil > .git/hooks/post-checkout",
    "another common folder": "echo ../evil > .git/commondir",
    "settings of a worktree": "echo evil > .git/config.worktree",
    "another repository by its file": "rm .git; echo gitdir: ../evil > .git",
    "settings of a submodule": "echo evil >> .git/modules/deep/sub/config",
    "hooks of a submodule": "echo evil > .git/modules/deep/sub/hooks/pre-commit",
    "a submodule moved away": "mv .git/modules/deep .git/modules/d && cp -r .git/modules/d .git/modules/deep",
    "the folder of submodules moved away": "mv .git/modules .git/m",
    "the common folder of a worktree": "echo /evil > .git/worktrees/w/commondir",
}


def _repository(folder: Path) -> None:
    for name in ("HEAD", "commondir", "config.worktree", "modules/deep/sub/HEAD", "modules/deep/sub/config"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    (folder / "worktrees/w").mkdir(parents=True)
    (folder / "worktrees/w/commondir").write_text("../..")


@pytest.mark.parametrize("trap", GIT_TRAPS)
def test_what_git_would_run_elsewhere_stays(view: Place, trap: str) -> None:
    git = view.workspace / ".git"
    _repository(git)
    (git / "hooks").rmdir()
    if trap == "another repository by its file":
        shutil.rmtree(git)
        git.write_text("gitdir: elsewhere")
    line = GIT_TRAPS[trap]
    assert view.shell(line).returncode != 0
    assert "mine" in (git / "HEAD").read_text() if git.is_dir() else git.read_text() == "gitdir: elsewhere"
    assert view.shell("touch .git/index && touch .git/modules/deep/sub/index" if git.is_dir() else "ls").returncode == 0
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


def test_no_limit_of_the_persons_processes_is_changed(place: Place, victim: subprocess.Popen[bytes]) -> None:
    code = f"import resource; resource.prlimit({victim.pid}, resource.RLIMIT_CPU, (1, 1))"
    assert place.python(code).returncode != 0
    assert place.python("import resource; resource.prlimit(0, resource.RLIMIT_CPU, (1, 1))").returncode == 0
    assert place.python(code, confined=False).returncode == 0


def test_no_shared_memory_of_the_persons_programs(place: Place) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    held = libc.shmget(0, 64, 0o600)
    code = f"import ctypes; assert ctypes.CDLL(None).shmctl({held}, 2, ctypes.create_string_buffer(256)) == 0"
    try:
        assert place.python(code, confined=False).returncode == 0
        assert place.python(code).returncode != 0
    finally:
        libc.shmctl(held, 0, None)


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


NAMESPACES = {
    "unshare": "assert libc.unshare(0x10000000) == 0",
    "clone": "child = libc.syscall(56 if os.uname().machine == 'x86_64' else 220, 0x10000011, 0, 0, 0, 0)",
    "clone3": "child = libc.syscall(435, struct.pack('8Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)",
}


@pytest.mark.parametrize("way", NAMESPACES)
def test_no_namespaces_inside(place: Place, way: str) -> None:
    code = f"import ctypes, os, struct\nlibc = ctypes.CDLL(None)\nchild = 1\n{NAMESPACES[way]}\n"
    code += "if child == 0:\n    os._exit(0)\nassert child > 0"
    if place.python(code, confined=False).returncode:
        pytest.skip("nor outside")
    assert place.python(code).returncode != 0


def test_threads_and_children_are_made_as_usual(place: Place) -> None:
    code = "import subprocess, threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\n"
    assert place.python(code + "subprocess.run(['/bin/true'], check=True)").returncode == 0


@only_root
def test_a_setuid_program_stays_what_its_caller_is(place: Place) -> None:
    program = place.workspace / "become"
    shutil.copyfile("/usr/bin/id", program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    if "65534" not in place.shell("./become -u", confined=False).stdout:
        pytest.skip("this file system honours no setuid")
    assert "65534" not in place.shell("./become -u").stdout
