"""The patterns behind placeholders: brackets of all kinds, separators, and labels as models spell them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gateway.errors import MissingExtraError
from gateway.labels import RUSSIAN_LABELS, translations

if TYPE_CHECKING:
    import regex

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_GAP = rf"[ \t\u00a0\u2009\u202f{_INVISIBLE}]{{0,3}}"
_DECOR = r"(?:\*{1,3}|`|__)?"
_LOOSE = rf"(?:\\{{0,2}}[_＿]|[ \-‐‑–—#№\u00a0{_INVISIBLE}]|&\#95;|\\{{1,2}}u005f|%5f){{0,3}}"
_STRICT = r"(?:\\{0,2}[_＿]|[\-‐‑]|&\#95;|\\{1,2}u005f)"
_OPEN = {
    "angle": r"&(?:amp;)?lt;|&\#0*60;|&\#x0*3c;|\\{1,2}u003c|\\{1,2}x3c|%3c|\\<|[<‹〈〈⟨＜《]",
    "square": r"&\#91;|\\{0,2}\[\[|\\{0,2}\[|[［【]",
    "brace": r"&\#123;|\{\{|\\?\{|｛",
}
_CLOSE = {
    "angle": r"&(?:amp;)?gt;|&\#0*62;|&\#x0*3e;|\\{1,2}u003e|\\{1,2}x3e|%3e|\\>|[>›〉〉⟩＞》]",
    "square": r"&\#93;|\\{0,2}\]\]|\\{0,2}\]|[］】]",
    "brace": r"&\#125;|\}\}|\\?\}|｝",
}
_OPENERS = "|".join(f"(?P<open_{kind}>{form})" for kind, form in _OPEN.items())
_CLOSERS = "|".join(f"(?P<close_{kind}>{form})" for kind, form in _CLOSE.items())


_MOST = 250
_met: set[str] = set(RUSSIAN_LABELS)


def _regex() -> Any:
    try:
        import regex
    except ImportError as error:
        raise MissingExtraError('placeholders need the package regex: pip install "localagent[gateway]"') from error
    return regex


@lru_cache(maxsize=1)
def strict_mark() -> regex.Pattern[str]:
    """What must stand between label and number where no bracket does."""
    return _regex().compile(_STRICT, _regex().IGNORECASE)


@lru_cache(maxsize=1)
def closing() -> regex.Pattern[str]:
    """All that may still follow a number before its bracket is closed."""
    module = _regex()
    return module.compile(rf"[0-9０-９]*{_DECOR}{_GAP}/?(?:{_CLOSERS})", module.IGNORECASE)


def compile_wide(labels: frozenset[str]) -> regex.Pattern[str] | None:
    """The grammar of these labels and of all met before in this process; None where there would be too many.

    Compiling costs milliseconds, and conversations differ in their labels: this one pattern serves them all.
    """
    if not labels <= _met:
        if len(_met | labels) > _MOST:
            return None
        _met.update(labels)
    return compile_grammar(frozenset(_met), frozenset())


@lru_cache(maxsize=256)
def compile_grammar(labels: frozenset[str], literals: frozenset[str]) -> regex.Pattern[str]:
    """Groups: literal, or label, mark and number with open_ and close_ of angle, square and brace."""
    module = _regex()
    names = sorted({name for label in labels for name in (label, *translations(label))}, key=lambda n: (-len(n), n))
    words = "|".join(_beginning(first, names) for first in sorted({name[0] for name in names})) or r"(?!)"
    exact = "|".join(module.escape(literal) for literal in sorted(literals, key=lambda n: (-len(n), n))) or r"(?!)"
    return module.compile(
        rf"(?P<literal>{exact})"
        rf"|(?:(?:{_OPENERS}){_GAP}{_DECOR}|(?<![^\W_]))(?P<label>{words})(?P<mark>{_LOOSE})(?P<number>[0-9０-９]{{1,6}})"
        rf"(?![0-9０-９])(?:{_DECOR}{_GAP}/?(?:{_CLOSERS}))?",
        module.IGNORECASE,
    )


def _beginning(first: str, names: list[str]) -> str:
    """The names that begin with a letter, which is tried once for all of them."""
    rest = (_loose_label(name).removeprefix(_letter(first)) for name in names if name[0] == first)
    return f"{_letter(first)}(?:{'|'.join(rest)})"


def _loose_label(label: str) -> str:
    return _LOOSE.join("".join(_letter(char) for char in word) for word in label.split("_"))


def _letter(char: str) -> str:
    """The letter, its full-width form and its look-alike of the other script."""
    wide = chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else ""
    twin = dict(zip("ABEKMHOPCTYXАВЕКМНОРСТУХ", "АВЕКМНОРСТУХABEKMHOPCTYX", strict=True)).get(char, "")
    return f"[{char}{wide}{twin}{'Ё' if char == 'Е' else 'Е' if char == 'Ё' else ''}]"
