"""Commands in the background: started, looked at, stopped, and gone when their session ends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

from localagent.ports import Outcome, ToolContext
from localagent.tools.process import Output, kill, start
from localagent.tools.result import fit
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

MOST = 8


@dataclass(slots=True)
class Job:
    """A running or ended command; `seen` is how much of its output the model has read."""

    line: str
    process: asyncio.subprocess.Process
    reader: asyncio.Task[None]
    output: Output
    seen: int = 0
    began: float = field(default_factory=monotonic)
    ended: float | None = None

    @property
    def state(self) -> str:
        status = self.process.returncode
        return say("job_running") if status is None else say("exit_code", code=status)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as a person sees it: `status` is None while it runs, `output` the end of what it wrote."""

    name: str
    line: str
    status: int | None
    seconds: float
    output: str = ""


@dataclass(slots=True)
class Jobs:
    """The background commands of one session."""

    _jobs: dict[str, Job] = field(default_factory=dict)

    async def start(self, line: str, context: ToolContext) -> str:
        """Starts a line and returns its name. Raises ToolFailure."""
        running = sum(job.process.returncode is None for job in self._jobs.values())
        if running >= MOST:
            raise ToolFailure("invalid", say("too_many_jobs", count=MOST))
        process = await start(line, context)
        output = Output()
        name = str(len(self._jobs) + 1)
        self._jobs[name] = job = Job(line, process, asyncio.create_task(_read(process, output)), output)
        job.reader.add_done_callback(lambda _: setattr(job, "ended", monotonic()))
        return name

    def get(self, name: str) -> Job:
        if name not in self._jobs:
            raise ToolFailure("not_found", say("no_job", job=name, jobs=", ".join(self._jobs) or "-"))
        return self._jobs[name]

    def rows(self) -> tuple[JobRow, ...]:
        """All jobs as a person sees them, oldest first."""
        return tuple(
            JobRow(name, job.line, job.process.returncode, (job.ended or monotonic()) - job.began, job.output.tail())
            for name, job in self._jobs.items()
        )

    def listing(self) -> str:
        rows = [f"{name}: {job.line} {job.state}" for name, job in self._jobs.items()]
        return "\n".join(rows) or say("no_jobs")

    async def stop(self, job: Job) -> None:
        await kill(job.process)
        await job.reader

    async def close(self) -> None:
        """Ends everything that still runs."""
        await asyncio.gather(*(self.stop(job) for job in self._jobs.values() if job.process.returncode is None))


async def _read(process: asyncio.subprocess.Process, output: Output) -> None:
    assert process.stdout is not None, "started with a pipe"
    while data := await process.stdout.read(65536):
        output.feed(data)
    output.feed(b"", final=True)
    await process.wait()


def job(profile: Profile, jobs: Jobs) -> BuiltinTool:
    params = (Param("action", required=True, choices=("list", "read", "stop")), Param("job"))

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        if arguments["action"] == "list":
            return Outcome(jobs.listing())
        one = jobs.get(str(arguments.get("job") or ""))
        if arguments["action"] == "stop":
            await jobs.stop(one)
        new, one.seen = one.output.since(one.seen), one.output.chars
        text, full = fit(new, context)
        return Outcome(f"{text.rstrip()}\n{one.state}".strip(), full=full)

    return BuiltinTool(spec_of("job", params, profile), "read", action)
