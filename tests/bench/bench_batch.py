"""`gateway mask FILE` on JSONL: speed with one core and with all, and peak memory for a small and a large file.

    python -m tests.bench.bench_batch [--mb 1 10] [--documents 400]

Memory is the resident set of the process and its workers, sampled ten times a second. The text repeats after
`--documents` documents, so that growth would be the program's and not that of the values it must remember.
"""

import argparse
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.bench.processes import tree

PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, nargs="*", default=[1.0, 10.0])
    parser.add_argument("--documents", type=int, default=400)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print("| file | workers | MB/s | peak memory of all processes |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for megabytes in options.mb:
            file = Path(folder) / "rows.jsonl"
            _write(file, megabytes, options.documents)
            for jobs in (1, cores) if megabytes == min(options.mb) else (cores,):
                seconds, peak = _run(file, jobs)
                size = file.stat().st_size / 1e6
                print(f"| {size:.1f} MB | {jobs} | {size / seconds:.3f} | {peak >> 20} MiB |", flush=True)


def _write(file: Path, megabytes: float, count: int) -> None:
    """Rows of an identifier, a text and a number, English and Russian in turn."""
    corpora = [importlib.import_module(f"tests.bench.corpus_{code}").documents(count, 7) for code in ("en", "ru")]
    texts = [document.text for pair in zip(*corpora, strict=True) for document in pair]
    size = 0
    with file.open("w", encoding="utf-8") as out:
        for number, text in enumerate(itertools.cycle(texts)):
            line = json.dumps({"id": number, "text": text, "score": 0.5}, ensure_ascii=False) + "\n"
            size += len(line.encode())
            if size > megabytes * 1e6:
                return
            out.write(line)


def _run(file: Path, jobs: int) -> tuple[float, int]:
    """Wall seconds and peak bytes."""
    command = [sys.executable, "-m", "gateway.cli", "mask", str(file), "--jobs", str(jobs)]
    started = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _resident(process.pid))
        time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return time.monotonic() - started, peak


def _resident(root: int) -> int:
    """Bytes of a process and all below it."""
    total = 0
    for process in tree([root]):
        with suppress(OSError):  # it has just ended
            total += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    return total


if __name__ == "__main__":
    main()
