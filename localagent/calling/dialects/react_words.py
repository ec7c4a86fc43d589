"""Whether words around ReAct actions make them what they look like: an action, told, or in the midst of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import afterwords, names
from localagent.calling.dialects import objects, pythonic
from localagent.calling.dialects.react import INPUT_INLINE, Actions
from localagent.calling.dialects.react_input import FENCE, line_from
from localagent.calling.labels import LABEL, LABEL_AT_LINE_START, kind_of
from localagent.calling.normalise import END
from localagent.messages import ToolSpec

_JOINED = re.compile(r"[`*\"']*([\w.\-]+)[`*\"']*[ \t]*[:,]?[ \t]*[\[{(]")
_LONGEST_NAME = 2000  # characters of a line that may begin with the name of a tool, with arguments
_CLOSERS = re.compile(r"[\s`*}\]]*")


def is_disowned(text: str, actions: Actions) -> bool:
    """Whether what is said after the first or the last action refuses it; the later lines of a plain input count."""
    if any(afterwords.is_disowned(afterwords.words_after(text, end)) for end in {actions.first_end, actions.end}):
        return True
    plain = [call.arguments for call in actions.calls if call.form == "text" and isinstance(call.arguments, str)]
    return any(afterwords.is_disowned(argument.partition("\n")[2][-afterwords.WINDOW :]) for argument in plain)


def goes_on(text: str, actions: Actions) -> bool:
    """Whether words follow an action that are neither a label nor the end of a turn, or stand in its plain input."""
    if any(call.form == "text" and "\n" in str(call.arguments) for call in actions.calls):
        return True
    at = _CLOSERS.match(text, actions.end).end()  # type: ignore[union-attr]
    return at < len(text) and not (END.match(text, at) or LABEL_AT_LINE_START.match(text, at))


def is_action(text: str, label: re.Match[str], tools: Sequence[ToolSpec]) -> bool:
    """Whether a line that looks like an Action label is one, outside a text that is ReAct already."""
    line = line_from(text, label.end(), _LONGEST_NAME).strip()
    if names.find(INPUT_INLINE.split(line)[0], tools) or names.declines(line):
        return True
    if (joined := _JOINED.match(line)) and names.find(joined[1], tools):
        return True
    following = LABEL.search(text, label.end())
    if following and kind_of(following) == "input":
        return not text[label.end() : following.start()].strip().count("\n")
    start = FENCE.match(text, label.end()).end()  # type: ignore[union-attr]
    if text[start : start + 1] in ("{", "["):
        return objects.looks_like_call(text, start, {tool.name for tool in tools})
    return (match := pythonic.CALL.match(line)) is not None and names.find(match["name"], tools) is not None
