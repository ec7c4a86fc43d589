"""The input of a ReAct action: JSON, a quoted string, or plain text up to the next label."""

from __future__ import annotations

import re

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.labels import LABEL, LABEL_AT_LINE_START
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall, form_of
from localagent.calling.tokens import WHITE

FENCE = re.compile(r"(?:\s*\*\*)?\s*(```+|~~~+|`)?(?:(?<=```)[\w]*)?[ \t]*\n?\s*")
OBSERVATION_INLINE = re.compile(
    r"\s[*_]{0,2}(?:observation|наблюдение|beobachtung|observación)[*_]{0,2}[ ]?[:：]", re.IGNORECASE
)


def read(text: str, name: str, at: int) -> tuple[list[RawCall], int]:
    """The call of `name` with the value at `at`, after an Input label, and where it ends; raises Broken."""
    here = WHITE.match(text, at).end()  # type: ignore[union-attr]
    if "\n" in text[at:here] and LABEL.match(text, _line_start(text, here)):
        return [RawCall(name, None, "none", (), "react")], at
    fence = FENCE.match(text, at)
    assert fence is not None, "it may match nothing"
    start = WHITE.match(text, fence.end()).end()  # type: ignore[union-attr]
    char = text[start : start + 1]
    if char in ("{", "["):
        reading = jsonladder.read(text, start)
        end = _after_value(text, reading.end, name, fragile=reading.fragile)
        return [RawCall(name, reading.value, form_of(reading.value), reading.repairs, "react")], end
    body, end = plain(text, start)
    if fence[1] and end == len(text) and fence[1][0] not in text[start:]:
        raise Broken("cut_off", body[-40:], tool=name)
    if text[at:start].strip() == "**":
        body = body.removesuffix("**").rstrip()
    if char in ("｛", "［"):
        raise Broken("syntax", body[:60], tool=name)
    if char in ('"', "'") and _quoted_value(text, start):
        reading = jsonladder.read(text, start)
        return [RawCall(name, reading.value, "text", reading.repairs, "react")], max(end, reading.end)
    return [RawCall(name, body, "text" if body else "none", (), "react")], end


def _quoted_value(text: str, at: int) -> bool:
    """Whether a JSON string stands at `at` and nothing else on its line."""
    try:
        reading = jsonladder.read(text, at)
    except Broken:
        return False
    return isinstance(reading.value, str) and not reading.fragile and not line_from(text, reading.end).strip(" \t`")


def _after_value(text: str, at: int, name: str, *, fragile: bool) -> int:
    """Passes surplus closers; raises where a second value or, after a doubtful one, anything else follows."""
    end = re.compile(r"(?:[ \t]*[}\]`])*").match(text, at).end()  # type: ignore[union-attr]
    rest = line_from(text, end).strip()
    if rest.lstrip(", ")[:1] in ("{", "[") or (fragile and rest and not LABEL_AT_LINE_START.match(rest)):
        raise Broken("ambiguous", rest[:60], tool=name)
    follows = WHITE.match(text, end).end()  # type: ignore[union-attr]
    if text.startswith("{", follows):
        raise Broken("ambiguous", text[follows : follows + 60], tool=name)
    return end


def plain(text: str, at: int) -> tuple[str, int]:
    """Plain text up to the next label, an inline observation, the end of its fence, or an end token."""
    end = len(text)
    for ending in (LABEL, END, OBSERVATION_INLINE):  # each only up to where the one before it was found
        if match := ending.search(text, at, end):
            end = match.start()
    body = text[at:end]
    fence = body.find("\n```")
    body = body[:fence] if fence >= 0 else body
    return body.strip().removesuffix("```").strip(), max(at, end)


def line_from(text: str, at: int, longest: int | None = None) -> str:
    """The rest of a line up to a token that ends the turn, at most `longest` characters of it."""
    upto = len(text) if longest is None else min(len(text), at + longest)
    end = text.find("\n", at, upto)
    line = text[at : end if end >= 0 else upto]
    token = END.search(line)
    return line[: token.start()] if token else line


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
