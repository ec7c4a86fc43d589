"""The position of a walk over a reply, and where what it passes goes: thought, speech, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import afterwords, blocks, lead_lines, quoting
from localagent.calling.broken import Broken
from localagent.calling.events import CLOSE_THOUGHT, OPEN_THOUGHT, Found
from localagent.messages import ToolSpec

_LOOSE_END = 8
_RECENT = 400
_SPEAKER = 200
_LINE = 4000
_WORD = re.compile(r"\S")
_NEXT_ITEM = re.compile(r"[\s`]{0,80}(?:[-*+•|]|\d{1,2}[.)])\s{0,8}(?:[`\w]{0,20}\n)?")
_PARAGRAPH = re.compile(r"\n\s*\n\s*\S")


class Walk:
    """Each rule moves `at` forward, so a pass is linear; `begun` is where what was not yet said begins."""

    def __init__(self, text: str, tools: Sequence[ToolSpec]) -> None:
        self.text = text
        self.tools = tools
        self.names = frozenset(tool.name for tool in tools)
        self.at = 0
        self.begun = 0
        self.found = Found()
        self.sink = self.found.prose
        self.discards = 0
        self.mentions = 0
        self.fenced = False
        self.stopped = False
        self.json_allowed = True
        self.shown = False  # whether a run of ReAct is told as somebody else's
        self.told = (
            False  # whether what comes now stands in an observation, as nothing of the model's own has followed it
        )
        self.itemised = False  # whether the label of the answer is an item of a list
        self.verbatim = False  # whether the labels after the answer are text of it
        self.in_dialogue = False  # whether the reply begins with the name of who speaks
        self.asked = False  # whether a person's turn was written after something was said
        self.person: int | None = None  # where a person's turn, told or echoed, begins
        self.shown_to = 0  # where the last call ends that is only shown
        self._spoke = False
        self._quotation = (0, False)  # where the last quotation ends, and whether the reply goes on after it
        self._closer: int | None = -1  # where the next closer of a thought stands, None when none is left
        self._lead: int | None = -1  # the same for the next label of a thought, an action or a final answer

    def _say(self, upto: int) -> None:
        """Everything up to `upto` that was not said yet goes where speech goes now."""
        if upto > self.begun:
            self.sink.append(self.text[self.begun : upto])
            self._spoke = self._spoke or (self.sink is self.found.prose and not self.sink[-1].isspace())
        self.begun = max(self.begun, upto)

    def _skip_to(self, at: int) -> None:
        self.at = max(at, self.at + 1)
        self.begun = self.at

    def _pass(self, at: int) -> None:
        """Goes on after `at`, which stays part of what is said."""
        self.at = max(at, self.at + 1)

    def _show_call(self, end: int) -> None:
        """Goes on after a call that is text."""
        self.shown_to = end
        self._pass(end)

    def _stop(self, at: int) -> None:
        self._say(at)
        self.stopped = True

    def _has_spoken(self, at: int) -> bool:
        """Whether anything but white space was said before `at`."""
        if not self._spoke and self.sink is self.found.prose:
            return _WORD.search(self.text, self.begun, at) is not None
        return self._spoke

    def _recent(self, at: int) -> str:
        """The last of what was said before `at`."""
        new = self.text[max(self.begun, at - _RECENT) : at] if self.sink is self.found.prose else ""
        return ("".join(self.found.prose[-2:])[-_RECENT:] + new)[-_RECENT:]

    def _is_introduced(self, at: int, *, call: bool = True) -> bool:
        """Whether `at` stands in an observation, or the last words before it say that what follows is not meant.

        `call` says that a call begins at `at`, else a label.
        """
        if self.shown_to and _NEXT_ITEM.fullmatch(self.text, self.shown_to, at):
            return True
        if self.told or self._in_turn_of_person(at) or lead_lines.names_another(self.text[max(0, at - _SPEAKER) : at]):
            return True
        thought = self.sink is not self.found.prose
        before = self.text[max(self.begun, at - _RECENT) : at] if thought else self._recent(at)
        return quoting.is_introduced(before, self.text[at : at + _RECENT] if call else "", thought=thought)

    def _in_turn_of_person(self, at: int) -> bool:
        """Whether `at` stands in the turn of a person, as no paragraph of the model's own has followed it."""
        if self.person is None or at - self.person > _RECENT:
            return False
        return _PARAGRAPH.search(self.text, self.person, at) is None

    def _is_shown(self, start: int, end: int) -> bool:
        """Whether the words around a call say that it is quoted, an example, or not to be run."""
        if self._is_introduced(start) or self._runs_through(start, end):
            return True
        return afterwords.is_disowned(afterwords.words_after(self.text, end))

    def _runs_through(self, start: int, end: int) -> bool:
        """Whether a sentence that breaks off before a call goes on behind it, and not with the model's own doing."""
        if not self._recent(start).rstrip()[-1:].isalpha():
            return False
        after = afterwords.words_after(self.text, end)
        return afterwords.goes_on_in_words(after) and not afterwords.is_own(after)

    def _is_set_apart(self, at: int) -> bool:
        """Whether `at` stands in a quotation or block of code, and the reply itself says something beside it."""
        line = self.text.rfind("\n", max(0, at - _RECENT), at) + 1
        if not blocks.is_set_apart(self.text, line):
            return False
        if self.sink is self.found.prose and self._has_spoken(line):
            return True
        return self._in_quotation(line)

    def _in_quotation(self, line: int) -> bool:
        ends, apart = self._quotation
        if line >= ends:
            end = blocks.quotation_at(self.text, line)
            thinking = self.sink is not self.found.prose
            apart = end is not None and (thinking or blocks.goes_on(self.text, end))
            self._quotation = (end or line + 1, apart)
        return apart

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _line_before(self, at: int) -> str:
        start = max(self.text.rfind("\n", max(0, at - _RECENT), at) + 1, at - _RECENT)
        return CLOSE_THOUGHT.split(self.text[start:at])[-1]

    def _broke(self, broken: Broken, at: int) -> None:
        self.found.problem = self.found.problem or broken
        closed = CLOSE_THOUGHT.search(self.text, at)
        self.discards += 1
        if closed and self.discards <= _LOOSE_END and not OPEN_THOUGHT.search(self.text, at, closed.start()):
            self.begun = self.at = closed.start()
            return
        self.begun = len(self.text)
        self.stopped = True

    def _answer_begins(self) -> None:
        if not self.found.answered:
            self.found.thoughts.extend(self.found.prose)
            self.found.prose.clear()
        self.found.answered = True
        self.sink = self.found.prose


def line_after(text: str, at: int) -> str:
    """The rest of the line from `at` on, as far as anybody looks."""
    end = text.find("\n", at, at + _LINE)
    return text[at : end if end >= 0 else at + _LINE]
