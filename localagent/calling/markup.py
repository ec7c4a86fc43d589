"""Calls in markup of their own: markers of every dialect, and tags that are named as a tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from localagent.calling import afterwords, names
from localagent.calling.bare import BareWalk
from localagent.calling.broken import Broken
from localagent.calling.dialects import marked, xml
from localagent.calling.hedges import is_hedged
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall
from localagent.calling.walk import line_after
from localagent.messages import ToolSpec

_MENTIONS = 64  # markers without a call that a text may talk about; each may have been looked for to its end


class MarkupWalk(BareWalk):
    """The rules for calls that markers or tags say are calls."""

    def __init__(self, text: str, tools: Sequence[ToolSpec]) -> None:
        super().__init__(text, tools)
        self._value_tag = xml.VALUE_TAG.search(text)  # the next tag of a value, None when none is left

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
            self.mentions += 1
            if self.mentions <= _MENTIONS and self._is_mentioned(event):
                return self._is_text(event, event.end())
            raise
        if not calls:
            self._alone(event, end)
            return [], end
        if calls[-1].dialect in ("xml", "glm") and self._is_left_open(end):
            raise Broken("ambiguous", self.text[end : end + 40], tool=calls[-1].name)
        before = self._line_before(event.start())
        in_sentence = event[0][0] == "<" and "|" not in event[0] and self._is_in_sentence(before, end)
        if in_sentence or is_hedged(before, ""):
            return self._is_text(event, end)
        return calls, end

    def _is_left_open(self, at: int) -> bool:
        """Whether a value closes after `at` that opens nowhere: the one before held a closing tag and was cut at it."""
        if self._value_tag is not None and self._value_tag.start() < at:
            self._value_tag = xml.VALUE_TAG.search(self.text, at)
        return self._value_tag is not None and self._value_tag["shut"] is not None

    def _is_in_sentence(self, before: str, end: int) -> bool:
        """Whether words lead into the call that ends at `end`, white space passed, and go on behind it."""
        if not before.strip() or END.match(self.text, end):
            return False
        shut = end
        while self.text[shut - 1].isspace():
            shut -= 1
        return afterwords.is_in_sentence(before, line_after(self.text, shut), line_after(self.text, end))

    def _is_text(self, event: re.Match[str], end: int) -> tuple[list[RawCall], int]:
        self.found.marked = False
        self.found.prose.append(self.text[event.start() : end])
        self.shown_to = end
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
        """A marker in a sentence that goes on in words: talk about markers."""
        after = line_after(self.text, event.end())
        in_words = bool(after.strip()) if event[0][0] == "<" else len(after.split()) > 1 and "(" not in after
        return "{" not in after and in_words and bool(self._line_before(event.start()).strip())

    def _is_quoted(self, event: re.Match[str]) -> bool:
        """Right after a quotation mark."""
        return self.text[event.start() - 1 : event.start()] in ('"', "'", "“", "`") and event.start() > 0

    def _read(self, reader: Callable[[], tuple[list[RawCall], int]], event: re.Match[str], dialect: str) -> None:
        """Runs a reader of calls; what cannot be read is the reply's problem, unless it was only thought."""
        try:
            calls, end = reader()
        except Broken as broken:
            return self._broke(broken, event.start())
        if calls and self._is_shown(event.start(), end):
            self.found.marked = False
            return self._show_call(end)
        self.found.calls.extend(calls)
        if calls:
            self.found.dialect = calls[0].dialect if dialect == "marked" else dialect
        self._skip_to(end)

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
        if self._is_shown(event.start(), read[1]):
            return self._show_call(read[1])
        self.found.calls.append(read[0])
        self.found.dialect = "xml"
        self._skip_to(read[1])
