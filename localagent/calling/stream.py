"""The same reading over a growing reply: pieces to show as they come, and at the end the same Interpretation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import names
from localagent.calling.decide import Interpretation, NativeCall, interpret
from localagent.calling.display import AnswerPiece, CallPiece, Piece, ThoughtPiece
from localagent.calling.labels import LABEL, kind_of
from localagent.calling.quoting import is_introduced
from localagent.calling.view import View
from localagent.messages import ToolSpec

_ANNOUNCE_WITHIN = 400
_NAMED = re.compile(
    r"""["'“](?:name|tool|tool_?[nN]ame|function|function_name|action|recipient_name|method|command)["'”]\s*:\s*["'“](?P<a>[^"'“”\n]{1,80})["'”]"""
    r"""|<[|｜\w:]{0,12}(?:function|invoke)(?:\s*=\s*|\s+name\s*=\s*)["']?(?P<b>[^"'<>\n]{1,80})["']?[|｜]?>"""
    r"""|["'](?P<f>[\w.\-]{1,80})["']\s*:\s*\{|<(?P<g>[\w\-]{1,80})>"""
    r"""|<(?:tool|function|tool_name|action)>\s*(?P<c>[^<>\n]{1,80}?)\s*</|\bto=(?P<d>[\w.\-:]{1,80})[\s<]"""
    r"""|(?<![\w.\-"'])(?P<e>[^\W\d][\w.\-]{0,80})(?::\d{1,4})?\s*(?=\{|\(|\[ARGS\]|\[CALL_ID\]|<arg_key>|<[|｜]tool|```|</)"""
)


class StreamInterpreter:
    """Feed it what a model writes; `close` gives what `interpret` gives for the whole.

    After `close`, `tail` holds the pieces that were held back and turned out to be for the person.
    """

    def __init__(
        self,
        tools: Sequence[ToolSpec],
        *,
        dialect: str = "auto",
        native_calls: Sequence[NativeCall] = (),
        thinking_open: bool = False,
        language: str = "en",
    ) -> None:
        self.tail: list[Piece] = []
        self._tools = tools
        self._dialect = dialect
        self._native = native_calls
        self._thinking_open = thinking_open
        self._language = language
        self._chunks: list[str] = []
        self._carry = ""
        self._view = View(tools, thinking_open=thinking_open)
        self._announced: str | None = None
        self._held = 0
        self._head = ""

    def feed(self, delta: str) -> list[Piece]:
        """The pieces that can be shown now; a suffix that could begin markup waits for the next delta."""
        self._chunks.append(delta)
        text = self._carry + delta
        self._carry = "\r" if text.endswith("\r") else ""
        text = text[: len(text) - len(self._carry)].replace("\r\n", "\n")
        return self._take(text)

    def close(self, finish_reason: str = "stop", native_calls: Sequence[NativeCall] = ()) -> Interpretation:
        """The meaning of the whole reply; `native_calls` are those that arrived while it streamed."""
        pieces = self._take(self._carry, last=True)
        result = interpret(
            "".join(self._chunks),
            self._tools,
            dialect=self._dialect,
            finish_reason=finish_reason,
            native_calls=(*self._native, *native_calls),
            thinking_open=self._thinking_open,
            language=self._language,
        )
        if not result.calls and not result.problem and (unshown := self._unshown(result.text)):
            pieces.append(AnswerPiece(unshown))
        told = max(len(native_calls), 1 if self._announced else 0)
        pieces.extend(CallPiece(call.name) for call in result.calls[told:])
        self.tail = pieces
        return result

    def _unshown(self, answer: str) -> str:
        """What of the answer was not shown yet; all of it where what was shown is no part of it."""
        shown = "".join(self._view.shown)
        if shown and answer.startswith(shown):
            return answer[len(shown) :]
        seen, said = "".join(shown.split()), "".join(answer.split())
        if seen.startswith(said) or seen.endswith(said):
            return ""
        return f"\n\n{answer}" if shown or self._view.breaks else answer

    def _take(self, text: str, *, last: bool = False) -> list[Piece]:
        if self._view.held:
            return self._announce(text)
        pieces = self._view.feed(text, last=last)
        return pieces + self._announce(self._view.text[self._view.at :]) if self._view.held else pieces

    def _announce(self, text: str) -> list[Piece]:
        """A CallPiece when a name became certain within the first characters of the held text."""
        for char in text[: max(0, _ANNOUNCE_WITHIN - self._held)]:
            self._held += 1
            self._head += char
            if self._announced is None and char in "\"'”>{([:`/ \n<]|" and (name := self._name()):
                self._announced = name
                shown = self._view.hedged or is_introduced(self._view.before, self._head, thought=self._view.thinking)
                return [] if shown else [CallPiece(name)]
        return []

    def _name(self) -> str | None:
        label = LABEL.match(self._head)
        if label and kind_of(label) == "action":
            line, newline, _ = self._head[label.end() :].lstrip().partition("\n")
            tool = names.find(line, self._tools) if newline and line.strip() else None
            if tool:
                return tool.name
        for match in _NAMED.finditer(self._head):
            tool = names.find(match[match.lastgroup or 0], self._tools)
            if tool:
                return tool.name
        return None


__all__ = ["AnswerPiece", "CallPiece", "Piece", "StreamInterpreter", "ThoughtPiece"]
