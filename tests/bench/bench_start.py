"""Start-up as ratios of one run: `localagent --help` against `import textual.app`; CPU seconds, minimum of rounds.

python -m tests.bench.bench_start
"""

from __future__ import annotations

import os
import subprocess
import sys

ROUNDS = 7
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "localagent --help": ["-m", "localagent.cli", "--help"],
    "gateway --help": ["-m", "gateway.cli", "--help"],
    "import textual.app": ["-c", "import textual.app"],
}


def cpu_seconds(words: list[str]) -> float:
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    best = {name: min(cpu_seconds(words) for _ in range(ROUNDS)) for name, words in COMMANDS.items()}
    base = best["import textual.app"]
    for name, seconds in best.items():
        print(f"{name:<22} {seconds:.3f} s CPU, {seconds / base:.2f} of import textual.app")


if __name__ == "__main__":
    main()
