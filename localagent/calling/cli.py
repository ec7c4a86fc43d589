"""`localagent parse`: what a model's text means, for people who write tools and prompts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gateway.arguments import Parser
from localagent.calling.decide import Interpretation, interpret
from localagent.calling.schema_sound import why_unsound
from localagent.messages import ToolSpec
from localagent.terminal import SURROGATE

Result = dict[str, Any]


def main(argv: Sequence[str]) -> int:
    """Runs `parse` with its arguments; 0 done, 2 when the input is not as it must be."""
    options = _parser().parse_args(argv)
    try:
        if options.cases:
            _run_cases(Path(options.cases), Path(options.out) if options.out else None)
        elif options.tools:
            _run_text(options)
        else:
            return _complain("give --tools FILE for a text on standard input, or --cases IN.jsonl")
    except OSError as error:
        return _complain(f"{error.filename or options.out}: {(error.strerror or str(error)).lower()}")
    except (ValueError, KeyError, RecursionError) as error:
        return _complain(f"{options.cases or options.tools}: {_what(error)}")
    return 0


def _what(error: Exception) -> str:
    """What is wrong with the input, in words."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, json.JSONDecodeError):
        return f"this is no JSON: {error}"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"this is no UTF-8 text: byte {error.start}"
    return str(error)


def tools_from(entries: Any) -> tuple[ToolSpec, ...]:
    """Tools from JSON: a list, {"tools": […]}, or OpenAI's {"type": "function", "function": {…}} entries."""
    listed = entries.get("tools", entries) if isinstance(entries, dict) else entries
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise ValueError('the tools must be a list of {"name", "description", "parameters"}')
    return tuple(_tool(entry.get("function", entry)) for entry in listed)


def result_of(reading: Interpretation) -> Result:
    """{"calls": […]}, {"error": "…"} or {"final": "…"}."""
    if reading.problem:
        return {"error": reading.problem.message}
    if reading.calls:
        return {"calls": [{"name": call.name, "arguments": call.arguments} for call in reading.calls]}
    return {"final": reading.text}


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="localagent parse", description=__doc__)
    parser.add_argument("--tools", metavar="FILE", help="JSON list of tools: name, description, parameters")
    parser.add_argument("--cases", metavar="IN.jsonl", help='lines of {"id", "tools", "output", "finish_reason"?}')
    parser.add_argument("--out", metavar="OUT.jsonl", help="where the results of --cases go (default: standard output)")
    parser.add_argument("--finish-reason", default="stop", metavar="WORD", help="what the backend said: stop, length")
    parser.add_argument("--why", action="store_true", help="say what was understood and why, for people")
    return parser


def _tool(entry: Any) -> ToolSpec:
    if not isinstance(entry, dict) or not isinstance(entry["name"], str):
        raise ValueError("the name of a tool must be a text")
    parameters = entry.get("parameters") or {"type": "object"}
    if why := why_unsound(parameters):
        print(f"localagent parse: the schema of {entry['name']} is taken as any object: {why}", file=sys.stderr)
        parameters = {"type": "object"}
    return ToolSpec(entry["name"], entry.get("description", ""), parameters)


def _run_text(options: argparse.Namespace) -> None:
    tools = tools_from(json.loads(Path(options.tools).read_text(encoding="utf-8-sig")))
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    reading = interpret(text, tools, finish_reason=options.finish_reason)
    if options.why:
        sys.stdout.write("\n".join(explain(reading)) + "\n")
    else:
        sys.stdout.write(_line(result_of(reading)))


def _run_cases(source: Path, target: Path | None) -> None:
    if target and target.exists() and target.samefile(source):
        raise ValueError("--out is the same file; name another one")
    with source.open(encoding="utf-8-sig") as lines, target.open("w", encoding="utf-8") if target else _Stdout() as out:
        for number, line in enumerate(lines, 1):
            if line.strip():
                out.write(_line(_case(line, number)))


def _line(result: Result) -> str:
    """A line of JSON, unescaped but for what has no UTF-8."""
    text = json.dumps(result, ensure_ascii=False)
    return (json.dumps(result) if SURROGATE.search(text) else text) + "\n"


class _Stdout:
    """Standard output as a file that stays open."""

    def __enter__(self) -> Any:
        return sys.stdout

    def __exit__(self, *_: object) -> None:
        sys.stdout.flush()


def _case(line: str, number: int) -> Result:
    try:
        case = json.loads(line)
        if not isinstance(case, dict) or not isinstance(case["output"], str):
            raise ValueError("a case is an object, and its output a text")
        reading = interpret(
            case["output"], tools_from(case["tools"]), finish_reason=case.get("finish_reason") or "stop"
        )
    except (ValueError, KeyError, RecursionError) as error:
        raise ValueError(f"line {number}: {_what(error)}") from None
    return {"id": case["id"], **result_of(reading)}


def explain(reading: Interpretation) -> Iterator[str]:
    """The lines of --why."""
    yield f"dialect   {reading.dialect}"
    if reading.thinking:
        yield f"thought   {_short(reading.thinking)}"
    if reading.text:
        yield f"said      {_short(reading.text)}"
    for call in reading.calls:
        yield f"call      {call.name}({json.dumps(call.arguments, ensure_ascii=False)})"
    for repair in reading.repairs:
        yield f"repaired  {repair}"
    if problem := reading.problem:
        yield f"problem   {problem.kind}" + (f" at '{problem.path}'" if problem.path else "")
        for label, value in (("got", problem.got), ("expected", problem.expected), ("valid", ", ".join(problem.valid))):
            if value:
                yield f"{label:9} {value}"
        yield from (f"told      {line}" for line in problem.message.splitlines())
    elif not reading.calls:
        yield "meaning   an answer, no call"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


def _complain(message: str) -> int:
    sys.stderr.write(f"localagent parse: {message}\n")
    return 2
