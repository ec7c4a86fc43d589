"""Calls without a marker: JSON, Python or a name with arguments, where only their place makes them calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import afterwords, jsonladder, names
from localagent.calling.broken import Broken
from localagent.calling.dialects import marked, objects, pythonic, react, xml
from localagent.calling.hedges import is_announced, is_hedged
from localagent.calling.labels import BLANK, LABEL, LABEL_AT_LINE_START, kind_of
from localagent.calling.normalise import END, LEADING
from localagent.calling.rawcall import RawCall
from localagent.calling.walk import Walk, line_after
from localagent.messages import ToolSpec

_TAIL = re.compile(
    rf"(?:[{BLANK}]|"
    r"[}\]]|`{1,3}|\*{1,2}|~~~|<[|｜/]?[\w:▁]{1,40}[|｜]?/?>|[<\[|/]{0,3}[A-Z][A-Z_]{3,40}[>\]|/]{1,3}|[<>]{2,4}/?[A-Z_]{3,40}[<>]{0,4}"
    r"|&lt;/?[\w|]{1,40}&gt;)*"
)
_NEXT_FENCE = re.compile(r"\s*(?:```|~~~)[ \t]*\n\s*(?:```|~~~)\w*[ \t]*\n\s*")
_SEPARATOR = re.compile(rf"[{BLANK};,]*")
CALL_LANGUAGES = ("tool_code", "tool_call", "tool_calls", "tool", "function_call", "action")


class BareWalk(Walk):
    """The rules for fences, inline code, JSON and Python that stand in prose."""

    def _on_code(self, event: re.Match[str]) -> None:
        """Inline code is text, unless it is the whole reply."""
        inside = event.start("inside")
        alone = not self.found.answered and not self._has_spoken(event.start()) and not self.text[event.end() :].strip()
        if alone and self._begins_call(inside, ""):
            self.at = event.start()
            self._candidate(event.start(), inside, "")
        else:
            self._pass(event.end())

    def _on_fence(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._past_fence(event)
        if self.found.calls:
            return self._pass(event.end())
        inside = _SEPARATOR.match(self.text, event.end()).end()  # type: ignore[union-attr]
        language = event["info"].strip().lower()
        if begins_steps(self.text, event.end()) and not self._has_spoken(event.start()):
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
            return names.find(call["name"], self.tools) is not None or not self._has_spoken(self.at)
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
        self.at = event.start() + len(event[0]) - len(event[0].lstrip())
        if not is_called(event, self.tools) or self.found.answered or self.found.calls:
            return self._pass(event.end())
        self._candidate(self.at, self.at, "")

    def _may_stand_here(self, at: int) -> bool:
        """At a line's start, or after a sentence or colon on the same line."""
        return may_stand_alone(self._line_before(at))

    def _candidate(self, start: int, at: int, language: str) -> None:
        """A call that only its place makes one: it counts when it is the last thing said, and meant."""
        forced = language in CALL_LANGUAGES
        before = self._recent(start) if self._has_spoken(start) else ""
        try:
            calls, end = self._bare_calls(at) if start == at else self._fenced_calls(at, language)
        except Broken as broken:
            return self._broken_candidate(broken, start, at, before, forced=forced)
        if not calls and not (forced and self._names_a_tool(at)):
            return self._pass(end)
        if not calls:
            return self._broken_candidate(Broken("malformed", self.text[at : at + 60]), start, at, before, forced=True)
        if before.strip() and start == at and self.text[end:].lstrip()[:1] in ("}", "]"):
            return self._pass(end)
        tail = _TAIL.match(self.text, end).end()  # type: ignore[union-attr]
        token = END.search(self.text, end, tail) or END.match(self.text, tail)
        ended = token or tail >= len(self.text) or _ends_turn(self.text, tail)
        inside = before.strip() and not is_announced(before)
        if not ended and not forced and (inside or self._line_goes_on(tail)):
            return self._show_call(end)
        if language in ("python", "py") and before.strip():
            return self._show_call(end)
        if not forced and is_hedged(before, "" if ended else self._following(tail)):
            return self._show_call(end)
        if self._is_shown(start, end):
            return self._show_call(end)
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

    def _names_a_tool(self, at: int) -> bool:
        """Whether the fence whose content begins at `at` speaks of a tool."""
        inside = self.text[at : at + 2000].partition("```")[0]
        return any(name in inside for name in self.names)

    def _following(self, at: int) -> str:
        """The beginning and the end of what follows a call."""
        rest = len(self.text) - at
        return self.text[at:] if rest <= 800 else f"{self.text[at : at + 400]}\n{self.text[-400:]}"

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
        return afterwords.goes_on_in_words(line_after(self.text, end).strip("}] \t`"))

    def _broken_candidate(self, broken: Broken, start: int, at: int, before: str, *, forced: bool) -> None:
        self.json_allowed = False
        inline = bool(self._line_before(start).strip(" \t>*-#`"))
        written_as_code = not forced and pythonic.CALL.match(self.text, at) is not None
        described = broken.kind != "cut_off" and not line_after(self.text, at).rstrip("\n ;`").endswith(")")
        if inline or is_hedged(before, "") or (written_as_code and (described or before.strip())):
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


def begins_steps(text: str, at: int) -> bool:
    """Whether a fence whose content begins at `at` only wraps steps of ReAct."""
    label = LABEL.match(text, at)
    return label is not None and kind_of(label) in ("thought", "action", "final", "question")


def is_called(event: re.Match[str], tools: Sequence[ToolSpec]) -> bool:
    """Whether a name before its arguments is one of a tool, or is said to be one as Gemma does: call:name{."""
    said = event["callword"] is not None and event.string.startswith("{", event.end())
    return bool(tools) and (said or names.find(event["named"], tools) is not None)


def may_stand_alone(before: str) -> bool:
    """Whether JSON may be a call after `before` on its line: nothing, or the end of a sentence or a colon."""
    return not before.strip(f"{LEADING}>*-#`") or bool(re.search(r"[^\W\d_][.:!?…]\s*\Z", before))


def _ends_line(text: str, at: int) -> bool:
    return not line_after(text, at).strip("}] \t`")


def _ends_turn(text: str, at: int) -> bool:
    label = LABEL_AT_LINE_START.match(text, at)
    return label is not None and kind_of(label) == "observation"
