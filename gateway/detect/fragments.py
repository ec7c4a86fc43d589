"""Pieces of source inside any text: an expression behind a label is no value, nor is what a docstring says about one."""

import re

from gateway.detect.entity import Entity
from gateway.detect.names.lists import is_common, is_core_first, is_thing

_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_LITERAL = re.compile(r"(?i)(?:none|null|nil|undefined|true|false|self|void)[\s)\]}:,;]*")
_OPERATION = re.compile(r"(?:await|new|typeof|async|lambda|yield|not)(?![\w-])")
_ASSIGNED = re.compile(r"(?:[^=!<>]=|:=)[ \t]*$")
EXPRESSION = re.compile(
    r"[A-Za-z_][\w.]*(?:\((?=[A-Za-z_\"')*]|$)|\[(?:[A-Za-z_\"':\-]|\d*:|\d\]))|[a-z_]\w*\.[a-z_]+\(|\([\w.]+\("
)
"""A call or an index of code, where a word alone may be typed: `new(name`, `auth[2]`, `sig.pop(0`, but no `Summer(2024)`."""
_MEMBER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*\.[A-Z][A-Z0-9]*_[A-Z0-9_]*")
"""NameOID.STREET_ADDRESS"""
_COLUMN_TYPE = re.compile(r"(?i)(?:n?var)?(?:char2?|binary)\(\d")
_PATH = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")
_SEVERAL = re.compile(r"[\w.*]+(?:\s*,\s*[\w.*]+)+\s*=\s*$")
_FURTHER = re.compile(r"\s*(?:,\s*[A-Za-z_]|=\s)")
_SAID = re.compile(r"(?i)(?:the|an?|this|these|your|any|its|optional|whether)\s+(?-i:[a-z]|\d-|[A-Z]{2})")
"""How a docstring begins to say what a field is."""
_HOUSE = re.compile(r"(?<!\w)\d+[A-Za-z]?(?![\w-])")
_DECORATED = re.compile(r"\s*(?:\([^\n]*)?\n[ \t]*(?:@\w|def\s|class\s|async\s+def\s)")
_SIGNATURE = re.compile(r"\s*(?:async\s+)?(?:def|function)\s+\w+\s*\([^\n]*$")
_LINE = 1000
"""No line of source or of a docstring is as long; what stands on a longer one stays masked."""
_LABELLED = ("form: ", "parameter: ", "secret: ", "prose: ", "name: ")


def is_fragment(text: str, entity: Entity) -> bool:
    """The entity is a piece of source, or of what a docstring says about a field, wherever the text comes from."""
    if not entity.source.startswith(_LABELLED):
        return entity.text.startswith("@") and _is_decorator(text, entity)
    left = text[max(0, entity.start - _LINE) : entity.start].rpartition("\n")[2]
    right = text[entity.end : entity.end + _LINE].partition("\n")[0]
    if len(left) == _LINE or len(right) == _LINE or _is_quoted(left):
        return False
    if left[-1:] in ("'", '"') and not entity.text[0].isalnum():  # begins where a string ends
        return True
    check = {"SECRET": _no_secret, "PERSON": _no_person, "ADDRESS": _no_address, "LOCATION": _no_address}
    return entity.type in check and (
        bool(_LITERAL.fullmatch(entity.text) or _MEMBER.fullmatch(entity.text))
        or check[entity.type](entity.text, left, right)
    )


def _is_quoted(left: str) -> bool:
    """What follows stands in a string of this line."""
    plain = _APOSTROPHE.sub("", left)
    return any(plain.count(quote) % 2 for quote in "\"'`")


def _is_decorator(text: str, entity: Entity) -> bool:
    alone = not text[text.rfind("\n", 0, entity.start) + 1 : entity.start].strip()
    return alone and bool(_DECORATED.match(text, entity.end))


def _no_secret(value: str, left: str, right: str) -> bool:
    assigned = bool(_ASSIGNED.search(left))
    if assigned and (
        _OPERATION.match(value) and right[:1] == " " or left[-1] == " " and EXPRESSION.match(value + right)
    ):
        return True
    if value.isidentifier() and (_SEVERAL.search(left) and _FURTHER.match(right) or right.startswith(" = ")):
        return True
    return bool(_COLUMN_TYPE.match(value) or _SAID.match(value + right)) or _is_label(value, left, right)


def _is_label(value: str, left: str, right: str) -> bool:
    """`password=password, …`, `password: password to use`, `--password PASSWORD  The password`."""
    again = re.search(rf"(?i)(?<![^\W_]){re.escape(value)}\W{{1,4}}$", left)
    return bool(again) and (bool(re.match(r"[,)]| +[+\w]", right)) or value.isupper() and "-" in left)


def _no_person(value: str, left: str, right: str) -> bool:
    if _SIGNATURE.match(left) or _SAID.match(value):
        return not names_somebody(value.split()[0])
    called = (
        right[:1] in ("(", "[") and bool(re.match(r"[(\[][A-Za-z_\"')]", right)) and bool(re.search(r"[:=]\s*$", left))
    )
    path = _PATH.fullmatch(value) and _ASSIGNED.search(left)
    return bool(called or path) and not names_somebody(value.split(".")[0])


def names_somebody(word: str) -> bool:
    """A first name before it is anything else."""
    word = word.lower()
    return is_core_first(word) and not is_common(word) and not is_thing(word)


def _no_address(value: str, left: str, right: str) -> bool:
    return bool(_SAID.match(value)) and not _HOUSE.search(value)
