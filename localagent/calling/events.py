"""What a walk stops at, and what it finds: the marks of every dialect in one pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from localagent.calling.broken import Broken
from localagent.calling.dialects import harmony, marked, xml
from localagent.calling.labels import LABEL, LINE_START
from localagent.calling.normalise import END
from localagent.calling.rawcall import RawCall

_THINK = r"(?:think|thinking|thought|reasoning|reason|reflection|seed:think|mm:think)"
OPEN_THOUGHT = re.compile(
    rf"<{_THINK}>|\[THINK\]|<\|START_THINKING\|>|<\|begin_of_thought\|>|<\|channel>thought\b|◁think▷", re.IGNORECASE
)
CLOSE_THOUGHT = re.compile(
    rf"</{_THINK}>|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>|◁/think▷", re.IGNORECASE
)
_FENCE = LINE_START + r"[ \t>]*(?P<ticks>```+|~~~+)(?P<info>[^\n`]*)(?:\n|\Z)"
_NAMED = (
    rf"{LINE_START}[ \t\u200b-\u200f\u2060\ufeff]*(?P<callword>:?call\s{{0,4}}:\s{{0,4}})?"
    r"(?P<named>[^\W\d][\w.\-]{0,80})[ \t]*(?::\d{1,3}\s{0,4})?(?=\n?\{|\(|\[ARGS\]|\[CALL_ID\])"
)
_TOOL_TAG = r"<(?P<tooltag>[A-Za-z][\w\-]{0,80})>"


def _unnamed(pattern: re.Pattern[str]) -> str:
    return re.sub(r"\?P<\w+>", "?:", pattern.pattern)


EVENT = re.compile(
    rf"(?P<harmony>{_unnamed(harmony.CHANNEL)})|(?P<end>{END.pattern})|(?P<open>{OPEN_THOUGHT.pattern})|(?P<close>{CLOSE_THOUGHT.pattern})"
    rf"|(?P<marker>{marked.OPENER.pattern}|{_unnamed(marked.HEADLESS)}|{_unnamed(xml.FUNCTION)}"
    rf"|<(?:tool|tool_name|function)>[^<>\n]{{1,120}}</(?:tool|tool_name|function)>"
    rf"|<action>[^<>\n]{{1,120}}</action>\s{{0,4}}<(?:action[ _]input|input|arguments|parameters)>)"
    rf"|(?P<final><final_answer>|<\|START_RESPONSE\|>|<\|begin_of_solution\|>)|(?P<tag>{_TOOL_TAG})|(?P<fence>{_FENCE})"
    rf"|(?P<code>(?P<tick>`{{1,3}})(?!`)(?:json[ \t]+)?(?P<inside>[^`\n]{{1,200}})(?P=tick))"
    rf"|(?P<label>{_unnamed(LABEL)})|(?P<call>{_NAMED})|(?P<json>[{{\[])",
    re.IGNORECASE,
)
TURNS = ("end", "open", "close", "final")  # groups that begin or end something, wherever they stand


@dataclass(slots=True)
class Found:
    """What a walk found; `problem` is set where a call stands that cannot be read."""

    thoughts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    calls: list[RawCall] = field(default_factory=list)
    problem: Broken | None = None
    answered: bool = False
    invented: bool = False  # whether a step or turn after the answer was left out
    react: bool = False
    marked: bool = False
    declined: str | None = None
    dialect: str = "prose"
