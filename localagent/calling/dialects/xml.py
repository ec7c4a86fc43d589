"""Calls written as tags: Qwen3-Coder's <function=…>, Anthropic's <invoke>, GLM's <arg_key>, <tool>…<tool_input>."""

from __future__ import annotations

import re
from collections.abc import Collection

from localagent.calling import jsonladder
from localagent.calling.broken import Broken
from localagent.calling.labels import BLANK
from localagent.calling.rawcall import RawCall

_SPACE = rf"[{BLANK}]*"
_BAR = r"(?:[|｜]?(?:DSML[|｜])?)?(?:[a-z]{2,12}:)?"
FUNCTION = re.compile(
    rf"<{_BAR}(?:function_call|function|invoke|tool_call|tool_use|tool|call)(?:[ \t]*[=(/][ \t]*|[ \t]+(?:name"
    rf"|tool)[ \t]*=[ \t]*)[\"']?(?P<name>[^\"'<>{{}}\n]{{1,120}}?)[\"']?[ \t]*[=)]?(?P<self>/)?[|｜]?(?:>|(?=\{{))",
    re.IGNORECASE,
)
NAME_TAG = re.compile(
    r"<(?P<tag>function|tool|name|tool_name|function_name|action|invoke"
    r"|recipient)>\s*(?P<name>[^<>{}\n]{1,120}?)\s*</(?P=tag)>\s*",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    rf"{_SPACE}<{_BAR}(?:parameter|param|arg|argument)(?:\s*=\s*"
    rf"|\s+name\s*=\s*)[\"']?(?P<key>[^\"'<>\n]{{1,120}}?)[\"']?(?:\s+\w+=\"\w*\")*\s*[|｜]?>",
    re.IGNORECASE,
)
_PARAMETER_END = re.compile(rf"</{_BAR}(?:parameter|param|arg|argument)[|｜]?>", re.IGNORECASE)
_FUNCTION_END = re.compile(
    rf"{_SPACE}</{_BAR}(?:function_call|function|invoke|tool_call|tool_use|tool|call)[|｜]?>", re.IGNORECASE
)
_NEXT = re.compile(
    rf"{_SPACE}(?:<{_BAR}(?:parameter|param|arg|argument)[\s=]|</{_BAR}(?:function|invoke|tool|call|tool_call|tool_use"
    rf"|function_calls?)[|｜]?>|\Z)",
    re.IGNORECASE,
)
_BODY_TAG = re.compile(
    r"<(?P<tag>tool_input|arguments|parameters|args|input|action[ _]input|params|parameter|tool_arguments)>",
    re.IGNORECASE,
)
_ARG_KEY = re.compile(
    rf"(?:{_SPACE}<arg_key>){{1,4}}\s*(?P<key>[^<>]{{1,120}}?)\s*(?:</arg_key>{_SPACE}){{1,4}}(?:<arg_value>)?",
    re.IGNORECASE,
)
_ARG_END = re.compile(r"</arg_value>", re.IGNORECASE)
VALUE_TAG = re.compile(rf"<(?P<shut>/)?{_BAR}(?:parameter|param|argument|arg|arg_key|arg_value)\b", re.IGNORECASE)
_UNFINISHED = re.compile(r"\s*(?:<arg_key|<[^<>]{0,40}\Z|\Z)", re.IGNORECASE)
_CHILD = re.compile(r"<([\w\-]{1,60})>((?:[^<]|<(?!/\1>))*)</\1>")
_CHILDREN = re.compile(r"(?:\s*<([\w\-]{1,60})>(?:[^<]|<(?!/\1>))*</\1>)+")
_CLOSER = re.compile(r"\s*</[\w:]{1,30}>", re.IGNORECASE)


def read_function(text: str, match: re.Match[str]) -> tuple[RawCall, int]:
    """A call whose name stands in its opening tag, from that tag on."""
    name, at = match["name"].strip(), match.end()
    if match["self"]:
        return RawCall(name, {}, "xml", (), "xml"), at
    try:
        return _body(text, at, name)
    except Broken as broken:
        broken.tool = name
        raise


def read_named(text: str, match: re.Match[str]) -> tuple[RawCall, int]:
    """<tool>name</tool> and then its input, in a tag or as bare JSON."""
    name, at = match["name"].strip(), match.end()
    if opened := _BODY_TAG.match(text, at):
        close = f"</{opened['tag']}>"
        end = _outside_strings(text, opened.end(), close)
        if end < 0:
            raise Broken("cut_off", text[at : at + 40], tool=name)
        return _tag_body(name, text[opened.end() : end]), end + len(close)
    if text.startswith("{", at):
        reading = jsonladder.read(text, at)
        return RawCall(name, reading.value, "json", reading.repairs, "xml"), reading.end
    if _PARAMETER.match(text, at):
        return _body(text, at, name)
    if at >= len(text.rstrip()) or _CLOSER.match(text, at):
        return RawCall(name, None, "none", (), "xml"), at
    raise Broken("malformed", text[at : at + 40], tool=name)


def read_pairs(text: str, at: int, name: str) -> tuple[RawCall, int]:
    """GLM's <arg_key>k</arg_key><arg_value>v</arg_value> pairs after the name."""
    values: dict[str, str] = {}
    while match := _ARG_KEY.match(text, at):
        end = _ARG_END.search(text, match.end())
        if not end:
            raise Broken("cut_off", text[match.end() : match.end() + 40], path=match["key"], tool=name)
        if _ARG_KEY.search(text, match.end(), end.start()):
            raise Broken("malformed", text[match.end() : match.end() + 40], path=match["key"], tool=name)
        _put(values, match["key"], text[match.end() : end.start()].strip("\n"), name)
        at = end.end()
    if _UNFINISHED.match(text, at):
        raise Broken("cut_off", text[at - 40 : at], tool=name)
    return RawCall(name, values, "xml", (), "glm"), at


def read_tool_tag(text: str, match: re.Match[str], parameters: Collection[str]) -> tuple[RawCall, int] | None:
    """<read_file><path>x</path></read_file>: the tool is the tag, its parameters are tags in it."""
    name, at, values = match["tooltag"], match.end(), dict[str, str]()
    close = f"</{name}>"
    while opened := re.compile(r"\s*<([\w\-]{1,60})>").match(text, at):
        if opened[1] not in parameters:
            return None
        end = text.find(f"</{opened[1]}>", opened.end())
        if end < 0:
            raise Broken("cut_off", text[at : at + 40], path=opened[1], tool=name)
        _put(values, opened[1], _trim(text[opened.end() : end]), name)
        at = end + len(opened[1]) + 3
    rest = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
    if text.startswith("{", rest):
        reading = jsonladder.read(text, rest)
        rest = re.compile(r"\s*").match(text, reading.end).end()  # type: ignore[union-attr]
        return (
            (RawCall(name, reading.value, "json", reading.repairs, "xml"), rest + len(close))
            if text.startswith(close, rest)
            else None
        )
    if text.startswith(close, rest):
        return RawCall(name, values, "xml", (), "xml"), rest + len(close)
    if values:
        raise Broken("cut_off", text[at : at + 40], tool=name)
    return None


def _body(text: str, at: int, name: str) -> tuple[RawCall, int]:
    if _PARAMETER.match(text, at):
        return _parameters(text, at, name)
    start = re.compile(rf"{_SPACE}(?:```\w*\s*)?").match(text, at).end()  # type: ignore[union-attr]
    if text.startswith("{", start):
        reading = jsonladder.read(text, start)
        closed = _FUNCTION_END.match(text, reading.end)
        return RawCall(name, reading.value, "json", reading.repairs, "xml"), closed.end() if closed else reading.end
    if opened := _BODY_TAG.match(text, start):
        close = f"</{opened['tag']}>"
        end = _outside_strings(text, opened.end(), close)
        if end < 0:
            raise Broken("cut_off", text[at : at + 40])
        closed = _FUNCTION_END.match(text, end + len(close))
        return _tag_body(name, text[opened.end() : end]), closed.end() if closed else end + len(close)
    if closed := _FUNCTION_END.match(text, at):
        return RawCall(name, {}, "xml", (), "xml"), closed.end()
    raise Broken("cut_off" if start >= len(text) else "malformed", text[at : at + 40])


def _parameters(text: str, at: int, name: str) -> tuple[RawCall, int]:
    values: dict[str, str] = {}
    repairs: tuple[str, ...] = ()
    while opened := _PARAMETER.match(text, at):
        value, at, closed = _parameter_value(text, opened.end(), opened["key"])
        if not closed:
            repairs = ("a lost </parameter>",)
        _put(values, opened["key"].strip(), value, name)
    end = _FUNCTION_END.match(text, at)
    if not end and not _CLOSER.match(text, at):
        raise Broken("cut_off" if at >= len(text.rstrip()) else "malformed", text[at : at + 40])
    return RawCall(name, values, "xml", repairs, "xml"), end.end() if end else at


def _parameter_value(text: str, at: int, key: str) -> tuple[str, int, bool]:
    """The text of one parameter, the offset after it, and whether its closing tag was there.

    The closing tag that counts is the first one that something of the format follows.
    """
    search = at
    while closed := _PARAMETER_END.search(text, search):
        following = _PARAMETER.search(text, at, closed.start())
        if following and text[at : following.start()].find("\n") >= 0 and "<" not in text[at : following.start()]:
            return _trim(text[at : following.start()]), following.start(), False
        if _NEXT.match(text, closed.end()):
            return _trim(text[at : closed.start()]), closed.end(), True
        search = closed.end()
    end = _FUNCTION_END.search(text, at)
    if not end or "tool_call" in end[0]:  # a value that is closed by neither tag of its own was cut
        raise Broken("cut_off", text[at : at + 40], path=key)
    return _trim(text[at : end.start()]), end.start(), False


def _tag_body(name: str, body: str) -> RawCall:
    stripped = body.strip()
    if stripped.startswith(("{", "[")):
        reading = jsonladder.read_all(stripped)
        return RawCall(name, reading.value, "json", reading.repairs, "xml")
    if _CHILDREN.fullmatch(stripped):
        values: dict[str, str] = {}
        for child in _CHILD.finditer(stripped):
            _put(values, child[1], _trim(child[2]), name)
        return RawCall(name, values, "xml", (), "xml")
    return RawCall(name, stripped, "text" if stripped else "none", (), "xml")


def _outside_strings(text: str, at: int, close: str) -> int:
    """Where `close` stands after the JSON value that begins at `at`, else its first place; -1 if nowhere."""
    start = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
    if text.startswith("{", start):
        return text.find(close, jsonladder.read(text, start).end)
    return text.find(close, at)


def _put(values: dict[str, str], key: str, value: str, name: str) -> None:
    if key in values and values[key] != value:
        raise Broken("duplicate_key", key, path=key, tool=name)
    values[key] = value


def _trim(value: str) -> str:
    """One line break after the opening tag and one before the closing tag belong to the format."""
    return value.removeprefix("\n").removesuffix("\n")
