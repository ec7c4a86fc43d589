"""Restoring inside a JSON document that arrives in pieces: values are escaped by the place they stand in.

In a string a value is escaped once, in a JSON document inside that string twice, and so on; where a placeholder
stands bare, outside strings, the value becomes a number or a string of its own. Values are never inflected here; one
that the conversation spelt in several ways comes back as it was spelt behind the same words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from gateway.placeholder import LEFT, Grammar, Hit
from gateway.values import Prefix, Values

_PLAIN = re.compile(r'[^"\\]+')
_OUTSIDE = re.compile(r'[^"]+')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_OPEN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_TOKEN = re.compile(r'\s+|[{}\[\],:]|"(?:[^"\\]|\\.)*"|"(?:[^"\\]|\\.)*\Z|<[^<>\s]*>|[-+.\w]+', re.DOTALL)
_VALUE_WORD = re.compile(r"true|false|null|-?\d[-+.\deE]*|<.*>")


class JsonRestorer:
    """Walks the document, restores in each string and in the gaps between strings."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self._mapping = mapping
        self._grammar = Grammar(mapping)
        self._held = ""  # an escape that the end of a chunk cut
        self._containers: list[str] = []
        self._key_next = False
        self._string: _Run | None = None
        self._gap = self._new_gap()

    def feed(self, chunk: str) -> str:
        text, self._held = self._held + chunk, ""
        if self._string is not None and (cut := _OPEN_ESCAPE.search(text)) and _starts_escape(text, cut.start()):
            text, self._held = text[: cut.start()], text[cut.start() :]
        out: list[str] = []
        place = 0
        while place < len(text):
            place = self._step(text, place, out)
        out.append((self._string or self._gap).take(final=False))
        return "".join(out)

    def close(self) -> str:
        run = self._string or self._gap
        run.add(self._held)
        self._held = ""
        return run.take(final=True)

    def _step(self, text: str, place: int, out: list[str]) -> int:
        if self._string is None:
            return self._step_gap(text, place, out)
        if match := _PLAIN.match(text, place):
            self._string.add(match[0])
            return match.end()
        if text[place] == '"':
            out += (self._string.take(final=True, closed=True), '"')
            self._string, self._gap = None, self._new_gap()
            return place + 1
        return self._step_escape(text, place, self._string)

    def _step_escape(self, text: str, place: int, string: _Run) -> int:
        if match := _ESCAPE.match(text, place):
            string.add_escape(match[0])
            return match.end()
        if _OPEN_ESCAPE.match(text, place):  # the string began inside this chunk and the chunk ends in an escape
            self._held = text[place:]
            return len(text)
        string.add(text[place])
        return place + 1

    def _step_gap(self, text: str, place: int, out: list[str]) -> int:
        if match := _OUTSIDE.match(text, place):
            self._gap.add(match[0])
            self._track(match[0])
            return match.end()
        out += (self._gap.take(final=True, closed=True), '"')
        self._string = _Run(self._grammar, self._render_in_string(self._key_next), flat=False)
        return place + 1

    def _track(self, gap: str) -> None:
        for char in gap:
            if char in "{[":
                self._containers.append(char)
            elif char in "}]" and self._containers:
                self._containers.pop()
            if char in "{[,":
                self._key_next = self._containers[-1:] == ["{"]
            elif char == ":":
                self._key_next = False

    def _new_gap(self) -> _Run:
        return _Run(self._grammar, self._render_bare, flat=True)

    def _render_bare(self, hit: Hit, text: str, whole: bool) -> str:
        value = self._mapping[hit.placeholder]
        quoted = text[max(0, hit.start - 1) : hit.start] in ("'", "`")
        return _escaped(value, 1) if quoted else _literal(value)

    def _as_typed(self, hit: Hit, text: str) -> str | None:
        """The spelling that stood behind the same words in the conversation, so that quoted text is quoted exactly."""
        if not isinstance(self._mapping, Values):
            return None
        left = text[max(0, hit.start - LEFT) : hit.start]
        whole = Prefix()
        if hit.start < LEFT:  # near the beginning all that stands before counts
            whole.update(left)
        return self._mapping.typed(hit.placeholder, left, whole.digest())

    def _render_in_string(self, is_key: bool) -> Callable[[Hit, str, bool], str | None]:
        def render(hit: Hit, text: str, whole: bool) -> str | None:
            if is_key and whole and text.islower() and text[:1].isalpha():
                return None  # a parameter that is called person_1
            value = self._mapping[hit.placeholder]
            if hit.escaped == "url":
                return quote(value, safe="")
            if typed := self._as_typed(hit, text):
                return _escaped(typed, 1)  # it stood in this text, with the escapes that it needs there
            return _by_place(value, text[: hit.start])

        return render


class _Run:
    """One string, or the gap between two: decoded text, the raw form of its escapes, and how far it is given out."""

    def __init__(self, grammar: Grammar, render: Callable[[Hit, str, bool], str | None], *, flat: bool) -> None:
        self._grammar, self._render, self._flat = grammar, render, flat
        self._text = ""
        self._raw: dict[int, str] = {}
        self._done = 0

    def add(self, text: str) -> None:
        self._text += text

    def add_escape(self, escape: str) -> None:
        self._raw[len(self._text)] = escape
        self._text += json.loads(f'"{escape}"')

    def take(self, *, final: bool, closed: bool = False) -> str:
        hits, safe = self._grammar.scan(self._text, self._done, final=final, flat=self._flat, closed=closed)
        out: list[str] = []
        for hit in hits:
            whole = final and hit.start == 0 and hit.end == len(self._text)
            value = self._render(hit, self._text, whole)
            out += (self._slice(self._done, hit.start), self._slice(hit.start, hit.end) if value is None else value)
            self._done = hit.end
        out.append(self._slice(self._done, safe))
        self._done = safe
        self._forget()
        return "".join(out)

    def _slice(self, start: int, end: int) -> str:
        if not self._raw:
            return self._text[start:end]
        return "".join(self._raw.get(place, self._text[place]) for place in range(start, end))

    def _forget(self) -> None:
        """Drops what no rule looks at any more; a document inside the string is kept, its nesting is needed."""
        cut = self._done - LEFT
        if cut > 8 * LEFT and (self._flat or self._text.lstrip()[:1] not in ("{", "[")):
            self._text, self._done = self._text[cut:], self._done - cut
            self._raw = {place - cut: raw for place, raw in self._raw.items() if place >= cut}


def _starts_escape(text: str, place: int) -> bool:
    """Whether the backslash at `place` starts an escape, and is not the second half of one."""
    before = text[:place]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _escaped(value: str, times: int) -> str:
    for _ in range(times):
        value = json.dumps(value, ensure_ascii=False)[1:-1]
    return value


def _literal(value: str) -> str:
    return value if _NUMBER.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _by_place(value: str, before: str) -> str:
    """`value` for a place inside a JSON string whose decoded text so far is `before`."""
    if before.lstrip()[:1] not in ("{", "["):
        return _escaped(value, 1)
    depth, bare = _nesting(before)
    return _escaped(_literal(value) if bare else value, depth)


def _nesting(before: str) -> tuple[int, bool]:
    """How many strings deep the end of `before` lies (itself the inside of one), and whether bare in a document."""
    if before.lstrip()[:1] not in ("{", "["):
        return 1, False
    tokens = [token for token in _TOKEN.findall(before) if not token.isspace()]
    if "".join(tokens) != "".join(before.split()) and not _covers(before):
        return 1, False
    if not _is_json_so_far(tokens):
        return 1, False
    last = tokens[-1]
    if last[0] != '"' or (len(last) > 1 and _is_closed(last)):
        return 1, last == ":" or (last in ("[", ",") and any(token[0] == '"' for token in tokens))
    try:
        inner = json.loads(f'{last}"', strict=False)
    except ValueError:
        return 2, False
    depth, bare = _nesting(inner)
    return depth + 1, bare


def _covers(before: str) -> bool:
    place = 0
    while match := _TOKEN.match(before, place):
        place = match.end()
        if place == len(before):
            return True
    return False


def _is_closed(token: str) -> bool:
    return bool(re.fullmatch(r'"(?:[^"\\]|\\.)*"', token, re.DOTALL))


def _is_json_so_far(tokens: list[str]) -> bool:
    """Whether the tokens may begin a JSON document: values and separators alternate, and words are JSON's."""
    after_value = False
    for token in tokens:
        if token[0] in "{[":
            if after_value:
                return False
        elif token in ("}", "]"):
            after_value = True
        elif token in (",", ":"):
            if not after_value:
                return False
            after_value = False
        else:
            if after_value or (token[0] != '"' and not _VALUE_WORD.fullmatch(token)):
                return False
            after_value = True
    return True
