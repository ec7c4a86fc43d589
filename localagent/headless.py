"""`localagent run`: one task without a screen. The result goes to standard output, all else to standard error."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gateway.arguments import Parser
from localagent.agent.escort import by_flag
from localagent.approvers import Nobody, approver_for
from localagent.config import paths
from localagent.config.schema_file import read_schema
from localagent.errors import LocalAgentError, UsageError
from localagent.events import (
    CloudRequest,
    Delegated,
    Event,
    FellBack,
    Notice,
    ReplyRejected,
    RunFinished,
    RunResult,
    ToolFinished,
    ToolStarted,
    Working,
    kind_of,
)
from localagent.events_json import to_json
from localagent.ports import MODES
from localagent.terminal import SURROGATE, put, told

if TYPE_CHECKING:
    from gateway.ledger import Ledger

EXIT = {"done": 0, "answered": 0, "handed_off": 3, "stalled": 3, "limit": 3, "failed": 4, "cancelled": 130}
PATIENCE = 2  # signals
APPROVE = (
    "what happens without asking: read only looks, edit also changes files of the folder, all also runs sandboxed "
    "commands; ask (the default) asks for every change, and refuses where there is no terminal"
)

COUNTS = {
    "max_same_calls": "the same call, whatever it answers (default 6)",
    "max_same_results": "the same call with the same answer (default 3)",
    "max_same_answers": "calls of one tool in a row that get the same answer (default 6)",
    "max_same_texts": "replies in a row that say the same (default 10)",
    "max_failures": "failed calls in a row (default 6)",
    "max_invalid": "replies in a row that cannot be read (default 3)",
}
LIMITS = ("max_steps", "max_tokens", "max_usd", "max_seconds", *COUNTS)


def parser() -> argparse.ArgumentParser:
    p = Parser(
        prog="localagent run",
        description="Gives one task to the agent and prints its answer.",
        epilog='example: localagent run "How many invoices are unpaid?" --cwd ~/invoices --approve read --json',
    )
    p.add_argument("task", nargs="?", metavar="TASK", help='what to do; "-" reads it from standard input')
    p.add_argument("--model", metavar="NAME", default="", help="an entry of models.toml (default: its `default`)")
    p.add_argument("--cwd", metavar="DIR", default=".", help="the folder to work in (default: this one)")
    p.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    p.add_argument("--approve", choices=MODES, default="ask", help=APPROVE)
    p.add_argument("--max-steps", type=_positive(int), metavar="N", help="replies of the model (default 40)")
    p.add_argument("--max-tokens", type=_positive(int), metavar="N", help="tokens read anew and written")
    p.add_argument("--max-usd", type=_positive(float), metavar="X", help="money, by the prices of models.toml")
    p.add_argument("--max-seconds", type=_positive(float), metavar="N", help="wall time")
    for name, about in COUNTS.items():
        p.add_argument(f"--{name.replace('_', '-')}", type=_positive(int), metavar="N", help=about)
    p.add_argument("--schema", metavar="FILE", help="a JSON Schema that the result must satisfy")
    p.add_argument("--resume", metavar="SESSION", help="go on in this session; without TASK with its unfinished run")
    p.add_argument("--continue", dest="last", action="store_true", help="go on in the last session of this folder")
    p.add_argument("--handoff", metavar="FILE", help="where the run does not come to an end, write what to hand on")
    p.add_argument("--allow-cloud", action="store_true", help="let masked text leave for a cloud model of models.toml")
    p.add_argument("--json", action="store_true", help="print one JSON object at the end")
    p.add_argument("--events", action="store_true", help="print every event as a line of JSON; the last is the object")
    return p


def _positive(kind: type[int] | type[float]) -> Any:
    def convert(text: str) -> int | float:
        value = kind(text)
        if not (value > 0 and math.isfinite(value)):
            raise argparse.ArgumentTypeError(f"{text} is no finite number above 0")
        return value

    convert.__name__ = "number above 0"
    return convert


def main(argv: Sequence[str]) -> int:
    """Runs the command; the exit status is that of accept.md's table in docs/commands.md."""
    args = parser().parse_args(list(argv))
    task = _task(args)
    workspace = paths.workspace(args.cwd)
    schema = read_schema(args.schema) if args.schema else None
    result = asyncio.run(_run(args, task, workspace, schema))
    return EXIT[result.outcome]


def _task(args: argparse.Namespace) -> str | None:
    if args.resume is not None and not args.resume.strip():
        raise UsageError("--resume names no session; `localagent sessions list` shows them")
    if args.resume and args.last:
        raise UsageError("--resume and --continue exclude each other: name a session, or take the last one")
    task: str | None = _from_stdin() if args.task == "-" else args.task
    if task is not None and not task.strip():
        raise UsageError('the task is empty: say what to do, such as localagent run "What is in these files?"')
    if task is None and not (args.resume or args.last):
        raise UsageError("no task given: localagent run TASK, or --continue to go on with the last session")
    return None if task is None else SURROGATE.sub("\ufffd", task)  # bytes of a shell that are no UTF-8


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"standard input is no UTF-8 text: {error.reason} at byte {error.start}") from None


async def _run(args: argparse.Namespace, task: str | None, workspace: Path, schema: dict[str, Any] | None) -> RunResult:
    from localagent import assemble
    from localagent.house import close, open_house

    house = open_house(args.models)
    try:
        limits = {k: getattr(args, k) for k in LIMITS}
        settings = assemble.Settings(
            workspace=workspace,
            approver=approver_for(args.approve),
            model=args.model,
            mode=args.approve,
            limits={k: v for k, v in limits.items() if v is not None},
            schema=schema,
            release=by_flag if args.allow_cloud else None,
        )
        events = assemble.drive(house, settings, task, session=args.resume or "", last=args.last)
        result = await _print(events, args)
        if isinstance(settings.approver, Nobody):
            told(settings.approver.advice())
        if args.handoff and result.outcome in ("limit", "stalled", "failed"):
            result = _hand_off(house.ledger, result, Path(args.handoff))
        _result(result, args)
        return result
    finally:
        await close(house)


async def _print(events: AsyncIterator[Event], args: argparse.Namespace) -> RunResult:
    """Reads the run to its end; Ctrl-C, SIGTERM and a closed terminal cancel it, and it still ends with its result."""
    stop = Stop.on_signals()
    result: RunResult | None = None
    async with aclosing(events) as stream:  # type: ignore[type-var]
        async for event in stream:
            if isinstance(event, RunFinished):
                result = event.result
            elif args.events:
                _line({"event": kind_of(event), **to_json(event)})
            else:
                _progress(event)
    stop.over = True
    if result is None:
        raise LocalAgentError("the run ended without a result")
    return result


@dataclass(slots=True)
class Stop:
    """What signals do to a run: the first cancels it, the next ones wait for its end, the third does not.

    All that must last is in the ledger by then; what the run has started dies with the process.
    """

    task: asyncio.Task[Any]
    over: bool = False  # the run has ended and is only being cleared away
    _heard: int = 0

    @classmethod
    def on_signals(cls) -> Stop:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        stop = cls(task)
        stays = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # nohup asks for that
        for number in (signal.SIGINT, signal.SIGTERM, *(() if stays else (signal.SIGHUP,))):
            loop.add_signal_handler(number, stop.heard)
        return stop

    def heard(self) -> None:
        self._heard += 1
        if self._heard > PATIENCE:
            os._exit(EXIT["cancelled"])
        if self._heard == 1 and not self.over:
            self.task.cancel()


def _hand_off(ledger: Ledger, result: RunResult, file: Path) -> RunResult:
    from localagent.journal.handoff import hand_off

    try:
        file.write_text(hand_off(ledger, result.session), encoding="utf-8", errors="replace")
    except OSError as error:
        told(f"localagent: the hand-off was not written: {file}: {error.strerror}\n")
        return result
    told(f"localagent: what to hand on is in {file}\n")
    return replace(result, outcome="handed_off")


def _result(result: RunResult, args: argparse.Namespace) -> None:
    if args.json or args.events:
        _line(result.as_json())
        return
    if result.output is not None:
        text = result.output if isinstance(result.output, str) else json.dumps(result.output, ensure_ascii=False)
        put(text.rstrip() + "\n")
    if result.is_cut:
        told(f"localagent: the answer was cut: it reached max_tokens of models.{result.model} in models.toml\n")
    if result.error is not None:
        told(f"localagent: {result.outcome}: {result.error['message']}\n")
        told(f"localagent: go on with: localagent run --resume {result.session}\n")
        told(f"localagent: hand it on with: localagent sessions handoff {result.session}\n")


def _line(data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, default=str)
    # A lone surrogate of a reply has no UTF-8: as an escape it stays what it was.
    sys.stdout.write((json.dumps(data, default=str) if SURROGATE.search(text) else text) + "\n")
    sys.stdout.flush()


def _progress(event: Event) -> None:
    """One line on standard error for what a waiting person wants to know."""
    line = _working(event) if isinstance(event, Working) else _news(event)
    if line and sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if line:
        told(line)


def _working(event: Working) -> str:
    """What goes on, on a line that the next one takes the place of; without a terminal only what is worth a line."""
    if not sys.stderr.isatty():
        return f"{event.phase}: {event.note}\n" if event.note else ""
    share = f" {event.done} of {event.total}" if event.total else ""
    return f"{event.phase}{share} {event.note}"


def _news(event: Event) -> str:
    match event:
        case ToolStarted(call=call) | Delegated(event=ToolStarted(call=call)):
            return f"→ {call.name} {json.dumps(call.arguments, ensure_ascii=False)[:200]}\n"
        case ToolFinished(result=result) if not result.ok:
            return f"  {result.name}: {result.content.splitlines()[0] if result.content else 'failed'}\n"
        case FellBack(failed=failed, to=to, reason=reason):
            why = reason if reason.startswith(f"{failed}:") else f"{failed}: {reason}"
            return f"{why}; {'trying it again' if to == failed else f'going on with {to}'}\n"
        case CloudRequest(host=host, masked=masked):
            counts = ", ".join(f"{kind} {count}" for kind, count in masked.items()) or "nothing to mask"
            return f"▲ masked → {host} ({counts}; {event.bytes} bytes)\n"
        case ReplyRejected(kind=kind, attempt=attempt):
            again = f", {attempt} in a row" if attempt > 1 else ""
            return f"a reply could not be read ({kind}){again}\n"
        case Notice(text=text):
            return f"{text}\n"
    return ""
