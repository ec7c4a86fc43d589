"""ReAct text from its first Action label on: one action, or several written together before an observation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from localagent.calling import jsonladder, names
from localagent.calling.broken import Broken
from localagent.calling.dialects import objects, pythonic, react_input
from localagent.calling.dialects.react_input import FENCE, OBSERVATION_INLINE, line_from, plain
from localagent.calling.labels import LABEL, LABEL_AT_LINE_START, kind_of, may_begin_label
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall
from localagent.calling.tokens import WHITE
from localagent.messages import ToolSpec

_BLOB = re.compile(r"\{|\[\s*(?:[\[{\]]|[^\W\d][\w.\-]*[ \t]*\()")
_BRACKETS = re.compile(r"(?P<name>[\w.\-]+)[ \t]*\[(?P<inside>.*)\]\Z", re.DOTALL)
_WITH_OBJECT = re.compile(
    r"(?P<name>[`*\"']*[\w.\-]+[`*\"']*)[ \t]*(?:(?:with )?(?:input|arguments|args"
    r"|parameters)?[ \t]*[:,\-–]?[ \t]*)(?=\{)"
)
INPUT_INLINE = re.compile(
    r"(?:[ \t]+|\\n)[*_]{0,2}(?:action[ _]?input|tool input|input|arguments|ввод действия|ввод|входные данные"
    r"|aktionseingabe|eingabe"
    r"|entrée de l['’]action|entrada de (?:la )?acción)[*_]{0,2}[ \t]*[:：][*_]{0,2}[ \t]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Actions:
    """What an Action label led to: calls, or an answer written as an action, or neither (an action named "none").

    An answer in JSON is `answer`; one in plain text begins at `end`, and `answers` says so.
    """

    calls: tuple[RawCall, ...]
    end: int
    answer: str | None = None
    declined: str | None = None
    first_end: int = 0
    answers: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    calls: list[RawCall]
    end: int
    answer: str | None = None
    declined: str | None = None
    answers: bool = False


def read(text: str, label: re.Match[str], tools: Sequence[ToolSpec]) -> Actions:
    """From the match of an Action label on; raises Broken."""
    known = {tool.name for tool in tools}
    calls: list[RawCall] = []
    first_end = 0
    while True:
        step = _action(text, label.end(), known, tools)
        if step.answers or step.answer is not None or step.declined is not None:
            first = not calls
            answers, answer, declined = (step.answers, step.answer, step.declined) if first else (False, None, None)
            return Actions(tuple(calls), step.end, answer, declined, answers=answers)
        calls.extend(step.calls)
        first_end = first_end or step.end
        following = _next_action(text, step.end)
        if following is None:
            return Actions(tuple(calls), step.end, first_end=first_end)
        label = following


def _next_action(text: str, at: int) -> re.Match[str] | None:
    """The next Action label, unless something else than a thought comes before it."""
    while label := LABEL.search(text, at):
        if END.search(text, at, label.start()) or OBSERVATION_INLINE.search(text, at, label.start()):
            return None
        kind = kind_of(label)
        if kind == "action":
            return label if line_from(text, label.end()).strip() or LABEL.search(text, label.end()) else None
        if kind not in ("thought", "input"):
            return None
        at = label.end()
    return None


def _action(text: str, at: int, known: set[str], tools: Sequence[ToolSpec]) -> _Step:
    start = FENCE.match(text, at).end()  # type: ignore[union-attr]
    if _BLOB.match(text, start) and not LABEL.match(text, start):
        return _blob(text, start, known, tools)
    line = line_from(text, at)
    if not line.strip(" \t*`"):
        at = _next_line(text, at)
        line = line_from(text, at)
        if LABEL.match(text, at) or not line.strip():
            line = ""
    if (answer := LABEL_AT_LINE_START.match(line.lstrip())) and kind_of(answer) in ("final", "answer"):
        return _answer(text, at + len(line) - len(line.lstrip()) + answer.end())
    inline = INPUT_INLINE.search(line)
    if inline and pythonic.CALL.match(line) and line.count("(", 0, inline.start()) > line.count(")", 0, inline.start()):
        inline = None  # the label stands in an argument
    name = line[: inline.start()] if inline else line
    after = at + (inline.end() if inline else len(line))
    named = name.strip()
    if not named.strip("*`\"'<>[](){}.:-_ ") and not names.declines(named):
        raise Broken("no_tool", "")
    begins = after if inline else _input_start(text, after)
    if (whole := _BRACKETS.match(named)) and names.is_final(whole["name"]) and not names.find(whole["name"], tools):
        return _Step([], after, answer=whole["inside"].strip())
    if names.is_final(named) and not names.find(named, tools):
        return _answer(text, begins if begins is not None else after)
    if names.declines(named) and not names.find(named, tools):
        return _Step([], _past_input(text, after, begins), declined=named)
    return _named(text, at, name, after, begins)


def _blob(text: str, start: int, known: set[str], tools: Sequence[ToolSpec]) -> _Step:
    """The action as one JSON value, or Python calls in brackets."""
    if text.startswith("[", start) and pythonic.CALL.match(text, WHITE.match(text, start + 1).end()):  # type: ignore[union-attr]
        calls, end = pythonic.read_list(text, start)
        return _Step(calls, end)
    reading = jsonladder.read(text, start)
    found = objects.calls_in(reading.value, known, reading.repairs)
    if found is None:
        raise Broken("malformed" if reading.value != [] else "no_tool", text[start : start + 60])
    first = found[0]
    if names.is_final(first.name) and first.name not in known:
        return _Step([], reading.end, answer=answer_in(first.arguments))
    if names.declines(first.name) and names.find(first.name, tools) is None:
        return _Step([], reading.end, declined=first.name)
    return _Step(found, reading.end)


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    at = len(text) if end < 0 else end + 1
    return WHITE.match(text, at).end() if at < len(text) and not LABEL.match(text, at) else at  # type: ignore[union-attr]


def _input_start(text: str, at: int) -> int | None:
    """Where the input begins after a name: after its label, or at JSON that has none; None when there is none."""
    at = _next_line(text, at)
    if label := LABEL.match(text, at):
        return label.end() if kind_of(label) == "input" else None
    start = FENCE.match(text, at).end()  # type: ignore[union-attr]
    return start if text[start : start + 1] in ("{", "[") else None


def _named(text: str, at: int, name: str, after: int, begins: int | None) -> _Step:
    if begins is None:
        return _without_input(text, at, name, after)
    named = name.strip()
    if call := pythonic.CALL.match(named.strip("`*")):
        named = call["name"]
    try:
        return _Step(*react_input.read(text, named, begins))
    except Broken as broken:
        broken.tool = broken.tool or named
        raise


def _without_input(text: str, at: int, name: str, after: int) -> _Step:
    """Arguments on the line of the name: name(x=1), name[x], name {"x": 1}; or none at all."""
    shift = at + len(name) - len(name.lstrip(" \t`*"))
    if pythonic.CALL.match(text, shift) and not re.fullmatch(r"[\w.\-`*]+\s*\(\s*\)[`*.\s]*", name.strip()):
        calls, end = _call_syntax(text, shift)
        if calls:
            return _Step(calls, end)
    if (joined := _WITH_OBJECT.match(name.strip())) is not None:
        return _Step(*react_input.read(text, joined["name"], text.index("{", at)))
    if bracketed := _BRACKETS.match(name.strip()):
        inside = bracketed["inside"].strip()
        return _Step([RawCall(bracketed["name"], inside, "text" if inside else "none", (), "react")], after)
    if _cut_label(text, after):
        raise Broken("cut_off", "before Action Input", tool=name.strip())
    return _Step([RawCall(name.strip(), None, "none", (), "react")], after)


def _call_syntax(text: str, at: int) -> tuple[list[RawCall], int]:
    try:
        calls, end = pythonic.read_statements(text, at)
    except Broken as broken:
        if broken.kind in ("unquoted", "syntax", "expression") and re.match(r"[\w.\-]+[ ]\(", text[at : at + 80]):
            return [], at
        raise
    return calls, end


def _cut_label(text: str, at: int) -> bool:
    """Whether the text ends in the beginning of an Input label."""
    rest = text[at : at + 200].strip()
    return bool(rest) and at + 200 > len(text) and "\n" not in rest and may_begin_label(rest) and rest[:1].isalpha()


def _past_input(text: str, after: int, begins: int | None) -> int:
    return plain(text, begins)[1] if begins is not None else after


def _answer(text: str, at: int) -> _Step:
    start = WHITE.match(text, at).end()  # type: ignore[union-attr]
    if (label := LABEL.match(text, start)) and kind_of(label) in ("final", "answer"):
        at, start = label.end(), WHITE.match(text, label.end()).end()  # type: ignore[union-attr]
    if text[start : start + 1] in ("{", '"'):
        try:
            reading = jsonladder.read(text, start)
        except Broken:
            return _Step([], at, answers=True)
        found = reading.value if isinstance(reading.value, str) else _only_text(reading.value)
        if found:
            return _Step([], reading.end, answer=found)
    return _Step([], at, answers=True)


def answer_in(arguments: object) -> str:
    """The text of an answer that was written as the arguments of an action."""
    return arguments if isinstance(arguments, str) else _only_text(arguments)


def _only_text(value: object) -> str:
    if isinstance(value, dict) and len(value) == 1:
        inner = next(iter(value.values()))
        return inner if isinstance(inner, str) else ""
    return ""
