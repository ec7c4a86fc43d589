"""Russian phone numbers in all their writings: +7, 8, brackets, dots, glued, city codes, short ones beside a word."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.russian.context import column_header, nearest
from gateway.detect.scan import Gate

_S = r"[ \u00a0\u202f.\-–‑]{0,3}"
_FULL = re.compile(
    rf"(?:(?<![\w+])|(?<=_)(?=\+))(?<!\d[.\-/])(?:\+{_S}7|\(\+7\)|8|7|тел\.?8){_S}[(\[]?{_S}(?P<code>\d{{3,5}}){_S}[)\]]?{_S}"
    rf"\d{{1,3}}(?:{_S}\d{{1,4}}){{1,4}}(?!\w)(?![-.]\d)"
)
_NO_PREFIX = re.compile(
    rf"(?<![\w+./-])(?<!\d )[(]?(?:9\d{{2}}"
    rf"|[348]\d{{2,4}})[)]?{_S}\d{{1,3}}(?:{_S}\d{{2,4}}){{1,3}}(?!\w)(?![-.]\d)"
)
_LOCAL = re.compile(
    r"(?<![\w+./-])(?<!\d )\d{1,3}[- ]\d{2}[- "
    r"]\d{2}(?!\w)(?![-.]\d)|(?<![\w+./-])(?<!\d "
    r")\d{6,7}(?!\w)(?![-.]\d)"
)
_WORDS = re.compile(
    r"(?<![а-яёa-z])(?:тел(?:ефон[а-яё]*)?\b|т\.|моб(?:ильн[а-яё]+)?\b"
    r"|сот(?:ов[а-яё]+)?\b|звони[а-яё]*|позвони[а-яё]*|набер[а-яё]+"
    r"|перезвон[а-яё]+"
    r"|факс[а-я]*|whats ?app|вотс[а-я]*|ватс[а-я]*|вайбер[а-я]*|viber|номер(?:у|ом)? "
    r"(?:телефона|моб)|дозвон[а-я]*|смс|sms|phone|tel\b|mobile|связь[а-я]*|созвон[а-я]*)",
    re.IGNORECASE,
)
_EXTENSION = re.compile(
    r"[ ,;(]{0,3}(?:доб(?:ав(?:очн[а-я]+|\.)?)?|внутр?|ext)\.?\s?(?:№\s?)?\d{1,6}(?!\w)\)?", re.IGNORECASE
)
_BETWEEN = r"[ .\-–‑()\[\]]{0,5}"
_GATE = Gate(
    {
        "full": rf"[78](?:{_BETWEEN}\d){{10}}",
        "no prefix": rf"[3489](?:{_BETWEEN}\d){{9}}",
        "local": r"\d[- ]\d{2}[- ]\d{2}|\d{6}",
    }
)


def find_phones(text: str) -> Iterator[Entity]:
    """Candidates with the country prefix anywhere; without it only beside a context word or in such a column."""
    present = _GATE.present(text)
    for match in _FULL.finditer(text) if "full" in present else ():
        digits = re.sub(r"\D", "", match.group())
        if len(digits) == 11 and digits[1] in "3489" and not _is_other_number(text, match, digits):
            yield _phone(match.start(), match.group() + _extension(text, match.end()), 0.9, digits)
    for name, pattern, lengths, reach in (("no prefix", _NO_PREFIX, (10,), 40), ("local", _LOCAL, (5, 6, 7), 36)):
        lines = _GATE.lines(text, (name,)) if name in present else ()
        for match in (match for line in lines for match in pattern.finditer(text, *line)):
            digits = re.sub(r"\D", "", match.group())
            beside = (
                name == "local"
                and "full" in present
                and _BESIDE.search(text[max(0, match.start() - 80) : match.start()])
            )
            if len(digits) in lengths and (beside or _worded(text, match.start(), reach)):
                yield _phone(match.start(), match.group(), 0.7, digits)
            elif len(digits) == 10 and digits[0] == "9" and _is_mobile(text, match):
                yield _phone(match.start(), match.group(), 0.6, digits)


def _extension(text: str, end: int) -> str:
    match = _EXTENSION.match(text, end)
    return match.group() if match else ""


def _phone(start: int, value: str, score: float, digits: str) -> Entity:
    key = "7" + digits[-10:] if len(digits) >= 10 else digits
    return Entity("PHONE_NUMBER", start, start + len(value), value, score, "russian.phones", key=key)


def _is_other_number(text: str, match: re.Match[str], digits: str) -> bool:
    """Eleven bare digits beginning with 7 or 8 are a phone only if the code is one of a mobile network or worded."""
    value = match.group()
    bare = value.isdigit()
    if not bare:
        return False
    return digits[1] != "9" and not _worded(text, match.start(), 40)


_BESIDE = re.compile(
    r"\d[ -]?\d{2}[ -]?\d{2}[,;]? (?:а )?(?:запасной|домашний|рабочий|другой|второй|городской|ещё|еще|либо|или)[^\d.!?\n]*$"
)
"""Another number of the same person: `89121234567, запасной — тёщи: 47-20-11`."""
_ALONE = re.compile(r"(?m)^[ \t]*(?:[А-ЯЁ][а-яё]+ ){0,2}9\d{9}(?: [А-ЯЁ][а-яё]+){0,2}[ \t]*$")
"""A number and at most a name on a line."""
_CALL = re.compile(
    r"\W{1,3}(?:[а-яё]+\W{1,2}){0,2}(?:перезвон|позвон|звони|набер|набир|ватс|вотс|whats|telegram|телеграм)", re.I
)


def _is_mobile(text: str, match: re.Match[str]) -> bool:
    """Grouped as phones are, alone with a name or in the text, or somebody is asked to call."""
    start = text.rfind("\n", 0, match.start()) + 1
    alone = _ALONE.match(text, start)
    if alone and (alone[0].strip() == text.strip() or not alone[0].isascii()):
        return True
    grouped = re.fullmatch(r"\(?9\d{2}\)?[ -]\d{3}[ -]\d{2}[ -]\d{2}|9\d{2}[ -]\d{3}-\d{4}", match.group().strip())
    return bool(grouped or _CALL.match(text, match.end()))


def _worded(text: str, start: int, reach: int) -> bool:
    return nearest(_WORDS, text, start, reach) is not None or bool(_WORDS.search(column_header(text, start)))
