"""Russian bank accounts (with the BIK as their key) and vehicle plates."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.russian import checks
from gateway.detect.russian.context import column_header, nearest
from gateway.detect.scan import Gate

_ACCOUNT = re.compile(r"(?<![\w.])\d(?:[ \u00a0.-]?\d){19}(?!\w)(?![-.]\d)")
_ACCOUNT_WORDS = re.compile(
    r"(?<![а-яёa-z])(?:[рклт]/?[ .]?с(?:ч[её]т)?\b|сч[её]т[а-я]*"
    r"|корр?[.а-я]*|расч[её]тн[а-я]+|лиц[а-я.]* сч|account)",
    re.IGNORECASE,
)
_BIK = re.compile(r"(?<!\d)0[0-5]\d{7}(?!\d)")
_CHART = re.compile(r"^(?:[1-4]\d{2}|501|603|706)\d{2}(?:810|643|840|978|156|398|756|826|392)")
"""Group of the chart of accounts and a currency code, as in 40817 810."""

_LETTERS = "АВЕКМНОРСТУХ"
_LATIN = "ABEKMHOPCTYX"
_L = f"[{_LETTERS}{_LATIN}]"
_PLATE = re.compile(
    rf"(?<![\w-])(?:{_L} ?\d{{3}} ?{_L}{{2}}|{_L}{{2}} ?\d{{3}}|{_L}{{2}} ?\d{{4}}|\d{{4}} ?{_L}{{2}})"
    r" ?(?:[|/] ?)?\d{2,3}(?: ?(?:RUS|РУС))?(?![\w-])",
    re.IGNORECASE,
)
_CAR_PLATE = re.compile(
    rf"{_L} ?\d{{3}} ?{_L}{{2}} ?(?:[|/] "
    rf"?)?(?:\d{{2}}|[127]\d{{2}})(?: ?(?:RUS"
    rf"|РУС))?",
    re.IGNORECASE,
)
_SHORT_PLATE = re.compile(rf"(?<![\w-]){_L} ?\d{{3}} ?{_L}{{2}}(?![\w-])", re.IGNORECASE)
_PLATE_WORDS = re.compile(
    r"(?<![а-яё])(?:гос\.? ?номер|госномер|гос\.? ?знак|г/н|г\.н\.|грз|номер[а-я]*|машин[а-я]*|авто[а-я]*|а/м|т/с|тс"
    r"|прицеп[а-я]*|мотоцикл[а-я]*|такси|регистрационн[а-я]+|plate)",
    re.IGNORECASE,
)


_GATE = Gate(
    {
        "account": r"(?:\d[ .-]?){19}\d",
        "plate": rf"{_L} ?\d{{3}} ?{_L}{{2}}|{_L}{{2}} ?\d{{3}}|\d{{4}} ?{_L}{{2}} ?(?:[|/] ?)?\d",
    }
)


def find_accounts(text: str) -> Iterator[Entity]:
    """Twenty digits that fit a BIK of the text, follow a word for account, or read as the chart of accounts."""
    if "account" not in _GATE.present(text):
        return
    biks = {match.group() for match in _BIK.finditer(text)}
    for match in _ACCOUNT.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        checked = any(checks.account(digits, bik) for bik in biks)
        worded = nearest(_ACCOUNT_WORDS, text, match.start()) is not None
        worded = worded or bool(_ACCOUNT_WORDS.search(column_header(text, match.start())))
        score = 0.98 if checked else 0.9 if worded else 0.75 if _CHART.match(digits) else 0.0
        if score:
            yield Entity("RU_BANK_ACCOUNT", *match.span(), match.group(), score, "russian.accounts", checked=checked)


def find_plates(text: str) -> Iterator[Entity]:
    """Car, trailer, motorcycle plates; Latin look-alikes count, lower case only beside a word for cars."""
    if "plate" not in _GATE.present(text):
        return
    lines = list(_GATE.lines(text, ("plate",)))
    for match in (match for line in lines for match in _PLATE.finditer(text, *line)):
        value = match.group()
        if score := _plate_score(text, match.start(), value):
            yield Entity("RU_VEHICLE_PLATE", *match.span(), value, score, "russian.plates", key=_plate_key(value))
    for match in (match for line in lines for match in _SHORT_PLATE.finditer(text, *line)):
        if nearest(_PLATE_WORDS, text, match.start(), 24) is not None:
            yield Entity(
                "RU_VEHICLE_PLATE", *match.span(), match.group(), 0.6, "russian.plates", key=_plate_key(match.group())
            )


def _plate_score(text: str, start: int, value: str) -> float:
    worded = nearest(_PLATE_WORDS, text, start, 40) is not None or bool(_PLATE_WORDS.search(column_header(text, start)))
    if worded:
        return 0.9
    letters = "".join(char for char in value if char.isalpha() and char not in "RUSРУС")
    cyrillic = all(char in _LETTERS for char in letters)
    if _CAR_PLATE.fullmatch(value) and letters.isupper():
        return 0.8 if cyrillic else 0.6
    return 0.0


def _plate_key(value: str) -> str:
    return re.sub(r"\W", "", value.upper()).translate(str.maketrans(_LATIN, _LETTERS)).removesuffix("RUS")
