"""Puts the confinement on, layer by layer, and starts the command; what cannot be put on ends the launch.

person's process ── launcher ── first process of the tree ── the command
                    waits, passes signals on     collects the dead     limits, Landlock, seccomp

The kernel kills the launcher with its parent, the tree with the launcher, and all in the tree with its first process.
Without namespaces it only tells the launcher, which then ends the tree itself.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

from . import kernel, landlock, namespaces, seccomp
from .plan import DEVICES, SYSTEM, Plan, read_plan, readable

PATIENCE = 1.5  # seconds to end politely, less than whoever asks for it gives
FAILED = 125  # the exit status where the command was not started
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


def main(arguments: list[str]) -> int:
    """Runs `PLAN COMMAND…` and returns its exit status, 128 and the number where a signal ended it."""
    try:
        plan = read_plan(arguments[0])
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # nothing of the person's comes along by accident
        here = os.getcwd()
        kernel.die_first()
        return _start(plan, arguments[1:], here)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    print(f"localagent: the command was not started, since it could not be confined: {error}", file=sys.stderr)  # noqa: T201
    return FAILED


def _start(plan: Plan, command: list[str], here: str) -> int:
    kernel.die_with_parent(signal.SIGTERM if plan.layers == "landlock" else signal.SIGKILL)
    if plan.parent:
        os.kill(plan.parent, 0)  # it may have ended before the kernel was told
    if plan.layers == "limits":
        _set_limits(plan, processes=False)
        kernel.no_new_privileges()
        _filter(plan)
        _execute(command)
    if plan.layers == "namespaces":
        namespaces.enter(plan)
        kernel.die_with_parent(signal.SIGKILL)  # new credentials have cleared it
        return _waited(_forked(lambda: _first(plan, command, here)))
    return _without_namespaces(plan, command)


def _first(plan: Plan, command: list[str], here: str) -> int:
    """The first process of the tree: when it ends, the kernel kills the rest."""
    kernel.die_with_parent(signal.SIGKILL)
    namespaces.furnish(plan)
    os.chdir(here if os.path.isdir(here) else plan.workspace)
    kernel.drop_capabilities()
    kernel.hide_memory()
    return _waited(_forked(lambda: _confined(plan, command)))


def _without_namespaces(plan: Plan, command: list[str]) -> int:
    """The launcher adopts what the command leaves running and kills it; a folder stands for the private /tmp.

    A command that does not heed its end is killed by the launcher, before somebody kills that and leaves the orphans.
    """
    kernel.adopt_orphans()
    signal.signal(signal.SIGALRM, _give_up)
    private = tempfile.mkdtemp(prefix="localagent-")
    try:
        return _waited(_forked(lambda: _confined(plan, command, private)))
    except TimeoutError:
        return 128 + signal.SIGKILL
    finally:
        _kill_children()
        shutil.rmtree(private, ignore_errors=True)


def _give_up(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def _kill_children() -> None:
    """Until none are left: the orphans of the killed become children of the launcher."""
    while children := Path(f"/proc/self/task/{os.getpid()}/children").read_bytes().split():
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        for _ in children:
            os.wait()


def _confined(plan: Plan, command: list[str], private: str = "/tmp") -> NoReturn:
    """The last layers, which hold for the command and all that it starts."""
    kernel.die_with_parent(signal.SIGKILL)
    if plan.layers == "landlock":
        kernel.drop_capabilities()
        os.environ["GIT_CONFIG_NOSYSTEM"] = "1"  # git gives up over a closed /etc, where it only is not there otherwise
    _set_limits(plan, processes=True)
    kernel.no_new_privileges()
    landlock.restrict(_rules(plan, private))
    _filter(plan)
    os.environ.update(HOME=private, TMPDIR=private, PATH=_path(plan))
    _execute(command)


def _path(plan: Plan) -> str:
    """PATH without folders that cannot be looked into: a shell would stop at a program there that may not run."""
    seen = tuple(f"{folder}/" for folder in (*SYSTEM, *plan.roots, plan.workspace))
    folders = os.environ.get("PATH", os.defpath).split(":")
    return ":".join(folder for folder in folders if f"{folder}/".startswith(seen)) or os.defpath


def _rules(plan: Plan, private: str) -> list[tuple[str, int]]:
    """What may be opened. In namespaces, the view itself is the list of what can be read."""
    writable = [(path, landlock.ALL) for path in (plan.workspace, private)]
    if plan.layers == "namespaces":
        return [("/", landlock.READ), ("/dev", landlock.DEVICE), ("/dev/shm", landlock.ALL), *writable]
    devices = [(path, landlock.DEVICE) for path in DEVICES if os.path.exists(path)]
    return [*((path, landlock.READ) for path in readable(plan)), *devices, *writable]


def _filter(plan: Plan) -> None:
    """Sockets and shared memory. Without namespaces those of the person are in reach, so none are given."""
    families = () if plan.layers == "landlock" else (socket.AF_UNIX,)
    if plan.layers != "landlock" or plan.network:
        families = (*families, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
    if seccomp.available():
        seccomp.install(families, shared=plan.layers != "landlock")


def _set_limits(plan: Plan, *, processes: bool) -> None:
    limits = plan.limits
    wanted = {
        resource.RLIMIT_CPU: limits.cpu_seconds,
        resource.RLIMIT_DATA: limits.memory,  # not address space, which some runtimes reserve without using it
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_CORE: 0,
    }
    if processes:
        wanted[resource.RLIMIT_NPROC] = limits.processes + (_running() if plan.layers == "landlock" else 0)
    for kind, value in wanted.items():
        most = resource.getrlimit(kind)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))


def _running() -> int:
    """Threads of this user: outside a namespace of its own, a command is counted together with them."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            count += len(os.listdir(folder / "task")) if folder.stat().st_uid == os.getuid() else 0
    return count


def _execute(command: list[str]) -> NoReturn:
    """Becomes the command, with the signals that Python changes as they were."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, *_FORWARDED):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(command[0], command)


def _forked(run: Callable[[], int]) -> int:
    """A child that runs a function and ends with its result, whatever happens in it."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = FAILED
    try:
        status = run()
    except Exception as error:  # noqa: BLE001 - the child must not run on in the parent's code
        status = _failed(error)
    finally:
        sys.stderr.flush()
        os._exit(status)


def _waited(child: int) -> int:
    """Passes signals on to the child and collects the dead until it ends; returns its exit status."""

    def forward(number: int, _: FrameType | None) -> None:
        os.kill(child, number)
        if number == signal.SIGTERM and signal.getsignal(signal.SIGALRM) is _give_up:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    for number in _FORWARDED:
        signal.signal(number, forward)
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
