"""Program source: what its code says is no value of anybody, only what its strings and comments hold.

A text is a program if several of its lines can be nothing else. On such a line a word outside quotes and comments is an
identifier, and a word of a comment that the code uses as an identifier is one too: masking either would break the
program. Numbers and addresses with a shape of their own are left to their finders.
"""

import re
from collections import Counter
from dataclasses import dataclass

from gateway.detect.entity import Entity
from gateway.detect.fragments import EXPRESSION, is_fragment, names_somebody

_QUOTED = re.compile(
    r"(?P<doc>\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?''')|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]{0,2000}`)"
    r"|(?P<note>#[^\n]*|(?<!:)//[^\n]*|/\*[\s\S]*?\*/)"
)
_INSIDE = re.compile(r"[^\n\"'`]")
_SURE = re.compile(
    r"(?m)^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?class[ \t]+\w+[ \t]*[(:{]"
    r"|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w(*]|import[ \t]+[a-z_][\w.]*[ \t]*(?:$|,|[ \t]as[ \t])|import[ \t]+[\w{*][^\n]*[ \t]from[ \t]*[\"']|import[ \t]*\{[^\n}]*$"
    r"|(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w{\[][^\n=]*=|(?:export[ \t]+)?(?:async[ \t]+)?function[ \t]*\w*[ \t]*\("
    r"|(?:if|elif|while|for|with|except|else|try|switch|catch)\b[^\n]*[:{][ \t]*$|(?:return|raise|yield|await|throw)[ \t][\w.]+[(;]"
    r"|(?:self|this)\.\w+(?:[ \t]*=|\()|[\w.]+[ \t]*=[ \t]*[\w.]+\([^\n]*|@\w+[\w.]*(?:\([^\n]*)?$"
    r"|__[a-z]+__[ \t]*=[^=]|[_A-Z][A-Z0-9_]*[ \t]*=[ \t]*(?:0x[0-9a-f]+|\d+|\w*[\"'(\[{])|(?:func|fn|public|private|protected|static|#include|package|use)[ \t]+[^\n]*[;{(>][ \t]*$)"
)
_ENOUGH = 3
"""Lines that can be nothing but code, before a text is taken for a program; one fewer if it begins with one."""
_DECLARES = re.compile(
    r"[ \t]*(?:export[ \t]+|async[ \t]+|abstract[ \t]+)*(?:from|import|class|def|function|interface|enum|struct)\b"
)
_LISTED = re.compile(
    r"\s*[\w.*]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.*]+(?:\s+as\s+\w+)?)*\s*,?\s*[)}\\]?\s*;?\s*|\s*[)}]\s*;?\s*"
)
"""A further line of what an import lists."""
_SIGN = re.compile(r"[=()\[\]{}\\]|;\s*$|[\w\])]\.[A-Za-z_]|^\s*@|^(?![A-Z]).*[:,]\s*$")  # `Anna,` greets her
_KEYWORDS = re.compile(
    r"\b(?:and|as|assert|async|await|break|case|catch|class|const|continue|def|default|del|do|elif|else|except|export|extends|final|finally|fn|for"
    r"|from|func|function|global|if|implements|import|in|interface|is|lambda|let|new|nonlocal|not|of|or|package|pass|print|private|protected|public"
    r"|raise|return|static|struct|switch|throw|try|type|typeof|use|var|void|while|with|yield)\b"
)
_PROSE = re.compile(r"[A-Za-z_]\w*[ \t]+[A-Za-z_]\w*[ \t]+[A-Za-z_]|\w@\w|[^\x00-\x7f]")
_TWO_WORDS = re.compile(r"[A-Za-z_]\w*[ \t]+[A-Za-z_]\w*(?![^\n]*[;{][ \t]*$)")
_SETTING = re.compile(r"[\w.\-]+[ \t]*[=:][ \t]*(?P<v>[^\s()\[\]{},;]+)\s*$")
"""`password = hunter2` at the beginning of a line may be a configuration beside the program."""
_WORD = re.compile(r"[A-Za-z]\w*")
_PART = re.compile(r"[^\W_]+")
_DOTTED = re.compile(r"([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)*")
_FIXED = re.compile(r"\b(?:_?[A-Z][A-Z0-9_]+\b|\w+(?=\())")
"""What nobody calls after a person: constants and what is called."""
_TWICE = 2
_NAMES = frozenset(("PERSON", "LOCATION", "ADDRESS", "ORGANIZATION", "USERNAME", "SECRET", "DATE_OF_BIRTH"))


def without_code(text: str, candidates: list[Entity]) -> list[Entity]:
    """The candidates without those that are a part of a program."""
    candidates = [e for e in candidates if not is_fragment(text, e)]
    if not candidates or not is_program(text):
        return candidates
    source = _read(text)
    return [e for e in candidates if not (_is_code(e, source) or _is_identifier(e, text, source))]


def is_program(text: str) -> bool:
    """Several lines of the text can be nothing but code."""
    sure = sum(1 for _, _ in zip(range(_ENOUGH), _SURE.finditer(text), strict=False))
    return sure == _ENOUGH or sure == _ENOUGH - 1 and bool(_SURE.match(_QUOTED.sub(_blank, text).lstrip()))


@dataclass(frozen=True, slots=True)
class _Source:
    """A program without its strings and comments (`bare`) and without its prose (`code`), all else in its place; how
    often its code has each part of a word, what it calls or holds constant, and the names that it declares."""

    bare: str
    code: str
    used: Counter[str]
    fixed: frozenset[str]
    declared: frozenset[str]


def _read(text: str) -> _Source:
    bare = _QUOTED.sub(_blank, text)
    lines, declared = [], set()
    listing = False
    for line in bare.splitlines(keepends=True):
        declares = bool(_DECLARES.match(line)) or listing and bool(_LISTED.fullmatch(line))
        reads = _reads_as_code(line) or declares and listing
        if declares and reads:
            declared.update(_WORD.findall(line))
        lines.append(line if reads else " " * len(line))
        listing = declares and line.rstrip()[-1:] in ("(", "{", "\\", ",") or listing and not line.strip()
    code = "".join(lines)
    used = Counter(part.lower() for part in _PART.findall(code))
    fixed = frozenset(part.lower() for name in _FIXED.findall(code) for part in _PART.findall(name))
    return _Source(bare, code, used, fixed, frozenset(declared))


def _blank(match: "re.Match[str]") -> str:
    if match.lastgroup == "string":
        inside = match.group()[1:-1]
        return match.group()[0] + re.sub(r"[^\n]", " ", inside) + match.group()[-1]
    return re.sub(r"[^\n]", " ", match.group())


def _reads_as_code(line: str) -> bool:
    words = _KEYWORDS.sub("(", line)
    if _PROSE.search(words) or _TWO_WORDS.search(words):
        return False
    return bool(_SIGN.search(line) or words != line)


def _is_code(entity: Entity, source: _Source) -> bool:
    """It begins with a word or a sign of a line of code, outside the quotes."""
    bare = source.bare
    if bare[entity.start].isspace() != entity.text[0].isspace():
        return False
    if entity.type not in _NAMES:
        return not source.code[entity.start].isspace() and _is_operation(entity, bare)
    if entity.type == "SECRET" and _may_be_typed(entity.text, source):
        return False
    start = bare.rfind("\n", 0, entity.start) + 1
    line = bare[start : bare.find("\n", entity.start) + 1 or len(bare)]
    named = entity.type == "PERSON" and any(map(names_somebody, _WORD.findall(entity.text)[1:]))
    if named and not _DECLARES.match(line):
        return False
    setting = _SETTING.match(line)
    return _reads_as_code(line) and not (setting and start + setting.start("v") <= entity.start)


def _is_operation(entity: Entity, bare: str) -> bool:
    """A decorator that is called, or a product of matrices."""
    if entity.type == "EMAIL_ADDRESS":
        return " @ " in entity.text
    return entity.text[0] == "@" and bare[entity.end : entity.end + 1] in ("(", ".")


def _may_be_typed(secret: str, source: _Source) -> bool:
    """Digits in no expression, and no name that the code has twice: an unquoted password of a configuration."""
    expression = not secret[0].isalnum() or EXPRESSION.match(secret)
    return not expression and any(map(str.isdigit, secret)) and source.used[secret.lower()] < _TWICE


def _is_identifier(entity: Entity, text: str, source: _Source) -> bool:
    """A word that the code uses elsewhere or declares, and that is no quoted secret and not first of all a name."""
    word, bare = entity.text.lower(), source.bare
    if entity.type not in _NAMES:
        return False
    if entity.type == "SECRET" and (
        bare[entity.start].isspace() or text[entity.start - 1 : entity.start] in ("'", '"')
    ):
        return False
    path = _DOTTED.fullmatch(entity.text)
    if entity.type == "SECRET" and path and path[1] in source.declared:
        return True
    own = source.code if entity.type == "SECRET" else source.bare  # a person of a letter beside it stays one
    elsewhere = source.used[word] - (not own[entity.start].isspace())
    if elsewhere < 1 or not _WORD.fullmatch(word):
        return False
    if entity.type == "SECRET":
        return not any(map(str.isdigit, word))
    return word in source.fixed or entity.text == word or not names_somebody(word)
