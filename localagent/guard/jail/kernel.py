"""The system calls that Python does not have, each raising OSError with what it was about."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442  # the same on every architecture, as all calls since 2018
_AT_FDCWD, _AT_RECURSIVE, _EMPTY_PATH, _BOTH_EMPTY = -100, 0x8000, 0x1000, 0x44
_OPEN_TREE_CLONE, _MNT_DETACH = 1, 2
_PDEATHSIG, _DUMPABLE, _CAPBSET_DROP, _SECUREBITS, _NO_NEW_PRIVS, _SUBREAPER = 1, 4, 24, 28, 38, 36
_NOROOT_LOCKED = 0b1111  # root gets no capabilities by running a program, and cannot change that
_CAPABILITIES_V3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, about: str) -> int:
    """The result of a call, or the OSError that it stands for."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), about)
    return result


def syscall(number: int, *arguments: object, about: str) -> int:
    return checked(_libc.syscall(ctypes.c_long(number), *arguments), about)


def prctl(option: int, first: int = 0, second: object = 0, *, about: str) -> int:
    long = ctypes.c_ulong
    second = long(second) if isinstance(second, int) else second
    return checked(_libc.prctl(option, long(first), second, long(0), long(0)), about)


def unshare(flags: int) -> None:
    checked(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    texts = [text.encode() or None for text in (source, target, kind, options)]
    checked(_libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]), f"mount {target}")


def copy_mount(path: str | int, attributes: int) -> int:
    """A copy of what is mounted at a path or descriptor and below it, attached nowhere, with attributes added."""
    start, name = (path, b"") if isinstance(path, int) else (_AT_FDCWD, path.encode())
    flags = ctypes.c_uint(_AT_RECURSIVE | os.O_CLOEXEC | _OPEN_TREE_CLONE | (0 if name else _EMPTY_PATH))
    tree = syscall(_OPEN_TREE, ctypes.c_int(start), name, flags, about=f"open_tree {path}")
    _set_attributes(tree, b"", _AT_RECURSIVE | _EMPTY_PATH, attributes)
    return tree


def attach_mount(tree: int, place: int) -> None:
    """Mounts a copy over an opened place, and closes both."""
    ends = (ctypes.c_int(tree), b"", ctypes.c_int(place), b"", ctypes.c_uint(_BOTH_EMPTY))
    syscall(_MOVE_MOUNT, *ends, about="move_mount")
    os.close(tree)
    os.close(place)


def restrict_root(attributes: int) -> None:
    """Adds attributes to the root's own mount, not to those below it."""
    _set_attributes(_AT_FDCWD, b"/", 0, attributes)


def _set_attributes(start: int, name: bytes, flags: int, attributes: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    arguments = (ctypes.c_int(start), name, ctypes.c_uint(flags), wanted, ctypes.c_size_t(32))
    syscall(_MOUNT_SETATTR, *arguments, about="mount_setattr")


def pivot_root(folder: str) -> None:
    """Makes a mount the root and lets go of the old one."""
    os.chdir(folder)
    checked(_libc.pivot_root(b".", b"."), "pivot_root")
    checked(_libc.umount2(b".", _MNT_DETACH), "umount of the old root")
    os.chdir("/")


def die_with_parent(signal: int) -> None:
    prctl(_PDEATHSIG, signal, about="the signal of the parent's end")


def die_first() -> None:
    """When the machine's memory is used up, this process and its children go, not the person's programs."""
    with open("/proc/self/oom_score_adj", "wb") as file:
        file.write(b"1000")


def adopt_orphans() -> None:
    prctl(_SUBREAPER, 1, about="adoption of orphans")


def hide_memory() -> None:
    """Nobody may trace this process or follow its descriptors."""
    prctl(_DUMPABLE, 0, about="hiding of the launcher")


def no_new_privileges() -> None:
    prctl(_NO_NEW_PRIVS, 1, about="no new privileges")


def drop_capabilities() -> None:
    """None are left, and none come back by running a program, not even for root."""
    with open("/proc/sys/kernel/cap_last_cap", "rb") as file:  # bytes: codecs cannot be loaded in the new root
        last = int(file.read())
    try:
        for capability in range(last + 1):
            prctl(_CAPBSET_DROP, capability, about="dropping of capabilities")
        prctl(_SECUREBITS, _NOROOT_LOCKED, about="secure bits")
    except PermissionError:  # a plain user has none to drop
        pass
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")
