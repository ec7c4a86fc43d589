"""Tool calls of the small models on the public leaderboard's items: ours beside llama-cpp-python's own function calling.

    python -m tests.bench.bench_bfcl [--per 12] [--models smollm2-135m,qwen-coder-0.5b]

A fixed sample of four kinds (one tool, several tools, several calls, a question that no tool fits), greedy, the same
weights. `localagent` is the product's way: its prompt, its grammar, its reader, and the repair loop's second try.
`chatml-function-calling` is `create_chat_completion(tools=…, tool_choice="auto")` with that chat format.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from localagent.calling import interpret
from localagent.calling.render import render_tools
from localagent.messages import Message
from localagent.models.embedded import fetch
from localagent.models.llama_cpp.client import LlamaCppModel
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.ports import Constraint, Request
from tests.bench.bfcl import KINDS, Call, Item, right, sample
from tests.bench.replying import reply_of
from tests.fakes.weights import ALL

_CONTEXT = 3072
_LENGTH = 300
_SECONDS = 120.0  # one item of the library's way may sample without an end
SYSTEM = "You are a helpful assistant. Call a tool only when one fits the question."


def main(names: Sequence[str], per_kind: int) -> None:
    items = sample(per_kind)
    for name in names:
        print(f"\n{name}, {len(items)} items\n\n| | {' | '.join(KINDS)} | right | s an item |\n|---|{'---|' * 6}")
        for way, answer in (("localagent", _ours), ("chatml-function-calling", _library)):
            began = time.monotonic()
            answers = answer(fetch(ALL[name]), items)
            _row(way, items, answers, (time.monotonic() - began) / len(items))


def _row(way: str, items: Sequence[Item], answers: Sequence[list[Call]], seconds: float) -> None:
    correct = [right(item, calls) for item, calls in zip(items, answers, strict=True)]
    cells = []
    for kind in KINDS:
        of_kind = [ok for item, ok in zip(items, correct, strict=True) if item.kind == kind]
        cells.append(f"{sum(of_kind)}/{len(of_kind)}")
    print(f"| {way} | {' | '.join(cells)} | {sum(correct) / len(correct):.0%} | {seconds:.1f} |", flush=True)


def _ours(weights: Path, items: Sequence[Item]) -> list[list[Call]]:
    async def all_items() -> list[list[Call]]:
        model = LlamaCppModel("bfcl", LlamaCppSettings(file=weights, context=_CONTEXT, temperature=0.0))
        try:
            return [await _asked(model, item) for item in items]
        finally:
            await model.close()

    return asyncio.run(all_items())


async def _asked(model: LlamaCppModel, item: Item) -> list[Call]:
    messages: tuple[Message, ...] = (
        Message("system", f"{SYSTEM}\n\n{render_tools(item.tools, 'react')}"),
        Message("user", item.question),
    )
    for required in (False, True):
        request = Request(messages, max_tokens=_LENGTH, constraint=Constraint(item.tools, "react", required=required))
        text, finish = await reply_of(model, request)
        read = interpret(text, item.tools, dialect="react", finish_reason=finish.reason)
        if read.problem is None:
            return [(call.name, call.arguments) for call in read.calls]
        messages = (*messages, Message("user", read.problem.message))
    return []


def _library(weights: Path, items: Sequence[Item]) -> list[list[Call]]:
    """In a process of its own, which may die or never end: then that item has no call and a new one goes on."""
    answers: list[list[Call]] = []
    while len(answers) < len(items):
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, weights, items[len(answers) :]), daemon=True)
        process.start()
        theirs.close()
        _collect(ours, process.exitcode is None, answers, len(items))
        process.kill()
        process.join()
    return answers


def _collect(pipe: Any, alive: bool, answers: list[list[Call]], count: int) -> None:
    while alive and len(answers) < count:
        try:
            if not pipe.poll(_SECONDS):
                break
            answers.append(pipe.recv())
        except EOFError:
            break
    if len(answers) < count:
        answers.append([])


def _serve(pipe: Any, weights: Path, items: Sequence[Item]) -> None:
    import llama_cpp

    llama = llama_cpp.Llama(str(weights), n_ctx=_CONTEXT, verbose=False, chat_format="chatml-function-calling")
    for item in items:
        pipe.send(_chatml(llama.create_chat_completion, item))


def _chatml(create: Callable[..., Any], item: Item) -> list[Call]:
    tools = [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
        }
        for t in item.tools
    ]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": item.question}]
    try:
        reply = create(messages=messages, tools=tools, tool_choice="auto", temperature=0.0, max_tokens=_LENGTH)
        made = reply["choices"][0]["message"].get("tool_calls") or []
        return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in made]
    except (ValueError, KeyError, AttributeError, AssertionError, RuntimeError):
        return []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per", type=int, default=12, help="items of each kind")
    parser.add_argument("--models", default="smollm2-135m,qwen-coder-0.5b")
    options = parser.parse_args()
    main(options.models.split(","), options.per)
