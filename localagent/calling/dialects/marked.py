"""What stands between tool-call markers, in whatever dialect: JSON, a name and JSON, tags, Python."""

from __future__ import annotations

import re
from collections.abc import Collection

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.dialects import objects, pythonic, xml
from localagent.calling.labels import BLANK, LINE_START
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall, form_of

# Openers, closers and fillers. A closer opens nothing, but models lose openers and keep closers.
_WORDS = (
    r"tools?|tool[▁_ -]?calls?|tool[▁_]calls?[▁_](?:section[▁_])?(?:start|begin)"
    r"|function|functions|function[_ ]?calls?|functioncall|start_function_call|python_tag|python_start|start_action"
    r"|action_start|plugin|tools_prefix|invoke|tool_use|tool_code|longcat_tool_call"
)
OPENER = re.compile(
    rf"<[|｜]?(?:DSML[|｜])?(?:[a-z]{{2,12}}:)?(?:{_WORDS})[|｜]?>|\[/?TOOL_CALLS?\]|\[TOOL_CALL_START\]|\[tool_calls?\]"
    rf"|\[TOOL_REQUEST\]|(?<!\w)functools(?=\s{{0,8}}\[)|{LINE_START}>>>(?=[^\W\d][\w.\-]{{0,80}}\s{{0,4}}\{{)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    rf"</?[|｜]?/?(?:DSML[|｜])?(?:[a-z]{{2,12}}:)?(?:{_WORDS}|tool[▁_]calls?[▁_](?:section[▁_])?end"
    rf"|end_function_call|end_action"
    r"|action_end|tool_call|tools_suffix|python_end)/?[|｜]?>|\[/?TOOL_CALLS?\]|\[TOOL_CALL_(?:START|END)\]"
    r"|\[/?tool_calls?\]|\[(?:END_)?TOOL_REQUEST\]"
    rf"|(?<!\w)functools(?=\s{{0,8}}\[)|{LINE_START}>>>(?=[^\W\d])|<[|｜]call[|｜]>|```\w*",
    re.IGNORECASE,
)
_CLOSER = re.compile(r"[<\[][|｜]?/|<\w+[|｜]>")  # </tool_call>, [/TOOL_CALLS], <tool_call|>
# A name that stands before the token that divides it from its arguments, its opener lost.
HEADLESS = re.compile(
    rf"(?:{LINE_START}[ \t]*|(?<![\w>\"'“`])(?=functions\.))(?P<head>[^\W\d](?:[\w.:\-]{{0,79}}\w)?)\s{{0,2}}"
    r"(?:<[|｜]tool[▁_]sep[|｜]>|<[|｜]tool_call_argument_begin[|｜]>|<arg_key>)"
)
_GAP = re.compile(rf"[{BLANK};,]*")
_NAME = re.compile(
    r"(?:(?P<gemma>:?call\s{0,4}:\s{0,4})|function:)?(?P<name>[^\W\d][\w.\-/]*(?::(?!\d)[\w.\-/]+)*)(?P<index>:\d+)?",
    re.IGNORECASE,
)
CUT = re.compile(
    rf"<(?:[|｜]?(?:DSML[|｜])?(?:[a-z]{{2,12}}:)?(?:{_WORDS})|(?:function|invoke)[ =][^<>\n]{{0,80}})\Z", re.IGNORECASE
)
_GIVEN = re.compile(r"\s{0,4}(?:[{(]|\[ARGS\]|\[CALL_ID\]|<arg_key>)")
_BETWEEN = re.compile(
    r"\s*(?:\[CALL_ID\][\w\-]*)?\s*(?:\[ARGS\]|<[|｜]tool[▁_]sep[|｜]>|<[|｜]tool_call_argument_begin[|｜]>|<[|｜]?role_sep[|｜]>"
    r"|(?:arguments|args|input|parameters)\s*[:=])?\s*(?:```\w*\s*)?",
    re.IGNORECASE,
)
_TYPE = re.compile(r"\s*(?:function)?\s*<[|｜]tool[▁_]sep[|｜]>", re.IGNORECASE)
_END = re.compile(rf"\s*(?:\Z|{_FILLER.pattern}|<\|im_end\|>|</s>|<\|eot_id\|>|<\|eom_id\|>)", re.IGNORECASE)


def read(text: str, at: int, names: Collection[str]) -> tuple[list[RawCall], int]:
    """All calls from the marker at `at` on, and the offset after them; none where markers stand alone."""
    calls: list[RawCall] = []
    end = at
    while True:
        start, opened = _pass_fillers(text, end)
        try:
            found = None if END.match(text, start) else _one(text, start, names, opened=opened or not calls)
        except Broken as broken:
            broken.tool = broken.tool or _name_ahead(text, start)
            raise
        if not found:
            if opened and calls and _NAME.match(text, start):
                raise Broken("malformed", text[start : start + 60])
            return calls, start
        calls.extend(found[0])
        end = found[1]


def _pass_fillers(text: str, at: int) -> tuple[int, bool]:
    """The offset after openers, closers and separators, and whether a call was opened by the last of them.

    After a closer only a name of a tool goes on: the opener before it may be lost, but prose follows there too.
    """
    opened = False
    while True:
        at = _GAP.match(text, at).end()  # type: ignore[union-attr]
        if xml.NAME_TAG.match(text, at) or not (filler := _FILLER.match(text, at)):
            return at, opened
        opened = OPENER.match(text, at) is not None and not _CLOSER.match(filler[0])
        at = filler.end()


def _one(text: str, at: int, names: Collection[str], *, opened: bool) -> tuple[list[RawCall], int] | None:
    typed = _TYPE.match(text, at)
    if function := xml.FUNCTION.match(text, typed.end() if typed else at):
        call, end = xml.read_function(text, function)
        return [call], end
    if named := xml.NAME_TAG.match(text, at):
        call, end = xml.read_named(text, named)
        return [call], end
    char = text[at : at + 1]
    if char in ("{", "[", '"', "'"):
        return _value(text, at, names) if opened or char == "{" else None
    name = _NAME.match(text, at)
    called = name and (name["gemma"] or name["name"] in names) and _GIVEN.match(text, name.end())
    return _named(text, at, names) if opened or called else None


def _value(text: str, at: int, names: Collection[str]) -> tuple[list[RawCall], int] | None:
    if text.startswith("[", at) and pythonic.CALL.match(text, _GAP.match(text, at + 1).end()):  # type: ignore[union-attr]
        return pythonic.read_list(text, at)
    reading = jsonladder.read(text, at)
    value, repairs = reading.value, reading.repairs
    if isinstance(value, str):
        value = jsonladder.read_all(value).value
    end = _extra_closers(text, reading.end)
    if reading.fragile and not _END.match(text, end):
        raise Broken("ambiguous", text[end : end + 40])
    calls = objects.calls_in(value, names, repairs)
    if calls is None:
        raise Broken("malformed" if value != [] else "no_tool", text[at : at + 60])
    return calls, end


def _extra_closers(text: str, at: int) -> int:
    match = re.compile(r"(?:\s*[}\]])*").match(text, at)
    return match.end() if match else at


def _named(text: str, at: int, names: Collection[str]) -> tuple[list[RawCall], int] | None:
    """A name, and then its arguments in braces, parentheses or tags."""
    start = kind.end() if (kind := _TYPE.match(text, at)) else at
    match = _NAME.match(text, start)
    if not match:
        return None
    name = match["name"]
    if (opened := pythonic.CALL.match(text, match.start("name"))) and not kind:
        return _in_parentheses(text, at, opened)
    after = _BETWEEN.match(text, match.end()).end()  # type: ignore[union-attr]
    if text.startswith("<arg_key>", after):
        call, end = xml.read_pairs(text, after, name)
        return [call], end
    if text.startswith(("{", '"'), after):
        return _with_object(text, after, name, gemma=match["gemma"] is not None)
    if after > match.end() + 2 and after >= len(text):
        raise Broken("cut_off", name, tool=name)
    if _END.match(text, match.end()) and (name in names or match.end() < len(text.rstrip())):
        return [RawCall(name, None, "none", (), "named")], match.end()
    if match.end() >= len(text.rstrip()):
        raise Broken("cut_off", name, tool=name)
    return None


def _in_parentheses(text: str, at: int, opened: re.Match[str]) -> tuple[list[RawCall], int]:
    calls, end = pythonic.read_statements(text, opened.start())
    return calls, end


def _with_object(text: str, at: int, name: str, *, gemma: bool) -> tuple[list[RawCall], int]:
    reading = jsonladder.read_lenient(text, at, bare_values=True) if gemma else jsonladder.read(text, at)
    end = _extra_closers(text, reading.end)
    if reading.fragile and not _END.match(text, end):
        raise Broken("ambiguous", text[end : end + 40], tool=name)
    repairs = () if gemma else reading.repairs
    return [RawCall(name, reading.value, form_of(reading.value), repairs, "gemma" if gemma else "named")], end


def _name_ahead(text: str, at: int) -> str | None:
    match = re.compile(r"""[\s{\["']*(?:name["']\s*:\s*["'])?([\w.\-]+)""").match(text, at, at + 120)
    return match[1] if match else None
