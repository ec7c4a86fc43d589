"""Russian identifiers: decided by check digits first, then by the word on their left or over their column.

A number of ambiguous length (passport or INN, phone or SNILS, card or policy) becomes a candidate of every type it can
be; a context word outranks the bare checksum, and the checksum outranks the bare pattern.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gateway.detect.entity import Entity
from gateway.detect.russian import checks, halves
from gateway.detect.russian.context import column_header, distance, line_before, nearest
from gateway.detect.scan import Gate

# what a shape may begin with comes first: it is wrong at nearly every place, and what stands before is dear
_EDGE = r"(?=[\dIVXLА-ЯЁ])(?<!\d)(?:(?<![\w./-])|(?<=СНИЛС)|(?<=снилс)|(?<=ИНН)|(?<=инн)|(?<=БИК)|(?<=ОГРН))(?<!\d[ :])"
_MOMENT = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d[0-2]\d")
_END = r"(?:(?!\w)|(?=(?:[А-ЯЁ]{3,8}|[А-ЯЁ][а-яё]{2,14}:)[ :№\d]))(?![-.:]\d|/\d(?!\d{8}(?!\d)))"  # `ИНН/КПП 7707083893/770701001` has two numbers
_SEP = "[ -]?"
_SIGN = r"(?:(?:№|N|номер)\s*)?"
_GROUPED_INN = r"\d{4}[ -]\d{6}[ -]\d{2}|\d{4}[ -]\d{5}[ -]\d"
_ODD_INN = r"(?:\d{4}[ -]){2}\d{4}|(?:\d{3}[ -]){3}\d{3}|(?:\d{2}[ -]){4,5}\d{2}|(?:\d[ -]){9}(?:\d[ -]\d[ -])?\d"
_CARD = rf"\d{{2}}{_SEP}(?:\d{{2}}|[А-ЯЁ]{{2}}){_SEP}{_SIGN}\d{{6}}"  # of a driver, of a vehicle


@dataclass(frozen=True, slots=True)
class _Kind:
    """One identifier: its shape (in the syntax of re2 too), its context words, its check, and what each of the two is worth."""

    type: str
    shape: str
    words: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    bare: float = 0.0
    """Score without a context word when the check holds; 0: a context word is needed."""
    unchecked: float = 0.0
    """Score with a context word when the check fails; 0: then it is none."""
    reach: int = 48
    gate: str = ""
    """What a text must hold (in the syntax of re2) where the shape is any number's; else the shape."""


def _words(*words: str) -> re.Pattern[str]:
    """Whole words, also those that an export glues together: `ПлательщикБИК=`."""
    start = r"(?:(?<![а-яёa-z])|(?-i:(?<=[а-яёa-z])(?=[А-ЯЁA-Z])))"
    return re.compile(rf"{start}(?:{'|'.join(words)})", re.IGNORECASE)


_OF_A_THING = r"(?! (?:качеств|издели|безопасност|объект|сделк|оборудовани|отход|здани|скважин|проект|прибор|продукт))"
_PASSPORT = _words(
    rf"паспорт[а-я]*{_OF_A_THING}",
    "удостоверени[еяю] личности",
    "сери[яиейю]",
    r"документ[а-я]*\W{0,4}$",
    "удостоверяющ[а-я]+ личност[а-я]*",
    r"пасп\.",
    "passport",
    "загран",
    "dul",
)
_KINDS = (
    _Kind(
        "RU_PASSPORT",
        rf"\d{{2}}{_SEP}\d{{2}}(?:[ ,/-]{{0,3}}|[,;]?\s*(?i:№|N|номер|ном\.)[\s:]*)\d{{3}} ?\d{{3}}",
        _PASSPORT,
        unchecked=0.9,
    ),
    _Kind(
        "RU_PASSPORT",
        r"\d{2} ?\d{2}",
        _words("сери[яию] ?паспорт[а-я]*", "паспорт[а-я]*[ _.,:]{0,2}сери[яиюей]{1,2}", "passport_?seri[a-z]*"),
        unchecked=0.85,
        reach=26,
        gate="сери|seri",
    ),
    _Kind(
        "RU_PASSPORT",
        r"\d{3} ?\d{3}",
        _words("номер[а-я]* ?паспорт[а-я]*", "паспорт[а-я]*[ _.,:]{0,2}(?:номер|№)", "passport_?n[a-z]*"),
        unchecked=0.85,
        reach=26,
        gate="паспорт|passport",
    ),
    _Kind(
        "RU_PASSPORT",
        rf"(?:5[13]|6[0-9]|7[0-9]){_SEP}(?:[,;]?\s*(?i:№|N|номер)\s*)?\d{{7}}",
        _words("загран", "заграничн", "паспорт", "passport", "биометрическ"),
        unchecked=0.9,
    ),
    _Kind(
        "RU_INN",
        rf"(?:\d{{12}}|\d{{10}}|{_GROUPED_INN}|{_ODD_INN})",
        _words(
            "инн",
            "inn",
            "идентификационн[а-я]+ номер[а-я]*(?: налогоплательщика)?",
            "налогоплательщик[а-я]*",
            "налогов[а-я]+ номер[а-я]*",
        ),
        checks.inn,
        bare=0.6,
        unchecked=0.55,
    ),
    _Kind(
        "RU_SNILS",
        r"\d{3}[ .-]\d{3}[ .-]\d{3}[ .-]?\d{2}",
        _words(
            "снилс",
            "snils",
            "страхов[а-я]+ (?:номер|свидетельств)[а-я]*",
            "пенсионн[а-я]+",
            "(?:индивидуальн|лицев)[а-я]+ (?:лицев[а-я]+ )?сч[её]т[а-я]*",
        ),
        checks.snils,
        bare=0.85,
        unchecked=0.6,
    ),
    _Kind(
        "RU_SNILS",
        r"\d{11}",
        _words("снилс", "snils", "страхов[а-я]+ (?:номер|свидетельств)[а-я]*", "пенсионн[а-я]+"),
        checks.snils,
        unchecked=0.6,
    ),
    _Kind(
        "RU_OGRN",
        rf"[15]{_SEP}\d{{2}}{_SEP}\d{{2}}{_SEP}\d{{7}}{_SEP}\d",
        _words("огрн(?!ип)", "ogrn(?!ip)", "основн[а-я]+ государственн[а-я]+"),
        checks.ogrn,
        unchecked=0.6,
    ),
    _Kind(
        "RU_OGRNIP",
        rf"3{_SEP}\d{{2}}{_SEP}\d{{2}}{_SEP}\d{{9}}{_SEP}\d",
        _words("огрнип", "ogrnip", "огрн"),
        checks.ogrn,
        unchecked=0.6,
    ),
    _Kind(
        "RU_OMS",
        rf"\d{{4}}{_SEP}\d{{4}}{_SEP}\d{{4}}{_SEP}\d{{4}}",
        _words(
            "омс", "oms", "полис[а-я]*", "policy", "енп", "медицинск[а-я]+ страхован[а-я]+", "страхов[а-я]+ полис[а-я]*"
        ),
        checks.luhn,
        unchecked=0.7,
    ),
    _Kind(
        "RU_OMS",
        r"\d{6}[ ,]{0,2}(?:(?i:№|N|номер)[ :]*)?\d{8,10}",
        _words("омс", "полис[а-я]*"),
        unchecked=0.95,
        gate="омс|полис",
    ),
    _Kind(
        "RU_BIK",
        r"0[0-5]\d{7}",
        _words("бик", "bik", "bic"),
        unchecked=0.9,
        reach=24,
    ),
    _Kind(
        "RU_DRIVER_LICENSE",
        _CARD,
        _words(
            "в/у",
            "ву",
            "водительск[а-я]+(?: удостоверени[а-я]+)?",
            "удостоверени[а-я]+ водител[а-я]+",
            "права",
            "прав",
            "вод\\. ?удост[а-я]*",
            "driver",
        ),
        unchecked=0.92,
    ),
    _Kind(
        "RU_BIRTH_CERTIFICATE",
        rf"[IVXLХУ1]{{1,5}}[ -]?[А-ЯЁ]{{2}}{_SEP}{_SIGN}\d{{6}}",
        _words("свидетельств[а-я]+", "рождени[а-я]+", "св-в[оа]", "серия"),
        unchecked=0.9,
        bare=0.7,
    ),
    _Kind(
        "RU_MILITARY_ID",
        rf"[А-ЯЁ]{{2}}{_SEP}{_SIGN}\d{{7}}",
        _words("военн[а-я]+ билет[а-я]*", "военник[а-я]*", "билет[а-я]*", "в/б"),
        unchecked=0.9,
    ),
    _Kind(
        "RU_VEHICLE_CERTIFICATE",
        _CARD,
        _words("стс", "птс", "паспорт[а-я]* (?:тс|транспортн[а-я]+ средств[а-я]*)", "свидетельств[а-я]+ о регистрации"),
        unchecked=0.92,
    ),
    _Kind(
        "RU_CAR_INSURANCE",
        rf"[А-ЯЁ]{{3}}{_SEP}{_SIGN}\d{{10}}",
        _words("осаго", "каско", "полис[а-я]*", "страхов[а-я]+"),
        unchecked=0.9,
    ),
    _Kind(
        "RU_CADASTRAL_NUMBER",
        r"\d{2}:\d{2}:\d{6,7}:\d{1,7}",
        _words("кадастров[а-я]+"),
        unchecked=0.9,
        bare=0.7,
    ),
    _Kind(
        "ID_NUMBER",
        r"(?:[А-ЯЁ]{1,4}[/-]?)?(?:\d{2,8}(?:[ /-]+[\dА-ЯЁ]{2,8}){2,4}|\d{2,8}[ /-]\d{5,10}|\d{5,25})",
        _words(
            "дмс",
            "л/с(?![а-яё])",
            "лицев[а-я]+ сч[её]т[а-я]*",
            "(?:абонентск[а-я]+ номер|номер абонент)[а-я]*",
            "(?:медицинск|амбулаторн)[а-я]+ карт[а-я]+",
            "мед\\.? ?карт[а-я]+",
            "(?:№|номер[а-я]*) карты",
            "истори[а-я]+ болезни",
            "зач[её]тн[а-я]+ книжк[а-я]+",
            "(?:студенческ|читательск|пенсионерск)[а-я]+ билет[а-я]*",
            "личн[а-я]+ дел[а-я]+",
            "исп(?:\\.|олнительн[а-я]+) ?производств[а-я]*",
            "таб(?:\\.|ельн[а-я]+ номер[а-я]*)",
            "уин",
        ),
        unchecked=0.6,
        reach=30,
        gate="дмс|л/с|лицев|абонент|карт|болезни|зач[её]т|билет|личн|производств|таб|уин",
    ),
)
_PATTERNS = tuple(re.compile(rf"{_EDGE}(?:{kind.shape}){_END}") for kind in _KINDS)
_GATE = Gate({str(index): kind.gate or kind.shape for index, kind in enumerate(_KINDS)} | {"halves": halves.GATE})
_ALL_WORDS = {kind.type: kind.words for kind in _KINDS}
_ODD = re.compile(_ODD_INN)
"""So grouped, ten or twelve digits need the check to be an INN."""


def find_ids(text: str) -> Iterator[Entity]:
    """Every identifier but bank accounts and vehicle plates."""
    for name in _GATE.present(text):
        if name == "halves":
            yield from halves.split_passports(text)
            continue
        index = int(name)
        for match in _PATTERNS[index].finditer(text):
            if found := _judge(_KINDS[index], text, match.start(), match.end()):
                yield found


def _judge(kind: _Kind, text: str, start: int, end: int) -> Entity | None:
    value = text[start:end]
    checked = kind.check(re.sub(r"\D", "", value)) if kind.check else False
    if kind.type == "RU_INN" and not checked and _ODD.fullmatch(value):
        return None
    near = _context(kind, text, start) or _said_behind(kind, text, end)
    if near and _closer_word(kind, text, start, near):
        near = 0.0
    if near:
        score = (0.98 if checked else kind.unchecked) * (1.0 if near > 0.5 else 0.97)
    else:
        score = kind.bare if checked or kind.check is None else 0.0
        if kind.type == "RU_INN" and (len(value) != 12 or _MOMENT.match(value)):
            score = 0.0  # ten digits pass the check by chance too often, and twelve may be a moment in time
    if not score:
        return None
    return Entity(kind.type, start, end, value, round(score, 3), "russian.ids", checked=checked)


def _context(kind: _Kind, text: str, start: int) -> float:
    """1.0 right beside the value, less further away, 0.0 without a context word."""
    away = nearest(kind.words, text, start, kind.reach)
    if away is not None:
        return 1.0 - away / (2 * kind.reach)
    header = column_header(text, start)
    return 1.0 if header and kind.words.search(header) else 0.0


def _said_behind(kind: _Kind, text: str, end: int) -> float:
    """0.6 where the word comes right behind: `4510 123456 — это мой паспорт`."""
    match = kind.words.search(text, end, end + 24)
    return 0.6 if match and _BEHIND.fullmatch(text, end, match.start()) else 0.0


_BEHIND = re.compile(r" ?[(—–-]? ?(?:(?:это|мой|моя|мои|его|её|ее|их|наш|номер|её|серия) )*")


def _closer_word(kind: _Kind, text: str, start: int, near: float) -> bool:
    """Whether the word of another identifier stands nearer: in `ИНН 7707083893, паспорт 4510…` each owns its number."""
    own, line = 2 * kind.reach * (1.0 - near), line_before(text, start)
    for other, words in _ALL_WORDS.items():
        if other == kind.type or {other, kind.type} <= {"RU_OGRN", "RU_OGRNIP"}:
            continue
        away = distance(words, line)
        if away is not None and away < own - 0.5 and not {other, kind.type} & {"RU_BIRTH_CERTIFICATE"}:
            return True
    return False
