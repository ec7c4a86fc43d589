"""The one exception of the parser: where a text stops being readable, and why."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "cut_off",  # the text ends inside a call
    "length",  # the backend says the reply hit its limit
    "syntax",  # not JSON, and no repair has one reading
    "mismatch",  # brackets do not match
    "ambiguous",  # two readings are plausible
    "expression",  # something that would have to be evaluated
    "unquoted",  # a word without quotes
    "duplicate_key",
    "not_finite",
    "bad_escape",
    "too_deep",
    "malformed",  # call markup without a call in it
    "not_alone",  # a bare call with words on its line or after it
    "empty",  # nothing outside the reasoning
    "no_action",  # a thought, and neither an action nor an answer
    "no_tool",  # an action that names none on purpose
    "placeholder",  # the format template was copied
    "unknown_tool",
    "positional",
    "not_an_object",
    "missing",
    "unknown_parameter",
    "invalid",  # a value that the schema refuses
]


class Broken(Exception):
    """Raised where a call cannot be read; `tool` is the name as written, when it was seen."""

    def __init__(
        self, kind: Kind, got: str = "", *, path: str = "", tool: str | None = None, expected: str = ""
    ) -> None:
        super().__init__(f"{kind}: {got}")
        self.kind: Kind = kind
        self.got = got
        self.path = path
        self.tool = tool
        self.expected = expected
