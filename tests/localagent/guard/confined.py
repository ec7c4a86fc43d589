"""A workspace beside a secret, and the kinds of sandbox that this machine can try on it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from localagent.guard.jail.plan import Limits
from localagent.guard.sandbox import KINDS, Kind, LinuxSandbox, works

PYTHON = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
SECRET = "the person's own"
ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="a plain user cannot do it without the sandbox either")


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
