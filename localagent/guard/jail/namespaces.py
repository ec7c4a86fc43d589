"""A process tree with a view of its own: only the mounts, processes and network that it is given."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import struct
from pathlib import Path

from . import kernel
from .plan import DEVICES, ETC, NETWORK_ETC, SYSTEM, Plan, holders, protected, visible_roots

_QUIET = kernel.ATTR_NOSUID | kernel.ATTR_NODEV
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_STREAMS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}


def enter(plan: Plan) -> None:
    """Leaves the person's namespaces; a child forked next is the first process of a new tree. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        os.setgroups([])
    network = 0 if plan.network else kernel.CLONE_NEWNET
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | network)
    Path("/proc/self/setgroups").write_bytes(b"deny")
    Path("/proc/self/uid_map").write_bytes(f"{user} {user} 1".encode())
    Path("/proc/self/gid_map").write_bytes(f"{group} {group} 1".encode())


def furnish(plan: Plan) -> None:
    """Called by the first process of the tree: bounds it, and replaces the root by what the plan shows."""
    _bound(plan)
    if not plan.network:
        _loopback_up()
    _build(plan)


def _bound(plan: Plan) -> None:
    """No namespaces inside, where capabilities would come back; no more processes than the plan allows."""
    Path("/proc/sys/user/max_user_namespaces").write_bytes(b"0")
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    if release >= (6, 14):  # before, the number was the whole machine's; the kernel's least is 301
        Path("/proc/sys/kernel/pid_max").write_bytes(str(max(301, plan.limits.processes)).encode())


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        request = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack_from("h", fcntl.ioctl(device, _GET_FLAGS, request), 16)[0]
        fcntl.ioctl(device, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))


def _build(plan: Plan) -> None:
    """Everything is taken before the first mount hides it, and put below a new root."""
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    shown = [*SYSTEM, *ETC, *(NETWORK_ETC if plan.network else ()), *DEVICES, *visible_roots(plan), plan.workspace]
    links = {path: os.readlink(path) for path in SYSTEM if os.path.islink(path)}
    trees = {path: _taken(path, plan) for path in shown if os.path.exists(path) and path not in links}
    new = "/tmp"  # any folder will do as the place to build on
    _furniture(new, plan)
    for path, goal in links.items():
        os.symlink(goal, new + path)
    for path, tree in trees.items():
        _show(tree, new + path)
    _protect(new + plan.workspace)
    kernel.pivot_root(new)
    kernel.restrict_root(kernel.ATTR_RDONLY | _QUIET)


def _taken(path: str, plan: Plan) -> int:
    """A copy of the mounts at a path, with the attributes that it will have inside."""
    attributes = kernel.ATTR_NOSUID if path in DEVICES else _QUIET
    writable = path == plan.workspace or path in DEVICES
    return kernel.copy_mount(path, attributes if writable else attributes | kernel.ATTR_RDONLY)


def _furniture(new: str, plan: Plan) -> None:
    """What the command gets fresh and of its own. /proc is read-only: root could switch the machine through it."""
    _memory(new, "0755", plan.limits.tmp_bytes)
    for folder in ("proc", "run", "var"):
        os.mkdir(f"{new}/{folder}")
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC | kernel.MS_RDONLY
    kernel.mount("proc", f"{new}/proc", "proc", flags)
    _memory(f"{new}/tmp", "1777", plan.limits.tmp_bytes)
    os.symlink("/tmp", f"{new}/var/tmp")
    _memory(f"{new}/dev/shm", "1777", plan.limits.tmp_bytes)
    for name, below in _STREAMS.items():
        os.symlink(f"/proc/self/fd{below}", f"{new}/dev/{name}")


def _memory(target: str, mode: str, size: int) -> None:
    os.makedirs(target, exist_ok=True)
    kernel.mount("tmpfs", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, f"mode={mode},size={size}")


def _show(tree: int, target: str) -> None:
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.makedirs(target, exist_ok=True)
    elif not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
    kernel.attach_mount(tree, os.open(target, os.O_PATH))


def _protect(workspace: str) -> None:
    """What other programs run or trust later stays as it is, and the folder that holds it cannot be moved away."""
    names = protected(workspace)
    locked = ((name, kernel.ATTR_RDONLY | _QUIET) for name in names)
    for name, attributes in (*((folder, _QUIET) for folder in holders(names)), *locked):
        place = _open_plain(workspace, name)
        if place is not None:
            kernel.attach_mount(kernel.copy_mount(place, attributes), place)


def _open_plain(workspace: str, name: str) -> int | None:
    """Opens a path below the workspace; None where it is not there, or a link stands in the way.

    By descriptors, since a command of before may turn a path into a link at any moment.
    """
    now = os.open(workspace, os.O_PATH)
    for part in name.split("/"):
        try:
            following = os.open(part, os.O_PATH | os.O_NOFOLLOW, dir_fd=now)
        except (FileNotFoundError, NotADirectoryError):
            return None
        finally:
            os.close(now)
        now = following
    if stat.S_ISLNK(os.fstat(now).st_mode):
        os.close(now)
        return None
    return now
