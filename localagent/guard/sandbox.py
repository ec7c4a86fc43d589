"""The sandbox that this machine can give: a command sees its workspace and the system's programs, and nothing else.

bubblewrap   mounts, processes and network of its own; our launcher adds limits and a filter of system calls
namespaces   the same by our own launcher, and Landlock
landlock     where namespaces are forbidden: files by Landlock and no sockets at all; .git/hooks can be written, and
             before Linux 6.12 the person's other processes can be signalled
none         nothing confines: refused until the person accepts it
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from localagent.errors import LocalAgentError
from localagent.guard import bubblewrap
from localagent.guard.jail.plan import Limits, Plan

Kind = Literal["bubblewrap", "namespaces", "landlock", "none"]
KINDS: tuple[Kind, ...] = ("bubblewrap", "namespaces", "landlock")
DEFAULT_LIMITS = Limits()
_JAIL = Path(__file__).parent / "jail"
_LAYERS = {"bubblewrap": "limits", "namespaces": "namespaces", "landlock": "landlock"}
_TRIAL_SECONDS = 20
_WORDS = {
    "bubblewrap": "bubblewrap: commands see the workspace, not your home, and have no network",
    "namespaces": "namespaces and Landlock: commands see the workspace, not your home, and have no network",
    "landlock": "Landlock: commands open the workspace, not your home, without network; weaker than namespaces",
    "none": "no sandbox on this machine: commands run with all your rights",
}


class SandboxRefusedError(LocalAgentError, PermissionError):
    """A command that is not started, since it could not be confined."""


@dataclass(frozen=True, slots=True)
class LinuxSandbox:
    """One way of confining, found to work; `accepted` lets commands run where there is none."""

    kind: Kind
    limits: Limits = DEFAULT_LIMITS
    accepted: bool = False

    @property
    def confines(self) -> bool:
        return self.kind != "none"

    def describe(self) -> str:
        """One line for the screen."""
        return _WORDS[self.kind]

    def accept(self) -> LinuxSandbox:
        """The same where the person has agreed to run commands without a sandbox."""
        return replace(self, accepted=True)

    def confine(
        self, argv: Sequence[str], *, workspace: Path, roots: Sequence[Path] = (), network: bool = False
    ) -> list[str]:
        """The argv to start instead; `roots` are readable besides. Raises SandboxRefusedError."""
        if self.kind == "none":
            if not self.accepted:
                raise SandboxRefusedError(
                    "this machine has no sandbox for commands; install bubblewrap, or accept that"
                )
            return list(argv)
        folder = _checked(workspace)
        opened = tuple(_checked_root(root) for root in roots)
        plan = Plan(_LAYERS[self.kind], folder, opened, network, os.getpid(), self.limits)
        inner = bubblewrap.arguments(plan) if self.kind == "bubblewrap" else []
        return [sys.executable, "-I", "-S", str(_JAIL), plan.text(), *inner, *argv]


def _checked(workspace: Path) -> str:
    """A folder that can be opened as a whole: neither the person's home nor what holds it."""
    folder = workspace.resolve()
    if Path.home().resolve().is_relative_to(folder) or not _ordinary(folder):
        raise SandboxRefusedError(
            f"commands do not run in {folder}, which would open all of it; start in a project's folder"
        )
    return str(folder)


def _checked_root(root: Path) -> str:
    path = root if not _ordinary(root) else root.resolve()
    if not _ordinary(path):
        raise SandboxRefusedError(f"{path} cannot be opened to a command; name a folder or file below it")
    return str(path)


def _ordinary(path: Path) -> bool:
    return path != Path("/") and not any(path.is_relative_to(top) for top in ("/proc", "/sys", "/dev"))


@functools.cache
def choose_sandbox() -> LinuxSandbox:
    """The first kind that starts a command here, tried once for real; 30 to 300 ms.

    For root bubblewrap comes second: no limit of processes holds for root but the namespaces' own.
    """
    order = KINDS if os.geteuid() else ("namespaces", "bubblewrap", "landlock")
    return next((sandbox for kind in order if works(sandbox := LinuxSandbox(kind))), LinuxSandbox("none"))


def works(sandbox: LinuxSandbox) -> bool:
    """Whether a command starts in it on this machine, with and without network."""
    if sys.platform != "linux" or (sandbox.kind == "bubblewrap" and not bubblewrap.installed()):
        return False
    folder = Path("/usr/share")  # any folder that is there
    program = shutil.which("true", path=os.defpath) or "/bin/true"
    return all(_starts(sandbox.confine([program], workspace=folder, network=network)) for network in (False, True))


def _starts(argv: Sequence[str]) -> bool:
    try:
        return not subprocess.run(argv, capture_output=True, timeout=_TRIAL_SECONDS, cwd="/", check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False
