"""What a grammar gives and costs, for each small model.

    python -m tests.bench.bench_constrained [--limit N] [--models smollm2-135m,qwen-coder-0.5b]

Sixty tasks with four tools, greedy. `as written`: the reply read strictly; `repaired`: the same reply read by
localagent's own reader; `constrained`: sampled under the grammar, then read. Then the cost of the grammar on the
same long text, free and held in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import jsonschema

from localagent.calling import interpret
from localagent.calling.render import render_tools
from localagent.config import prompts
from localagent.messages import Message
from localagent.models.embedded import fetch
from localagent.models.llama_cpp.client import LlamaCppModel
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.ports import Constraint, Finish, Request
from tests.bench.replying import reply_of
from tests.bench.small_tasks import TASKS, TOOLS
from tests.fakes.weights import ALL

_STRICT = re.compile(r"(?:Thought: [^\n]*\n)?Action: (\w+)\nAction Input: (\{.*\})\s*", re.DOTALL)
_PAIRS = 8
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

    def add(self, call: Call | None, broken: bool, task: tuple[str, str, str]) -> None:
        _, tool, fragment = task
        self.tasks += 1
        self.called += call is not None or broken
        self.valid += call is not None
        self.broken += broken
        self.overcalled += call is not None and not tool
        if call is None:
            self.right += not tool and not broken
        else:
            self.right += call[0] == tool and fragment in json.dumps(call[1], ensure_ascii=False)

    def row(self, name: str) -> str:
        share = f"{self.valid / self.called:.0%}" if self.called else "none"
        return (
            f"  {name:12} valid calls {share:>5} ({self.valid}/{self.called})   right {self.right}/{self.tasks}   "
            f"called without need {self.overcalled}   broken {self.broken}"
        )


async def main(limit: int, names: Sequence[str]) -> None:
    for name in names:
        model = LlamaCppModel(name, LlamaCppSettings(file=fetch(ALL[name]), context=2048, temperature=0.0))
        print(f"{name}: {min(limit, len(TASKS))} tasks")
        try:
            await _tasks(model, _spread(limit))
            await _cost(model)
        finally:
            await model.close()


async def _tasks(model: LlamaCppModel, tasks: Sequence[tuple[str, str, str]]) -> None:
    scores = {name: Score() for name in ("as written", "repaired", "constrained")}
    speeds: dict[str, list[float]] = {"free": [], "constrained": []}
    for task in tasks:
        free, finish = await _reply(model, task[0], None)
        held, held_finish = await _reply(model, task[0], Constraint(TOOLS, "react"))
        for key, text, end, read in (
            ("as written", free, finish, _strictly),
            ("repaired", free, finish, _repaired),
            ("constrained", held, held_finish, _repaired),
        ):
            scores[key].add(*read(text, end.reason), task)
        for key, end in (("free", finish), ("constrained", held_finish)):
            speeds[key].extend([end.tokens_per_second] if end.tokens_per_second else [])
    for name, score in scores.items():
        print(score.row(name))
    print("  tokens/s     " + "   ".join(f"{key} {statistics.median(values):.1f}" for key, values in speeds.items()))


async def _cost(model: LlamaCppModel) -> None:
    """The same text with and without its grammar: the grammar lets all of it through, so only its price differs."""
    question = "Explain in one long paragraph why people build houses of stone."
    ratios = []
    for _ in range(_PAIRS):
        _, free = await _reply(model, question, None, system=False, length=120)
        _, held = await _reply(model, question, Constraint(TOOLS, "react"), system=False, length=120)
        assert free.tokens_per_second
        assert held.tokens_per_second
        ratios.append(held.tokens_per_second / free.tokens_per_second)
    print(f"  cost of the grammar: {1 - statistics.median(ratios):+.1%} of tokens/s (median of {_PAIRS} pairs)")


async def _reply(
    model: LlamaCppModel, question: str, constraint: Constraint | None, *, system: bool = True, length: int = 120
) -> tuple[str, Finish]:
    told = f"{prompts.read('system/nano.md')}\n\n{render_tools(TOOLS, 'react')}"
    messages = (*((Message("system", told),) if system else ()), Message("user", question))
    return await reply_of(model, Request(messages, max_tokens=length, constraint=constraint))


def _strictly(text: str, reason: str) -> tuple[Call | None, bool]:
    if "Action" not in text:
        return None, False
    match = _STRICT.fullmatch(text.strip())
    schema = {tool.name: tool.parameters for tool in TOOLS}.get(match[1]) if match else None
    if match is None or schema is None or reason == "length":
        return None, True
    try:
        arguments = json.loads(match[2])
        jsonschema.validate(arguments, schema)
    except (ValueError, jsonschema.ValidationError):
        return None, True
    return (match[1], arguments), False


def _repaired(text: str, reason: str) -> tuple[Call | None, bool]:
    read = interpret(text, TOOLS, dialect="react", finish_reason=reason)
    if read.calls:
        return (read.calls[0].name, read.calls[0].arguments), False
    return None, read.problem is not None and reason != "length"


def _spread(limit: int) -> Sequence[tuple[str, str, str]]:
    """Tasks of every kind, also where only some are asked."""
    step = max(1, len(TASKS) // max(1, limit))
    return TASKS[::step][:limit]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=len(TASKS))
    parser.add_argument("--models", default="smollm2-135m,qwen-coder-0.5b")
    options = parser.parse_args()
    asyncio.run(main(options.limit, options.models.split(",")))
