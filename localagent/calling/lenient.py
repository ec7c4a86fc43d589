"""A reader of almost-JSON and Python literals: repairs what has one reading, stops where there are two."""

from __future__ import annotations

import re
from typing import Any

from localagent.calling.broken import Broken
from localagent.calling.tokens import KEY_AHEAD, OPENING, Tokens

MAX_DEPTH = 64
LOST_BRACE = "a lost closing brace"
_SEPARATOR = re.compile(r"=>|[:：=]")
_NESTED = re.compile(r"""(["'])[ \n]*[{\[][ \n]*\1(?=[^\s,}\]:"'])""")
_SURPLUS = re.compile(r"\}\s*(?=\])")
_PREFIX = re.compile(r"""[rRuU](?=["'])""")


class Reader(Tokens):
    """Reads values of `text` from `at` on."""

    __slots__ = ()

    def value(self, inside: str = "", depth: int = 0) -> Any:
        """One value; `inside` is the bracket that holds it."""
        self.skip()
        char = self.peek()
        if depth > MAX_DEPTH:
            raise Broken("too_deep", f"more than {MAX_DEPTH} brackets deep")
        if not char:
            raise Broken("cut_off", self._tail())
        if char == "{":
            return self.object(depth + 1)
        if char in "[(":
            return self.array(depth + 1)
        if (quoted := self._delimited()) is not None:
            return quoted
        if char in OPENING:
            return self._quoted(inside, depth)
        if _PREFIX.match(self.text, self.at):
            return self._prefixed(inside)
        return self._word(inside)

    def object(self, depth: int) -> Any:
        """An object, `at` standing on its opening brace."""
        self.at += 1
        self.skip()
        if self.peek() == "{":
            return self._doubled(depth)
        return self.members({}, depth)

    def members(self, result: dict[str, Any], depth: int) -> dict[str, Any]:
        """Pairs up to the closing brace, which it passes."""
        while True:
            if self._commas(bool(result)):
                return result
            key = self._key()
            self.skip()
            separator = _SEPARATOR.match(self.text, self.at)
            if not separator:
                raise Broken("syntax" if self.peek() else "cut_off", self._tail(), path=key)
            if separator[0] != ":":
                self.repairs["separators"] = None
            self.at = separator.end()
            self._put(result, key, self._member(key, depth))
            self.skip()
            if self._ends(depth):
                return result

    def array(self, depth: int) -> Any:
        """A list or tuple, `at` standing on its opening bracket."""
        opening, close = self.peek(), "]" if self.peek() == "[" else ")"
        self.at += 1
        items: list[Any] = []
        commas = 0
        while True:
            self.skip()
            if self.peek() == close:
                self.at += 1
                return items[0] if opening == "(" and len(items) == 1 and not commas else items
            items.append(self.value("[", depth))
            self.skip()
            if self.peek() in (",", "，"):
                commas += 1
                self.at += 1
            elif self.peek() != close and not (isinstance(items[-1], dict) and self._surplus()):
                self._stuck()

    def _surplus(self) -> bool:
        """Passes a closing brace too many after an object, where its list ends."""
        surplus = _SURPLUS.match(self.text, self.at)
        if surplus:
            self.at = surplus.end()
            self.repairs["a closing brace too many"] = None
        return surplus is not None

    def _member(self, key: str, depth: int) -> Any:
        try:
            return self.value("{", depth)
        except Broken as broken:
            broken.path = f"{key}.{broken.path}" if broken.path else key
            raise

    def _doubled(self, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            raise Broken("too_deep", f"more than {MAX_DEPTH} brackets deep")
        inner = self.object(depth + 1)
        self.skip()
        if self.peek() != "}":
            raise Broken("mismatch", self._tail())
        self.at += 1
        self.repairs["doubled braces"] = None
        return inner

    def _commas(self, after_value: bool) -> bool:
        """Passes commas before a key; True when the closing brace came instead."""
        self.skip()
        while self.peek() in (",", "，", ";"):
            self.repairs["commas"] = None
            self.at += 1
            self.skip()
        if self.peek() == "}":
            if after_value:
                self.repairs["commas"] = None
            self.at += 1
            return True
        if not self.peek():
            raise Broken("cut_off", self._tail())
        return False

    def _ends(self, depth: int) -> bool:
        """Whether the object ends here; passes one comma when it does not."""
        char = self.peek()
        if char == "}":
            self.at += 1
            return True
        if char in (",", "，", ";"):
            if char != ",":
                self.repairs["commas"] = None
            self.at += 1
            self.skip()
            if self.peek() == "}":
                self.repairs["commas"] = None
                self.at += 1
                return True
            return False
        if char and KEY_AHEAD.match(self.text, self.at):
            self.repairs["commas"] = None
            return False
        return self._lost(depth)

    def _lost(self, depth: int) -> bool:
        """One lost closing brace at the end of the call has one reading; anything else does not."""
        at_end = not self.peek()
        if not at_end and not self._terminated(self.at):
            self._stuck()
        bare = self.bare_values and self.lone_end >= 0 and not self.text[self.lone_end : self.at].strip()
        if depth != 1 or bare or (at_end and self.lone_end == len(self.text.rstrip())):
            raise Broken("cut_off", self._tail())
        self.repairs[LOST_BRACE] = None
        return True

    def _stuck(self) -> None:
        char = self.peek()
        if not char or self._terminated(self.at):
            raise Broken("cut_off", self._tail())
        raise Broken("mismatch" if char in "}])" else "syntax", self._tail())

    def _put(self, result: dict[str, Any], key: str, value: Any) -> None:
        if key in result and (result[key] != value or type(result[key]) is not type(value)):
            raise Broken("duplicate_key", key, path=key)
        result[key] = value

    def _quoted(self, inside: str, depth: int) -> Any:
        quote = self.peek()
        return self._nested(quote, depth) if _NESTED.match(self.text, self.at) else self._string(quote, inside)

    def _nested(self, quote: str, depth: int) -> Any:
        """An object in quotes whose own quotes were not escaped."""
        self.at += 1
        inner = self.value("", depth + 1)
        self.skip()
        if self.peek() != quote:
            raise Broken("ambiguous", self._tail())
        self.at += 1
        self.repairs["an object in quotes"] = None
        return inner

    def _prefixed(self, inside: str) -> Any:
        raw = self.peek() in "rR"
        self.at += 1
        start = self.at + 1
        value = self._quoted(inside, 0)
        return self.text[start : self.at - 1] if raw else value
