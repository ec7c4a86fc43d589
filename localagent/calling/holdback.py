"""How much of a stream's end must wait, because it could be the beginning of markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling.labels import LINE_START, may_begin_label
from localagent.calling.names import fold
from localagent.messages import ToolSpec

_OPEN_TAG = re.compile(r"<(?:[|｜/\w◁][^<>\n]{0,130})?\Z|\[/?[A-Za-z_]{0,20}\Z|◁[^\n]{0,8}\Z")
_COMMENTARY = r"(?:(?:assistant)?(?:analysis|commentary)[ \t]{0,4})"
_OPEN_CHANNEL = re.compile(
    r"<\|channel>\w{0,7}\Z|<\|end\|>\s{0,4}(?:<[|a-z]{0,6})?\Z"
    rf"|(?:(?:<\|end\|>\s{{0,4}})?(?:<\|start\|>|<\|channel\|>)|\b{_COMMENTARY}?to=)(?:(?!<\|message\|>)[^\n]){{0,200}}\s{{0,4}}\Z"
    rf"|{_COMMENTARY}(?:to?)?\Z"
)
_OPEN_CODE = re.compile(r"`{1,3}[^`\n]{0,200}`{0,2}\Z")
_OPEN_NAME_TAG = re.compile(
    r"<(?:tool|tool_name|function|action)>[^<>\n]{0,120}(?:</?\w{0,12}>?\s{0,4}(?:<[\w ]{0,13})?)?\Z", re.IGNORECASE
)
_WORDS = "|".join(
    word[:n]
    for word in ("functools", "functions.", "assistantcommentary", "assistantanalysis", "commentary", "analysis")
    for n in range(len(word), 0, -1)
)
_OPEN_WORD = re.compile(
    rf"(?<!\w)(?:(?:{_WORDS})\s{{0,8}}|functions\.[\w.:\-]{{0,80}}\s{{0,4}}(?:<[^<>\n]{{0,40}})?)\Z"
)
_NAME_LINE = re.compile(
    rf"{LINE_START}[ \t]*(?:>>>|(?P<call>:?call\s{{0,4}}:\s{{0,4}}))?(?P<name>[^\W\d][\w.:\-]{{0,80}})\s{{0,4}}"
    r"(?:\[[A-Z_]{0,8}|<[^<>\n]{0,40})?\Z"
)
_OPEN_CALL = re.compile(LINE_START + r"[ \t]*:?(?:c|ca|cal|call\s{0,4}:?\s{0,4})\Z", re.IGNORECASE)
_LINE_START = re.compile(LINE_START, re.IGNORECASE)
_FENCE_START = re.compile(r"[ \t>]*(?:`{1,3}|~{1,3}|`{3,}[^\n`]*|~{3,}[^\n`]*)\Z")
_FIRST_KEY = re.compile(
    r"""(?:[\[{\s]|\\[nrt]?)*(?:\\?["'“]?|&[quot]{0,4};?)[\w.\- ]{0,40}(?:\\?["'”]?|&[quot]{0,4};?)\s*\Z"""
)
REACH = 260  # characters at the end of a text in which markup may be beginning


def safe_until(text: str, at: int, tools: Sequence[ToolSpec]) -> int:
    """Up to where `text` can be shown: nothing after `at` and before it can still turn into markup."""
    begin = max(at, len(text) - REACH)
    ends = [len(text)]
    for pattern in (_OPEN_TAG, _OPEN_CHANNEL, _OPEN_NAME_TAG, _OPEN_CODE, _OPEN_WORD, _OPEN_CALL):
        if match := pattern.search(text, begin):
            ends.append(match.start())
    named = _NAME_LINE.search(text, begin)
    if named and (named["call"] or may_be_name(named["name"], tools)):
        ends.append(named.start())
    start = text.rfind("\n", at) + 1 if "\n" in text[at:] else (at if _LINE_START.match(text, at) else -1)
    if start >= 0 and _may_begin_line(text[start:]):
        ends.append(start)
    return max(at, min(ends))


def undecided(text: str, at: int) -> bool:
    """Whether the object or list that begins at `at` is too short yet to tell a call from data."""
    return len(text) - at < 200 and _FIRST_KEY.match(text, at) is not None


def _may_begin_line(line: str) -> bool:
    return len(line) < 64 and (may_begin_label(line) or _FENCE_START.match(line) is not None)


def may_be_name(word: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a line's first word is, or could still become, the name of a tool."""
    word = fold(word)
    if "functions".startswith(word) or word.startswith("functions"):
        return True
    known = [fold(tool.name) for tool in tools]
    return any(name.startswith(word) or word.endswith(name) or word.startswith(name) for name in known)
