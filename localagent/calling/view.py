"""What a person may see of a reply while it arrives: thought and answer, never markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from localagent.calling import bare, events, names
from localagent.calling.dialects import harmony, marked, objects, pythonic, xml
from localagent.calling.hedges import is_hedged
from localagent.calling.holdback import may_be_name, safe_until, undecided
from localagent.calling.labels import LABEL, belongs_to_answer, is_item, kind_of
from localagent.calling.normalise import LEADING, may_be_header, opens_foreign_turn, without_header
from localagent.calling.quoting import is_introduced, is_set_apart
from localagent.messages import ToolSpec

_KEEP = 512
_ROLE_LENGTH = 24
_FENCE_END = re.compile(r"\n[ \t>]*(?:```+|~~~+)[ \t]*(?=\n)")
_PARTIAL_TOKEN = re.compile(r"(?:<[^<>\n]{0,24}|\[[^\]\n]{0,10}|◁[^▷\n]{0,10}|<\|start\|>[a-z]{0,9})\Z")


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    """A piece of the reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of what is said to the person."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A call has begun, and its tool is certain; its arguments are not there yet."""

    name: str


Piece = ThoughtPiece | AnswerPiece | CallPiece


class View:
    """Takes a reply apart as it grows. What it decides depends on the text alone, never on the chunks."""

    def __init__(self, tools: Sequence[ToolSpec], *, thinking_open: bool) -> None:
        self.tools = tools
        self.text = ""
        self.at = 0
        self.shown: list[str] = []
        self.held = False
        self.hedged = False
        self.done = False
        self.react = self.answered = self.spoke = self.itemised = False
        self._begun = False
        self._space: list[str] = []
        self._sink: type[ThoughtPiece] | type[AnswerPiece] | None = AnswerPiece
        self._closing: re.Pattern[str] | None = events.CLOSE_THOUGHT if thinking_open else None
        self._in_fence = False
        self._pieces: list[Piece] = []

    def feed(self, delta: str, *, last: bool = False) -> list[Piece]:
        """The pieces that `delta` makes certain. Once `held`, the rest is markup and `text[at:]` its beginning."""
        if self.done:
            return []
        self.text += delta
        if self._begun or self._begin(last):
            while not (self.held or self.done) and self._advance(last):
                pass
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

    def _trim(self) -> None:
        if self.at > 8 * _KEEP and not self.held:
            self.text = self.text[self.at - _KEEP :]
            self.at = _KEEP

    def _advance(self, last: bool) -> bool:
        """One step forward; False when more text is needed."""
        if self._closing:
            return self._in_thought(last)
        if self._in_fence:
            return self._in_code(last)
        safe = len(self.text) if last else safe_until(self.text, self.at, self.tools)
        event = events.EVENT.search(self.text, self.at)
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

    def _show(self, upto: int) -> None:
        """What stands before `upto` is shown; white space waits for what follows it."""
        chunk, self.at = self.text[self.at : upto], max(self.at, upto)
        if not chunk or self._sink is None:
            return
        body = chunk.rstrip()
        if not body:
            self._space.append(chunk)
            return
        rest = chunk[len(body) :]
        body = "".join((*self._space, body))
        self._space = [rest]
        if not self._started():
            body = body.lstrip()
        if body:
            self._pieces.append(self._sink(body))
            if self._sink is AnswerPiece:
                self.shown.append(body)
                self.spoke = True

    def _started(self) -> bool:
        return bool(self.shown) if self._sink is AnswerPiece else True

    def _turn(self, sink: type[ThoughtPiece] | type[AnswerPiece] | None, at: int) -> bool:
        if sink is not self._sink:
            self._space.clear()
        self._sink, self.at = sink, at
        return True

    def _pass(self, event: re.Match[str]) -> bool:
        self._show(event.end())
        return True

    def _hold(self, event: re.Match[str]) -> bool:
        self.held = True
        before = self.text[max(0, event.start() - 400) : event.start()]
        self.hedged = is_hedged(self._line_before(event.start()), "") or is_introduced(before)
        return False

    def _line_before(self, at: int) -> str:
        line = self.text[max(self.text.rfind("\n", 0, at) + 1, at - 400) : at]
        return events.CLOSE_THOUGHT.split(line)[-1]

    def _in_thought(self, last: bool) -> bool:
        closing = self._closing
        assert closing is not None, "only called inside a thought"
        closed = closing.search(self.text, self.at)
        self._sink = ThoughtPiece
        if closed and (last or closed.end() < len(self.text)):
            self._show(closed.start())
            self._closing = None
            return self._turn(AnswerPiece, closed.end())
        partial = None if last else _PARTIAL_TOKEN.search(self.text, max(self.at, len(self.text) - 48))
        self._show(closed.start() if closed else partial.start() if partial else len(self.text))
        return False

    def _in_code(self, last: bool) -> bool:
        closed = _FENCE_END.search(self.text, max(0, self.at - 1))
        if closed:
            self._in_fence = False
            self._show(closed.end())
            return True
        line = self.text.rfind("\n", max(0, self.at - 1))
        waits = (
            not last
            and line >= 0
            and len(self.text) - line < 64
            and re.fullmatch(r"\n[ \t>]*[`~]*[ \t]*", self.text[line:])
        )
        self._show(line if waits else len(self.text))
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
        self.shown.clear()
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
            self.shown.clear()
        self.answered = self.react = True

    def _on_tag(self, event: re.Match[str], last: bool) -> bool:
        known = not self.answered and any(tool.name == event["tooltag"] for tool in self.tools)
        return self._hold(event) if known else self._pass(event)

    def _on_code(self, event: re.Match[str], last: bool) -> bool:
        alone = not (self.spoke or self.answered) and self._calls_at(event.start("inside"), "")
        return self._hold(event) if alone else self._pass(event)

    def _on_fence(self, event: re.Match[str], last: bool) -> bool:
        inside = re.compile(r"\s{0,80}").match(self.text, event.end()).end()  # type: ignore[union-attr]
        if not last and self._waits_for_content(inside):
            return False
        if not self.answered and (
            LABEL.match(self.text, event.end()) or self._calls_at(inside, event["info"].strip().lower())
        ):
            return self._hold(event) if not LABEL.match(self.text, event.end()) else self._turn(self._sink, event.end())
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
        call = pythonic.CALL.match(self.text, re.compile(r"[\s;,]*").match(self.text, at + 1).end())  # type: ignore[union-attr]
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
        return bool(getattr(self, f"_label_{kind_of(label)}")(event))

    def _label_thought(self, event: re.Match[str]) -> bool:
        if self.answered:
            return self._past_answer(event)
        self.react = True
        return self._turn(ThoughtPiece, event.end())

    def _past_answer(self, event: re.Match[str]) -> bool:
        label = LABEL.match(self.text, event.start())
        assert label is not None, "an event's own pattern matches where the event begins"
        if belongs_to_answer(label, itemised=self.itemised):
            return self._pass(event)
        self.done = True
        return False

    def _label_question(self, event: re.Match[str]) -> bool:
        if self.react and self.answered:
            self.done = True
            return False
        if self.spoke or self.react:
            return self._pass(event)
        self.spoke = True
        return self._turn(None, event.end())

    def _label_observation(self, event: re.Match[str]) -> bool:
        if not self.react:
            return self._pass(event)
        if self.answered:
            return self._past_answer(event)
        return self._turn(None, event.end())

    def _label_input(self, event: re.Match[str]) -> bool:
        return self._pass(event) if not self.react or self.answered else self._hold(event)

    def _label_action(self, event: re.Match[str]) -> bool:
        return self._hold(event)

    def _label_answer(self, event: re.Match[str]) -> bool:
        if self.react or not self.spoke:
            return self._label_final(event)
        return self._pass(event)

    def _label_final(self, event: re.Match[str]) -> bool:
        if self.answered:
            return self._pass(event)
        self.itemised = is_item(event)
        self._answer()
        return self._turn(AnswerPiece, event.end())
