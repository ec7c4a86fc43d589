"""`localagent models`, `models check NAME` and `models pull NAME`. Errors are the caller's to print."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gateway.arguments import Parser

if TYPE_CHECKING:
    from localagent.models.catalogue import Catalogue
    from localagent.models.check import Report
    from localagent.ports import Capabilities, Model, Progress

PROBE_SECONDS = 6.0  # for one model of the list
SECONDS_A_LINE = 5.0  # of progress that goes to a file
FAILED = 4


def main(argv: Sequence[str]) -> int:
    """Runs one of the three commands and returns the exit status. Raises LocalAgentError."""
    arguments = _parser().parse_args(list(argv))
    import asyncio

    from localagent.models.catalogue import load_catalogue
    from localagent.net import fence

    catalogue = load_catalogue(arguments.models)
    fence.install(catalogue.hosts())
    work = {"check": _check, "pull": _pull}.get(arguments.action or "", _list)
    return asyncio.run(work(catalogue, arguments))


def _parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    common.add_argument("--json", action="store_true", help="print one JSON object")
    parser = Parser(prog="localagent models", description="Lists, checks and fetches models.", parents=[common])
    parser.set_defaults(models=None, json=False)
    actions = parser.add_subparsers(dest="action", metavar="check|pull")
    check = actions.add_parser("check", parents=[common], help="load or reach it, one answer, one tool call")
    pull = actions.add_parser("pull", parents=[common], help="fetch its weights")
    for action in (check, pull):
        action.add_argument("name", metavar="NAME", help="a model of models.toml, or such as ollama/qwen3:8b")
    return parser


async def _list(catalogue: Catalogue, arguments: argparse.Namespace) -> int:
    import asyncio

    from localagent.models.discover import discover

    catalogue.add_found(await discover())
    rows = await asyncio.gather(*(_row(catalogue, name) for name in catalogue.names))
    await catalogue.close()
    if arguments.json:
        file = catalogue.file
        _print_json({"file": str(file.path), "default": file.default, "fallback": list(file.fallback), "models": rows})
        return 0
    for line in _table(rows):
        print(line)
    return 0


async def _row(catalogue: Catalogue, name: str) -> dict[str, Any]:
    from localagent.models.check import capabilities_json
    from localagent.models.probe import choose_dialect

    entry = catalogue.entry(name)
    capabilities, problem = await _probe(catalogue, name)
    return {
        "name": name,
        "default": name == catalogue.file.default,
        "found": name not in catalogue.file.entries,
        "backend": entry.backend,
        "model": entry.model or (entry.file.name if entry.file else entry.package or entry.url.rpartition("/")[2]),
        "about": entry.about,
        "base_url": entry.base_url,
        "cloud": entry.cloud,
        "ready": capabilities is not None,
        "problem": problem,
        "dialect": choose_dialect(entry, capabilities) if capabilities else entry.tools,
        "capabilities": capabilities_json(capabilities),
    }


async def _probe(catalogue: Catalogue, name: str) -> tuple[Capabilities | None, str | None]:
    """Capabilities, or why there are none; nothing is fetched for a list."""
    import asyncio

    from localagent.config.paths import state_dir
    from localagent.errors import LocalAgentError
    from localagent.models.pull import missing

    entry = catalogue.entry(name)
    if (entry.url or entry.package) and missing(entry):
        return None, f"not here yet; run: localagent models pull {name}"
    try:
        model = catalogue.build(name, state_dir=state_dir())
        return await asyncio.wait_for(model.capabilities(), PROBE_SECONDS), None
    except TimeoutError:
        return None, f"no answer within {PROBE_SECONDS:g} s"
    except LocalAgentError as error:
        return None, str(error)


def _table(rows: Sequence[dict[str, Any]], width: int = 80) -> list[str]:
    """Two lines a model: its name and what it can do, then what it is; wrapped where they are longer than `width`."""
    wide = max((len(row["name"]) for row in rows), default=0)
    lines = []
    for row in rows:
        mark = "*" if row["default"] else " "
        head = f"{mark} {row['name']:<{wide}}  {row['backend']:<9}  "
        lines += _wrapped(head + _abilities(row), width) + [f"    {line}" for line in _wrapped(_about(row), width - 4)]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of a text, further ones set in; a command that it names stays on one line, to be copied."""
    from textwrap import wrap

    whole = re.sub(r"localagent models pull \S+", lambda found: found[0].replace(" ", "\xa0"), text)
    lines = wrap(whole, width, subsequent_indent=" " * 4, break_on_hyphens=False)
    return [line.replace("\xa0", " ") for line in lines]


def _abilities(row: dict[str, Any]) -> str:
    known = row["capabilities"]
    if known is None:
        return str(row["problem"].removeprefix(f"{row['name']}: "))
    abilities = [word for word, key in (("thinks", "thinking"), ("sees images", "images")) if known[key]]
    return ", ".join([f"{known['context'] or '?'} tokens", f"tools: {row['dialect']}", *abilities])


def _about(row: dict[str, Any]) -> str:
    from localagent.config.models_toml import host_of

    known = row["capabilities"]
    window = f"window from {known['context_source']}" if known and known["context"] else ""
    cloud = f"cloud: leaves masked for {host_of(row['base_url'])}" if row["cloud"] else ""
    return ", ".join(part for part in (row["model"], window, cloud) if part)


async def _check(catalogue: Catalogue, arguments: argparse.Namespace) -> int:
    from localagent.config.paths import state_dir
    from localagent.errors import ModelError
    from localagent.models.check import Report, Step, check

    model = catalogue.build(arguments.name, state_dir=state_dir())
    line = ProgressLine()
    entry = catalogue.entry(arguments.name)
    try:
        if entry.cloud:
            model = await _masked(model)
        if prepare := getattr(model, "prepare", None):
            async for progress in prepare():
                line.show(progress)
        report = await check(entry, model, line.show)
    except ModelError as error:  # it is not even here
        report = Report(entry.name, entry.backend, [Step("reach", False, 0.0, str(error))])
    finally:
        line.clear()
        await catalogue.close()
    if arguments.json:
        _print_json(report.as_json())
    else:
        print("\n".join(_report_lines(report)))
    return 0 if report.ok else FAILED


async def _masked(model: Model) -> Model:
    """A cloud model for its check, which sends the check's own words and no one else's."""
    from localagent.models.cloud import CloudModel, OwnWords

    assert isinstance(model, CloudModel), "the catalogue builds nothing else for a cloud entry"
    print(f"{model.name}: the check sends its own two questions, masked, to {model.entry.host}", file=sys.stderr)
    return await model.within("check", OwnWords())


def _report_lines(report: Report) -> list[str]:
    lines = [f"{'ok  ' if s.ok else 'FAIL'}  {s.step:<9}  {s.seconds:6.1f} s  {s.detail}" for s in report.steps]
    first, rate = report.timings.get("first_token_seconds"), report.timings.get("tokens_per_second")
    if first is not None:
        lines.append(f"first token after {first:.1f} s" + (f", then {rate:.0f} tokens/s" if rate else ""))
    return lines


async def _pull(catalogue: Catalogue, arguments: argparse.Namespace) -> int:
    from localagent.models.pull import path_of, pull

    entry = catalogue.entry(arguments.name)
    line = ProgressLine()
    try:
        async for progress in pull(entry):
            line.show(progress)
    finally:
        line.clear()
    where = str(path_of(entry)) if entry.backend == "llama_cpp" else entry.model
    if arguments.json:
        _print_json({"model": entry.name, "pulled": where})
    else:
        print(f"{entry.name} is here: {where}")
    return 0


class ProgressLine:
    """One line on standard error that is written again and again; without a terminal a line every ten per cent of a
    download, and else one every few seconds."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._began = self._told = time.monotonic()
        self._tenth = -1

    def show(self, progress: Progress) -> None:
        text = progress_text(progress, time.monotonic() - self._began)
        if self._live:
            sys.stderr.write(f"\r\x1b[K{text[:110]}")
            sys.stderr.flush()
        elif self._due(progress):
            print(text, file=sys.stderr)

    def _due(self, progress: Progress) -> bool:
        tenth, now = _tenth(progress), time.monotonic()
        due = tenth != self._tenth if progress.phase == "pulling" else now - self._told >= SECONDS_A_LINE
        if due:
            self._tenth, self._told = tenth, now
        return due

    def clear(self) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def progress_text(progress: Progress, seconds: float) -> str:
    """`pulling [####......]  41 %  0.2 of 0.5 GB  12 MB/s`; other phases have no bar."""
    if progress.phase == "loading" and progress.total:
        return f"loading {progress.done / 1e6:.0f} of {progress.total / 1e6:.0f} MB {progress.note}".rstrip()
    if progress.phase != "pulling" or not progress.total:
        unit = " tokens" if progress.phase == "reading" else ""
        count = f" {progress.done} of {progress.total}{unit}" if progress.total else ""
        return f"{progress.phase}{count} {progress.note}".rstrip()
    share = min(progress.done / progress.total, 1.0)
    bar = ("#" * round(share * 20)).ljust(20, ".")
    size = f"{progress.done / 1e6:.0f} of {progress.total / 1e6:.0f} MB"
    rate = f"  {progress.done / 1e6 / seconds:.1f} MB/s" if seconds > 1 else ""
    return f"pulling [{bar}] {share:4.0%}  {size}{rate}  {progress.note}"


def _tenth(progress: Progress) -> int:
    return progress.done * 10 // progress.total if progress.total else 0


def _print_json(data: dict[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False))


__all__ = ["ProgressLine", "main", "progress_text"]
