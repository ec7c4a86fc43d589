"""The screen against a bare Textual app: first paint, a key while tokens stream in, memory, resize.

    python -m tests.bench.bench_screen [paint|keys|memory|streamed|resize]

First paint is CPU seconds of the whole process in a terminal until its first frame has been drawn, interleaved with
the bare app, the median of the rounds. Everything is printed as ratios inside this run.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROUNDS = 12
ROOT = Path(__file__).resolve().parents[2]
STYLE = ROOT / "localagent/tui/app.tcss"

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("hello")
Base = Bare
"""
OURS = """
import os
from localagent.tui.app import LocalAgentApp
async def factory():
    import asyncio
    await asyncio.sleep(60)
class Base(LocalAgentApp):
    CSS_PATH = os.environ["STYLE"]
    def __init__(self):
        super().__init__(factory)
"""
RUN = """
import os, time
def painted():
    os.write(int(os.environ["REPORT"]), f"{time.process_time():.4f}".encode())
    os._exit(0)
class Timed(Base):
    def on_ready(self):
        self.call_after_refresh(painted)
Timed().run()
"""


def first_paint() -> None:
    bare, ours = [], []
    for _ in range(ROUNDS):
        bare.append(_cpu_until_painted(BARE))
        ours.append(_cpu_until_painted(OURS))
    a, b = statistics.median(bare), statistics.median(ours)
    print(f"first paint: bare {a:.3f} CPU s, ours {b:.3f} CPU s, ratio {b / a:.2f} (at most 1.3)")


def _cpu_until_painted(code: str) -> float:
    """CPU seconds of a process on a terminal of its own, up to its first frame."""
    leader, follower = pty.openpty()
    read, write = os.pipe()
    env = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLUMNS": "110",
        "LINES": "36",
        "PYTHONPATH": str(ROOT),
        "REPORT": str(write),
        "STYLE": str(STYLE),
    }
    script = Path(tempfile.gettempdir()) / f"paint-{os.getpid()}.py"
    script.write_text(code + RUN)
    process = subprocess.Popen(
        [sys.executable, str(script)], stdin=follower, stdout=follower, stderr=follower, env=env, pass_fds=[write]
    )
    os.close(write)
    drain = subprocess.Popen(["cat"], stdin=leader, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = os.read(read, 100)
    process.wait()
    script.unlink()
    drain.kill()
    drain.wait()
    for end in (leader, follower, read):
        os.close(end)
    return float(said)


@asynccontextmanager
async def _app(script: list[Any], size: tuple[int, int] = (110, 36)) -> AsyncIterator[Any]:
    from localagent.tui.app import LocalAgentApp
    from tests.fakes.driver import FakeDriver

    driver = FakeDriver(script)

    async def factory() -> FakeDriver:
        return driver

    app = LocalAgentApp(factory)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.2)
        yield app, pilot


async def keys() -> None:
    """From a key event to its character in the prompt, at rest and while 200 tokens a second stream in."""
    from localagent.events import Text

    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "the",
        "**lazy**",
        "dog",
        "and",
        "`then`",
        "some",
        "more\n\n",
    ]
    stream: list[Any] = []
    for number in range(4000):
        stream += [Text(words[number % len(words)] + " "), 0.005]
    async with _app(stream) as (app, pilot):
        rest = await _delays(app)
        app.prompt.fill("go")
        await pilot.press("enter")
        await pilot.pause(2.0)
        busy = await _delays(app)
        app.action_stop()
        await pilot.pause(0.2)
    a, b = statistics.median(rest), statistics.median(busy)
    tail = statistics.quantiles(busy, n=20)[-1]
    print(f"key: at rest {a * 1e3:.1f} ms, streaming {b * 1e3:.1f} ms, ratio {b / a:.2f} (p95 {tail * 1e3:.1f} ms)")


async def _delays(app: Any, count: int = 60) -> list[float]:
    from textual import events

    found = []
    for _ in range(count):
        before, began = len(app.prompt.text), time.perf_counter()
        app.post_message(events.Key("x", "x"))
        while len(app.prompt.text) == before:
            await asyncio.sleep(0.0005)
        found.append(time.perf_counter() - began)
        await asyncio.sleep(0.043)  # out of step with the screen's own pulse
    return found


def _pair(number: int) -> list[Any]:
    from localagent.tui.blocks import Answer, Said

    answer = f"answer **{number}** with `code` and\n\n- a list\n- of two"
    return [Said(f"question {number}"), Answer(answer, final=True)]


async def _talk(app: Any, pilot: Any, count: int) -> None:
    """So many messages as they come, each drawn and scrolled away."""
    from localagent.tui.facts import Opened

    for number in range(count // 2):
        for block in _pair(number):
            app.tell(Opened(block))
        if number % 20 == 0:
            await pilot.pause()
    await pilot.pause(0.2)


async def _resume(app: Any, pilot: Any, count: int) -> None:
    """A session of so many messages, opened at its end."""
    await app.conversation.load([block for number in range(count // 2) for block in _pair(number)])
    await pilot.pause(0.2)


def _resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def memory() -> None:
    """Resident memory with a session of 10,000 messages against one of 1,000, each after 300 that were streamed."""
    async with _app([]) as (app, pilot):
        await _talk(app, pilot, 300)
        await _resume(app, pilot, 1000)
        first = _resident()
        await _talk(app, pilot, 300)
        await _resume(app, pilot, 10_000)
        last = _resident()
        widgets = len(app.screen.query("*"))
    print(f"memory: 1,000 messages {first / 1e6:.1f} MB, 10,000 {last / 1e6:.1f} MB, ratio {last / first:.2f}"
          f" ({widgets} widgets)")  # fmt: skip


async def streamed() -> None:
    """Resident memory of one session after 10,000 messages that came in through runs, against that after 1,000."""
    from localagent.events import RequestSent, RunStarted, Text
    from tests.fakes.driver import reply

    pieces = ["an answer in **a", " few** words, with `code`"]
    script: list[Any] = [RunStarted("t", "small", "/p", "ask"), RequestSent(1, "small", 2), *map(Text, pieces)]
    found = {}
    async with _app([*script, reply("".join(pieces))]) as (app, pilot):
        for number in range(1, 5001):
            app.runner.say(f"question {number}")
            await app.work()
            while len(app.conversation.blocks) < 2 * number:  # the screen shows what came
                await asyncio.sleep(0.002)
            if number in (500, 5000):
                await pilot.pause(0.2)
                assert len(app.conversation.blocks) == 2 * number
                found[2 * number] = _resident()
        widgets = len(app.screen.query("*"))
    few, many = found.values()
    print(f"memory: 1,000 messages streamed {few / 1e6:.1f} MB, 10,000 {many / 1e6:.1f} MB, ratio {many / few:.2f}"
          f" (at most 1.5; {widgets} widgets)")  # fmt: skip


async def resize() -> None:
    """A resize with 10,000 messages against one with 100."""
    found = {}
    for count in (100, 10_000):
        async with _app([]) as (app, pilot):
            await _resume(app, pilot, count)
            began = time.process_time()
            for width in (80, 110, 90, 120):
                await pilot.resize_terminal(width, 36)
                await pilot.pause()
            found[count] = time.process_time() - began
    few, many = found.values()
    print(f"resize: 100 messages {few:.2f} CPU s, 10,000 {many:.2f} CPU s, ratio {many / few:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"keys": keys, "memory": memory, "streamed": streamed, "resize": resize}
    parser.add_argument(
        "part", nargs="*", default=["paint", *parts], help=f"paint, {', '.join(parts)}; all without one"
    )
    for name in parser.parse_args().part:
        if name == "paint":
            first_paint()
        elif name in parts:
            asyncio.run(parts[name]())
        else:
            parser.error(f"there is no part {name!r}")


if __name__ == "__main__":
    main()
