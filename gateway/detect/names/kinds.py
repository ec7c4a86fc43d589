"""Lists and columns of one kind of thing: towns, brands, clubs. What stands in one is no person, whatever its name."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from gateway.detect.names.lists import is_core_first, is_first, is_thing, strong_first, word_list
from gateway.detect.scan import Gate
from gateway.detect.tables import cells

_ITEM = r"[A-Z][\w'’.+#&-]{0,30}(?: [A-Z][\w'’.+#&-]{0,30})?"
_BETWEEN = r"(?:,? (?:and|or|to|then) |, ?|; ?|[ \t]?\|[ \t]?|\t|\n(?:[-*•] |\d{1,2}[.)] )?)"
_LIST = re.compile(rf"(?<![\w'’.+#&-]){_ITEM}(?:{_BETWEEN}{_ITEM}){{2,}}(?=\W|$)")
_MANY = 4
"""Names that all are towns too, say, and hardly by chance."""
_SPLIT = re.compile(_BETWEEN)
_COLUMNS = frozenset(
    "city town location office country state region province county site branch team department dept division company"
    " product brand make model item category language month day weekday school university college airport station venue"
    " project service tool currency title genre status type"
    " город область регион страна район отдел департамент подразделение филиал команда товар продукт модель марка бренд категория"
    " язык месяц день проект станция школа вуз должность статус предмет".split()
)
_PEOPLE = frozenset(
    "name first_name firstname attendee guest rep agent owner assignee author reviewer lead coach tutor".split()
)
_GUESTS = re.compile(
    r"(?i)\b(?:attendees|guests|present|participants|invitees|members|players|passengers|children|kids|pupils|students|staff|crew|cast|speakers|volunteers|apologies|absent): ?$"
)
_BEGINS, _ENDS = r"(?m:^|[,;|\t\"']) ?", r" ?(?m:[,;|\t\"']|\r?$)"
_GATE = Gate(
    {
        "people": f"{_BEGINS}(?:{'|'.join(sorted(_PEOPLE))}){_ENDS}",
        "listed": rf"(?-i:[A-Z]\S*(?: [A-Z]\S*)?{_BETWEEN}[A-Z]\S*(?: [A-Z]\S*)?{_BETWEEN}[A-Z])",
        "things": f"{_BEGINS}(?:{'|'.join(sorted(_COLUMNS))}){_ENDS}",
    }
)


@cache
def _kinds() -> dict[str, frozenset[str]]:
    """Names of one kind each; most are also names of people."""
    table = tomllib.loads(files("gateway.detect").joinpath("data/kinds.toml").read_text(encoding="utf-8"))
    kinds = {name: frozenset(value.split("|")) for name, value in table.items()}
    kinds["towns"] |= word_list("places")
    kinds["brands"] |= word_list("products")
    return kinds


def people_in_columns(text: str) -> Iterator[tuple[int, int]]:
    """Grace and Mark under `name`: a first name that may be a word is one there."""
    if "people" in _GATE.present(text):
        for column, start, cell in cells(text, lambda label: _is_of_people(label) or _is_column(label)):
            if _is_of_people(column) and cell.istitle() and is_core_first(cell.lower()):
                yield start, start + len(cell)


def _is_of_people(label: str) -> bool:
    return label.strip(" \"'").lower() in _PEOPLE


def people_listed(text: str) -> Iterator[tuple[int, int]]:
    """Wren, Bo, Pearl: the items of a list that all are first names, one at least nothing else, or behind `Guests:`."""
    for match in _LIST.finditer(text) if "listed" in _GATE.present(text) else ():
        items = _SPLIT.split(match.group())
        lowers = {item.lower() for item in items}
        guests = _GUESTS.search(text, max(0, match.start() - 16), match.start())
        sure = guests or any(map(strong_first, lowers)) and not _is_of_one_kind(lowers)
        if sure and all(map(is_first, lowers)):
            at = match.start()
            for item in items:
                at = text.index(item, at)
                yield at, at + len(item)
                at += len(item)


def _is_of_one_kind(items: set[str]) -> bool:
    telling = not all(map(is_first, items)) or 2 * sum(map(is_thing, items)) >= len(items) or len(items) >= _MANY
    return telling and any(items <= kind for kind in _kinds().values())


def things_listed(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lists whose items all are of one kind, one at least no first name, or half of them known."""
    for match in _LIST.finditer(text) if "listed" in _GATE.present(text) else ():
        if _is_of_one_kind({item.lower() for item in _SPLIT.split(match.group())}):
            yield match.span()


def is_club(word: str) -> bool:
    """A club, in lower case."""
    return word in _kinds()["clubs"]


def is_brand(word: str) -> bool:
    """A brand, in lower case."""
    return word in _kinds()["brands"]


def in_columns_of_things(text: str) -> Iterator[tuple[int, int]]:
    """The cells under `city` or `team`; what is more than a word there may be somebody."""
    if "things" in _GATE.present(text):
        for column, start, cell in cells(text, _is_column):
            if _is_column(column) and " " not in cell.strip():
                yield start, start + len(cell)


def _is_column(label: str) -> bool:
    return label.strip(" \"'").lower() in _COLUMNS
