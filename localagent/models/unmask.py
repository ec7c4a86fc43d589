"""Deltas of a masked reply back to real values while they stream: prose as the sentence asks, arguments verbatim.

A placeholder that is cut by the end of a delta is held back until the next one; nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from localagent.ports import CallDelta, Delta, Finish, TextDelta, ThoughtDelta

if TYPE_CHECKING:
    from gateway.restore import StreamRestorer

_JSON_LINE = re.compile(r"[ \t]*(?:Action Input:|[{\[])")  # from here a line is JSON, as the text dialects write it
_PROSE_LINE = re.compile(r"[A-ZА-ЯЁ][a-zа-яё]+")
_ARGUMENTS = "Action Input:"


class Restorer(Protocol):
    def feed(self, chunk: str) -> str: ...

    def close(self) -> str: ...


class Unmask:
    """The deltas of one reply. `textual` says that calls stand in its text."""

    def __init__(self, mapping: Mapping[str, str], *, textual: bool) -> None:
        self._mapping = mapping
        self._textual = textual
        self._text: Restorer | None = None
        self._thought: Restorer | None = None
        self._calls: dict[int, StreamRestorer] = {}

    def feed(self, delta: Delta) -> Iterator[Delta]:
        """The restored deltas that are certain now; everything by the Finish."""
        match delta:
            case TextDelta(text):
                yield from self._end_thought()
                self._text = self._text or self._new_text()
                yield from _told(TextDelta, self._text.feed(text))
            case ThoughtDelta(text):
                yield from self._end_text()
                self._thought = self._thought or self._prose()
                yield from _told(ThoughtDelta, self._thought.feed(text))
            case CallDelta():
                yield from self._call(delta)
            case Finish():
                yield from self._end()
                yield delta
            case _:
                yield delta

    def _call(self, delta: CallDelta) -> Iterator[Delta]:
        from gateway.restore import StreamRestorer

        restorer = self._calls.setdefault(delta.index, StreamRestorer(self._mapping, json=True))
        arguments = restorer.feed(delta.arguments)
        if delta.name or arguments:
            yield CallDelta(delta.index, delta.name, arguments)

    def _end(self) -> Iterator[Delta]:
        yield from self._end_thought()
        yield from self._end_text()
        for index, restorer in self._calls.items():
            if rest := restorer.close():
                yield CallDelta(index, arguments=rest)

    def _end_text(self) -> Iterator[Delta]:
        restorer, self._text = self._text, None
        yield from _told(TextDelta, restorer.close() if restorer else "")

    def _end_thought(self) -> Iterator[Delta]:
        restorer, self._thought = self._thought, None
        yield from _told(ThoughtDelta, restorer.close() if restorer else "")

    def _prose(self) -> Restorer:
        from gateway.restore import StreamRestorer

        return StreamRestorer(self._mapping)

    def _new_text(self) -> Restorer:
        return Lines(self._mapping) if self._textual else self._prose()


class Lines:
    """Text with calls in it: prose until a line that begins a call's arguments, JSON from there to the line's end.

    A document over several lines goes on as JSON: its lines are told by their first sign as well.
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = mapping
        self._held = ""
        self._at_start = True
        self._json: StreamRestorer | None = None
        self._prose = self._new(json=False)

    def feed(self, chunk: str) -> str:
        text, self._held = self._held + chunk, ""
        out: list[str] = []
        for part in text.splitlines(keepends=True):
            out.append(self._part(part))
        return "".join(out)

    def close(self) -> str:
        held, self._held = self._held, ""
        rest = self._feed(held)
        return rest + self._switch(None)

    def _part(self, part: str) -> str:
        """A line, or the beginning of one that is not complete yet."""
        if self._at_start and not part.endswith("\n") and self._undecided(part.lstrip(" \t")):
            self._held = part
            return ""
        out = ""
        if self._at_start:
            begins = bool(_JSON_LINE.match(part))
            if begins and self._json is None:
                out = self._switch(self._new(json=True))
            elif self._json is not None and _PROSE_LINE.match(part):
                out = self._switch(None)
        self._at_start = part.endswith("\n")
        return out + self._feed(part)

    def _undecided(self, begun: str) -> bool:
        """Whether more of the line is needed to tell what it is."""
        return _ARGUMENTS.startswith(begun) or (self._json is not None and len(begun) == 1 and begun.isupper())

    def _feed(self, text: str) -> str:
        return (self._json or self._prose).feed(text)

    def _switch(self, json: StreamRestorer | None) -> str:
        """Ends the restorer at work and begins the next one."""
        rest = (self._json or self._prose).close()
        self._json, self._prose = json, self._new(json=False)
        return rest

    def _new(self, *, json: bool) -> StreamRestorer:
        from gateway.restore import StreamRestorer

        return StreamRestorer(self._mapping, json=json)


def _told(kind: Callable[[str], Delta], text: str) -> Iterator[Delta]:
    if text:
        yield kind(text)


__all__ = ["Unmask"]
