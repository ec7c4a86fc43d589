"""Running commands: their output streams, may be long or binary, and nothing of them outlives the call."""

from __future__ import annotations

import asyncio
import signal

from localagent.ports import Outcome, ToolContext
from localagent.tools.jobs import Jobs
from localagent.tools.process import Output, kill, start
from localagent.tools.result import cut, keep
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool
from localagent.tools.words import say

SECONDS = 120
MOST_SECONDS = 3600


def run_command(profile: Profile, jobs: Jobs) -> BuiltinTool:
    params = [Param("command", required=True), Param("seconds", "integer")]
    if profile == "full":
        params += [Param("background", "boolean"), Param("network", "boolean")]

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        if arguments.get("background"):
            return Outcome(say("job_started", job=await jobs.start(arguments["command"], context)))
        return await _run(arguments, context)

    return BuiltinTool(spec_of("run_command", params, profile), "execute", action)


async def _run(arguments: Arguments, context: ToolContext) -> Outcome:
    seconds = max(1, min(MOST_SECONDS, arguments.get("seconds") or SECONDS))
    process = await start(arguments["command"], context)
    output = Output()
    try:
        async with asyncio.timeout(seconds):
            await _pump(process, output, context)
            status = await process.wait()
    except TimeoutError:
        return _outcome(output, say("timed_out", seconds=seconds), context, failure="failed")
    finally:
        await kill(process)
    if status:
        note = say("signalled", name=_signal_name(status)) if _signal_name(status) else say("exit_code", code=status)
        return _outcome(output, note, context, failure="failed")
    return _outcome(output, "" if output.chars else say("no_output"), context)


async def _pump(process: asyncio.subprocess.Process, output: Output, context: ToolContext) -> None:
    assert process.stdout is not None, "started with a pipe"
    while data := await process.stdout.read(65536):
        piece = output.feed(data)
        if piece:
            context.emit(piece)
    output.feed(b"", final=True)


def _signal_name(status: int) -> str:
    """The signal that ended it, told by the system (negative) or by the shell (above 128); "" for none."""
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _outcome(output: Output, note: str, context: ToolContext, failure: str = "") -> Outcome:
    whole = text = output.since(0)
    if len(whole) > context.result_chars:
        text = cut(whole, context.result_chars, keep(whole, context))
    content = f"{text.rstrip()}\n{note}".strip() if note else text.rstrip()
    return Outcome(content, full=whole if text is not whole else None, failure=failure)
