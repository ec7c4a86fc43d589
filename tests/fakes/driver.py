"""A driver that plays events from a script, for the screen's tests, its screenshots and its benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from localagent.errors import LocalAgentError
from localagent.events import CloudRequest, Event, MessageAdded, Replied, RunFinished, RunResult, ToolFinished
from localagent.journal.series import Series
from localagent.messages import Message, Usage
from localagent.ports import ApprovalRequest, Approver, Capabilities, Change, Mode, Outgoing, Progress, Releaser
from localagent.tools.jobs import JobRow
from localagent.tui.driver import (
    ContextUse,
    Hit,
    Masked,
    ModelRow,
    ReplayStep,
    Sent,
    SessionRow,
    Traffic,
    Where,
)

# A number is a pause (inf: to the end), an asyncio.Event holds the run until the test sets it, a tuple is a question.
Step = Event | float | asyncio.Event | ApprovalRequest | Outgoing | tuple[str, Sequence[str]]
FULL = Capabilities(8192, "/props", True, True, parameters=4)
CLOUD = Capabilities(200_000, "table", True, True, True)


class FakeDriver:
    """`scripts` are played one a run, the last again and again; `asked` collects what the person answered."""

    def __init__(self, *scripts: Iterable[Step], workspace: Path = Path("/project"), model: str = "small") -> None:
        self.approver: Approver | None = None
        self.session = "s1"
        self.model = model
        self.where: Where = "here"
        self.traffic = Traffic()
        self.mode: Mode = "ask"
        self.workspace = workspace
        self.scripts = [list(script) for script in scripts]
        self.tasks: list[tuple[str | None, tuple[Path, ...]]] = []
        self.cut_off = False
        self.taken_back: set[str] = set()
        self.answers: list[Any] = []
        self.steered: list[str] = []
        self.calls: list[tuple[Any, ...]] = []
        self.messages: list[Message] = []
        self.rows = [
            ModelRow("small", "llama_cpp", "here", FULL, True, True, tools="native"),
            ModelRow("other", "ollama", "local", reachable=True, size=2_500_000_000, tools="react"),
            ModelRow("gone", "openai", "local", reachable=False, note="127.0.0.1:8080"),
            ModelRow("claude", "anthropic", "cloud", CLOUD, reachable=True, tools="native"),
            ModelRow("qwen3:4b", "ollama", "local", size=2_600_000_000, offer="ollama pull qwen3:4b"),
        ]
        self.past = [SessionRow("s0", "Fix the parser", 1_790_000_000.0, "done", "small", 12, 0.0)]
        self.pasts: dict[str, list[Message]] = {
            "s0": [Message("user", "Fix the parser"), Message("assistant", "Fixed.")]
        }
        self.changed: dict[str, tuple[Change, ...]] = {}
        self.job_rows: tuple[JobRow, ...] = ()
        self.plans: dict[str, tuple[tuple[str, bool], ...]] = {}
        self.error: str = ""
        self.mistake: str = ""  # in models.toml
        self._task: asyncio.Task[None] | None = None
        self._cancelled = asyncio.Event()
        self.used: int | None = None
        self.window: int | None = 8192

    def set_mode(self, mode: Mode) -> None:
        self.mode = mode

    async def run(self, task: str | None, attachments: Sequence[Path] = ()) -> AsyncIterator[Event]:
        self.tasks.append((task, tuple(attachments)))
        if self.error:
            raise LocalAgentError(self.error)
        self._cancelled.clear()
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        self.cut_off = False
        if task is not None:
            message = Message("user", task)
            self.messages.append(message)
            yield MessageAdded(message)
        for step in script:
            if self._cancelled.is_set():
                yield RunFinished(result("cancelled"))
                return
            if (event := await self._play(step)) is not None:
                yield event
                if isinstance(event, RunFinished):
                    return
        for text in self.steered:
            yield MessageAdded(Message("user", text))
        self.steered.clear()
        yield RunFinished(result("cancelled" if self._cancelled.is_set() else "answered"))

    async def _play(self, step: Step) -> Event | None:
        match step:
            case float() | int():
                await self._or_cancelled(asyncio.sleep(step))
            case asyncio.Event():
                await self._or_cancelled(step.wait())
            case ApprovalRequest():
                assert self.approver
                await self._answered(self.approver.approve(step))
            case Outgoing():
                assert isinstance(self.approver, Releaser)
                await self._answered(self.approver.release(step))
            case tuple():
                assert self.approver
                await self._answered(self.approver.ask(*step))
            case _:
                self._remember(step)
                return step
        return None

    async def _answered(self, question: Coroutine[Any, Any, Any]) -> None:
        """Keeps the answer; a run that is cancelled meanwhile takes its question back."""
        asked = await self._or_cancelled(question)
        if not asked.cancelled():
            self.answers.append(asked.result())

    async def _or_cancelled(self, awaited: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Waits for it, or for the run's end; then it is cancelled."""
        waiting, cancelled = asyncio.create_task(awaited), asyncio.create_task(self._cancelled.wait())
        try:
            await asyncio.wait((waiting, cancelled), return_when=asyncio.FIRST_COMPLETED)
        finally:
            cancelled.cancel()
            waiting.cancel()
        await asyncio.wait((waiting,))
        return waiting

    def _remember(self, event: Event) -> None:
        if isinstance(event, CloudRequest):
            self.traffic = Traffic(event.host, self.traffic.requests + 1)
        if isinstance(event, Replied):
            self.messages.append(event.message)
            self.used = event.usage.input_tokens
        if isinstance(event, ToolFinished):
            self.messages.append(Message("tool", results=(event.result,)))

    def cancel(self) -> None:
        self._cancelled.set()

    def steer(self, text: str) -> None:
        self.steered.append(text)

    async def reread(self) -> None:
        if self.mistake:
            raise LocalAgentError(self.mistake)

    async def models(self) -> list[ModelRow]:
        return self.rows

    async def swap(self, name: str) -> None:
        if name == "gone":
            raise LocalAgentError("gone does not answer at 127.0.0.1:8080; start it with llama-server")
        self.model = name
        self.where = next((row.where for row in self.rows if row.name == name), "here")

    async def pull(self, name: str) -> AsyncIterator[Progress]:
        for done in (0, 1_300_000_000, 2_600_000_000):
            yield Progress("pulling", done, 2_600_000_000, name)
            await asyncio.sleep(0.01)

    def history(self) -> tuple[Message, ...]:
        return tuple(self.messages)

    def context_use(self) -> ContextUse:
        return ContextUse(self.used, self.window, "/props")

    async def condense(self) -> None:
        self.calls.append(("condense",))

    async def widen(self) -> int:
        self.calls.append(("widen",))
        self.window = (self.window or 0) * 2
        return self.window

    async def sessions(self) -> list[SessionRow]:
        return self.past

    async def search(self, text: str) -> list[Hit]:
        return [Hit(row.session, row.title, f"… {text} …") for row in self.past]

    async def resume(self, session: str) -> None:
        self.session, self.messages = session, list(self.pasts.get(session, ()))

    async def new(self) -> None:
        self.session, self.messages = "s2", []

    async def fork(self, index: int) -> None:
        self.calls.append(("fork", index))
        self.messages = self.messages[:index]

    async def rename(self, session: str, title: str) -> None:
        self.calls.append(("rename", session, title))

    async def export(self, session: str) -> Path:
        return Path(f"{session}.md")

    async def handoff(self) -> Path:
        return self.workspace / f"handoff-{self.session}.md"

    async def delete(self, session: str) -> None:
        self.past = [row for row in self.past if row.session != session]
        if session == self.session:
            await self.new()

    async def undo(self) -> tuple[str, ...]:
        self.calls.append(("undo",))
        changed = [call.id for message in self.messages for call in message.calls]
        self.taken_back |= set(changed[-1:])
        return ("notes.txt",)

    def undone(self) -> frozenset[str]:
        return frozenset(self.taken_back)

    async def server_prompt(self, words: str) -> str:
        self.calls.append(("prompt", words))
        return f"Please greet {words.split()[-1]}."

    async def trust(self) -> tuple[str, ...]:
        self.calls.append(("trust",))
        return ("mail.eml",)

    async def changes(self, call_id: str) -> tuple[Change, ...]:
        return self.changed.get(call_id, ())

    async def replay(self, session: str) -> list[ReplayStep]:
        return [
            ReplayStep(1, "small", (Message("system", "You work."), Message("user", "hi")), ()),
            ReplayStep(2, "small", (Message("user", "more"),), ()),
        ]

    async def mask(self, text: str) -> Masked:
        name = "Anna Kern"
        if name not in text:
            return Masked(text)
        return Masked(text.replace(name, "<PERSON_1>"), (("PERSON", name, "<PERSON_1>"),))

    async def sent(self) -> list[Sent]:
        return [Sent(1_790_000_000.0, "api.example.org", "claude", 812, {"PERSON": 2, "EMAIL_ADDRESS": 1})]

    async def figures(self) -> list[Series]:
        days = ("Mo", "Tu", "We", "Th")
        return [Series("runs", days, (3, 8, 0, 5), "runs"), Series("speed", days, (31.0, 30.2, 0, 33.9), "tok/s", True)]

    def plan(self) -> tuple[tuple[str, bool], ...]:
        return self.plans.get(self.session, ())

    def jobs(self) -> tuple[JobRow, ...]:
        return self.job_rows

    async def stop_job(self, name: str) -> None:
        self.calls.append(("stop_job", name))
        self.job_rows = tuple(replace(row, status=-15) if row.name == name else row for row in self.job_rows)

    async def close(self) -> None:
        self.calls.append(("close",))


def result(outcome: Any = "answered", output: Any = None, error: dict[str, str] | None = None) -> RunResult:
    return RunResult(outcome, output, "s1", "r1", "small", 1, Usage(900, 40, 100), error=error)


def reply(content: str = "", calls: tuple[Any, ...] = (), **more: Any) -> Replied:
    """A whole reply with plausible figures."""
    message = Message("assistant", content, calls=calls)
    return Replied(message, "small", Usage(2100, 120, 90), "stop", 3.1, 0.4, 34.0, **more)
