"""How much of a ten-step run is computed twice, and what happens when others want the cores.

    python -m tests.bench.bench_prefix [--model smollm2-135m]

The worker is replaced in the middle of the run: its state comes back from disk.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localagent.messages import Message
from localagent.models.embedded import fetch
from localagent.models.llama_cpp.client import LlamaCppModel
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.ports import Request
from tests.bench.replying import reply_of
from tests.fakes.weights import ALL

STEPS = 10
TURNS = 4
SYSTEM = "You work on the files of a folder with tools; look before you change anything. " * 40
RESULT = "Observation: 1 import os\n2 import sys\n3 def main() -> None:\n4     print(os.getcwd(), sys.argv)\n" * 2


async def main(name: str) -> None:
    file = fetch(ALL[name])
    with tempfile.TemporaryDirectory() as folder:
        await _run(LlamaCppSettings(file=file, context=4096, temperature=0.0, state_dir=Path(folder)))
    for threads in (None, 2):
        settings = LlamaCppSettings(file=file, context=2048, temperature=0.0, threads=threads)
        kind = "threads follow the load" if threads is None else f"{threads} threads, fixed"
        alone, crowded = await _alone_and_crowded(settings)
        print(f"another process busy, {kind}: {alone:.1f} → {crowded:.1f} tokens/s ({crowded / alone:.0%} is left)")


async def _run(settings: LlamaCppSettings) -> None:
    model = LlamaCppModel("bench", settings)
    messages = [Message("system", SYSTEM), Message("user", "Describe the file main.py.")]
    computed = new = known = 0
    for step in range(STEPS):
        if step == STEPS // 2:
            await model.close()
            model = LlamaCppModel("bench", settings)
        text, finish = await reply_of(model, Request(tuple(messages), max_tokens=40, session="bench"))
        usage = finish.usage
        assert usage.input_tokens is not None
        assert usage.output_tokens is not None
        computed += usage.evaluated_tokens or 0
        new += usage.input_tokens - known
        known = usage.input_tokens + usage.output_tokens
        messages += [Message("assistant", text), Message("user", RESULT)]
    await model.close()
    print(f"{STEPS} steps, restarted in the middle: {computed} tokens computed, {new} new: {computed / new:.3f}")


async def _alone_and_crowded(settings: LlamaCppSettings) -> tuple[float, float]:
    """Median tokens/s in turns without and with a busy neighbour; one that has just come is not noticed at once."""
    model = LlamaCppModel("bench", settings)
    request = Request((Message("user", "Tell a long story of the sea."),), max_tokens=100)
    speeds: tuple[list[float], list[float]] = ([], [])
    try:
        await reply_of(model, request)
        for _ in range(TURNS):
            speeds[0].append((await reply_of(model, request))[1].tokens_per_second or 0.0)
            with _busy():
                await asyncio.sleep(0.5)
                speeds[1].append((await reply_of(model, request))[1].tokens_per_second or 0.0)
        return statistics.median(speeds[0]), statistics.median(speeds[1])
    finally:
        await model.close()


@contextmanager
def _busy() -> Iterator[None]:
    """One core's worth of other work."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="smollm2-135m", choices=ALL)
    asyncio.run(main(parser.parse_args().model))
