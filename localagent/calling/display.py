"""What is shown of a text while it grows: the position in it, and the pieces up to there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from localagent.calling import events

_KEEP = 512
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


class Display:
    """Shows `text` from `at` on, as thought or as answer; white space waits for what follows it."""

    def __init__(self, *, thinking_open: bool) -> None:
        self.text = ""
        self.at = 0
        self.shown: list[str] = []
        self.spoke = False
        self.breaks = False  # whether what was shown turned out to be no part of the answer, which begins apart
        self._space: list[str] = []
        self._sink: type[ThoughtPiece] | type[AnswerPiece] | None = AnswerPiece
        self._closing: re.Pattern[str] | None = events.CLOSE_THOUGHT if thinking_open else None
        self._in_fence = False
        self._pieces: list[Piece] = []

    def _trim(self) -> None:
        """Forgets what was shown long ago."""
        if self.at > 8 * _KEEP:
            self.text = self.text[self.at - _KEEP :]
            self.at = _KEEP

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
        if body and self._sink is AnswerPiece:
            self._pieces.append(AnswerPiece(f"\n\n{body}" if self.breaks else body))
            self.shown.append(body)
            self.spoke, self.breaks = True, False
        elif body:
            self._pieces.append(ThoughtPiece(body))

    def _start_anew(self) -> None:
        self.breaks = self.breaks or bool(self.shown)
        self.shown.clear()

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

    def _line_before(self, at: int) -> str:
        line = self.text[max(self.text.rfind("\n", max(0, at - 400), at) + 1, at - 400, 0) : at]
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
