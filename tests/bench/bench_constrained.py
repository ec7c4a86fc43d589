"""What a grammar gives and costs, for each small model.

    python -m tests.bench.bench_constrained [--limit N] [--pairs N] [--models smollm2-135m,qwen-coder-0.5b]
                                            [--keep FILE]

Sixty tasks with four tools, greedy. `as written`: the reply read strictly; `repaired`: the same reply read by
localagent's own reader; `constrained`: sampled under the grammar, then read. Then the cost of the grammar on the
same long text, free and held in turn. With `--keep` a run that was cut goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jsonschema

from localagent.calling import interpret
from localagent.calling.render import render_tools
from localagent.config import prompts
from localagent.messages import Message
from localagent.models.embedded import fetch
from localagent.models.llama_cpp.client import LlamaCppModel
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.ports import Constraint, Request
from tests.bench.kept import Kept
from tests.bench.replying import reply_of
from tests.bench.small_tasks import TASKS, TOOLS
from tests.fakes.weights import ALL

_STRICT = re.compile(r"(?:Thought: [^\n]*\n)?Action: (\w+)\nAction Input: (\{.*\})\s*", re.DOTALL)
_LENGTH = 120
Call = tuple[str, dict[str, object]]


@dataclass(slots=True)
class Score:
    """Counts over the tasks; a call is valid when it can be run, right when it is the one that was meant."""

    tasks: int = 0
    called: int = 0
    valid: int = 0
    right: int = 0
    overcalled: int = 0
    broken: int = 0

    def add(self, calls: Sequence[Call], broken: bool, task: tuple[str, str, str]) -> None:
        _, tool, fragment = task
        self.tasks += 1
        self.called += bool(calls) or broken
        self.valid += bool(calls)
        self.broken += broken
        self.overcalled += bool(calls) and not tool
        if not calls:
            self.right += not tool and not broken
        else:
            ((name, arguments), *others) = calls
            self.right += not others and name == tool and fragment in json.dumps(arguments, ensure_ascii=False)

    def row(self, name: str) -> str:
        share = f"{self.valid / self.called:.0%}" if self.called else "none"
        return (
            f"  {name:12} valid calls {share:>5} ({self.valid}/{self.called})   right {self.right}/{self.tasks}   "
            f"called without need {self.overcalled}   broken {self.broken}"
        )


async def main(limit: int, pairs: int, names: Sequence[str], kept: Kept) -> None:
    for name in names:
        model = LlamaCppModel(name, LlamaCppSettings(file=fetch(ALL[name]), context=2048, temperature=0.0))
        print(f"{name}: {min(limit, len(TASKS))} tasks")
        try:
            await _tasks(model, _spread(limit), kept)
            await _cost(model, pairs, kept)
        finally:
            await model.close()


async def _tasks(model: LlamaCppModel, tasks: Sequence[tuple[str, str, str]], kept: Kept) -> None:
    scores = {name: Score() for name in ("as written", "repaired", "constrained")}
    speeds: dict[str, list[float]] = {"free": [], "constrained": []}
    for task in tasks:
        free, end, speed = await _reply(model, kept, task[0], held=False)
        held, held_end, held_speed = await _reply(model, kept, task[0], held=True)
        for key, text, reason, read in (
            ("as written", free, end, _strictly),
            ("repaired", free, end, _repaired),
            ("constrained", held, held_end, _repaired),
        ):
            scores[key].add(*read(text, reason), task)
        for key, measured in (("free", speed), ("constrained", held_speed)):
            speeds[key].extend([measured] if measured else [])
    for name, score in scores.items():
        print(score.row(name))
    print("  tokens/s     " + "   ".join(f"{key} {statistics.median(values):.1f}" for key, values in speeds.items()))


async def _cost(model: LlamaCppModel, pairs: int, kept: Kept) -> None:
    """The same text with and without its grammar: the grammar lets all of it through, so only its price differs."""
    question = "Explain in one long paragraph why people build houses of stone."
    ratios = []
    for pair in range(pairs):
        _, _, free = await _reply(model, kept, question, held=False, pair=pair)
        _, _, held = await _reply(model, kept, question, held=True, pair=pair)
        assert free
        assert held
        ratios.append(held / free)
    print(f"  cost of the grammar: {1 - statistics.median(ratios):+.1%} of tokens/s (median of {pairs} pairs)")


async def _reply(
    model: LlamaCppModel, kept: Kept, question: str, *, held: bool, pair: int | None = None
) -> tuple[str, str, float | None]:
    """The text, how it ended and its tokens a second; without the tools where it is one of a `pair` of long texts."""
    key = f"{model.name} {'held' if held else 'free'} {question} {pair}"
    if kept.get(key) is None:
        several = (await model.capabilities()).several_calls
        constraint = Constraint(TOOLS, "react", several=several) if held else None
        told = Message("system", f"{prompts.read('system/nano.md')}\n\n{render_tools(TOOLS, 'react', several=several)}")
        messages = (*((told,) if pair is None else ()), Message("user", question))
        text, finish = await reply_of(model, Request(messages, max_tokens=_LENGTH, constraint=constraint))
        kept.add(key, [text, finish.reason, finish.tokens_per_second])
    text, reason, speed = kept.get(key)
    return text, reason, speed


def _strictly(text: str, reason: str) -> tuple[list[Call], bool]:
    if "Action" not in text:
        return [], False
    match = _STRICT.fullmatch(text.strip())
    schema = {tool.name: tool.parameters for tool in TOOLS}.get(match[1]) if match else None
    if match is None or schema is None or reason == "length":
        return [], True
    try:
        arguments = json.loads(match[2])
        jsonschema.validate(arguments, schema)
    except (ValueError, jsonschema.ValidationError):
        return [], True
    return [(match[1], arguments)], False


def _repaired(text: str, reason: str) -> tuple[list[Call], bool]:
    if "Action" not in text:
        return [], False
    read = interpret(text, TOOLS, dialect="react", finish_reason=reason)
    calls = [(call.name, call.arguments) for call in read.calls]
    return calls, read.problem is not None and reason != "length"


def _spread(limit: int) -> Sequence[tuple[str, str, str]]:
    """Tasks of every kind, also where only some are asked."""
    step = max(1, len(TASKS) // max(1, limit))
    return TASKS[::step][:limit]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=len(TASKS))
    parser.add_argument("--pairs", type=int, default=8, help="long texts that the cost is measured on")
    parser.add_argument("--models", default="smollm2-135m,qwen-coder-0.5b")
    parser.add_argument("--keep", type=Path, help="where replies are kept")
    options = parser.parse_args()
    asyncio.run(main(options.limit, options.pairs, options.models.split(","), Kept(options.keep)))
