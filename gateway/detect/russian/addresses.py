"""Russian addresses as one span, from the index down to the flat.

A core (street with house, village with house, house on a street) is found first; from it the span grows to the left
over town, region, index and to the right over block, flat, floor and a town that follows. A street alone is public.
"""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.russian import address_parts as part
from gateway.detect.russian.context import column_header
from gateway.detect.russian.traits import traits
from gateway.detect.russian.words import known, readings
from gateway.detect.scan import Gate

_STRONG_CORE = part.compiled(
    rf"(?<![А-ЯЁа-яё-]){part.STRONG}(?:\.\s*|\s+)(?:{part.OTHER_NAME}"
    rf"|{part.NAME}){part.SEP}(?:{part.MARKED_HOUSE}|{part.BARE_HOUSE})"
)
_WEAK_CORE = part.compiled(
    rf"(?<![А-ЯЁа-яё-]){part.WEAK}(?:\.\s*"
    rf"|\s+){part.NAME}{part.SEP}(?:{part.MARKED_HOUSE}"
    rf"|{part.BARE_HOUSE}(?=[\s,]+(?:кв|оф|корп|стр)|[\s,]*(?:[.;\n\"'|<]|$)))"
)
_SMALL_CORE = part.compiled(
    rf"(?<![А-ЯЁа-яё-]){part.STRONG}(?:\.\s*"
    rf"|\s+){part.SMALL_NAME}{part.SEP}(?:{part.MARKED_HOUSE}"
    rf"|{part.BARE_HOUSE}(?={part.SEP}{part.UNIT}))"
)
_SMALL_ASKED = part.compiled(
    rf"(?<![А-ЯЁа-яё-])(?:{part.STRONG}(?:\.\s*|\s+){part.SMALL_NAME}|{part.SMALL_ADJECTIVE}\s+{part.STRONG}\.?)"
    rf"{part.SEP}(?:{part.MARKED_HOUSE}|{part.BARE_HOUSE})"
)
_INVERTED = part.compiled(
    rf"(?<![\w-])(?:(?:{part.STRONG}\.?\s+)?{part.NUMBERED}|{part.NAME}\s+(?:{part.STRONG}|пр|пл(?:ощадь)?|ш|аллея|линия|тракт"
    rf"|квартал))(?![А-ЯЁа-яё-])\.?{part.SEP}(?:{part.MARKED_HOUSE}|{part.BARE_HOUSE})"
)
_HOUSE_ON = part.compiled(
    rf"(?<![А-ЯЁа-яё])(?:{part.UNIT}{part.SEP}(?:в\s+)?)?{part.MARKED_HOUSE}(?:{part.SEP}{part.UNIT})*\s+(?:по|на)\s+"
    rf"(?:{part.STRONG}(?:\.\s*|\s+){part.NAME}|{part.NAME}\s+{part.STRONG})"
)
_PLACE_HOUSE = part.compiled(
    rf"(?:{part.VILLAGE}|{part.TOWN}){part.SEP}(?:{part.MARKED_HOUSE}(?:{part.SEP}{part.UNIT})*"
    rf"|{part.BARE_HOUSE}(?={part.SEP}{part.UNIT})|\d{{1,3}}-\d{{1,3}}(?!\d|-))"
)
_NAKED = part.compiled(
    rf"(?<![А-ЯЁа-яё.]){part.NAME}{part.SEP}(?:{part.MARKED_HOUSE}(?:{part.SEP}{part.UNIT})*"
    rf"|{part.BARE_HOUSE}(?:{part.SEP}{part.UNIT}){{0,2}}?(?:{part.SEP}(?:кв|оф)(?:артир[аеу]|ис[ае]?)?\.?\s*\d{{1,4}})"
    rf"|\d{{1,3}}[а-я]?(?:/\d{{1,3}})?\s?-\s?\d{{1,4}}(?!\d|-))"
)
_ON_STREET = part.compiled(
    rf"(?<=\sна\s)(?P<street>{part.CAP}(?:[ -]{part.CAP}){{0,2}}){part.SEP}(?:{part.MARKED_HOUSE}|{part.BARE_HOUSE})"
)
_SMALL_NAKED = part.compiled(
    rf"(?<=[\s(](?:на|по)\s){part.SMALL_NAME}\s+{part.BARE_HOUSE}(?:{part.SEP}{part.UNIT}){{0,2}}?{part.SEP}кв(?:артира)?\.?\s*\d{{1,4}}(?!\w)"
)
_BIRTHPLACE = part.compiled(
    rf"(?:место\s+рожд[а-я.]*|урожен(?:ец|ка|ца|ки|цу|ке|цем|кой))[\s:—–-]{{1,4}}(?:[\d.]{{8,10}}(?:\s?г\.?)?,?\s)?(?P<v>{part.TOWN}|{part.REGION}|{part.PLAIN_TOWN})"
)
_BOX = part.compiled(
    rf"(?:{part.INDEX}{part.SEP})(?:(?:{part.TOWN}|{part.PLAIN_TOWN}){part.SEP})?(?:а/я|абонентский\s+ящик)\s*№?\s*\d{{1,5}}(?!\w)"
)
_FLAT_HOUSE = part.compiled(rf"(?<![А-ЯЁа-яё]){part.MARKED_HOUSE}{part.SEP}кв(?:артира)?\.?\s*(?:№\s*)?\d{{1,4}}(?!\w)")
_LATIN_HOUSE = (
    r"(?:d|dom|house|bld)?\.?\s*\d{1,4}\w?(?:/\d+)?(?:[,\s]+(?:korp|k|str|kv|kvartira|apt|flat|of)\.?\s*\d{1,4}\w?)*"
    r"(?:,\s+(?-i:[A-Z])[a-z]{2,}(?=\s*(?:[.,;\n]|$)))?"
)
_LATIN = re.compile(
    r"(?<!\w)(?:ul|ulitsa|ulica|prospekt|pr-t|per|pereulok|nab|shosse"
    r"|bulvar|b-r)\.?\s+[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+){0,2}[,\s]+"
    rf"{_LATIN_HOUSE}|(?<!\w)(?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+)?\s+(?:ul|ulitsa|ulica|prospekt|pr-t|pereulok|nab|shosse|bulvar|b-r)"
    rf"\.?[,\s]+{_LATIN_HOUSE}",
    re.IGNORECASE,
)

_RIGHT = part.compiled(
    rf"(?:{part.SEP}(?:в\s+)?|\s*\()(?:{part.UNIT}|{part.DOOR})|(?:[\s,;"
    rf".]+(?:в\s+|,\s*)?(?:{part.TOWN}|{part.REGION}|{part.INDEX}"
    rf"|{part.COUNTRY}))"
)
_RIGHT_TOWN = re.compile(rf"(?:,\s+(?:в\s+)?|\s+в\s+)(?P<town>{part.PLAIN_TOWN.replace('(?-i:', '(?:')})")
_LEFT = part.compiled(
    rf"(?:{part.TOWN}|{part.SMALL_TOWN}|{part.REGION}|{part.COUNTRY}|{part.INDEX}"
    rf"|(?<![А-ЯЁа-яё]){part.STRONG}(?:\.\s*|\s+){part.NAME})(?:[\s,;.]{{1,4}}(?:на|по"
    rf"|в)?\s*)$"
)
_LEFT_TOWN = re.compile(rf"(?P<town>{part.PLAIN_TOWN.replace('(?-i:', '(?:')})[\s,;.]{{1,4}}(?:на\s+|по\s+)?$")
_LEFT_SMALL_TOWN = re.compile(r"(?<![А-ЯЁа-яё-])(?P<town>[а-яё]{3,}(?:-[а-яё]+)*)[\s,]{1,3}$")
_ASKED = re.compile(
    r"(?:адрес[а-я]*|прожива[а-я]+|прописан[а-я]*|зарегистрирован[а-я]*|жив[её]т|живу"
    r"|живём|живем|доставк[а-я]*|доставить|достав[а-я]+|привез[а-я]+|приезжай[а-я]*"
    r"|регистраци[а-я]+|прописк[а-я]+|место жительства|address|переехал[а-я]*|находи[а-я]+|куда|откуда|забрать|забер[а-я]+|везти|вез[а-я]+)[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
_ASKED_BEHIND = re.compile(r"[^.!?\n]{1,20}(?<![А-ЯЁа-яё])адрес(?:[еу]|ом)?(?![а-яё])", re.IGNORECASE)
_REACH = 90
_STREET = 20  # characters that tell whether an address is written in lower case


def find_addresses(text: str) -> Iterator[Entity]:
    """Private addresses; spans of several cores that touch are left to merging, which keeps the longest."""
    taken: list[tuple[int, int]] = []
    cores = sorted(_cores(text), key=lambda core: (core[0], -core[1]))
    for at, (start, end, score) in enumerate(cores):
        if any(start < other_end and end > other_start for other_start, other_end in taken):
            continue
        left, right = _grow_left(text, start), _grow_right(text, end)
        if listed := [other for other, _, _ in cores[at + 1 :] if end < other < right and ";" in text[end:other]]:
            right = listed[0]  # `п. Рефтинский, ул. Гагарина, д. 10; с. Кочкурово, д. 7`
        left, right = _trimmed(text, left, right)
        taken.append((left, right))
        yield Entity("ADDRESS", left, right, text[left:right], score, "russian.addresses")


_CORES = (
    ("street", _STRONG_CORE, 0.9),
    ("weak street", _WEAK_CORE, 0.85),
    ("inverted", _INVERTED, 0.9),
    ("house", _HOUSE_ON, 0.9),
    ("street", _SMALL_CORE, 0.8),
    ("asked", _SMALL_ASKED, 0.75),
    ("town", _PLACE_HOUSE, 0.8),
    ("latin", _LATIN, 0.8),
    ("naked", _NAKED, 0.75),
    ("on a street", _ON_STREET, 0.7),
    ("flat", _FLAT_HOUSE, 0.7),
    ("flat", _SMALL_NAKED, 0.7),
    ("box", _BOX, 0.8),
    ("birthplace", _BIRTHPLACE, 0.7),
)
"""(what a text must hold, the expression, its score)."""
_GATE = Gate(part.gates())


def _cores(text: str) -> Iterator[tuple[int, int, float]]:
    present = _GATE.present(text)
    for needed, pattern, score in _CORES:
        for match in pattern.finditer(text) if needed in present else ():
            if needed not in _DOUBTFUL or _DOUBTFUL[needed](text, match):
                yield *match.span("v" if "v" in match.re.groupindex else 0), score


def _naked_is_address(text: str, match: re.Match[str]) -> bool:
    """`Ленина 5-12` without `ул.`: the house must be called one, or the words before must speak of an address."""
    value = match.group().lower()
    if re.search(r"(?:^|[\s,])(?:д\.|дом)[\s\d]", value):
        return True
    if _ASKED.search(text[max(0, match.start() - 60) : match.start()]) or "адрес" in column_header(text, match.start()):
        return True
    if _ASKED_BEHIND.match(text, match.end()):
        return True
    town = _LEFT_TOWN.search(text[max(0, match.start() - 40) : match.start()])
    return bool(re.search(r"[\s,](?:кв|оф)", value)) or bool(town and _is_town(town.group("town")))


def _is_asked(text: str, match: re.Match[str]) -> bool:
    """In lower case `улица` and a number are an address where the words before ask for one."""
    return bool(_ASKED.search(text[max(0, match.start() - 60) : match.start()]))


def _is_asked_street(text: str, match: re.Match[str]) -> bool:
    """`Живу на Садовой, 15`: the name agrees with `улице`, or is somebody's in the genitive; no `на Урале, 3`."""
    if not _is_asked(text, match):
        return False
    words = re.split("[ -]", match["street"])
    agreeing = any(
        r.pos == "ADJF" and r.gender == "femn" and r.case in ("loct", "accs") for w in words for r in readings(w)
    )
    of_somebody = any("Surn" in r.marks and r.case == "gent" for r in readings(words[-1]))
    return agreeing or of_somebody and not traits(words[-1]).place


_DOUBTFUL = {"naked": _naked_is_address, "asked": _is_asked, "on a street": _is_asked_street}


def _grow_left(text: str, start: int) -> int:
    small = text[start : start + _STREET].islower()
    while True:
        left = text[max(0, start - _REACH) : start]
        if "\n" in left[-4:] or not left:
            return start
        if match := _LEFT.search(left):
            start -= len(left) - match.start()
            continue
        match = _LEFT_TOWN.search(left)
        if not match and small and (match := _LEFT_SMALL_TOWN.search(left)) and not _is_town(match["town"]):
            return start
        if not match or not (_is_town(match.group("town")) or _is_announced(left, match)):
            return start
        start -= len(left) - match.start()


def _grow_right(text: str, end: int) -> int:
    while True:
        if match := _RIGHT.match(text, end):
            if "\n" in match.group() and not re.match(r"\s*\n\s*(?:кв|корп|оф|\d{6})", match.group(), re.IGNORECASE):
                return end
            end = match.end()
        elif (match := _RIGHT_TOWN.match(text, end)) and _is_town(match.group("town")):
            end = match.end()
        else:
            return end


def _is_town(words: str) -> bool:
    """Whether capitalised words are a place (`Кашине`, `Верхний Баскунчак`) before they are a person."""
    found = [traits(word) for word in words.split()]
    if any((item.first and not item.place) or item.patronymic for item in found):
        return False
    if len(found) > 1 and readings(words.split()[0])[0].pos == "ADJF":
        return not any(item.surname == 2 and known(words.split()[-1]) for item in found[1:])
    return found[0].place or (found[-1].place and len(found) > 1)


_ANNOUNCED = re.compile(
    r"(?:адрес[а-я]*|прожива[а-я]+"
    r"|город)\s*[\"']?\s*[:;—–-]?\s*[\"'«]?$|[\"';"
    r"|\t]\s*$|^$|\n$",
    re.IGNORECASE,
)


def _is_announced(left: str, match: re.Match[str]) -> bool:
    """A town that no dictionary knows, in front of a street: right behind `адрес`, or no name by any reading."""
    words = match.group("town")
    if not left[match.end("town") :].startswith(","):
        return False
    if _ANNOUNCED.search(left[: match.start()]):
        return True
    found = [traits(word) for word in words.split()]
    if any(item.first or item.patronymic or item.verb or item.role for item in found) or re.search(
        r"\bпо\b|\bна\b", left[match.end("town") :]
    ):
        return False
    return not any(known(word) for word in words.split())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " ,;.\n\t(":
        start += 1
    while end > start and text[end - 1] in " ,;\n\t":
        end -= 1
    return start, end
