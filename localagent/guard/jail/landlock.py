"""Landlock: the kernel's own list of what a process may open, which it can give itself and never lose."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same on every architecture
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _READ_FILE, _READ_DIR = 1, 4, 8
_WRITE_FILE, _TRUNCATE, _IOCTL = 2, 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL
READ = _EXECUTE | _READ_FILE | _READ_DIR
DEVICE = _READ_FILE | _WRITE_FILE | _READ_DIR | _TRUNCATE | _IOCTL
ALL = (1 << 16) - 1
_SCOPES = 0b11  # abstract sockets and signals of others, version 6


def version() -> int:
    """The kernel's version of Landlock, 0 where there is none."""
    try:
        return kernel.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION), about="landlock")
    except OSError:
        return 0


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """From now on only what the rules (path, rights) grant; needs no_new_privileges first. Raises OSError."""
    known = version()
    handled = _rights(known)
    attributes = struct.pack("QQQ", handled, 0, _SCOPES if known >= 6 else 0)
    size, flags = ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    ruleset = kernel.syscall(_CREATE, attributes, size, flags, about="landlock")
    try:
        for path, rights in rules:
            _grant(ruleset, path, rights & handled)
        kernel.syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0), about="landlock")
    finally:
        os.close(ruleset)


def _rights(known: int) -> int:
    """The rights that a version of Landlock knows: moving between folders came with 2, truncating 3, devices 5."""
    return (1 << (13 + (known >= 2) + (known >= 3) + (known >= 5))) - 1


def _grant(ruleset: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _FILE_RIGHTS
        rule = struct.pack("=Qi", rights, opened)
        kind, flags = ctypes.c_int(_PATH_BENEATH), ctypes.c_uint32(0)
        kernel.syscall(_ADD, ctypes.c_int(ruleset), kind, rule, flags, about=f"landlock {path}")
    finally:
        os.close(opened)
