"""Phone numbers that are spoken out, whole or in part: `девятьсот двенадцать 340-55-17`, `nine one two 340-5517`."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.scan import Gate

_DIGIT_WORDS = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|null|eins|zwo|zwei|drei|vier|fünf|sechs|sieben|acht|neun"
    "|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque"
    "|sei|sette|otto|nove|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|nul|een|twee|drie|vijf|zes|zeven|negen"
    "|ноль|нуль|один|два|три|четыре|пять|шесть|семь|восемь|девять"
)
_TENS = (
    "десять|одиннадцать|двенадцать|тринадцать|четырнадцать|пятнадцать|шестнадцать|семнадцать|восемнадцать|девятнадцать"
    "|двадцать|тридцать|сорок|пятьдесят|шестьдесят|семьдесят|восемьдесят|девяносто"
    "|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_HUNDREDS = "сто|двести|триста|четыреста|пятьсот|шестьсот|семьсот|восемьсот|девятьсот"
_WORD = rf"(?:{_DIGIT_WORDS}|{_TENS}|{_HUNDREDS})"
_PIECE = rf"(?:{_WORD}(?!\w)|\(?\d{{1,8}}\)?(?!\w))"
_SPOKEN = re.compile(rf"(?i)(?<![\w+.,\-])(?:\+\s?|плюс |plus )?{_PIECE}(?:[ ,\-]{{1,2}}{_PIECE}){{2,20}}")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_TEEN = re.compile(r"(?i)(?:десять|\w+надцать)$")
_PHONE_WORDS = re.compile(
    r"(?i)phone|\bcall|\btel|\bcell|mobile|\bring\b|\bdial|\bfax|whatsapp|\btext (?:me|us|him|her)|reach (?:me|us)|my number|тел(?:\.|еф)|звон|набер|моб(?:\.|ил)"
    r"|сотов|мой номер|номер (?:телефона|для связи)|вотс|ватс|вайбер|смс|связ|handy|\bruf|anruf|appel|llam|chiam|zadzwo|dzwo|bel(?:len)? |móvil|numéro|nummer"
)
_NUMBERS = {
    "US_SSN": (range(9, 10), re.compile(r"(?i)\bssn\b|social security|\bsocial\b")),
    "RU_PASSPORT": ((10,), re.compile(r"(?i)паспорт|серия")),
    "RU_INN": ((10, 12), re.compile(r"(?i)\bинн\b")),
    "RU_SNILS": ((11,), re.compile(r"(?i)снилс")),
    "CREDIT_CARD": (range(13, 20), re.compile(r"(?i)card|visa|карт|karte|carte|tarjeta")),
}
_TAIL = re.compile(r"(?<!\d)\d{3}[- ]\d{2}[- ]\d{2}$|(?<!\d)\d{3}[- ]\d{4}$")
_GATE = Gate({"two pieces": rf"{_WORD}[ ,\-]{{1,2}}(?:{_WORD}|\(?\d)|\d\)?[ ,\-]{{1,2}}{_WORD}"})


def spoken_phones(text: str) -> Iterator[Entity]:
    """Runs of number words and digits with seven to fifteen digits in all, beside a word for phones or with the end of one."""
    if not _GATE.present(text):
        return
    lines = _GATE.lines(text, ("two pieces",))
    for match in (match for line in lines for match in _SPOKEN.finditer(text, *line)):
        value = match.group()
        count = _digits(value)
        if not re.search(r"[^\W\d_]", value) or not 7 <= count <= 19:
            continue
        number = next(
            (
                kind
                for kind, (size, words) in _NUMBERS.items()
                if count in size and words.search(text, max(0, match.start() - 40), match.start())
            ),
            "",
        )
        if number:
            yield Entity(number, *match.span(), value, 0.8, "number: spoken")
        said = _PHONE_WORDS.search(text, max(0, match.start() - 60), match.start())
        if count <= 15 and (said or _TAIL.search(value)):
            yield Entity("PHONE_NUMBER", *match.span(), value, 0.75, "phone: spoken")


def _digits(value: str) -> int:
    """How many digits the words stand for: `девятьсот двенадцать` is three, `сорок пять` two."""
    count = 0
    open_places = 0  # places of the last round number that the next word may fill
    for token in _TOKEN.findall(value.lower()):
        if token.isdigit():
            count, open_places = count + len(token), 0
            continue
        size = 3 if re.fullmatch(_HUNDREDS, token) else 2 if re.fullmatch(_TENS, token) else 1
        if size > open_places:
            count += size
        open_places = 0 if _TEEN.match(token) or size == 1 else size - 1
    return count
