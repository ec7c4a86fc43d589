"""The words, strings and keys of almost-JSON and Python literals: where each ends, and what it stands for."""

from __future__ import annotations

import re
from typing import Any

from localagent.calling.broken import Broken
from localagent.calling.labels import BLANK, LABEL_AT_LINE_START
from localagent.calling.numerals import Padded, RawFloat
from localagent.calling.strings import decode

_MAX_DIGITS = 300
WHITE = re.compile(rf"[{BLANK}]*")
_WRITTEN = r"\\[nrt](?=[\s\\{}\[\]\",:])"  # white space that was escaped once too often
_GAP = re.compile(rf"(?:[{BLANK}]|{_WRITTEN})*")
_BLANK = re.compile(rf"(?:[{BLANK}]+|{_WRITTEN}|//[^\n]*|/\*.*?\*/|\#[^\n]*)*", re.DOTALL)
_CLOSING = {"“": "”“", "”": "”“", "„": "“”", "‘": "’‘", "’": "’‘", "«": "»"}
OPENING = "\"'`“”„‘’«"
_STOP = {q: re.compile(rf"[{re.escape(_CLOSING.get(q, q))}\\]") for q in OPENING}
_DELIMITERS = ("<escape>", '<|"|>', '"""', "'''")
_BARE_KEY = re.compile(r"[^\W\d][\w.\-]*")
_SHUT_KEY = re.compile(r"""["'”’]\s*[:：]""")
KEY_AHEAD = re.compile(r"""(?:["'“„‘`][^"'“”’`\n]{1,80}["'”“’`]|[^\W\d][\w.\-]{0,80})\s*(?:=>|[:：=])(?!//)""")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z|[+-]?(?:0|[1-9]\d*)?\.?\d+\.?\Z")
_PADDED = re.compile(r"[+-]?0\d[\d.]*(?:[eE][+-]?\d+)?\Z")
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)\Z")
_WORD = re.compile(r"""[^\s,，;{}\[\]()"'`<=:]+""")
_BARE = r"[^,{}\[\]()\"'`<=:\n]|(?<=\w)'(?=\w)|(?<=\d):(?=\d)"
_BARE_ITEM = re.compile(rf"[^\W\d](?:{_BARE})*")
_BARE_MEMBER = re.compile(
    rf"[^\W\d](?:{_BARE}|,(?!\s*(?:[}}\]]|[^\W\d][\w.\-]{{0,80}}\s*:)))*"
)  # a comma before no key
_CONSTANTS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None", "NULL"), None),
}
_NOT_FINITE = {"nan", "infinity", "inf", "+infinity", "+inf", "-infinity", "-inf", "-nan"}
_OPERATION = re.compile(r"\.\w+\(|\[[^\]\n\"']{0,20}\]\s*[,)}\]]|if\b[^\"'\n]{1,80}\belse\b")
_OPERATOR = re.compile(r"(?:if|or|and|in|not|is|for|else)\b|[<>!&|^@/-]")
_CLOSED = re.compile(r"\s*[}\],]")
_TERMINATOR = re.compile(r"</|<\||<｜|<[a-zA-Z_]+>|<<<|`|\[/?[A-Z_]+\]|\*\*")


class Tokens:
    """Reads what stands between brackets in `text` from `at` on. `repairs` names what was put right; `fragile` says
    that a string was closed by judgement, so nothing but white space may follow the value."""

    __slots__ = ("at", "bare_values", "fragile", "lone_end", "repairs", "text")

    def __init__(self, text: str, at: int = 0, *, bare_values: bool = False) -> None:
        self.text = text
        self.at = at
        self.bare_values = bare_values
        self.repairs: dict[str, None] = {}
        self.fragile = False
        self.lone_end = -1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        """Passes white space, comments and literal \\n between tokens."""
        start, self.at = self.at, _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
        if self.at > start and not self.text[start : self.at].isspace():
            self.repairs["comments or invisible characters"] = None

    def _terminated(self, at: int) -> bool:
        return bool(_TERMINATOR.match(self.text, at) or LABEL_AT_LINE_START.match(self.text, at))

    def _key(self) -> str:
        char = self.peek()
        if (quoted := self._delimited()) is not None:
            return quoted
        if char in OPENING:
            return self._string(char, ":")
        match = _BARE_KEY.match(self.text, self.at)
        if not match:
            raise Broken("mismatch" if char in "])" else "syntax", self._tail())
        self.repairs["keys without quotes"] = None
        self.at = match.end()
        if _SHUT_KEY.match(self.text, self.at):  # only its opening quote is lost
            self.at += 1
        return match[0]

    def _delimited(self) -> str | None:
        """A string between markers that are no quotes of JSON; nothing inside is an escape."""
        for mark in _DELIMITERS:
            if self.text.startswith(mark, self.at):
                end = self.text.find(mark, self.at + len(mark))
                if end < 0:
                    raise Broken("cut_off", self._tail())
                value = self.text[self.at + len(mark) : end]
                self.at = end + len(mark)
                return decode(value) if mark[0] in "\"'" else value
        return None

    def _string(self, quote: str, inside: str) -> str:
        if quote != '"':
            self.repairs["quotes"] = None
        start = self.at + 1
        stop, at = _STOP[quote], start
        while match := stop.search(self.text, at):
            at = match.end()
            if match[0] == "\\":
                at += 1
            elif self._closes(match.start(), inside):
                self.at = at
                return decode(self.text[start : match.start()])
        self.at = len(self.text)
        raise Broken("cut_off", self.text[start : start + 40])

    def _closes(self, at: int, inside: str) -> bool:
        """Whether the quote at `at` ends its string; raises where both readings are plausible."""
        after = _GAP.match(self.text, at + 1).end()  # type: ignore[union-attr]
        char = self.text[after : after + 1]
        if not char:
            return True
        if inside == ":":
            return char in ":：=" or self._refuse("syntax", at)
        if char in "}])" or not inside or self._terminated(after):
            return True
        if char in ",，;":
            return self._comma_closes(after + 1, inside, at)
        if char in "#/" and self.text.startswith(("//", "/*", "#"), after):
            return True
        if inside == "{" and KEY_AHEAD.match(self.text, after):
            return True
        if char in "+%*" or _OPERATION.match(self.text, after) or (inside == "(" and _OPERATOR.match(self.text, after)):
            return self._refuse("expression", at)
        if char == self.text[at] and after == at + 1 and _CLOSED.match(self.text, after + 1):
            return self._inner()
        if char in ":：" or char in OPENING:
            return self._refuse("ambiguous", at)
        return self._inner()

    def _inner(self) -> bool:
        self.fragile = True
        self.repairs["quotes inside a string"] = None
        return False

    def _comma_closes(self, at: int, inside: str, quote_at: int) -> bool:
        after = _GAP.match(self.text, at).end()  # type: ignore[union-attr]
        char = self.text[after : after + 1]
        if not char or char in "}])/#,":
            return True
        if inside == "{":
            return bool(KEY_AHEAD.match(self.text, after)) or self._refuse("ambiguous", quote_at)
        starts_value = char in OPENING + "{[(-tfnTFN<" or char.isdigit()
        return starts_value or bool(KEY_AHEAD.match(self.text, after)) or self._refuse("ambiguous", quote_at)

    def _refuse(self, kind: Any, at: int) -> bool:
        raise Broken(kind, self.text[max(0, at - 20) : at + 20].strip())

    def _word(self, inside: str) -> Any:
        match = _WORD.match(self.text, self.at)
        word = match[0] if match else ""
        wordless = _BARE_MEMBER if inside == "{" else _BARE_ITEM
        if self.bare_values and word not in _CONSTANTS and (bare := wordless.match(self.text, self.at)):
            self.at = self.lone_end = bare.end()
            self.repairs["words without quotes"] = None
            return bare[0].strip()
        value = self._constant(word)
        self.at += len(word)
        self.lone_end = self.at
        self._nothing_glued(word)
        return value

    def _constant(self, word: str) -> Any:
        if word in _CONSTANTS:
            if word[0] in "TFN":
                self.repairs["Python constants"] = None
            return _CONSTANTS[word]
        if word.lower() in _NOT_FINITE:
            raise Broken("not_finite", word)
        if len(word) > _MAX_DIGITS:
            raise Broken("syntax", word[:40] + "…")
        if _PADDED.match(word):
            return Padded(word)
        if _NUMBER.match(word):
            return int(word) if _INTEGER.match(word) else RawFloat(word)
        if word[:1].isdigit() or word[:1] in "+-*/.":
            raise Broken("expression", self._tail())
        raise Broken("unquoted" if word else "syntax", word or self._tail())

    def _nothing_glued(self, word: str) -> None:
        after = WHITE.match(self.text, self.at).end()  # type: ignore[union-attr]
        char = self.text[after : after + 1]
        clean = not char or char in ",，;}])/#" or self._terminated(after) or KEY_AHEAD.match(self.text, after)
        if not clean:
            raise Broken("expression", f"{word}{self.text[self.at : self.at + 20]}".strip())

    def _tail(self) -> str:
        return self.text[max(0, self.at - 20) : self.at + 20].strip()
