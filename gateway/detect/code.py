"""Program source: what its code says is no value of anybody, only what its strings and comments hold.

A text is a program if several of its lines can be nothing else. On such a line a word outside quotes and comments is an
identifier, and a word of a comment that the code uses as an identifier is one too: masking either would break the
program. Numbers and addresses with a shape of their own are left to their finders.
"""

import re
from collections import Counter

from gateway.detect.entity import Entity
from gateway.detect.fragments import EXPRESSION, is_fragment, names_somebody

_QUOTED = re.compile(
    r"(?P<doc>\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?''')|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]{0,2000}`)"
    r"|(?P<note>#[^\n]*|(?<!:)//[^\n]*|/\*[\s\S]*?\*/)"
)
_INSIDE = re.compile(r"[^\n\"'`]")
_SURE = re.compile(
    r"(?m)^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|(?:export[ \t]+)?(?:default[ \t]+)?(?:abstract[ \t]+)?class[ \t]+\w+[ \t]*[(:{]"
    r"|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w(*]|import[ \t]+[a-z_][\w.]*[ \t]*(?:$|,|[ \t]as[ \t])|import[ \t]+[\w{*][^\n]*[ \t]from[ \t]*[\"']"
    r"|(?:export[ \t]+)?(?:const|let|var)[ \t]+[\w{\[][^\n=]*=|(?:export[ \t]+)?(?:async[ \t]+)?function[ \t]*\w*[ \t]*\("
    r"|(?:if|elif|while|for|with|except|else|try|switch|catch)\b[^\n]*[:{][ \t]*$|(?:return|raise|yield|await|throw)[ \t][\w.]+[(;]"
    r"|(?:self|this)\.\w+(?:[ \t]*=|\()|[\w.]+[ \t]*=[ \t]*[\w.]+\([^\n]*|@\w+[\w.]*(?:\([^\n]*)?$"
    r"|[_A-Z][A-Z0-9_]*[ \t]*=[ \t]*(?:0x[0-9a-f]+|\d+|\w*[\"'(\[{])|(?:func|fn|public|private|protected|static|#include|package|use)[ \t]+[^\n]*[;{(>][ \t]*$)"
)
_ENOUGH = 3
"""Lines that can be nothing but code, before a text is taken for a program."""
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
_FIXED = re.compile(r"\b(?:_?[A-Z][A-Z0-9_]+\b|\w+(?=\())")
"""What nobody calls after a person: constants and what is called."""
_TWICE = 2
_NAMES = frozenset(("PERSON", "LOCATION", "ADDRESS", "ORGANIZATION", "USERNAME", "SECRET", "DATE_OF_BIRTH"))


def without_code(text: str, candidates: list[Entity]) -> list[Entity]:
    """The candidates without those that are a part of a program."""
    candidates = [e for e in candidates if not is_fragment(text, e)]
    if not candidates or not is_program(text):
        return candidates
    bare = _QUOTED.sub(_blank, text)
    code = "".join(line for line in bare.splitlines(keepends=True) if _reads_as_code(line))
    used = Counter(part.lower() for part in _PART.findall(code))
    fixed = frozenset(part.lower() for name in _FIXED.findall(code) for part in _PART.findall(name))
    return [e for e in candidates if not (_is_code(e, bare, used) or _is_identifier(e, text, bare, used, fixed))]


def is_program(text: str) -> bool:
    """Several lines of the text can be nothing but code."""
    return sum(1 for _, _ in zip(range(_ENOUGH), _SURE.finditer(text), strict=False)) >= _ENOUGH


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


def _is_code(entity: Entity, bare: str, used: Counter[str]) -> bool:
    """It begins with a word or a sign of a line of code, outside the quotes."""
    if entity.type not in _NAMES or bare[entity.start].isspace() != entity.text[0].isspace():
        return False
    if entity.type == "PERSON" and any(map(names_somebody, _WORD.findall(entity.text)[1:])):
        return False
    if entity.type == "SECRET" and _may_be_typed(entity.text, used):
        return False
    start = bare.rfind("\n", 0, entity.start) + 1
    line = bare[start : bare.find("\n", entity.start) + 1 or len(bare)]
    setting = _SETTING.match(line)
    return _reads_as_code(line) and not (setting and start + setting.start("v") <= entity.start)


def _may_be_typed(secret: str, used: Counter[str]) -> bool:
    """Digits in no expression, and no name that the code has twice: an unquoted password of a configuration."""
    expression = not secret[0].isalnum() or EXPRESSION.match(secret)
    return not expression and any(map(str.isdigit, secret)) and used[secret.lower()] < _TWICE


def _is_identifier(entity: Entity, text: str, bare: str, used: Counter[str], fixed: frozenset[str]) -> bool:
    """A single word that the code uses elsewhere, and that is no quoted secret and not first of all a name."""
    word = entity.text.lower()
    elsewhere = used[word] - (not bare[entity.start].isspace())
    if entity.type not in _NAMES or elsewhere < 1 or not _WORD.fullmatch(word):
        return False
    if entity.type == "SECRET":
        return not any(map(str.isdigit, word)) and text[entity.start - 1 : entity.start] not in ("'", '"')
    return word in fixed or entity.text == word or not names_somebody(word)
