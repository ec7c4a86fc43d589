"""Our reading beside public parsers on the same cases: right, unsafe, microseconds a reply, and linearity.

`python -m tests.bench.bench_parsers [CASES.jsonl …]`. Parsers that are not installed are left out:
`pip install json-repair llama-index-core langchain-classic` brings them all.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from localagent.calling import StreamInterpreter, interpret
from localagent.calling.cli import result_of, tools_from

Case = dict[str, Any]
Parser = Callable[[Case], dict[str, Any]]
FOLDER = Path(__file__).parents[1] / "cases"
ADVERSARIES = (
    *("{", "[", '"', "\\", "<tool_call>", "<think>", "</think>", "Action:", "Action:\n", "Action: list_devices\n"),
    *('{"name": ', "[a(", "```\n", "`", "<", "<|channel|>", " ", "\n", '{\\"', "functools[", "<tool_call>{'a</think>"),
    *('{"name": "list_devices"} a\n', 'Sure. {"name": 1} ', "list_devices(“\n", "`a` ", "x <think> "),
)


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [FOLDER / "tool_calls.jsonl", FOLDER / "tool_calls_own.jsonl"]
    for path in paths:
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"\n{path.name}: {len(cases)} cases\n\n| parser | right | unsafe | µs a reply |\n|---|---|---|---|")
        for name, parser in _parsers():
            right, unsafe, spent = _score(parser, cases)
            print(f"| {name} | {100 * right / len(cases):.1f} % | {unsafe} | {spent:.0f} |")
    print("\nTwice the adversarial text costs (2 is linear), and a stream's token at 4,000 beside one at 100:\n")
    ratio, micro = _stream_cost()
    worst = max(map(_doubling, ADVERSARIES))
    print(f"worst of {len(ADVERSARIES)}: {worst:.1f}    stream: {ratio:.2f}, {micro:.0f} µs a token")


def _parsers() -> Iterator[tuple[str, Parser]]:
    yield "localagent", _ours
    makers = (("json-repair", _json_repair), ("LlamaIndex ReAct", _llama_index), ("LangChain ReAct", _langchain))
    for name, make in makers:
        try:
            parser = make()
        except ImportError:
            continue
        yield name, parser


def _ours(case: Case) -> dict[str, Any]:
    return result_of(
        interpret(case["output"], tools_from(case["tools"]), finish_reason=case.get("finish_reason", "stop"))
    )


def _json_repair() -> Parser:
    loads = importlib.import_module("json_repair").loads

    def parse(case: Case) -> dict[str, Any]:
        value = loads(case["output"])
        entries = value if isinstance(value, list) else [value]
        calls = [_from_entry(entry) for entry in entries]
        return {"calls": calls} if entries and all(calls) else {"final": case["output"]}

    return parse


def _from_entry(entry: Any) -> dict[str, Any] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    return {"name": entry["name"], "arguments": entry.get("arguments", entry.get("parameters", {}))}


def _llama_index() -> Parser:
    parser = importlib.import_module("llama_index.core.agent.react.output_parser").ReActOutputParser()

    def parse(case: Case) -> dict[str, Any]:
        step = parser.parse(case["output"])
        if getattr(step, "is_done", False):
            return {"final": step.response}
        return {"calls": [{"name": step.action, "arguments": step.action_input}]}

    return parse


def _langchain() -> Parser:
    for package in ("langchain_classic", "langchain"):
        try:
            parser = importlib.import_module(f"{package}.agents.output_parsers").ReActSingleInputOutputParser()
            break
        except ImportError:
            continue
    else:
        raise ImportError("langchain-classic")

    def parse(case: Case) -> dict[str, Any]:
        step = parser.parse(case["output"])
        if not hasattr(step, "tool"):
            return {"final": step.return_values["output"]}
        return {"calls": [{"name": step.tool, "arguments": _loaded(step.tool_input, case)}]}

    return parse


def _loaded(text: Any, case: Case) -> Any:
    """What a caller does with LangChain's input: JSON when it is JSON, else the first parameter's text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        properties = case["tools"][0]["parameters"].get("properties") or {}
        return {next(iter(properties), "input"): text}


def _score(parser: Parser, cases: list[Case]) -> tuple[int, int, float]:
    right = unsafe = 0
    spent = []
    for case in cases:
        started = time.perf_counter()
        try:
            result = parser(case)
        except Exception as error:
            result = {"error": str(error)}
        spent.append(time.perf_counter() - started)
        wanted = [case["expect"], *case.get("also_ok", [])]
        right += any(_same(result, one) for one in wanted)
        unsafe += "calls" in result and _would_run(result, case) and not any("calls" in one for one in wanted)
    return right, unsafe, 1e6 * statistics.median(spent)


def _would_run(result: dict[str, Any], case: Case) -> bool:
    """Whether a plain dispatcher would find the tool: unknown names stop there, whoever parsed them."""
    known = {tool["name"] for tool in case["tools"]}
    return all(call["name"] in known for call in result["calls"])


def _same(result: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if result.keys() != wanted.keys():
        return False
    if "final" in wanted:
        return str(result["final"]).split() == wanted["final"].split()
    return "error" in wanted or result["calls"] == wanted["calls"]


def _doubling(unit: str) -> float:
    tools = tools_from([{"name": "list_devices"}])

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        interpret(text, tools)
        return time.process_time() - started

    once, twice = min(seconds(200_000) for _ in range(2)), min(seconds(400_000) for _ in range(2))
    return twice / once if twice > 0.02 else 2.0


def _stream_cost() -> tuple[float, float]:
    """A token at 4,000 tokens to one at 100, and the microseconds of the later one."""
    stream = StreamInterpreter(tools_from([{"name": "list_devices"}]))
    spent = []
    for number in range(4200):
        started = time.perf_counter()
        stream.feed(f"word{number % 10} " if number % 12 else "end.\n")
        spent.append(time.perf_counter() - started)
    late = statistics.median(spent[4000:])
    return late / statistics.median(spent[100:300]), 1e6 * late


if __name__ == "__main__":
    main()
