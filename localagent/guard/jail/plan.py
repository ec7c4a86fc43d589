"""What a confined command may do, as it is handed to the launcher on its command line."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

GIGABYTE = 1 << 30


class Limits(NamedTuple):
    """What a command may use: seconds and bytes for each of its processes, bytes for its private /tmp."""

    cpu_seconds: int = 3600
    memory: int = 8 * GIGABYTE
    processes: int = 512
    file_bytes: int = 4 * GIGABYTE
    tmp_bytes: int = 2 * GIGABYTE


class Plan(NamedTuple):
    """`layers` is "namespaces", "landlock", or "limits" where bubblewrap does the confining. Paths are real paths."""

    layers: str
    workspace: str
    roots: tuple[str, ...] = ()
    network: bool = False
    parent: int = 0  # the process whose end ends the command
    limits: Limits = Limits()

    def text(self) -> str:
        return json.dumps(self._asdict())


def read_plan(text: str) -> Plan:
    """Raises ValueError, KeyError or TypeError where the text is no plan."""
    data: dict[str, Any] = json.loads(text)
    limits = Limits(*data.pop("limits"))
    return Plan(**{**data, "roots": tuple(data["roots"])}, limits=limits)


SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_NAMES = """passwd group nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d alternatives localtime os-release mime.types
    ssl/certs ssl/openssl.cnf ssl/cert.pem ca-certificates pki/tls/certs pki/tls/cert.pem pki/ca-trust/extracted
    hosts protocols services"""
ETC = tuple(f"/etc/{name}" for name in _NAMES.split())
NETWORK_ETC = ("/etc/resolv.conf", "/etc/host.conf", "/etc/gai.conf")
DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
_GIT = ("config", "config.worktree", "commondir", "hooks")  # these make git run programs, or look for that elsewhere
_WORKTREE = ("commondir", "gitdir", "config.worktree")
_DEEPEST = 8  # folders in the name of a submodule
_PROTECTED = """.envrc .vscode .idea models.toml gateway.toml mcp.json .mcp.json
    AGENTS.md .agents .claude"""
PROTECTED = (*(f".git/{name}" for name in _GIT), *_PROTECTED.split())


def readable(plan: Plan) -> list[str]:
    """Folders and files that a command may read and run besides its workspace, those that exist."""
    paths = [*SYSTEM, *ETC, *(NETWORK_ETC if plan.network else ()), *plan.roots]
    return [path for path in paths if os.path.exists(path)]


def visible_roots(plan: Plan) -> list[str]:
    """The opened paths, outer ones first, without those that the system's folders hold anyway."""
    inner = tuple(f"{folder}/" for folder in SYSTEM)
    return sorted(root for root in plan.roots if os.path.exists(root) and not f"{root}/".startswith(inner))


def protected(workspace: str) -> list[str]:
    """Names below the workspace that a command may read and not change, those of its submodules and worktrees as well.

    What is not there cannot be protected; so a repository without hooks gets an empty folder for them.
    """
    git = f"{workspace}/.git"
    if os.path.isfile(git):  # it says where the repository is
        return [".git", *PROTECTED]
    inner = [*_repositories(f"{git}/modules", _DEEPEST)]
    for repository in (git, *inner):
        if os.path.isfile(f"{repository}/HEAD") and not os.path.lexists(f"{repository}/hooks"):
            with contextlib.suppress(OSError):
                os.mkdir(f"{repository}/hooks")
    parts = [f"{folder}/{name}" for folder in inner for name in _GIT]
    parts += [f"{folder}/{name}" for folder in _folders(f"{git}/worktrees") for name in _WORKTREE]
    return [*PROTECTED, *(os.path.relpath(part, workspace) for part in parts)]


def holders(names: list[str]) -> list[str]:
    """The folders that hold them, outer ones first: none of them may be moved away."""
    return sorted({name[:at] for name in names for at, char in enumerate(name) if char == "/"})


def _repositories(folder: str, depth: int) -> Iterator[str]:
    """The repositories of submodules, whose names may have folders in them."""
    for inner in _folders(folder) if depth else ():
        if os.path.isfile(f"{inner}/HEAD"):
            yield inner
            yield from _repositories(f"{inner}/modules", depth - 1)
        else:
            yield from _repositories(inner, depth - 1)


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
