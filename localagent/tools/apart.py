"""Work on what others wrote, which may never end or eat the memory: in a process of its own, so that it can be ended.

A thread that parses could not be, nor a regular expression that backtracks, which would hold the screen as well.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from localagent.ports import ToolContext
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

SECONDS = 30.0
MEMORY = 4 << 30  # bytes of address space
STACK, DEPTH = 256 << 20, 50_000  # pages nest deeper than Python allows by itself
_ARGV = (sys.executable, "-P", "-m", __spec__.name)
P = ParamSpec("P")
T = TypeVar("T")


async def apart(seconds: float, work: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    """What the function of a module returns, with arguments that can be pickled.

    Raises ToolFailure: its own, or "invalid" where it did not end in time or broke its process.
    """
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *_ARGV, cwd=os.sep, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(seconds):
            out, _ = await process.communicate(pickle.dumps((work, arguments, more)))
    except TimeoutError:
        raise _late(seconds) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _result(process.returncode, out)  # type: ignore[no-any-return]


def wait_apart(seconds: float, work: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    """The same for a thread that has no event loop."""
    try:
        task = pickle.dumps((work, arguments, more))
        done = subprocess.run(_ARGV, cwd=os.sep, input=task, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise _late(seconds) from None
    return _result(done.returncode, done.stdout)  # type: ignore[no-any-return]


def _late(seconds: float) -> ToolFailure:
    return ToolFailure("invalid", say("took_too_long", seconds=int(seconds)))


def _result(status: int | None, out: bytes) -> Any:
    """Raises ToolFailure."""
    if status:
        raise ToolFailure("invalid", say("gave_out"))
    failure, result = pickle.loads(out)
    if failure:
        raise ToolFailure(*failure)
    return result


def reach(context: ToolContext) -> ToolContext:
    """What of a context goes along: where files may be read."""
    return ToolContext(context.workspace, context.roots, scratch=context.scratch)


def _main() -> None:
    """The other side: one piece of work from standard input, its answer on standard output."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what a parser prints is no answer
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    threading.stack_size(STACK)
    sys.setrecursionlimit(DEPTH)
    told: list[Any] = []
    thread = threading.Thread(target=lambda: told.append(_answer(sys.stdin.buffer.read())))
    thread.start()
    thread.join()
    with os.fdopen(answers, "wb") as out:
        out.write(pickle.dumps(told[0]))


def _answer(task: bytes) -> tuple[tuple[str, str, str] | None, Any]:
    work, arguments, more = pickle.loads(task)
    try:
        return None, work(*arguments, **more)
    except ToolFailure as failure:
        return (failure.kind, str(failure), failure.source), None


if __name__ == "__main__":
    _main()
