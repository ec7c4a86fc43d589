"""A shell line taken apart into the simple commands that it would run.

Only what is understood completely is returned: everything else raises UnclearError, and the person is asked. The
grammar is the common part of bash and sh: pipelines, lists, subshells, substitutions, redirections, assignments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_OPERATORS = ("&&", "||", "|&", ";", "&", "|", "\n")
_CLOSES = (">&-", "<&-")
_REDIRECTS = ("&>>", "&>", "<>", ">>", ">|", ">&", "<&", ">", "<")
_SHELL_WORDS = "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc"
_KEYWORDS = frozenset(_SHELL_WORDS.split())
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[0-9?@*#!$-]", re.ASCII)
_BRACED = re.compile(r"\{[A-Za-z_0-9]+\}", re.ASCII)
_DEPTH = 20


class UnclearError(Exception):
    """The line cannot be taken apart with certainty; the text says what stands in the way."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the command would get it; `known` is false where only the shell could tell."""

    text: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class Segment:
    """One simple command of a line."""

    words: tuple[Word, ...]
    text: str  # as it was written
    assigns: bool = False  # sets variables, for itself or for what follows
    files: tuple[Word, ...] = ()  # where its redirections lead, without /dev/null and other descriptors


def parse(line: str) -> tuple[Segment, ...]:
    """All simple commands in order, those inside substitutions before the command they stand in."""
    return _Scanner(line, 0).line()


def segments(line: str) -> tuple[str, ...]:
    """The commands of a line as text, for showing; the line itself where it is unclear."""
    try:
        return tuple(segment.text for segment in parse(line))
    except UnclearError:
        return (line,)


@dataclass(slots=True)
class _Open:
    """The simple command that is being read."""

    start: int
    words: list[Word] = field(default_factory=list)
    files: list[Word] = field(default_factory=list)
    assigns: bool = False
    group: bool = False  # it is a subshell, after which no words may come

    @property
    def empty(self) -> bool:
        return not (self.words or self.files or self.assigns or self.group)


class _Scanner:
    """Reads one line from left to right; a substitution is read by a scanner on the same text."""

    def __init__(self, text: str, depth: int) -> None:
        if depth > _DEPTH:
            raise UnclearError("too deeply nested")
        if "\0" in text:
            raise UnclearError("a null character")
        self.text = text
        self.at = 0
        self.depth = depth
        self.found: list[Segment] = []

    def line(self) -> tuple[Segment, ...]:
        self._list("")
        if not self.found:
            raise UnclearError("no command")
        return tuple(self.found)

    def _starts(self, *tokens: str) -> str:
        return next((token for token in tokens if self.text.startswith(token, self.at)), "")

    def _list(self, closer: str) -> None:
        """Commands up to the closer, which is taken, or up to the end of the text."""
        now, wants = _Open(self.at), False
        while self.at < len(self.text):
            if closer and self._starts(closer):
                self._close(now, wants)
                self.at += len(closer)
                return
            operator = "" if self._starts(*_REDIRECTS[:2]) else self._starts(*_OPERATORS)
            if operator:
                wants = self._operator(operator, now, wants)
                now = _Open(self.at)
            else:
                self._piece(now)
                wants = wants and now.empty
        if closer:
            raise UnclearError(f"{closer} is missing")
        self._close(now, wants)

    def _operator(self, operator: str, now: _Open, wants: bool) -> bool:
        """Ends the command; returns whether another one must follow."""
        if self._starts(";;", ";&"):
            raise UnclearError("a case list")
        if now.empty and operator != "\n":
            raise UnclearError(f"{operator} without a command before it")
        self._close(now, False)
        self.at += len(operator)
        return (wants and now.empty) or operator in ("&&", "||", "|", "|&")

    def _close(self, now: _Open, wants: bool) -> None:
        if now.empty:
            if wants:
                raise UnclearError("the line ends in an operator")
            return
        text = self.text[now.start : self.at].strip()
        if not now.group or now.files:
            self.found.append(Segment(tuple(now.words), text, now.assigns, tuple(now.files)))

    def _piece(self, now: _Open) -> None:
        """A blank, a comment, a redirection, a subshell or a word."""
        char = self.text[self.at]
        if char in " \t":
            self.at += 1
        elif self._starts("\\\n"):
            self.at += 2
        elif char == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif char == "(":
            self._group(now)
        elif char == ")":
            raise UnclearError(") without (")
        elif char in "<>&" and not self._starts("<(", ">("):
            self._redirect(now)
        else:
            self._word_of(now)

    def _group(self, now: _Open) -> None:
        if not now.empty or self._starts("(("):
            raise UnclearError("a function, an array or arithmetic")
        self.at += 1
        self._nested(")")
        now.group = True

    def _nested(self, closer: str) -> None:
        """Commands of the same text up to the closer; an empty list is unclear."""
        inner = _Scanner(self.text, self.depth + 1)
        inner.at = self.at
        inner._list(closer)
        if not inner.found:
            raise UnclearError("an empty list of commands")
        self.at = inner.at
        self.found += inner.found

    def _redirect(self, now: _Open) -> None:
        if self._starts("<<"):
            raise UnclearError("a here-document")
        operator = self._starts(*_CLOSES, *_REDIRECTS)
        self.at += len(operator)
        if operator in _CLOSES:
            return
        while blank := self._starts(" ", "\t", "\\\n"):
            self.at += len(blank)
        target = self._word()
        descriptor = operator in (">&", "<&") and target.known and re.fullmatch(r"\d+-?|-", target.text)
        if not descriptor and target != Word("/dev/null"):
            now.files.append(target)

    def _word_of(self, now: _Open) -> None:
        start = self.at
        word = self._word()
        written = self.text[start : self.at].replace("\\\n", "")
        if written.isascii() and written.isdigit() and self._starts("<", ">") and not self._starts("<(", ">("):
            return  # the descriptor of the redirection that follows
        if now.group:
            raise UnclearError("words after a subshell")
        if not now.words and _ASSIGNMENT.match(written):
            now.assigns = True
        elif not now.words and written in _KEYWORDS:
            raise UnclearError(f"the shell's own {written}")
        else:
            now.words.append(word)

    def _word(self) -> Word:
        start, parts, known = self.at, [], True
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\n;&|()" or (char in "<>" and not self._starts("<(", ">(")):
                break
            part, certain = self._part(char, first=self.at == start)
            parts.append(part)
            known = known and certain
        if self.at == start:
            raise UnclearError("a word is missing")
        return Word("".join(parts), known)

    def _part(self, char: str, *, first: bool) -> tuple[str, bool]:
        """A quoted piece, a substitution or one character: its text and whether that is certain."""
        if char == "'":
            return self._single(), True
        if char == '"':
            return self._double()
        if char == "\\":
            self.at += 2
            escaped = self.text[self.at - 1 : self.at]
            if not escaped:
                raise UnclearError("a backslash at the end")
            return ("" if escaped == "\n" else escaped), True
        if char in "$`" or char in "<>":
            return self._substitution(char, quoted=False)
        self.at += 1
        return char, not (char in "*?[]{}" or (char == "~" and first) or char == "!")

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise UnclearError("a quote that is not closed")
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        return text

    def _double(self) -> tuple[str, bool]:
        parts, known = [], True
        self.at += 1
        while not self._starts('"'):
            char = self.text[self.at : self.at + 1]
            if not char:
                raise UnclearError("a quote that is not closed")
            if char == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                parts.append({"\n": ""}.get(escaped, escaped) if escaped in '$`"\\\n' else char + escaped)
                self.at += 2
            elif char in "$`":
                text, certain = self._substitution(char, quoted=True)
                parts.append(text)
                known = known and certain
            else:
                parts.append(char)
                self.at += 1
        self.at += 1
        return "".join(parts), known

    def _substitution(self, char: str, *, quoted: bool) -> tuple[str, bool]:
        """`$…`, a backquote or `<(…)`: the commands inside are taken too, the value is not known."""
        start = self.at
        if char == "`":
            self._backquote()
        elif self._starts("$((", "$[", *(() if quoted else ("$'", '$"'))):
            raise UnclearError("arithmetic or a special quote")
        elif self._starts("$(", "<(", ">("):
            self.at += 2
            self._nested(")")
        elif self._starts("${"):
            braced = _BRACED.match(self.text, self.at + 1)
            if braced is None:
                raise UnclearError("a computed variable")
            self.at = braced.end()
        else:
            name = _VARIABLE.match(self.text, self.at + 1)
            self.at = name.end() if name else self.at + 1
            if name is None and self._starts("\\\n"):
                raise UnclearError("a line break inside a substitution")
            if name is None:
                return "$", True
        return self.text[start : self.at], False

    def _backquote(self) -> None:
        end = self.at + 1
        while self.text[end : end + 1] not in ("`", ""):
            end += 2 if self.text[end] == "\\" else 1
        if self.text[end : end + 1] != "`":
            raise UnclearError("a backquote that is not closed")
        inner = re.sub(r"\\([`\\$])", r"\1", self.text[self.at + 1 : end])
        self.found += _Scanner(inner, self.depth + 1).line()
        self.at = end + 1
