"""Walks a reply once and tells apart what is thought, what is said, and where calls begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from localagent.calling import jsonladder, names
from localagent.calling.broken import Broken
from localagent.calling.dialects import harmony, marked, objects, pythonic, react, xml
from localagent.calling.hedges import is_hedged
from localagent.calling.labels import LABEL, LABEL_AT_LINE_START, kind_of
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall
from localagent.messages import ToolSpec

_THINK = r"(?:think|thinking|thought|reasoning|reason|reflection|seed:think|mm:think)"
OPEN_THOUGHT = re.compile(
    rf"<{_THINK}>|\[THINK\]|<\|START_THINKING\|>|<\|begin_of_thought\|>|<\|channel>thought\b|◁think▷", re.IGNORECASE
)
CLOSE_THOUGHT = re.compile(
    rf"</{_THINK}>|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>|◁/think▷", re.IGNORECASE
)
_FENCE = r"(?m:^)[ \t>]*(?P<ticks>```+|~~~+)(?P<info>[^\n`]*)(?:\n|\Z)"
_NAMED = r"(?m:^)[ \t]*(?P<named>[^\W\d][\w.\-]{0,80})[ \t]*(?=[({]|\[ARGS\]|\[CALL_ID\])"
_TOOL_TAG = r"<(?P<tooltag>[A-Za-z][\w\-]{0,80})>"


def _unnamed(pattern: re.Pattern[str]) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern.pattern)


EVENT = re.compile(
    rf"(?P<harmony>{_unnamed(harmony.CHANNEL)})|(?P<end>{END.pattern})|(?P<open>{OPEN_THOUGHT.pattern})|(?P<close>{CLOSE_THOUGHT.pattern})"
    rf"|(?P<marker>{marked.OPENER.pattern}|{_unnamed(marked.HEADLESS)}|{_unnamed(xml.FUNCTION)}"
    rf"|<(?:tool|tool_name|function)>[^<>\n]{{1,120}}</(?:tool|tool_name|function)>"
    rf"|<action>[^<>\n]{{1,120}}</action>\s{{0,4}}<(?:action_input|input|arguments|parameters)>)"
    rf"|(?P<final><final_answer>|<\|START_RESPONSE\|>)|(?P<tag>{_TOOL_TAG})|(?P<fence>{_FENCE})|(?P<code>`[^`\n]{{1,200}}`)"
    rf"|(?P<label>{_unnamed(LABEL)})|(?P<call>{_NAMED})|(?P<json>[{{\[])",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:\s|[}\]]|`{1,3}|\*{1,2}|~~~|<[|｜/]?[\w:▁]{1,40}[|｜]?/?>|[<\[|/]{0,3}[A-Z][A-Z_]{3,40}[>\]|/]{1,3}|[<>]{2,4}/?[A-Z_]{3,40}[<>]{0,4}"
    r"|&lt;/?[\w|]{1,40}&gt;)*"
)
_NEXT_FENCE = re.compile(r"\s*(?:```|~~~)[ \t]*\n\s*(?:```|~~~)\w*[ \t]*\n\s*")
_SEPARATOR = re.compile(r"[\s;,]*")
CALL_LANGUAGES = ("tool_code", "tool_call", "tool_calls", "tool", "function_call", "action")
_LOOSE_END = 8


@dataclass(slots=True)
class Found:
    """What a walk found; `problem` is set where a call stands that cannot be read."""

    thoughts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    calls: list[RawCall] = field(default_factory=list)
    problem: Broken | None = None
    answered: bool = False
    react: bool = False
    marked: bool = False
    declined: str | None = None
    dialect: str = "prose"


class Walker:
    """One pass over a normalised text. Each rule moves `at` forward, so the pass is linear."""

    def __init__(self, text: str, tools: Sequence[ToolSpec], *, thinking_open: bool) -> None:
        self.text = text
        self.tools = tools
        self.names = frozenset(tool.name for tool in tools)
        self.at = 0
        self.begun = 0
        self.found = Found()
        self.sink = self.found.prose
        self.discards = 0
        self.fenced = False
        self.stopped = False
        self.json_allowed = True
        if thinking_open:
            self._think(0)

    def walk(self) -> Found:
        """Runs to the end, or to the first token that ends the turn."""
        while not self.stopped and (event := EVENT.search(self.text, self.at)):
            getattr(self, f"_on_{event.lastgroup}")(event)
        if not self.stopped:
            self._say(len(self.text))
        return self.found

    def _say(self, upto: int) -> None:
        """Everything up to `upto` that was not said yet goes where speech goes now."""
        if upto > self.begun:
            self.sink.append(self.text[self.begun : upto])
        self.begun = max(self.begun, upto)

    def _skip_to(self, at: int) -> None:
        self.at = max(at, self.at + 1)
        self.begun = self.at

    def _pass(self, at: int) -> None:
        """Goes on after `at`, which stays part of what is said."""
        self.at = max(at, self.at + 1)

    def _stop(self, at: int) -> None:
        self._say(at)
        self.stopped = True

    def _said(self) -> str:
        return "".join(self.found.prose) + (self.text[self.begun : self.at] if self.sink is self.found.prose else "")

    def _on_end(self, event: re.Match[str]) -> None:
        self.at = event.start()
        if not self._said().strip() and not self.found.calls and not self.found.thoughts:
            self._skip_to(event.end())
        else:
            self._stop(event.start())

    def _on_harmony(self, event: re.Match[str]) -> None:
        self._say(event.start())
        header = _rematch(harmony.CHANNEL, self.text, event)
        name = harmony.recipient(header)
        if (name and name.startswith(("functions", "tool", "assistant"))) or (name and names.find(name, self.tools)):
            self._read(lambda: self._one(harmony.read(self.text, header, name)), event, "harmony")
        elif header["channel"] == "analysis":
            self._think(event.end(), harmony.ANALYSIS_END)
        else:
            self._skip_to(event.end())
            if header["channel"] == "final":
                self._answer_begins()

    def _on_open(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._pass(event.end())
        if self._line_before(event.start()).strip() and not CLOSE_THOUGHT.search(self.text, event.end()):
            return self._pass(event.end())
        self._say(event.start())
        self._think(event.end())

    def _think(self, at: int, closing: re.Pattern[str] = CLOSE_THOUGHT) -> None:
        closed = closing.search(self.text, at)
        if closed:
            self.found.thoughts.append(self.text[at : closed.start()])
            self._skip_to(closed.end())
            return
        self.found.thoughts.append(self.text[at:])
        self._skip_to(len(self.text))
        self._call_after_open_thought(at)

    def _call_after_open_thought(self, at: int) -> None:
        """Reasoning that was never closed: a complete call that is the very end of it still counts."""
        thought = self.text[at:]
        start = max(thought.rfind("\n<tool_call>"), thought.rfind("\nAction:"), thought.rfind("\n[TOOL_CALLS]"))
        if start < 0:
            return
        inner = Walker(thought[start + 1 :], self.tools, thinking_open=False).walk()
        if inner.calls and not inner.problem and not "".join(inner.prose).strip():
            self.found.thoughts[-1] = thought[:start]
            self.found.calls, self.found.dialect = inner.calls, inner.dialect

    def _on_close(self, event: re.Match[str]) -> None:
        """A closer whose opener was in the prompt: everything before it was thought, drafts of calls included."""
        if self.found.answered:
            return self._pass(event.end())
        self._say(event.start())
        self.found.thoughts.extend(self.found.prose)
        self.found.prose.clear()
        self.found.calls.clear()
        self.found.problem, self.found.react, self.found.declined = None, False, None
        self.sink = self.found.prose
        self._skip_to(event.end())

    def _on_final(self, event: re.Match[str]) -> None:
        if self.found.calls:
            return self._stop(event.start())
        self._say(event.start())
        self._skip_to(event.end())
        self._answer_begins()

    def _answer_begins(self) -> None:
        if not self.found.answered:
            self.found.thoughts.extend(self.found.prose)
            self.found.prose.clear()
        self.found.answered = True
        self.sink = self.found.prose

    def _on_marker(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._pass(event.end())
        self.at = event.start()
        self._say(event.start())
        if self._is_quoted(event) or self._is_foreign(event):
            self.begun = event.start()
            return self._pass(event.end())
        self.found.marked = True
        self._read(lambda: self._marked(event), event, "marked")

    def _marked(self, event: re.Match[str]) -> tuple[list[RawCall], int]:
        try:
            calls, end = marked.read(self.text, event.start(), self.names)
        except Broken:
            if self._is_mentioned(event):
                return self._is_text(event, event.end())
            raise
        if not calls:
            self._alone(event, end)
            return [], end
        before = self._line_before(event.start())
        if (
            before.strip()
            and _line_after(self.text, end).strip()
            and not END.match(self.text, end)
            and event[0][0] == "<"
            and "|" not in event[0]
        ):
            return self._is_text(event, end)
        if is_hedged(before, ""):
            return self._is_text(event, end)
        return calls, end

    def _is_text(self, event: re.Match[str], end: int) -> tuple[list[RawCall], int]:
        self.found.marked = False
        self.found.prose.append(self.text[event.start() : end])
        return [], end

    def _alone(self, event: re.Match[str], end: int) -> None:
        """A marker without a call: talk about markers in a sentence, else a call gone wrong."""
        if self._is_mentioned(event):
            self._is_text(event, end)
            return
        cut = not self.text[end:].strip()
        raise Broken("cut_off" if cut and self.text.count(event[0], event.start()) == 1 else "malformed", event[0])

    def _is_foreign(self, event: re.Match[str]) -> bool:
        """A word before a divider that is no name of a tool."""
        headless = marked.HEADLESS.match(self.text, event.start())
        return (
            headless is not None and headless["head"] != "function" and names.find(headless["head"], self.tools) is None
        )

    def _is_mentioned(self, event: re.Match[str]) -> bool:
        """A tag in a sentence that goes on in words: talk about tags."""
        after = _line_after(self.text, event.end())
        return (
            event[0][0] == "<" and "{" not in after and bool(self._line_before(event.start()).strip() and after.strip())
        )

    def _is_quoted(self, event: re.Match[str]) -> bool:
        """Between quotes, or in a fence that something follows."""
        return self.text[event.start() - 1 : event.start()] in ('"', "'", "“", "`") and event.start() > 0

    def _line_before(self, at: int) -> str:
        start = max(self.text.rfind("\n", 0, at) + 1, at - 400)
        return CLOSE_THOUGHT.split(self.text[start:at])[-1]

    def _read(self, reader: object, event: re.Match[str], dialect: str) -> None:
        """Runs a reader of calls; what cannot be read is the reply's problem, unless it was only thought."""
        try:
            calls, end = reader()  # type: ignore[operator]
        except Broken as broken:
            return self._broke(broken, event.start())
        self.found.calls.extend(calls)
        if calls:
            self.found.dialect = calls[0].dialect if dialect == "marked" else dialect
        self._skip_to(end)

    def _broke(self, broken: Broken, at: int) -> None:
        self.found.problem = self.found.problem or broken
        closed = CLOSE_THOUGHT.search(self.text, at)
        self.discards += 1
        if closed and self.discards <= _LOOSE_END and not OPEN_THOUGHT.search(self.text, at, closed.start()):
            self.begun = self.at = closed.start()
            return
        self.begun = len(self.text)
        self.stopped = True

    def _one(self, call: tuple[RawCall, int]) -> tuple[list[RawCall], int]:
        return [call[0]], call[1]

    def _on_tag(self, event: re.Match[str]) -> None:
        """<read_file>…</read_file>, for a tool of that very name."""
        tool = next((tool for tool in self.tools if tool.name == event["tooltag"]), None)
        if tool is None or self.found.answered:
            return self._pass(event.end())
        try:
            read = xml.read_tool_tag(self.text, event, tool.parameters.get("properties") or {})
        except Broken as broken:
            self._say(event.start())
            return self._broke(broken, event.start())
        if read is None:
            return self._pass(event.end())
        self._say(event.start())
        self.found.calls.append(read[0])
        self.found.dialect = "xml"
        self._skip_to(read[1])

    def _on_code(self, event: re.Match[str]) -> None:
        """Inline code is text, unless it is the whole reply."""
        inside = event.start() + 1
        alone = (
            not self.found.answered and not self._said_before(event).strip() and not self.text[event.end() :].strip()
        )
        if alone and self._begins_call(inside, ""):
            self.at = event.start()
            self._candidate(event.start(), inside, "")
        else:
            self._pass(event.end())

    def _on_label(self, event: re.Match[str]) -> None:
        label = _rematch(LABEL, self.text, event)
        kind = kind_of(label)
        getattr(self, f"_label_{kind}")(label)

    def _label_thought(self, label: re.Match[str]) -> None:
        if self.found.answered:
            return self._stop(label.start())
        self._say(label.start())
        self.found.react = True
        self.sink = self.found.thoughts
        self._skip_to(label.end())

    def _label_question(self, label: re.Match[str]) -> None:
        if self.found.react and (self.found.answered or self.found.calls or self.found.declined):
            return self._stop(label.start())
        if self._said().strip() or not _leads_to_label(self.text, label.end()):
            return self._pass(label.end())
        self._skip_to(label.end())
        self.sink = []

    def _label_observation(self, label: re.Match[str]) -> None:
        if self.found.answered or self.found.calls:
            if self.found.react or self.found.calls:
                return self._stop(label.start())
            return self._pass(label.end())
        if not self.found.react:
            return self._pass(label.end())
        self._say(label.start())
        self.sink = []
        self._skip_to(label.end())

    def _label_input(self, label: re.Match[str]) -> None:
        if not self.found.react or self.found.answered or self.found.calls:
            return self._pass(label.end())
        self._broke(Broken("no_tool", ""), label.start())

    def _label_answer(self, label: re.Match[str]) -> None:
        if self.found.react or not self._said_before(label).strip():
            self._label_final(label)
        else:
            self._pass(label.end())

    def _label_final(self, label: re.Match[str]) -> None:
        if self.found.answered:
            return self._pass(label.end())
        if self.found.calls:
            return self._stop(label.start())
        self._say(label.start())
        self._skip_to(label.end())
        self.found.react = True
        self.found.declined = None
        self._answer_begins()

    def _said_before(self, label: re.Match[str]) -> str:
        return "".join(self.found.prose) + self.text[self.begun : label.start()]

    def _label_action(self, label: re.Match[str]) -> None:
        if self.found.answered:
            following = LABEL.search(self.text, label.end())
            if following and kind_of(following) == "input":
                return self._stop(label.start())
            return self._pass(label.end())
        if self.found.calls:
            return self._stop(label.start())
        if not self.found.react and not react.is_action(self.text, label, self.tools):
            return self._pass(label.end())
        self._say(label.start())
        self.found.react = True
        try:
            actions = react.read(self.text, label, self.tools)
        except Broken as broken:
            return self._broke(broken, label.start())
        self._take(actions)

    def _take(self, actions: react.Actions) -> None:
        self.found.dialect = "react"
        if actions.answer is not None:
            self._answer_begins()
            self.found.prose.append(actions.answer)
            self.stopped = True
        elif actions.declined is not None:
            self.found.declined = actions.declined
            self.sink = self.found.thoughts
            self._skip_to(actions.end)
        else:
            self.found.calls.extend(actions.calls)
            self._skip_to(actions.end)
            self.stopped = not CLOSE_THOUGHT.search(self.text, self.at)

    def _on_fence(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._past_fence(event)
        if self.found.calls:
            return self._pass(event.end())
        inside = _SEPARATOR.match(self.text, event.end()).end()  # type: ignore[union-attr]
        language = event["info"].strip().lower()
        label = LABEL.match(self.text, event.end())
        if label and kind_of(label) in ("thought", "action", "final", "question") and not self._said().strip():
            self._say(event.start())
            self.fenced = True
            return self._skip_to(event.end())
        self.at = event.start()
        if language in CALL_LANGUAGES or self._begins_call(inside, language):
            self._candidate(event.start(), inside, language)
        else:
            self._past_fence(event)

    def _past_fence(self, event: re.Match[str]) -> None:
        if self.fenced:
            return self._pass(event.end())
        closed = re.compile(rf"\n[ \t>]*{event['ticks']}[ \t]*(?=\n|\Z)").search(self.text, event.end() - 1)
        self._pass(closed.end() if closed else len(self.text))

    def _begins_call(self, at: int, language: str) -> bool:
        if self.text[at : at + 1] in ("{", "["):
            return self._begins_json(at)
        if marked.OPENER.match(self.text, at) or xml.FUNCTION.match(self.text, at):
            return True
        call = pythonic.CALL.match(self.text, at)
        return bool(call and language in ("python", "py", "", "tool_code") and names.find(call["name"], self.tools))

    def _begins_json(self, at: int) -> bool:
        start = _SEPARATOR.match(self.text, at + 1).end()  # type: ignore[union-attr]
        if self.text[at] == "[" and (call := pythonic.CALL.match(self.text, start)):
            return names.find(call["name"], self.tools) is not None or not self._said().strip()
        return objects.looks_like_call(self.text, at, self.names)

    def _on_json(self, event: re.Match[str]) -> None:
        self.at = start = event.start()
        if (
            self.found.answered
            or self.found.calls
            or not self.json_allowed
            or not self._may_stand_here(start)
            or not self._begins_json(start)
        ):
            return self._pass(event.end())
        self._candidate(start, start, "")

    def _on_call(self, event: re.Match[str]) -> None:
        self.at = event.start("named")
        known = names.find(event["named"], self.tools) if len(self.names) else None
        if known is None or self.found.answered or self.found.calls:
            return self._pass(event.end())
        self._candidate(self.at, self.at, "")

    def _may_stand_here(self, at: int) -> bool:
        """At a line's start, or after a sentence or colon on the same line."""
        return may_stand_alone(self._line_before(at))

    def _candidate(self, start: int, at: int, language: str) -> None:
        """A call that only its place makes one: it counts when it is the last thing said, and meant."""
        forced = language in CALL_LANGUAGES
        before = self._said()
        try:
            calls, end = self._bare_calls(at) if start == at else self._fenced_calls(at, language)
        except Broken as broken:
            return self._broken_candidate(broken, start, at, before)
        if not calls:
            return self._pass(end)
        if before.strip() and self.text[end:].lstrip()[:1] in ("}", "]"):
            return self._pass(end)
        tail = _TAIL.match(self.text, end).end()  # type: ignore[union-attr]
        rest = self.text[tail:]
        ended = not rest or END.match(rest) or _ends_turn(self.text, tail)
        if not ended and not forced and (start != at or self._line_goes_on(end) or before.strip()):
            return self._pass(end)
        if language in ("python", "py") and before.strip():
            return self._pass(end)
        if not forced and is_hedged(before, "" if ended else rest):
            return self._pass(end)
        self._say(start)
        first = calls[0]
        if not forced and (not ended or self._line_before(start).rstrip().endswith(":")):
            return self._broke(Broken("not_alone", first.name, tool=first.name), start)
        if names.is_final(first.name) and names.find(first.name, self.tools) is None:
            self._answer_begins()
            self.found.prose.append(react.answer_in(first.arguments))
            self.begun, self.stopped = len(self.text), True
            return None
        self.found.calls.extend(calls)
        self.found.dialect = first.dialect
        return self._skip_to(end)

    def _fenced_calls(self, at: int, language: str) -> tuple[list[RawCall], int]:
        """The calls of a fence, and of fences that follow it with nothing between."""
        calls, end = self._bare_calls(at)
        while (
            calls and (following := _NEXT_FENCE.match(self.text, end)) and self._begins_call(following.end(), language)
        ):
            more, end = self._bare_calls(following.end())
            calls = [*calls, *more]
        return calls, end

    def _line_goes_on(self, end: int) -> bool:
        return bool(_line_after(self.text, end).strip("}] \t`"))

    def _broken_candidate(self, broken: Broken, start: int, at: int, before: str) -> None:
        self.json_allowed = False
        inline = bool(self._line_before(start).strip(" \t>*-#`"))
        if inline or is_hedged(before, "") or (self.text[at] not in "{[<" and before.strip()):
            return self._pass(at + 1)
        self._say(start)
        self._broke(broken, start)

    def _bare_calls(self, at: int) -> tuple[list[RawCall], int]:
        if self.text[at : at + 1] not in ("{", "["):
            call = pythonic.CALL.match(self.text, at)
            return pythonic.read_statements(self.text, at) if call else marked.read(self.text, at, self.names)
        if self.text[at] == "[" and pythonic.CALL.match(self.text, _SEPARATOR.match(self.text, at + 1).end()):  # type: ignore[union-attr]
            return pythonic.read_list(self.text, at)
        return self._bare_objects(at)

    def _bare_objects(self, at: int) -> tuple[list[RawCall], int]:
        calls: list[RawCall] = []
        end = at
        while self.text[at : at + 1] in ("{", "["):
            reading = jsonladder.read(self.text, at)
            found = objects.calls_in(reading.value, self.names, reading.repairs)
            if found is None or (reading.fragile and not _ends_line(self.text, reading.end)):
                return ([], reading.end) if not calls else (calls, end)
            calls.extend(found)
            end = reading.end
            at = _SEPARATOR.match(self.text, end).end()  # type: ignore[union-attr]
        return calls, end


def may_stand_alone(before: str) -> bool:
    """Whether JSON may be a call after `before` on its line: nothing, or the end of a sentence or a colon."""
    return not before.strip(" \t>*-#`") or bool(re.search(r"[^\W\d_][.:!?…]\s*\Z", before))


def _rematch(pattern: re.Pattern[str], text: str, event: re.Match[str]) -> re.Match[str]:
    match = pattern.match(text, event.start())
    assert match is not None, "an event's own pattern matches where the event begins"
    return match


def _line_after(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at : end if end >= 0 else len(text)]


def _ends_line(text: str, at: int) -> bool:
    return not _line_after(text, at).strip("}] \t`")


def _ends_turn(text: str, at: int) -> bool:
    label = LABEL_AT_LINE_START.match(text, at)
    return label is not None and kind_of(label) == "observation"


def _leads_to_label(text: str, at: int) -> bool:
    label = LABEL.search(text, at)
    while label and kind_of(label) not in ("thought", "action", "final"):
        label = LABEL.search(text, label.end())
    return label is not None
