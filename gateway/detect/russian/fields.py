"""Names where the layout says so: form fields (`ФИО: …`), JSON keys, CSV columns, signatures and greetings."""

import re
from collections.abc import Iterator

from gateway.detect.russian.name_context import SIGNATURE
from gateway.detect.russian.single import GENITIVE_LIKE
from gateway.detect.russian.traits import ROLES, traits
from gateway.detect.scan import Gate

_WORD = r"[А-ЯЁа-яё]+(?:[’'-][А-ЯЁа-яё]+)*"
_NAME = rf"{_WORD}\.?(?:[ \u00a0]{_WORD}\.?|[ \u00a0]?[А-ЯЁ]\.){{0,4}}"
_CAPITAL_NAME = r"[А-ЯЁ][А-ЯЁа-яё]*(?:[’'-][А-ЯЁа-яё]+)*\.?(?:[ \u00a0]?[А-ЯЁ](?:\.|[А-ЯЁа-яё’'-]+)){0,3}"
_STRICT_LABEL = (
    r"ф\.?\s?и\.?\s?о\.?(?:\s+\w+){0,3}|фамилия(?:,?\s*имя(?:,?\s*(?:и\s+)?отчество)?)?"
    r"|имя(?:\s+и\s+(?:отчество|фамилия))?|отчество|девичья\s+фамилия|имя\s+(?:клиента|пациента"
    r"|контакта)"
)
_LOOSE_LABEL = (
    r"(?:клиент|пациент|заявител[ьи]|истец|ответчик|третье\s+лицо|получател[ьи]|отправител[ьи]"
    r"|плательщик|покупател[ьи]|продавец|заказчик|(?:со)?исполнител[ьи]|арендатор|арендодател[ьи]|нанимател[ьи]"
    r"|сотрудник|работник|руководител[ьи]|директор|бухгалтер|менеджер|врач|доктор|куратор|автор|контакт"
    r"|контактное\s+лицо|подпись|абонент|держател[ьи](?:\s+карты)?|владелец|собственник|страховател[ьи]"
    r"|застрахованн\w+|водител[ьи]|курьер|студент|ученик|кандидат|соискател[ьи]|ответственн\w+|от\s+кого"
    r"|кому|от|принял|сдал|утвердил|составил|проверил|согласовано|свидетел[ьи]|опекун|ребёнок|ребенок"
    r"|мать|отец|супруга?|поручител[ьи]|заёмщик|заемщик|пользовател[ьи]|участник|докладчик"
    r"|спикер|представител[ьи]|доверенное\s+лицо)(?:ы|и|а|ка|ница)?(?:\s*\([^)\n]{1,20}\))?"
)
_STRICT_FIELD = re.compile(
    rf"(?<![А-ЯЁа-яё])(?:{_STRICT_LABEL})\"?\s*(?:[:=—–]"
    rf"|\s-)\s*[\"'«]?(?P<name>{_NAME})",
    re.IGNORECASE,
)
_LOOSE_FIELD = re.compile(rf"(?<![А-ЯЁа-яё])(?i:{_LOOSE_LABEL})[\"']?\s*[:=|]\s*[\"'«]?(?P<name>{_CAPITAL_NAME})")
_ROLE_FIELD = re.compile(rf"(?<![А-ЯЁа-яё])(?P<role>[А-ЯЁа-яё]{{3,}})\s*:\s*(?P<name>{_CAPITAL_NAME})")
_ROW = re.compile(rf"(?<![А-ЯЁа-яё])(?i:{_STRICT_LABEL})\s*\|\s*(?P<name>{_CAPITAL_NAME})")
_LOWER_PAIR = r"(?!т\.\s?[екдпч]\.|и\.\s?о\.|[гдм]\.\s?[рмо]\.|н\.\s?э\.)[а-яё]\.\s?[а-яё]\."
_LOWER_INITIALS = (
    re.compile(rf"(?<![\w.]){_LOWER_PAIR}\s?(?P<name>[а-яё]{{4,}}(?:-[а-яё]+)?)(?!\w)"),
    re.compile(rf"(?<![\w.])(?P<name>[а-яё]{{4,}}(?:-[а-яё]+)?)[\s.]{_LOWER_PAIR}?(?!\w)"),
)
_JSON = re.compile(
    r"[\"'](?:[a-z_]*(?:name|fio|surname|patronymic|author|owner|client|customer|patient|employee"
    r"|manager|recipient|sender|contact|user|assignee|person)[a-z_]*|фио|имя|фамилия|отчество|клиент"
    r"|пациент|сотрудник)[\"']"
    rf"\s*:\s*[\"'](?P<name>{_NAME})[\"']",
    re.IGNORECASE,
)
_STRICT_JSON = re.compile(
    r"[\"'](?:fio|full_?name|first_?name|last_?name|middle_?name|surname|patronymic|фио|имя|фамилия|отчество)[\"']"
    rf"\s*:\s*[\"'](?P<name>{_NAME})[\"']",
    re.IGNORECASE,
)
_KEY_VALUE = re.compile(
    rf"(?<!\w)(?:fio|full_?name|first_?name|last_?name|surname|patronymic|middle_?name"
    rf"|customer|patient|client|user|(?:client_?|user_?)?name|author|owner|assignee|employee|contact)\s*[=:]\s*[\"']?(?P<name>{_CAPITAL_NAME})",
    re.IGNORECASE,
)
_XML = re.compile(
    rf"<(?:\w*(?:name|fio|author|person)\w*|фио|имя"
    rf"|фамилия|отчество|клиент)>\s*(?P<name>{_NAME})\s*</",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"^\W*(?:ф\.?и\.?о\.?.*|фамилия.*|имя|отчество|клиент|пациент|сотрудник|работник|(?:full_?"
    r"|first_?|last_?|sur)?name|fio|ответственный|менеджер|владелец|получатель|контакт\w*|заявитель"
    r"|врач|студент|ученик|автор|заказчик|исполнитель|покупатель)\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(r",[ \u00a0](?P<name>[А-ЯЁ][а-яё]+(?:-[А-ЯЁ][а-яё]+)*)")
_REST = re.compile(rf"(?:{_MORE.pattern.replace('?P<name>', '?:')})+(?=\s*(?:\n|;|\.?$))")
_CELL = re.compile(rf"\s*\"?(?P<name>{_WORD}, {_NAME}|{_NAME})\"?\s*", re.IGNORECASE)
_SPACED = re.compile(r"(?<![\w.])[А-ЯЁ](?:(?: [а-яё]){2,}(?! [а-яё])|(?: [А-ЯЁ]){3,}(?! [А-ЯЁ]))(?!\w)")
"""И в а н о в: set in spaced letters, as typewriters did."""
_SIGNED = re.compile(rf"\s*(?P<name>{_CAPITAL_NAME})")
_CLOSING = re.compile(
    r"(?:уважением|регардс|regards|доброго|пожеланиями|Искренне [Вв]аш\w?)[ \t,!.—–-]*\n?",
)
_EXPRESSIONS = (
    ("strict", _STRICT_FIELD, 0.85, True),
    ("element", _XML, 0.8, True),
    ("key", _STRICT_JSON, 0.8, True),
    ("loose", _LOOSE_FIELD, 0.8, False),
    ("row", _ROW, 0.8, False),
    ("key", _JSON, 0.8, False),
    ("pair", _KEY_VALUE, 0.8, False),
)
"""(what a text must hold, the expression, its score, whether the label leaves no doubt)."""
_GATE = Gate(
    {
        "strict": r"ф\.?\s?и\.?\s?о|фамилия|имя|отчество",
        "loose": r"[а-яё)][\"']?\s*[:=|]",
        "row": r"\|",
        "key": r"[\"']\s*:",
        "pair": r"[a-z]\s*[=:]",
        "element": "</",
        "table": r"[;\t|,].*\n",
        "initials": r"[а-яё]\.\s?[а-яё]\.",
        "spaced": r"[А-ЯЁ](?: [а-яё]){2}",
        "closing": "уважением|регардс|regards|доброго|пожеланиями|искренне",
    }
)
_NOT_NAMES = frozenset(
    [
        "нет",
        "да",
        "не",
        "указано",
        "неизвестно",
        "прочерк",
        "отсутствует",
        "итого",
        "всего",
        "без",
        "имени",
        "тест",
        "пусто",
        "аноним",
    ]
)


def find_fields(text: str) -> Iterator[tuple[int, int, float]]:
    """Spans of values that the layout calls names, with their scores."""
    present = _GATE.present(text)
    for needed, pattern, score, strict in _EXPRESSIONS:
        yield from _checked(text, pattern, score, strict=strict) if needed in present else ()
    for needed, find in (
        ("loose", _roles),
        ("table", _columns),
        ("initials", _lower_initials),
        ("spaced", _spaced),
        ("closing", _signatures),
    ):
        yield from find(text) if needed in present else ()


def _roles(text: str) -> Iterator[tuple[int, int, float]]:
    """`Секретарь: Мила`: every role may be a label."""
    for match in _ROLE_FIELD.finditer(text):
        if match["role"].lower() in ROLES and _is_name(match["name"], strict=False):
            yield match.start("name"), _cut(text, *match.span("name")), 0.75


def _signatures(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _CLOSING.finditer(text):
        signed = _SIGNED.match(text, match.end())
        closed = SIGNATURE.search(text[max(0, match.end() - 60) : match.end()])
        if signed and closed and _is_name(signed.group("name"), strict=False):
            yield *signed.span("name"), 0.7


def _lower_initials(text: str) -> Iterator[tuple[int, int, float]]:
    """`н. в. ковалёва`, typed in haste."""
    for pattern in _LOWER_INITIALS:
        for match in pattern.finditer(text):
            found = traits(match["name"])
            if found.surname == 2 and found.common < 0.35:
                yield *match.span(), 0.6


def _spaced(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _SPACED.finditer(text):
        found = traits(match[0].replace(" ", ""))
        if found.first or found.patronymic or (found.surname == 2 and found.common < 0.35):
            yield *match.span(), 0.7


def _checked(text: str, pattern: re.Pattern[str], score: float, *, strict: bool) -> Iterator[tuple[int, int, float]]:
    for match in pattern.finditer(text):
        start, end = match.span("name")
        end = _cut(text, start, end)
        if _is_name(text[start:end], strict=strict):
            yield start, end, score
            yield from _listed(text, end, score)


def _listed(text: str, end: int, score: float) -> Iterator[tuple[int, int, float]]:
    """`Исполнители: Сизова, Тягай`: to the end of the line, what stands beside a name in a list of words is one."""
    match = _REST.match(text, end)
    for name in _MORE.finditer(text, end, match.end()) if match else ():
        found = traits(name["name"])
        if not (found.role or found.place):
            yield *name.span("name"), score


def _cut(text: str, start: int, end: int) -> int:
    """A field without a comma runs on into prose: `Имя: Иван работает` ends before the first plain word."""
    for match in re.finditer(_WORD, text[start:end]):
        found = traits(match.group())
        plain = (found.verb or found.common > 0.8) and not (found.first or found.patronymic or found.surname)
        if match.start() and plain:
            return start + len(text[start : start + match.start()].rstrip())
    return end - 1 if text[end - 1] == "." and not re.search(r"(?<!\w)[А-ЯЁ]\.$", text[start:end]) else end


def _is_name(value: str, *, strict: bool) -> bool:
    words = re.findall(_WORD, value)
    if not words or value.lower() in _NOT_NAMES or words[0].lower() in _NOT_NAMES:
        return False
    found = [traits(word) for word in words if len(word) > 1]
    if not found:
        return False
    if strict:
        return not all(item.verb for item in found)
    if any((item.role or item.verb) and not item.first and item.surname < 2 for item in found):
        return False
    named = any(item.first or item.patronymic or item.surname == 2 for item in found)
    named = named or (found[0].surname > 0 and bool(GENITIVE_LIKE.search(words[0])))
    return named and not any(item.place and not item.first and not item.surname for item in found)


def _columns(text: str) -> Iterator[tuple[int, int, float]]:
    """Cells under a header for names, in tables separated by ; , tab or |."""
    lines = text.splitlines(keepends=True)
    offset = 0
    header: tuple[str, int, list[int]] | None = None
    for line in lines:
        if header and len(_split(line, header[0])) == header[1]:
            yield from _cells(line, offset, header)
        else:
            header = _read_header(line)
        offset += len(line)


def _read_header(line: str) -> tuple[str, int, list[int]] | None:
    for separator in (";", "\t", "|", ","):
        if separator in line:
            cells = _split(line, separator)
            columns = [at for at, cell in enumerate(cells) if _HEADER.match(cell.strip())]
            return (separator, len(cells), columns) if columns else None
    return None


def _split(line: str, separator: str) -> list[str]:
    """The cells of a row, their quotes kept; a separator inside quotes is none."""
    line = line.rstrip("\r\n")
    if '"' not in line:
        return line.split(separator)
    return re.split(rf'{re.escape(separator)}(?=(?:[^"]*"[^"]*")*[^"]*$)', line)


def _cells(line: str, offset: int, header: tuple[str, int, list[int]]) -> Iterator[tuple[int, int, float]]:
    at = offset
    for column, cell in enumerate(_split(line, header[0])):
        if column in header[2] and (match := _CELL.fullmatch(cell)) and _is_name(match.group("name"), strict=True):
            yield at + match.start("name"), at + match.end("name"), 0.8
        at += len(cell) + 1
