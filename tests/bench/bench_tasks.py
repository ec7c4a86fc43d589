"""Ten tasks of a workstation, done by the real agent with small models: `python -m tests.bench.bench_tasks`.

    [--model smollm2-135m|qwen-coder-0.5b|qwen-coder-1.5b ...] [--verbose] [--seconds N]

Each task gets a fresh folder and ends with a checked result: words of the answer, or what is in a file afterwards. The
last lines are the table of docs/models.md. A model whose weights are not here is passed over.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.config.paths import weights_dir
from localagent.events import RunFinished, RunResult
from tests.fakes.weights import ALL

if TYPE_CHECKING:
    from localagent.house import House

Check = Callable[[str, Path, RunResult], bool]

MODELS = {name: weights.file_name for name, weights in ALL.items()}
FOLDER = {
    "contacts.txt": "Reception: 555-0100\nWorkshop: 555-0142\nCanteen: 555-0177\n",
    "suppliers.txt": "Steel: Nordmetall\nScrews: Brueckner\n",
    "config.ini": "[server]\nhost = localhost\nport = 8080\n",
    "sales.csv": "product,amount\nchair,120\nprinter,940\nlamp,75\n",
    "meeting.txt": (
        "Present: Ann, Boris, Carla.\nThe budget for the new printer was approved: 940 euros.\n"
        "Boris orders it by Friday. The next meeting is on 12 May.\n"
    ),
    "reports/may.txt": "Visitors in May: 310\n",
    "reports/june.txt": "Visitors in June: 455\n",
    "reports/july.txt": "Visitors in July: 290\n",
    "vacation.txt": "Каждому сотруднику полагается 28 дней отпуска в год.\n",
}


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked, and whether what came of it is right."""

    name: str
    ask: str
    right: Check


def says(*patterns: str, no: str = "") -> Check:
    """Every pattern stands in the answer, `no` does not, and a tool has looked: a guess is not right."""

    def check(answer: str, folder: Path, result: RunResult) -> bool:
        held = all(re.search(pattern, answer, re.I) for pattern in patterns) and any(use.ok for use in result.tools)
        return held and not (no and re.search(no, answer, re.I))

    return check


def without_tools(pattern: str) -> Check:
    return lambda answer, folder, result: bool(re.search(pattern, answer, re.I)) and not result.tools


def holds(name: str, *patterns: str, no: str = "", most: int = 10_000) -> Check:
    """The file is there, holds every pattern, and is no longer than `most` characters."""

    def check(answer: str, folder: Path, result: RunResult) -> bool:
        file = folder / name
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        held = bool(text) and all(re.search(pattern, text, re.I) for pattern in patterns)
        return held and len(text) <= most and not (no and re.search(no, text, re.I))

    return check


TASKS = (
    Task("find", "Which file mentions Nordmetall?", says(r"suppliers\.txt")),
    Task("read", "What is the phone number of the workshop? It is in contacts.txt.", says("555-0142")),
    Task("count", "How many files are in the folder reports?", says(r"\b(3|three)\b")),
    Task("compare", "Read reports/may.txt and reports/june.txt. Which month had more visitors?", says("june", no="310|may had more|may has more")),
    Task("edit", "Change the port in config.ini from 8080 to 9090.", holds("config.ini", r"port *= *9090", "localhost", no="8080")),
    Task("create", "Create the file hello.txt with the text: Good morning", holds("hello.txt", "good morning", most=40)),
    Task("summarise", "Summarise meeting.txt in one sentence.", says("printer|budget", r"^(?!.*present: ann).{10,400}$")),
    Task("table", "Which product in sales.csv has the largest amount?", says("printer", no="chair has|lamp has")),
    Task("russian", "Сколько дней отпуска полагается сотруднику? Прочитай vacation.txt.", says(r"\b28\b")),
    Task("no tool", "What is the capital of France?", without_tools("paris")),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", choices=tuple(MODELS), help="default: all whose weights are here")
    parser.add_argument("--task", action="append", help="only these")
    parser.add_argument("--seconds", type=float, default=240.0, help="for one task")
    parser.add_argument("--verbose", action="store_true", help="print what each run did")
    args = parser.parse_args()
    names = [name for name in args.model or MODELS if (weights_dir() / MODELS[name]).is_file()]
    tasks = [task for task in TASKS if not args.task or task.name in args.task]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LOCALAGENT_HOME"] = f"{folder}/home"
        rows = {name: asyncio.run(model(name, tasks, Path(folder), args)) for name in names}
    print("\n".join(table(tasks, rows)))


async def model(
    name: str, tasks: Sequence[Task], folder: Path, args: argparse.Namespace
) -> list[tuple[bool, int, float]]:
    """Right or wrong, steps and seconds of each task."""
    from localagent.house import close, open_house

    file = folder / f"{name}.toml"
    file.write_text(
        f'default = "m"\n[models.m]\nbackend = "llama_cpp"\nfile = "{weights_dir() / MODELS[name]}"\ncontext = 8192\n'
        'tools = "react"\ngrammar = true\ntemperature = 0.0\n',
        encoding="utf-8",
    )
    house = open_house(file)
    done = []
    try:
        for number, task in enumerate(tasks):
            done.append(await one(house, task, written(folder / f"{name}-{number}"), args))
            print(f"{name:<16} {task.name:<10} {'right' if done[-1][0] else 'WRONG'}  {done[-1][2]:.0f} s", flush=True)
    finally:
        await close(house)
    return done


async def one(house: House, task: Task, work: Path, args: argparse.Namespace) -> tuple[bool, int, float]:
    from localagent.approvers import Nobody
    from localagent.assemble import Settings, drive

    limits = {"max_steps": 8, "max_seconds": args.seconds}
    settings = Settings(work, Nobody("edit"), mode="edit", limits=limits)
    began = time.monotonic()
    result: RunResult | None = None
    async for event in drive(house, settings, task.ask):
        if isinstance(event, RunFinished):
            result = event.result
    assert result is not None, "every run ends with its result"
    answer = result.output if isinstance(result.output, str) else ""
    if args.verbose:
        calls = "; ".join(f"{use.name} {use.arguments} {'ok' if use.ok else 'failed'}" for use in result.tools)
        print(f"    {task.ask}\n    {calls}\n    {result.outcome}: {answer!r}")
    good = result.outcome in ("answered", "done") and task.right(answer, work, result)
    return good, result.steps, time.monotonic() - began


def written(folder: Path) -> Path:
    for name, text in FOLDER.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def table(tasks: Sequence[Task], rows: dict[str, list[tuple[bool, int, float]]]) -> Iterable[str]:
    yield f"\n| task | {' | '.join(rows)} |"
    yield "| --- |" + " --- |" * len(rows)
    for number, task in enumerate(tasks):
        cells = [f"yes, {done[number][1]} steps" if done[number][0] else "no" for done in rows.values()]
        yield f"| {task.name}: {task.ask} | {' | '.join(cells)} |"
    totals = [f"{sum(good for good, _, _ in done)} of {len(done)}" for done in rows.values()]
    yield f"| **right** | {' | '.join(totals)} |"


if __name__ == "__main__":
    main()
