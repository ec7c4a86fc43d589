"""System calls and kinds of sockets that no confined command gets, as a filter program of the kernel."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import NamedTuple

from . import kernel

_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, little-endian
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_X32 = 0x40000000
_CLONE3 = 435
_NAMESPACES = 0x7E020000  # the flags of clone that make one


class _Machine(NamedTuple):
    architecture: int
    socket: int
    denied: tuple[int, ...]  # the calls told below
    shared: tuple[int, ...]  # memory, semaphores and queues of System V; unshare, setns
    clone: int
    prlimit: int


# add_key request_key keyctl (the person's keys), perf_event_open, open_by_handle_at, bpf, userfaultfd, io_uring_setup
# (which would open sockets past this filter)
_MACHINES = {
    "x86_64": _Machine(
        0xC000003E, 41, (248, 249, 250, 298, 304, 321, 323, 425),
        (*range(29, 32), *range(64, 72), 220, 272, 308), 56, 302,
    ),
    "aarch64": _Machine(
        0xC00000B7, 198, (217, 218, 219, 241, 265, 280, 282, 425), (*range(186, 198), 97, 268), 220, 261,
    ),
}  # fmt: skip


def available() -> bool:
    """Whether the numbers of this machine's calls are known."""
    return os.uname().machine in _MACHINES


def program(families: tuple[int, ...], *, shared: bool = True) -> bytes:
    """The filter: denied calls fail with EPERM, sockets of other families with EAFNOSUPPORT.

    `shared` leaves what only a namespace keeps apart from the person's: the memory of System V and the limits of other
    processes. Without it no new namespace is made either, where capabilities would come back.
    """
    machine = _MACHINES[os.uname().machine]
    steps = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, machine.architecture, 1, 0), _fail(errno.ENOSYS)]
    steps += [_step(_LOAD, _NUMBER), _step(_AT_LEAST, _X32, 0, 1), _fail(errno.ENOSYS)]
    for number in (*machine.denied, *(() if shared else machine.shared)):
        steps += [_step(_EQUAL, number, 0, 1), _fail(errno.EPERM)]
    steps += [] if shared else _alone(machine)
    steps += [_step(_EQUAL, machine.socket, 1, 0), _step(_RETURN, _ALLOW), _step(_LOAD, _FIRST_ARGUMENT)]
    for family in families:
        steps += [_step(_EQUAL, family, 0, 1), _step(_RETURN, _ALLOW)]
    return b"".join([*steps, _fail(errno.EAFNOSUPPORT)])


def _alone(machine: _Machine) -> list[bytes]:
    """No flags of namespaces for clone, no process but the own one for prlimit; clone3 hides its flags in memory."""
    allow, load, denied = _step(_RETURN, _ALLOW), _step(_LOAD, _FIRST_ARGUMENT), _fail(errno.EPERM)
    return [
        *(_step(_EQUAL, _CLONE3, 0, 1), _fail(errno.ENOSYS)),
        *(_step(_EQUAL, machine.clone, 0, 4), load, _step(_ANY_BIT, _NAMESPACES, 1, 0), allow, denied),
        *(_step(_EQUAL, machine.prlimit, 0, 4), load, _step(_EQUAL, 0, 0, 1), allow, denied),
    ]


def install(families: tuple[int, ...], *, shared: bool) -> None:
    """Holds for this process and all it starts; needs no_new_privileges first. Raises OSError."""
    code = program(families, shared=shared)
    kept = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept))
    kernel.prctl(_SET_SECCOMP, _FILTER, header, about="seccomp")


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _fail(code: int) -> bytes:
    return _step(_RETURN, _FAIL | code)
