"""The same agent as lines of text: for screen readers, dumb terminals and those who like it. Draws nothing.

Every line says what it is; nothing moves, nothing is coloured, nothing is overwritten.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from localagent.events import (
    CloudRequest,
    Delegated,
    Event,
    FellBack,
    Notice,
    PlanChanged,
    Replied,
    RunFinished,
    Text,
    Thought,
    ToolFinished,
    ToolStarted,
    Working,
)
from localagent.i18n import t
from localagent.ports import HOUSE, MODES, ApprovalRequest, Change, Decision, Outgoing
from localagent.terminal import forget_typed, hear, plain
from localagent.tui.lines import TROUBLES, error_line, explained, fell_back_line, outcome_line, plan_line, reason_line

if TYPE_CHECKING:
    from localagent.tui.driver import Driver

RESULT = 300  # characters of a result that are read out
YES = ("y", "yes", "д", "да")  # whole words: who writes "stop" or "actually no" has not allowed it
SCOPES: dict[str, Literal["once", "session", "always"]] = {
    **dict.fromkeys(YES, "once"),
    **dict.fromkeys(("s", "session"), "session"),
    **dict.fromkeys(("a", "always"), "always"),
}


class Lines:
    """Reads and writes lines; also the agent's Approver."""

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None) -> None:
        self._source = source or sys.stdin
        self._sink = sink or sys.stdout

    def say(self, text: str, end: str = "\n") -> None:
        self._sink.write(plain(text) + end)
        self._sink.flush()

    async def hear(self, question: str) -> str | None:
        """A line of the person, None at the end of input."""
        self.say(question, end="")
        line = await hear(self._source)
        return line.rstrip("\n") if line else None

    async def decide(self, question: str) -> str:
        """An answer that was given to this question and to none before it."""
        forget_typed(self._source)
        return (await self.hear(question) or "").strip().lower()

    async def approve(self, request: ApprovalRequest) -> Decision:
        self.say(f"{t('approval.title')} {request.summary or request.call.name}")
        for line in (request.summary and request.call.name, reason_line(request), *request.segments):
            if line:
                self.say(f"  {line}")
        for change in request.changes:
            self.say(diff(change))
        answer = await self.decide(t("plain.allow"))
        if answer in SCOPES:
            return Decision(True, SCOPES[answer])
        return Decision(False, "once", (await self.hear(t("plain.why")) or "").strip())

    async def release(self, outgoing: Outgoing) -> Decision:
        """Reads out what would leave the house: each text that is not the house's own, and what became of it."""
        self.say(t("release.title"))
        self.say(t("release.to", host=outgoing.host, model=outgoing.model))
        for text in outgoing.texts:
            if text.place not in HOUSE or text.changed:
                self.say(f"{t(f'release.place_{text.place}')}:\n{text.masked}")
            for kind, value, mark in text.entities:
                self.say(f"  {mark} ({kind}): {value}")
        return Decision(await self.decide(t("plain.release")) in YES, "session")

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.say(question)
        for number, option in enumerate(options, 1):
            self.say(f"  {number}. {option}")
        forget_typed(self._source)
        answer = (await self.hear(t("plain.choose" if options else "plain.you")) or "").strip()
        chosen = int(answer) - 1 if answer.isdigit() else -1
        return options[chosen] if 0 <= chosen < len(options) else answer


def diff(change: Change) -> str:
    """A unified diff without colours."""
    from difflib import unified_diff

    before, after = ((side or b"").decode("utf-8", "replace").splitlines() for side in (change.before, change.after))
    return "\n".join(unified_diff(before, after, str(change.path), str(change.path), lineterm="", n=2))


class Reader:
    """Says each event once, as a line that stands for itself."""

    def __init__(self, say: Callable[..., None]) -> None:
        self._say = say
        self._streaming = False
        self._phase = ""

    def read(self, event: Event) -> None:
        match event:
            case Text(text):
                self._stream(text)
            case Thought():
                self._once("thinking", t("plain.thinking"))
            case Working(phase):
                self._once(phase, t("plain.working", text=t(f"phase.{phase}")))
            case Replied(message):
                self._end_stream(message.content)
                if not message.content and not message.calls:
                    self._line(t("plain.empty"))
            case ToolStarted(call) | Delegated(event=ToolStarted(call)):
                arguments = ", ".join(f"{key} {value}" for key, value in call.arguments.items())
                self._line(t("plain.tool", name=call.name, arguments=arguments))
            case ToolFinished():
                self._result(event)
            case FellBack() if text := fell_back_line(event):
                self._line(text)
            case PlanChanged(items) if items:
                self._line(plan_line(items))
            case CloudRequest(host):
                self._line(t("plain.left", host=host, n=event.bytes))
            case Notice(kind, text):
                self._line(explained(kind, text))
            case RunFinished(result):
                self._ended(result)

    def _stream(self, text: str) -> None:
        if not self._streaming:
            self._say(t("plain.answer"))
            self._streaming = True
        self._say(text, end="")

    def _end_stream(self, content: str) -> None:
        if content and not self._streaming:
            self._say(f"{t('plain.answer')}\n{content}")
        elif self._streaming:
            self._say("")
        self._streaming, self._phase = False, ""

    def _once(self, phase: str, text: str) -> None:
        if phase != self._phase:
            self._phase = phase
            self._line(text)

    def _line(self, text: str) -> None:
        if self._streaming:
            self._say("")
            self._streaming = False
        self._say(text)

    def _result(self, event: ToolFinished) -> None:
        key = "plain.result" if event.result.ok else "plain.failed"
        text = " ".join(event.result.content.split())[:RESULT]
        self._line(t(key, seconds=t("unit.seconds", n=f"{event.seconds:.1f}"), text=text))

    def _ended(self, result: Any) -> None:
        self._line(outcome_line(result))


def run_plain(driver_factory: Callable[[], Awaitable[Driver]], lines: Lines | None = None) -> int:
    """Talks in lines until the person leaves or the input ends; returns the exit status."""
    return asyncio.run(_talk(driver_factory, lines or Lines()))


async def _talk(driver_factory: Callable[[], Awaitable[Driver]], lines: Lines) -> int:
    lines.say(t("phase.starting"))
    driver = await driver_factory()
    driver.approver = lines
    _read_out(driver, lines)
    lines.say(_status(driver))
    lines.say(t("plain.bye"))
    try:
        while (text := await lines.hear(t("plain.you"))) is not None and text.strip() not in ("/quit", "/q"):
            try:
                await _answer(driver, lines, text.strip())
            except TROUBLES as error:
                lines.say(error_line(error))
        if driver.history():
            lines.say("\n" + t("note.left", session=driver.session))
    finally:
        await driver.close()
    return 0


async def _answer(driver: Driver, lines: Lines, text: str) -> None:
    if text.startswith("/"):
        await _command(driver, lines, *text[1:].partition(" ")[::2])
    elif text or driver.cut_off:
        reader = Reader(lines.say)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, driver.cancel)  # Ctrl-C ends the run, not the talk
        try:
            async with aclosing(cast("Any", driver.run(text or None))) as events:
                async for event in events:
                    reader.read(event)
        finally:
            loop.remove_signal_handler(signal.SIGINT)


async def _command(driver: Driver, lines: Lines, name: str, rest: str) -> None:
    match name:
        case "mode" if rest in MODES:
            driver.set_mode(rest)
        case "model" if rest:
            await driver.swap(rest)
        case "model":
            for row in await driver.models():
                lines.say(f"  {row.name}, {row.backend}, {t(f'where.{row.where}')}")
            return
        case "undo":
            names = await driver.undo()
            lines.say(t("note.undone", names=", ".join(names)) if names else t("note.nothing_to_undo"))
            return
        case "trust":
            sources = ", ".join(await driver.trust())
            lines.say(t("note.trusted", sources=sources) if sources else t("note.nothing_foreign"))
            return
        case "new":
            await driver.new()
        case "condense":
            await driver.condense()
            lines.say(t("note.condensed_now"))
        case "sessions":
            for session in await driver.sessions():
                lines.say(f"  {session.session}, {session.title}")
            return
        case "resume" if rest:
            await driver.resume(rest)
            _read_out(driver, lines)
        case "help":
            lines.say(t("plain.commands"))
            return
        case _:
            lines.say(t("plain.unknown", commands=t("plain.commands")))
            return
    lines.say(_status(driver))


def _read_out(driver: Driver, lines: Lines) -> None:
    """What was said in the session before."""
    for message in driver.history():
        if message.role in ("user", "assistant") and message.content and not message.by:
            lines.say(f"{t('plain.you') if message.role == 'user' else t('plain.answer')} {message.content}")
    if driver.cut_off:
        lines.say(t("note.cut_off"))


def _status(driver: Driver) -> str:
    use = driver.context_use()
    used, window = (n if n is not None else "?" for n in (use.used, use.window))
    left = driver.traffic
    where = t("where.sent", host=left.host, n=left.requests) if left.requests else t(f"where.{driver.where}")
    return t("plain.status", model=driver.model, mode=driver.mode, used=used, window=window, where=where)
