"""Tool calls of the small models on the public leaderboard's items: ours beside llama-cpp-python's own function calling.

    python -m tests.bench.bench_bfcl [--per 10] [--models smollm2-135m,qwen-coder-0.5b] [--ways localagent]
                                     [--keep FILE] [--shift N] [--verbose]

A fixed sample of four kinds (one tool, several tools, several calls, a question that no tool fits), greedy, the same
weights. `localagent` is the product's way: its prompt, its grammar, its reader, and the repair loop.
`chatml-function-calling` is `create_chat_completion(tools=…, tool_choice="auto")` with that chat format; an item that
takes it longer than two minutes counts as one without a call. With `--keep` a run that was cut goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
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
from tests.bench.kept import Kept
from tests.bench.replying import reply_of
from tests.fakes.weights import ALL

_CONTEXT = 3072
_LENGTH = 300
_SECONDS = 120.0  # one item of the library's way may sample without an end
SYSTEM = "You are a helpful assistant. Call a tool only when one fits the question."

Answer = tuple[Item, list[Call], float]  # with the seconds that it took


def main(options: argparse.Namespace) -> None:
    items, kept = sample(options.per, shift=options.shift), Kept(options.keep)
    for name in options.models.split(","):
        print(f"\n{name}, {len(items)} items\n\n| | {' | '.join(KINDS)} | right | s an item |\n|---|{'---|' * 6}")
        for way in options.ways.split(","):
            left = [item for item in items if kept.get(f"{name} {way} {item.id}") is None]
            for item, calls, seconds in _WAYS[way](fetch(ALL[name]), left) if left else ():
                kept.add(f"{name} {way} {item.id}", [calls, seconds])
                if options.verbose:
                    print(f"{item.id} {right(item, calls)} {seconds:.1f} s {calls}", flush=True)
            _row(way, items, [kept.get(f"{name} {way} {item.id}") for item in items])


def _row(way: str, items: Sequence[Item], records: Sequence[tuple[list[Call], float]]) -> None:
    correct = [right(item, calls) for item, (calls, _) in zip(items, records, strict=True)]
    cells = []
    for kind in KINDS:
        of_kind = [ok for item, ok in zip(items, correct, strict=True) if item.kind == kind]
        cells.append(f"{sum(of_kind)}/{len(of_kind)}")
    seconds = sum(seconds for _, seconds in records) / len(records)
    print(f"| {way} | {' | '.join(cells)} | {sum(correct) / len(correct):.0%} | {seconds:.1f} |", flush=True)


def _ours(weights: Path, items: Sequence[Item]) -> Iterator[Answer]:
    model = LlamaCppModel("bfcl", LlamaCppSettings(file=weights, context=_CONTEXT, temperature=0.0))
    with asyncio.Runner() as runner:
        try:
            for item in items:
                began = time.monotonic()
                calls = runner.run(_asked(model, item))
                yield item, calls, time.monotonic() - began
        finally:
            runner.run(model.close())


async def _asked(model: LlamaCppModel, item: Item) -> list[Call]:
    several = (await model.capabilities()).several_calls
    messages: tuple[Message, ...] = (
        Message("system", f"{SYSTEM}\n\n{render_tools(item.tools, 'react', several=several)}"),
        Message("user", item.question),
    )
    for required in (False, False, True):
        constraint = Constraint(item.tools, "react", required=required, several=several)
        request = Request(messages, max_tokens=_LENGTH, constraint=constraint)
        text, finish = await reply_of(model, request)
        read = interpret(text, item.tools, dialect="react", finish_reason=finish.reason)
        if read.problem is None:
            return [(call.name, call.arguments) for call in read.calls]
        messages = (*messages, Message("user", read.problem.message))
    return []


def _library(weights: Path, items: Sequence[Item]) -> Iterator[Answer]:
    """In a process of its own, which may die or never end: then that item has no call and a new one goes on."""
    done = 0
    while done < len(items):
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, weights, items[done:]), daemon=True)
        process.start()
        theirs.close()
        began = time.monotonic()
        for calls, seconds in _served(ours):
            yield items[done], calls, seconds
            began, done = time.monotonic(), done + 1
        process.kill()
        process.join()
        if done < len(items):
            yield items[done], [], time.monotonic() - began
            done += 1


def _served(pipe: Connection) -> Iterator[tuple[list[Call], float]]:
    """What comes out of one process until it is at its end, dies or does not come back."""
    try:
        while pipe.poll(_SECONDS):
            yield pipe.recv()
    except EOFError:
        return


def _serve(pipe: Connection, weights: Path, items: Sequence[Item]) -> None:
    import llama_cpp

    llama = llama_cpp.Llama(str(weights), n_ctx=_CONTEXT, verbose=False, chat_format="chatml-function-calling")
    for item in items:
        began = time.monotonic()
        calls = _chatml(llama.create_chat_completion, item)
        pipe.send((calls, time.monotonic() - began))


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


_WAYS = {"localagent": _ours, "chatml-function-calling": _library}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per", type=int, default=10, help="items of each kind")
    parser.add_argument("--models", default="smollm2-135m,qwen-coder-0.5b")
    parser.add_argument("--ways", default=",".join(_WAYS))
    parser.add_argument("--keep", type=Path, help="where answers are kept")
    parser.add_argument("--shift", type=int, default=0, help="other items, to tune on")
    parser.add_argument("--verbose", action="store_true")
    main(parser.parse_args())
