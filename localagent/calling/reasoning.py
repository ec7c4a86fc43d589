"""Where the reasoning of a reply begins and ends, and which calls in it count."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from localagent.calling.events import CLOSE_THOUGHT, Found
from localagent.calling.markup import MarkupWalk
from localagent.messages import ToolSpec


class ReasoningWalk(MarkupWalk, ABC):
    """The rules for marks of reasoning; drafts of calls inside it are no calls."""

    def __init__(self, text: str, tools: Sequence[ToolSpec], *, thinking_open: bool) -> None:
        super().__init__(text, tools)
        if thinking_open:
            self._think(0)

    @abstractmethod
    def walk(self) -> Found:
        """Runs to the end, or to the first token that ends the turn."""

    def _on_open(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._pass(event.end())
        if self._line_before(event.start()).strip() and not self._closes_after(event.end()):
            return self._pass(event.end())
        self._say(event.start())
        self._think(event.end())

    def _closes_after(self, at: int) -> bool:
        """Whether a thought is closed after `at`; once there is no closer, there is none further on."""
        if self._closer is not None and self._closer < at:
            closed = CLOSE_THOUGHT.search(self.text, at)
            self._closer = closed.start() if closed else None
        return self._closer is not None

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
        inner = type(self)(thought[start + 1 :], self.tools, thinking_open=False).walk()
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
        self._spoke = False
        self.found.calls.clear()
        self.found.problem, self.found.react, self.found.declined = None, False, None
        self.shown = self.asked = False
        self.sink = self.found.prose
        self._skip_to(event.end())
