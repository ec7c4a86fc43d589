"""Dates of birth: a date is one only beside a word that says so (д.р., родился, г.р., дата рождения, born)."""

import re
from collections.abc import Iterator
from itertools import chain

from gateway.detect.entity import Entity
from gateway.detect.russian.context import column_header, nearest
from gateway.detect.russian.traits import traits
from gateway.detect.scan import Gate

_MONTHS = (
    r"(?:янв(?:ар[яь])?|фев(?:рал[яь])?|мар(?:та?)?|апр(?:ел[яь])?"
    r"|ма[яй]|июн[яь]?|июл[яь]?|авг(?:уста?)?|сент?(?:ябр[яь])?"
    r"|окт(?:ябр[яь])?|ноя(?:бр[яь])?|дек(?:абр[яь])?)"
)
_YEAR = r"(?:(?:1[89]|20)\d{2}|\d{2}(?!\d))"
_TENS = "двадцать|тридцать|сорок|пятьдесят|шестьдесят|семьдесят|восемьдесят|девяносто"
_SAID_DAY = r"(?:(?:двадцать|тридцать)\s)?[а-яё]{3,14}(?:ого|ьего|ое|ье)"
_SAID_YEAR = rf"(?:{_YEAR}|(?:(?:{_TENS})\s+)?[а-яё]+(?:ого|ьего)|(?:тысяча|две\s+тысячи)(?:\s+[а-яё]+){{1,3}}?\s+[а-яё]+(?:ого|ьего)|двухтысячного)"
_DATE = re.compile(
    rf"(?<![\w.])(?:\d{{1,2}}[./-]\d{{1,2}}[./-]{_YEAR}|(?:1[89]|20)\d{{2}}[./-]\d{{1,2}}[./-]\d{{1,2}}"
    rf"|\d{{1,2}}[./ -](?:X?V?I{{1,3}}|IV|VI{{0,3}}|IX|XI{{0,2}})[./ -]{_YEAR}"
    rf"|«?\d{{1,2}}»?(?:-?го)?\s+{_MONTHS}\.?,?\s+{_YEAR})(?:\s?(?:года|год|г)\b(?!\.?\s?р)\.?)?(?!\w)",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(rf"(?<![\w.]){_SAID_DAY}\s+{_MONTHS}\s+{_SAID_YEAR}(?!\w)", re.IGNORECASE)
_DAY_MONTH = re.compile(rf"(?<![\w.])«?\d{{1,2}}»?(?:-?го)?\s+{_MONTHS}(?!\w)", re.IGNORECASE)
_YEAR_ONLY = re.compile(r"(?<![\w.-])(?:19|20)\d{2}(?=\s?(?:-?го\s)?(?:года?|г\.?)\s?(?:рожд|р\b|р\.))", re.IGNORECASE)
_BORN_IN = re.compile(
    r"(?<![а-яёa-z])(?:род\.|рожд\.|год[а-я]* рождения)\s*[:—-]?\s*(?:в\s+)?(?P<v>(?:19|20)\d{2})(?![\w.-]\d|\w)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?<![а-яёa-z])(?:род\.|ур\.|д\.?\s?р(?![а-яё])\.?|д/р|дата\s*рождени[яею]|датой\s+рождения"
    r"|дат[уы]\s+рождения|рожд(?:ени[яею]|\.)?|родил[а-яё]+|родивш[а-яё]+"
    r"|рожд[её]нн[а-яё]+|год\s+рождения|г\.?\s?р(?![а-яё])\.?|birth[_ ]?(?:date"
    r"|day)?|date[_ ]of[_ ]birth|dob|bdate|data_rozhdeniya|born)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s,]*(?:\(?\s*(?:г(?:ода|од|\.)?\s*)?(?:р(?:\."
    r"|ожд[а-яё.]*)|рождения|г\.?\s?р\b\.?|гр\b))"
    r"|\s*[—–-]\s*(?:это\s+)?(?:(?:мо[йяё]|е[ёе]|его|их)\s+)?(?:дата|день)\s+рождения",
    re.IGNORECASE,
)
_FULL_NAME = re.compile(
    r"(?:(?<![А-ЯЁа-яё])[А-ЯЁ][а-яё-]+ [А-ЯЁ][а-яё-]+(?:вич|вн|ичн|иничн)[а-яё]{0,3}(?: [А-ЯЁ][а-яё-]+)?"
    r"|(?<![А-ЯЁа-яё])[А-ЯЁ-]{2,} [А-ЯЁ-]+(?:ВИЧ|ВН|ИЧН)[А-ЯЁ]{0,3}"
    r"|(?P<opening>(?:^|\n)[ \t]*|(?<![А-ЯЁа-яё]))(?P<one>[А-ЯЁ][а-яё-]+) (?P<other>[А-ЯЁ][а-яё-]+))[,;]?(?: \(?|[ \t]*\n[ \t]*)$"
)
"""What ends right before a date that stands beside a person."""
_OLD_ENOUGH = re.compile(r"(?<!\d)(?:19[2-9]\d|200\d|201[0-6])(?!\d)")
_GATE = Gate(
    {
        "beside a name": r"\d{1,2}[./]\d{1,2}[./](?:19[2-9]\d|20[01]\d)|(?:19[2-9]\d|20[01]\d)-\d{1,2}-\d{1,2}",
        "words": rf"(?:ого|ьего|ое|ье)\s+{_MONTHS}\s",
        "birth": r"рожд|род|ур\.|д[./]?\s?р|г\.?\s?р|birth|dob|bdate|rozhd|born",
    }
)
_LIFE = re.compile(r"(?:выда[а-я]+|от|до|с|срок[а-я]*|договор[а-я]*|действ[а-я]+)\s*:?\s*$", re.IGNORECASE)


def find_births(text: str) -> Iterator[Entity]:
    """Dates in digits or words; a day and month or a lone year only right beside the word."""
    present = _GATE.present(text)
    if "beside a name" in present:
        yield from _beside_names(text)
    if "birth" not in present:
        return
    in_words = _IN_WORDS.finditer(text) if "words" in present else ()
    for match in chain(_DATE.finditer(text), in_words):
        if _is_birth(text, match.start(), match.end()):
            value = match.group()
            yield Entity("DATE_OF_BIRTH", *match.span(), value, 0.9, "russian.births")
    for match in _YEAR_ONLY.finditer(text):
        yield Entity("DATE_OF_BIRTH", *match.span(), match.group(), 0.7, "russian.births")
    for match in _BORN_IN.finditer(text):
        yield Entity("DATE_OF_BIRTH", *match.span("v"), match["v"], 0.7, "russian.births")
    for match in _DAY_MONTH.finditer(text):
        distance = nearest(_BEFORE, text, match.start(), 24)
        if distance is not None and distance <= 3:
            yield Entity("DATE_OF_BIRTH", *match.span(), match.group(), 0.6, "russian.births")


def _beside_names(text: str) -> Iterator[Entity]:
    """`Савельев Артур Давидович, 17.05.1983`: nothing but a comma, a bracket or a line between, and old enough."""
    for match in _DATE.finditer(text):
        person = _FULL_NAME.search(text[max(0, match.start() - 80) : match.start()])
        if person is None or not _OLD_ENOUGH.search(match.group()):
            continue
        if person["one"] is None or _is_somebody(person):
            yield Entity("DATE_OF_BIRTH", *match.span(), match.group(), 0.7, "russian.births")


def _is_somebody(match: re.Match[str]) -> bool:
    """A first name and a surname; one that is a word too only at the start of a line."""
    pair = [traits(word) for word in match.group("one", "other")]
    firsts = [item for item in pair if item.first and item.common < 0.35]
    others = [item for item in pair if not item.first]
    sure = all(item.surname == 2 for item in others)
    return bool(firsts) and (sure or bool(match["opening"]) and all(item.surname for item in others))


def _is_birth(text: str, start: int, end: int) -> bool:
    if _AFTER.match(text, end) and not text[end : end + 1].isalnum():
        return True
    left = text[max(0, start - 60) : start]
    if _LIFE.search(left) and not _BEFORE.search(left[-25:]):
        return False
    distance = nearest(_BEFORE, text, start, 60)
    if distance is not None:
        between = text[start - distance : start].removeprefix("?")
        return distance <= 45 and not re.search(r"\d{2}[.\s]|[;!?]|\. [А-ЯЁ]", between)
    return bool(_BEFORE.search(column_header(text, start)))
