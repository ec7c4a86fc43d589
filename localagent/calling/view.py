"""What a person may see of a reply while it arrives: thought and answer, never markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import bare, events, names
from localagent.calling.blocks import is_set_apart
from localagent.calling.dialects import harmony, marked, objects, pythonic, xml
from localagent.calling.display import AnswerPiece, Display, Piece, ThoughtPiece
from localagent.calling.hedges import is_hedged
from localagent.calling.holdback import REACH, may_be_name, safe_until, undecided
from localagent.calling.labels import BLANK, LABEL, belongs_to_answer, is_item, is_of_action, is_turn, kind_of
from localagent.calling.normalise import LEADING, may_be_header, opens_foreign_turn, without_header
from localagent.messages import ToolSpec

_ROLE_LENGTH = 24


class View(Display):
    """Takes a reply apart as it grows. What it decides depends on the text alone, never on the chunks."""

    def __init__(self, tools: Sequence[ToolSpec], *, thinking_open: bool) -> None:
        super().__init__(thinking_open=thinking_open)
        self.tools = tools
        self.held = False
        self.hedged = False
        self.before = ""  # what stands right before the markup
        self.thinking = False  # whether that is thought
        self.done = False
        self.react = self.answered = self.itemised = False
        self._in_dialogue = False
        self._begun = False

    def feed(self, delta: str, *, last: bool = False) -> list[Piece]:
        """The pieces that `delta` makes certain. Once `held`, the rest is markup and `text[at:]` its beginning."""
        if self.done:
            return []
        self.text += delta
        if self._begun or self._begin(last):
            while not (self.held or self.done) and self._advance(last):
                pass
            if not self.held:
                self._trim()
        pieces, self._pieces = self._pieces, []
        return pieces

    def _begin(self, last: bool) -> bool:
        self.text = self.text.lstrip(LEADING)
        if not last and (not self.text or may_be_header(self.text)):
            return False
        self.text = without_header(self.text)
        self._begun = True
        return True

    def _advance(self, last: bool) -> bool:
        """One step forward; False when more text is needed."""
        if self._closing:
            return self._in_thought(last)
        if self._in_fence:
            return self._in_code(last)
        event = events.EVENT.search(self.text, self.at)
        far = event is not None and event.end() <= len(self.text) - REACH
        safe = len(self.text) if last or far else safe_until(self.text, self.at, self.tools)
        if event is None or event.start() >= safe or (event.end() == len(self.text) and not last):
            self._show(min(safe, event.start()) if event else safe)
            return False
        self._show(event.start())
        if event.lastgroup not in events.TURNS and self._is_quoted(event):
            return self._pass(event)
        return bool(getattr(self, f"_on_{event.lastgroup}")(event, last))

    def _is_quoted(self, event: re.Match[str]) -> bool:
        """In a quotation or block of code that words introduce."""
        spoken = self.spoke and self._sink is AnswerPiece
        line = self.text.rfind("\n", 0, event.start()) + 1
        return spoken and (line > 0 or self.text[:1] in "> \t") and is_set_apart(self.text, line)

    def _hold(self, event: re.Match[str]) -> bool:
        self.held = True
        self.before = self.text[max(0, event.start() - 400) : event.start()]
        self.thinking = self._sink is not AnswerPiece
        self.hedged = is_hedged(self._line_before(event.start()), "")
        return False

    def _on_end(self, event: re.Match[str], last: bool) -> bool:
        if self.spoke or self._sink is not AnswerPiece:
            self.done = True
            return False
        if not last and len(self.text) < event.end() + _ROLE_LENGTH:
            return False
        self.done = opens_foreign_turn(self.text, event.start())
        self.at = event.end()
        return not self.done

    def _on_harmony(self, event: re.Match[str], last: bool) -> bool:
        if self.answered:
            self.done = True
            return False
        header = harmony.CHANNEL.match(self.text, event.start())
        assert header is not None, "an event's own pattern matches where the event begins"
        if harmony.recipient(header):
            return self._hold(event)
        if header["channel"] == "analysis":
            self._closing = harmony.ANALYSIS_END
            return self._turn(ThoughtPiece, event.end())
        if header["channel"] == "final":
            self._answer()
        return self._turn(AnswerPiece, event.end())

    def _on_open(self, event: re.Match[str], last: bool) -> bool:
        if self.answered:
            return self._pass(event)
        self._closing = events.CLOSE_THOUGHT
        return self._turn(ThoughtPiece, event.end())

    def _on_close(self, event: re.Match[str], last: bool) -> bool:
        if self.answered:
            return self._pass(event)
        self._start_anew()
        self.react = False
        return self._turn(AnswerPiece, event.end())

    def _on_marker(self, event: re.Match[str], last: bool) -> bool:
        quoted = event.start() > 0 and self.text[event.start() - 1] in "\"'“`"
        headless = marked.HEADLESS.match(self.text, event.start())
        foreign = headless is not None and not may_be_name(headless["head"], self.tools)
        return self._pass(event) if quoted or foreign or self.answered else self._hold(event)

    def _on_final(self, event: re.Match[str], last: bool) -> bool:
        self._answer()
        return self._turn(AnswerPiece, event.end())

    def _answer(self) -> None:
        if not self.answered:
            self._start_anew()
        self.answered = self.react = True

    def _on_tag(self, event: re.Match[str], last: bool) -> bool:
        known = not self.answered and any(tool.name == event["tooltag"] for tool in self.tools)
        return self._hold(event) if known else self._pass(event)

    def _on_code(self, event: re.Match[str], last: bool) -> bool:
        alone = not (self.spoke or self.answered) and self._calls_at(event.start("inside"), "")
        return self._hold(event) if alone else self._pass(event)

    def _on_fence(self, event: re.Match[str], last: bool) -> bool:
        inside = re.compile(rf"[{BLANK}]{{0,80}}").match(self.text, event.end()).end()  # type: ignore[union-attr]
        if not last and self._waits_for_content(inside):
            return False
        if not (self.answered or self.shown) and bare.begins_steps(self.text, event.end()):
            return self._turn(self._sink, event.end())
        if not self.answered and self._calls_at(inside, event["info"].strip().lower()):
            return self._hold(event)
        self._in_fence = True
        self._show(event.end() - 1)
        return True

    def _waits_for_content(self, at: int) -> bool:
        """Whether the content of a fence, which begins at `at`, is too short yet to tell a call from code."""
        if self.text[at : at + 1] in ("{", "["):
            return undecided(self.text, at)
        return len(self.text) - at < 100 and "\n" not in self.text[at:]

    def _calls_at(self, at: int, language: str) -> bool:
        if language in bare.CALL_LANGUAGES or marked.OPENER.match(self.text, at) or xml.FUNCTION.match(self.text, at):
            return True
        if self.text[at : at + 1] in ("{", "["):
            return self._json_begins(at)
        call = pythonic.CALL.match(self.text, at)
        return bool(call and names.find(call["name"], self.tools))

    def _json_begins(self, at: int) -> bool:
        call = pythonic.CALL.match(self.text, re.compile(rf"[{BLANK};,]*").match(self.text, at + 1).end())  # type: ignore[union-attr]
        if self.text[at] == "[" and call:
            return names.find(call["name"], self.tools) is not None or not self.spoke
        return objects.looks_like_call(self.text, at, {tool.name for tool in self.tools})

    def _on_json(self, event: re.Match[str], last: bool) -> bool:
        if self.answered or not bare.may_stand_alone(self._line_before(event.start())):
            return self._pass(event)
        if not last and undecided(self.text, event.start()):
            return False
        return self._hold(event) if self._json_begins(event.start()) else self._pass(event)

    def _on_call(self, event: re.Match[str], last: bool) -> bool:
        called = not self.answered and bare.is_called(event, self.tools)
        return self._hold(event) if called else self._pass(event)

    def _on_label(self, event: re.Match[str], last: bool) -> bool:
        label = LABEL.match(self.text, event.start())
        assert label is not None, "an event's own pattern matches where the event begins"
        return bool(getattr(self, f"_label_{kind_of(label)}")(label))

    def _label_thought(self, label: re.Match[str]) -> bool:
        if self.answered:
            return self._past_answer(label)
        self.react = True
        return self._turn(ThoughtPiece, label.end())

    def _past_answer(self, label: re.Match[str]) -> bool:
        if belongs_to_answer(label, itemised=self.itemised):
            return self._pass(label)
        self.done = True
        return False

    def _label_question(self, label: re.Match[str]) -> bool:
        next_turn = self._in_dialogue and self.spoke and is_turn(label)
        if (self.react and self.answered) or next_turn:
            self.done = True
            return False
        if self.spoke or self.react:
            return self._pass(label)
        self.spoke = True
        return self._turn(None, label.end())

    def _label_observation(self, label: re.Match[str]) -> bool:
        if not self.react:
            return self._pass(label)
        if self.answered:
            return self._past_answer(label)
        return self._turn(None, label.end())

    def _label_input(self, label: re.Match[str]) -> bool:
        lost = is_of_action(label) and not self.spoke
        return self._pass(label) if self.answered or not (self.react or lost) else self._hold(label)

    def _label_action(self, label: re.Match[str]) -> bool:
        return self._hold(label)

    def _label_answer(self, label: re.Match[str]) -> bool:
        if is_turn(label) and not (self.react or self.spoke):
            self._in_dialogue = True
            return self._turn(self._sink, label.end())
        if self.react or not self.spoke:
            return self._label_final(label)
        return self._pass(label)

    def _label_final(self, label: re.Match[str]) -> bool:
        if self.answered:
            return self._pass(label)
        self.itemised = is_item(label)
        self._answer()
        return self._turn(AnswerPiece, label.end())
