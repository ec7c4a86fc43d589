"""The arguments for bubblewrap that show a command what its plan names."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

from localagent.guard.jail.plan import ETC, NETWORK_ETC, SYSTEM, Plan, holders, protected, visible_roots

_OWN = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL")


def installed() -> bool:
    """Whether bubblewrap is there, and prlimit, which bounds the processes from inside."""
    return bool(shutil.which("bwrap") and shutil.which("prlimit"))


def arguments(plan: Plan) -> list[str]:
    """The words before the command. Protected files keep their folder from being moved away, as in our own view."""
    words = [shutil.which("bwrap") or "bwrap", *_OWN, *_sealed(), *([] if plan.network else ["--unshare-net"])]
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind-try", path, path]
    for path in (*ETC, *(NETWORK_ETC if plan.network else ())):
        words += ["--ro-bind-try", os.path.realpath(path), path]
    words += [
        "--proc",
        "/proc",
        "--remount-ro",
        "/proc",
        "--dev",
        "/dev",
        "--dir",
        "/run",
        "--tmpfs",
        "/tmp",
        "--symlink",
        "/tmp",
        "/var/tmp",
    ]
    # /proc is read-only: to root, /proc/sys would hold the switches of the whole machine
    for root in visible_roots(plan):
        words += ["--ro-bind", root, root]
    words += ["--bind", plan.workspace, plan.workspace, *_protected(plan.workspace)]
    words += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp", "--remount-ro", "/", "--"]
    return [*words, shutil.which("prlimit") or "prlimit", f"--nproc={plan.limits.processes}", "--"]


def _protected(workspace: str) -> list[str]:
    names = protected(workspace)
    words = []
    for option, name in (*(("--bind", folder) for folder in holders(names)), *(("--ro-bind", name) for name in names)):
        path = f"{workspace}/{name}"
        if os.path.exists(path) and os.path.realpath(path) == path:
            words += [option, path, path]
    return words


@functools.cache
def _sealed() -> tuple[str, ...]:
    """`--disable-userns` where this bubblewrap has it: no namespaces inside, where capabilities would come back."""
    told = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout
    return ("--disable-userns",) if "--disable-userns" in told else ()
