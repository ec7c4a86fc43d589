"""Everything a fresh clone needs, with nothing but Python: `python3 -m localagent.bootstrap run TASK` or `test`.

Makes `.venv` in the clone and installs the project into it. The only long step is the one-off compile of llama.cpp;
its wheel is kept in the user's cache folder, outside the clone, so that the next clone takes it from there.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

LLAMA = "0.3.36"
ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
USAGE = """\
usage: python3 -m localagent.bootstrap run TASK [options of `localagent run`]
       python3 -m localagent.bootstrap test [options of pytest]
       python3 -m localagent.bootstrap install
"""
_NINJA = re.compile(r"\[(\d+)/(\d+)\]")
_AVX2 = "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON"


def main(argv: Sequence[str]) -> int:
    """Installs what is missing, then becomes the wanted command."""
    if not argv or argv[0] not in ("run", "test", "install"):
        sys.stderr.write(USAGE)
        return 2
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs before anything is installed
        sys.stderr.write(f"localagent needs Python 3.11 or newer; this is {platform.python_version()}\n")
        return 2
    command, rest = argv[0], list(argv[1:])
    try:
        install("all,dev" if command == "test" else "all")
        if command != "install":
            pull = [str(VENV / "bin" / "localagent"), "models", "pull", "embedded"]
            subprocess.run(pull, check=True, stdout=sys.stderr)  # standard output is for the answer alone
        if command == "run":
            return subprocess.call([str(VENV / "bin" / "localagent"), "run", *rest])
        if command == "test":
            return subprocess.call([str(PYTHON), "-m", "pytest", *rest], cwd=ROOT)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"bootstrap: this step failed ({error.returncode}): {' '.join(map(str, error.cmd))}\n")
        return 1
    return 0


def install(extras: str) -> None:
    """The project with its extras in `.venv`; a second call with nothing to do takes a second."""
    stamp = VENV / f".localagent-{extras}"
    newest = max((ROOT / name).stat().st_mtime for name in ("pyproject.toml", "localagent/bootstrap.py"))
    if stamp.exists() and stamp.stat().st_mtime >= newest:
        return
    if not PYTHON.exists():
        _say(f"making {VENV}")
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    wheel = llama_wheel()
    _say("installing the packages")
    _pip("install", "--quiet", str(wheel), "-e", f"{ROOT}[{extras}]")
    stamp.touch()


def llama_wheel() -> Path:
    """The wheel of llama-cpp-python out of the cache, compiled first where it is not there."""
    folder = cache_dir() / "wheels" / f"{platform.machine()}-{_flavour()}"
    found = _wheel_in(folder)
    if found is not None:
        return found
    _say(f"compiling llama.cpp for this machine, once: 4 to 20 minutes; the wheel is kept in {folder}")
    work = folder.with_name(folder.name + f".{os.getpid()}.part")
    try:
        _compile(work)
        folder.mkdir(parents=True, exist_ok=True)
        for built in work.glob("*.whl"):
            os.replace(built, folder / built.name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    found = _wheel_in(folder)
    if found is None:
        raise SystemExit(f"bootstrap: no wheel came out; its log is {_log()}")
    return found


def _compile(work: Path) -> None:
    flags = _AVX2 if _flavour() == "avx2" else "-DGGML_NATIVE=ON"
    env = {**os.environ, "CMAKE_ARGS": os.environ.get("CMAKE_ARGS", flags)}
    command = [str(PYTHON), "-m", "pip", "wheel", "-v", "--no-deps", "--no-binary", "llama-cpp-python"]
    command += [f"llama-cpp-python=={LLAMA}", "-w", str(work)]
    began = time.monotonic()
    with (
        _log().open("w") as log,
        subprocess.Popen(
            command, env=env, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process,
    ):
        assert process.stdout is not None
        for done, total in _steps(process.stdout, log):
            _progress(done, total, time.monotonic() - began)
    sys.stderr.write("\n")
    if process.returncode:
        raise SystemExit(
            f"bootstrap: llama.cpp did not compile; see {_log()}. It needs a C++ compiler and make "
            "(on Debian: apt-get install build-essential)"
        )


def _steps(lines: Iterator[str], log: object) -> Iterator[tuple[int, int]]:
    for line in lines:
        log.write(line)  # type: ignore[attr-defined]
        if match := _NINJA.search(line):
            yield int(match[1]), int(match[2])


def _progress(done: int, total: int, seconds: float) -> None:
    if sys.stderr.isatty():
        bar = "█" * (30 * done // total)
        sys.stderr.write(f"\r  {bar:<30} {done} of {total}, {seconds:.0f} s ")
    elif done == total or done % 20 == 0:
        sys.stderr.write(f"  {done} of {total}, {seconds:.0f} s\n")
    sys.stderr.flush()


def _flavour() -> str:
    """Which processors the wheel runs on: any with AVX2, or only this kind."""
    try:
        return "avx2" if " avx2 " in Path("/proc/cpuinfo").read_text() else "native"
    except OSError:
        return "native"


def cache_dir() -> Path:
    """The user's cache folder, the same that the installed product uses."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "localagent"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "localagent"


def _wheel_in(folder: Path) -> Path | None:
    return next(iter(folder.glob(f"llama_cpp_python-{LLAMA}-*.whl")), None)


def _log() -> Path:
    path = cache_dir() / "llama-build.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _pip(*arguments: str) -> None:
    subprocess.run([str(PYTHON), "-m", "pip", "--disable-pip-version-check", *arguments], check=True)


def _say(text: str) -> None:
    sys.stderr.write(f"bootstrap: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
