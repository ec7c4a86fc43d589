"""Tool names: exact, then decoration off, then case and separators folded. Unique, or an error."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from localagent.calling.broken import Broken
from localagent.messages import ToolSpec

_INVISIBLE = re.compile(r"[\u200b-\u200f\u2060\ufeff\u00ad]")
_AFTER = re.compile(r"(?:<\||<｜|\[(?:ARGS|CALL_ID)|[:#]\d+$|\(\)?$|\.call$|\\n).*", re.DOTALL)
_EDGES = " \t\n\r\xa0*_`\"'“”‘’«»<>[](){}.,:;!"
_PREFIXES = re.compile(
    r"^(?:(?:functions?|tools?|default_api|api|namespace|plugins?|builtin|native|mcp(?:__\w+?)?)(?:\.|::|:|/|__)|[@/$]"
    r"|\d{1,2}[.)][ ]+"
    r"|(?:(?:use|using|call|calling|run|invoke|execute|the|tool|function|action|вызвать|вызываю|использовать|использую"
    r"|инструмент|функция|функцию)[ :]+)+)",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"[ ]+(?:tool|function|инструмент|now)$", re.IGNORECASE)
_COMMENT = re.compile(r"^[`*\"'<]*(?P<name>[\w.\-]+)[`*\"'>]*(?:[ \t]+[(#\-–—]|[ \t]*//|[ ]+(?:to|with|for|чтобы)[ ])")
_NAMESPACE = re.compile(r"^[\w\-]+(?:\.|::|/)(?=[\w\-]+$)")
_NONE = re.compile(
    r"(?:no (?:input|arguments?|parameters?)(?: (?:is |are )?(?:needed|required))?|none|n/?a|null|nil|nothing|no|-+"
    r"|—|not? ?(?:action|tool|function)s?(?: (?:is |are )?(?:needed|required|necessary|to take|to use|call(?:ed)?))?"
    r"|none (?:needed|required|necessary)|not (?:needed|required|applicable|necessary)|нет|ничего|не (?:требуется"
    r"|нужно|нужен|нужна)"
    r"|(?:действие|инструмент)[а-я]* не (?:требуется|нуж\w+)|без (?:действия|инструмента)|keine?|nicht (?:nötig"
    r"|erforderlich)|aucune?"
    r"|pas nécessaire|ninguna?|无|不需要)",
    re.IGNORECASE,
)
# What only an action says: that none is wanted, and why.
_DECLINED = re.compile(
    rf"(?:{_NONE.pattern})(?:\s*[(,;:–—]|\s+-)"
    r"|(?:no|nothing|keine?|aucune?|ninguna?|не|нет)[ _](?:\w+ ){0,2}?(?:action|tool|function|aktion|werkzeug"
    r"|outil|acción|herramienta|действи|инструмент|необходимост|to do)|无需|不需要|不用",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:(?:final[ _-]?answer|final|finish|(?:answer|respond)(?:[ _]directly)?|final[ _-]?response|done|итоговый ответ"
    r"|окончательный ответ|финальный ответ"
    r"|ответ|endgültige antwort|antwort|réponse finale|respuesta final|最终答案|directly[ _-]?answer))",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"(?:the )?(?:action|tool) (?:to take|name|to use)|should be (?:one )?of|one of \[|tool_?name|exact name",
    re.IGNORECASE,
)


def resolve(written: str, tools: Sequence[ToolSpec]) -> ToolSpec:
    """The one tool that `written` names; raises Broken with what is wrong with it."""
    by_name = {tool.name: tool for tool in tools}
    candidates = _candidates(written, by_name)
    for candidate in candidates:
        if candidate in by_name:
            return by_name[candidate]
    folded = [tool for c in candidates for tool in tools if fold(c) == fold(tool.name)]
    if folded and all(tool is folded[0] for tool in folded):
        return folded[0]
    name = written.strip()
    if not name.strip(_EDGES):
        raise Broken("no_tool", "")
    if declines(name):
        raise Broken("no_tool", name)
    if _TEMPLATE.search(name) or sum(tool.name in name for tool in tools) > 1:
        raise Broken("placeholder", name[:80])
    raise Broken("unknown_tool", name[:80])


def find(written: str, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Like `resolve`, None where that raises."""
    try:
        return resolve(written, tools)
    except Broken:
        return None


def is_none(written: str) -> bool:
    """Whether a name or a value says that there is none."""
    return bool(_NONE.fullmatch(written.strip().strip(_EDGES)))


def declines(action: str) -> bool:
    """Whether an action says that there is no action, and perhaps why."""
    return is_none(action) or _DECLINED.match(action.strip().strip(_EDGES)) is not None


def is_final(written: str) -> bool:
    """Whether an action's name says that its input is the answer."""
    return bool(_FINAL.fullmatch(written.strip().strip(_EDGES)))


def _candidates(written: str, known: Collection[str]) -> list[str]:
    """Ever barer forms of a name, the nearest to what was written first; a remark that names another tool is none."""
    name = _INVISIBLE.sub("", written).strip()
    forms = [name]
    if len(name) > 200:
        return forms
    name = _AFTER.sub("", name).strip(_EDGES.replace("_", ""))
    forms.append(name)
    comment = _COMMENT.match(name)
    if comment and not any(other in name[comment.end() :] for other in known):
        forms.append(comment["name"])
    name = _SUFFIX.sub("", name)
    forms.append(name)
    while prefix := _PREFIXES.match(name):
        name = name[prefix.end() :].strip(_EDGES.replace("_", ""))
        forms.append(name)
    forms.append(_NAMESPACE.sub("", name))
    forms.append(name.strip(_EDGES))
    return [form for form in forms if form]


def fold(name: str) -> str:
    """`name` without case and separators."""
    return re.sub(r"[-_ \xa0.]", "", name).casefold()
