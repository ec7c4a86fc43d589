"""Cells of tables under the names of their columns: CSV, Markdown, INSERT statements of SQL."""

import re
from collections.abc import Callable, Iterator

_HEADER_CELL = re.compile(r"\s*[\"']?(?:[^\W\d_][\w()/.'#-]*(?: [\w()/.'#-]+){0,3})?[\"']?\s*")
_HEADER_LENGTH = 2000
_DELIMITERS = (";", "\t", "|", ",")
_INSERT = re.compile(r"(?i)\(([^()\n]{1,800})\)\s{0,8}values\s{0,8}(?=\()")
_TUPLE = re.compile(r"\s{0,8},?\s{0,8}\((?P<cells>(?:'(?:[^']|'')*+'|[^()'])*+)\)")
_CELL = re.compile(r"\s*(?:'(?P<quoted>(?:[^']|'')*+)'|(?P<plain>[^,']+))\s*(?:,|$)")

IsColumn = Callable[[str], bool]


def cells(text: str, is_column: IsColumn) -> Iterator[tuple[str, int, str]]:
    """(column, start, cell) of each row under a header that holds a name for which `is_column` is true."""
    yield from _rows(text, is_column)
    for insert in _INSERT.finditer(text):
        header = [column.strip(' `"[]\n') for column in insert[1].split(",")]
        position = insert.end()
        while row := _TUPLE.match(text, position):
            yield from _inserted(header, row)
            position = row.end()


def _inserted(header: list[str], row: "re.Match[str]") -> Iterator[tuple[str, int, str]]:
    found = list(_CELL.finditer(row["cells"]))
    for column, cell in zip(header, found, strict=True) if len(header) == len(found) else ():
        group = str(cell.lastgroup)
        yield column, row.start("cells") + cell.start(group), cell[group]


def _rows(text: str, is_column: IsColumn) -> Iterator[tuple[str, int, str]]:
    """Lines under a header; the header's delimiter counts."""
    header: list[str] | None = None
    delimiter = ""
    position = 0
    for line in text.splitlines(keepends=True):
        row = line.rstrip("\r\n").split(delimiter) if header else []
        if header and len(row) == len(header):
            start = position
            for label, cell in zip(header, row, strict=True):
                yield label, start, cell
                start += len(cell) + 1
        elif header and line.strip(" |-:\t\r\n+="):
            header = None
        if header is None:
            header, delimiter = _header(line, is_column)
        position += len(line)


def _header(line: str, is_column: IsColumn) -> tuple[list[str] | None, str]:
    for delimiter in _DELIMITERS:
        row = line.strip("\r\n").split(delimiter)
        if len(row) < 2 or len(line) > _HEADER_LENGTH:
            continue
        if not all(map(_HEADER_CELL.fullmatch, row)):
            continue
        known = sum(map(is_column, row))
        if known and (known >= 2 or len(row) >= 3 or delimiter != ","):
            return row, delimiter
    return None, ""
