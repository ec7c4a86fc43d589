"""The verdict on a reply: calls that are right, or a text, or a problem. Nothing is guessed here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from localagent.calling import arguments, names
from localagent.calling.broken import Broken
from localagent.calling.events import CLOSE_THOUGHT, Found
from localagent.calling.normalise import normalise
from localagent.calling.problem import Problem, describe
from localagent.calling.rawcall import RawCall
from localagent.calling.schema_sound import why_unsound
from localagent.calling.spans import Walker
from localagent.messages import ToolSpec


@dataclass(frozen=True, slots=True)
class NativeCall:
    """A call that a server parsed itself: arguments as a dict, or as the JSON text that it passed on."""

    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call of a tool that exists, with arguments that its schema accepts."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a reply means. Either `calls`, or `problem`, or a `text` that is the answer."""

    thinking: str
    text: str
    calls: tuple[ParsedCall, ...] = ()
    problem: Problem | None = None
    repairs: tuple[str, ...] = ()
    dialect: str = "prose"


def interpret(
    text: str,
    tools: Sequence[ToolSpec],
    *,
    dialect: str = "auto",
    finish_reason: str = "stop",
    native_calls: Sequence[NativeCall] = (),
    thinking_open: bool = False,
    language: str = "en",
) -> Interpretation:
    """Reads a whole reply. `dialect` is only a hint: every dialect is read whatever it says.

    `finish_reason` "length" means that the reply hit its limit, and then no call of it is run.
    `thinking_open` says that the prompt ended inside the reasoning.
    """
    text = normalise(text)
    found = Walker(text, tools, thinking_open=thinking_open).walk()
    raw = [*map(_from_native, native_calls), *found.calls]
    said, thinking = _speech(found)
    if not tools and not native_calls and (found.calls or found.problem):
        return Interpretation(thinking, CLOSE_THOUGHT.split(text)[-1].strip())  # nobody was offered a call
    recognised = found.dialect if found.calls or not native_calls else "native"
    problem = _problem(found, raw, said, finish_reason)
    calls: list[ParsedCall] = []
    if problem is None:
        calls, problem = _checked(raw, tools)
    if problem:
        meant = names.find(problem.tool, tools) if problem.tool else None
        told = describe(problem, meant and _sound(meant), tools, language)
        return Interpretation(thinking, said, (), told, (), recognised)
    whole = {"a repeated call": len(calls) < len(raw), "a step after the answer": found.invented}
    notes = [*(repair for call in raw for repair in call.repairs), *(note for note, made in whole.items() if made)]
    repairs = tuple(dict.fromkeys(notes))
    return Interpretation(thinking, said, tuple(calls), None, repairs, recognised)


def _speech(found: Found) -> tuple[str, str]:
    said = "".join(found.prose).strip()
    if found.answered and said.endswith("\n```") and said.count("```") % 2:
        said = said[:-3].rstrip()
    return said, "\n".join(part.strip() for part in found.thoughts if part.strip())


def _problem(found: Found, raw: Sequence[RawCall], said: str, finish_reason: str) -> Broken | None:
    """What is wrong with the reply as a whole, before any call of it is looked at."""
    if finish_reason == "length" and (raw or found.problem):
        return Broken("length", tool=raw[0].name if raw else found.problem.tool if found.problem else None)
    if found.problem:
        return found.problem
    if raw or (said and (found.answered or not found.react)):
        return None
    if found.declined is not None:
        return Broken("no_tool", found.declined)
    if finish_reason == "length":
        return Broken("length")
    return Broken("no_action" if found.react else "empty")


def _from_native(call: NativeCall) -> RawCall:
    if isinstance(call.arguments, str):
        return RawCall(call.name, call.arguments, "text", (), "native")
    return RawCall(call.name, dict(call.arguments), "json", (), "native")


def _checked(raw: Sequence[RawCall], tools: Sequence[ToolSpec]) -> tuple[list[ParsedCall], Broken | None]:
    """All calls checked; one that is wrong stops them all, so that nothing runs by half.

    A call is made once where a server reports it twice, and where a text says it twice in a row, as small models do:
    nothing came between that could have changed its result.
    """
    calls: list[ParsedCall] = []
    seen: list[str] = []
    for call in raw:
        try:
            tool = _sound(names.resolve(call.name, tools))
            given = arguments.checked(call, tool)
        except Broken as broken:
            broken.tool = broken.tool or call.name
            return [], broken
        key = json.dumps([tool.name, given], sort_keys=True)
        if key not in (seen if call.dialect == "native" else seen[-1:]):
            calls.append(ParsedCall(tool.name, given))
        seen.append(key)
    return calls, None


def _sound(tool: ToolSpec) -> ToolSpec:
    """`tool`, which takes any object where nothing can be held to its own schema."""
    return replace(tool, parameters={"type": "object"}) if why_unsound(tool.parameters) else tool
