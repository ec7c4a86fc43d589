"""Files as fields: which parts of a text, CSV, JSON or JSONL piece hold values, and how a masked one is written back.

A field keeps its place in the raw text, so that everything around it (indentation, quotes, separators, key order, line
ends) stays byte for byte. Fields of one piece are analysed together, each behind the name of its key or column.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from gateway.errors import PayloadError

PIECE = 32_768  # characters of one piece of plain text, and of rows that are analysed together
LONGEST = 64 * 1024 * 1024  # characters of one JSON document or line
LONGEST_ROW = 256 * 1024  # a quote that is still open after that is no quote

_CONTAINERS = {b"%PDF-": "a PDF", b"PK\x03\x04": "a zip file or an office document", b"{\\rtf": "an RTF document"}

_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*|[\[\]{},]', re.DOTALL)


def why_no_text(start: bytes) -> str:
    """What is wrong with a file that begins so; "" for text. A masked copy of a packed file would only look masked."""
    kind = next((kind for magic, kind in _CONTAINERS.items() if start.startswith(magic)), "")
    if kind:
        return f"this is {kind}, whose text lies packed inside; take the text out first and mask that"
    return "this is no text: it holds zero bytes" if b"\0" in start else ""


@dataclass(frozen=True, slots=True)
class Field:
    """`text` is the decoded value at raw offsets `start` to `end`; `kind` says how it is written back.

    In JSON the fields of one list or object have the same `container`."""

    start: int
    end: int
    text: str
    key: str = ""
    kind: str = "text"
    container: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file that is masked together."""

    raw: str
    fields: tuple[Field, ...]
    fault: str = ""
    """What is wrong with it, where, and what is done about it."""

    def view(self) -> tuple[str, tuple[int, ...]]:
        """The text that a detector sees, and where in it each field starts."""
        parts: list[str] = []
        starts: list[int] = []
        place = 0
        for field in self.fields:
            head = f"{field.key}: " if field.key else ""
            starts.append(place + len(head))
            parts.append(f"{head}{field.text}")
            place += len(head) + len(field.text) + 1
        return "\n".join(parts), tuple(starts)

    def with_texts(self, texts: Sequence[str]) -> str:
        """The raw piece with the fields' new texts."""
        out: list[str] = []
        done = 0
        for field, text in zip(self.fields, texts, strict=True):
            same = text == field.text
            written = self.raw[field.start : field.end] if same else _write(field, self.raw, text)
            out += (self.raw[done : field.start], written)
            done = field.end
        return "".join((*out, self.raw[done:]))


def _write(field: Field, raw: str, text: str) -> str:
    if field.kind == "text":
        return text
    if field.kind == "cell":
        return text.replace('"', '""') if raw[field.start - 1 : field.start] == '"' else text
    ascii_only = "\\u" in raw[field.start : field.end]
    written = json.dumps(text, ensure_ascii=ascii_only)
    return written if field.kind == "number" else written[1:-1]


def pieces(path: Path, lines: TextIO) -> Iterator[Piece]:
    """The pieces of an open file, by its suffix; everything unknown is plain text."""
    reader: dict[str, Callable[[TextIO], Iterator[Piece]]] = {
        ".jsonl": _jsonl,
        ".ndjson": _jsonl,
        ".json": _json,
        ".csv": _csv,
        ".tsv": _csv,
    }
    return reader.get(path.suffix.lower(), _text)(lines)


def _text(lines: TextIO) -> Iterator[Piece]:
    held: list[str] = []
    size = 0
    while line := lines.readline(PIECE):
        if size + len(line) > PIECE or (size > PIECE // 2 and not line.strip()):
            yield _plain("".join(held))
            held, size = [], 0
        held.append(line)
        size += len(line)
    if held:
        yield _plain("".join(held))


def _plain(raw: str) -> Piece:
    return Piece(raw, (Field(0, len(raw), raw),))


def _jsonl(lines: TextIO) -> Iterator[Piece]:
    number = 0
    while line := lines.readline(LONGEST):
        number += 1
        try:
            yield Piece(line, tuple(json_fields(line)))
        except PayloadError:
            yield replace(_plain(line), fault=f"line {number}: no JSON, so it was masked as plain text")


def _json(lines: TextIO) -> Iterator[Piece]:
    raw = lines.read(LONGEST + 1)
    if len(raw) > LONGEST:
        raise PayloadError(f"a JSON document over {LONGEST >> 20} MB is not read whole: give it as JSONL")
    yield Piece(raw, tuple(json_fields(raw, "the document")))


def json_fields(raw: str, where: str = "the document") -> Iterator[Field]:
    """Strings, keys and numbers of a JSON text, with the key that each stands under."""
    if not raw.strip():
        return
    try:
        json.loads(raw)
    except ValueError:
        raise PayloadError(f"{where}: no JSON, so it cannot be masked") from None
    around: list[tuple[str, int]] = []
    key, container = "", 0
    for match in _JSON_TOKEN.finditer(raw):
        token = match[0]
        if token[0] in "{[":
            around.append((key, container))
            container = match.end()
        elif token[0] in "}]":
            key, container = around.pop() if around else ("", 0)
        elif token[0] != '"' and token != ",":
            yield Field(match.start(), match.end(), token, key, "number", container)
        elif token != ",":
            text = json.loads(f'"{match[1]}"', strict=False)
            yield Field(match.start(1), match.end(1), text, "" if match[2] else key, "string", container)
            key = text if match[2] else key


def _csv(lines: TextIO) -> Iterator[Piece]:
    first = _row(lines)
    if not first:
        return
    delimiter = _delimiter(first)
    header = [text for _, _, text in _cells(first, delimiter)]
    named = _is_header(header)
    raw = ""
    fields: list[Field] = []
    for number, row in enumerate(_rows(first, lines)):
        for column, (start, end, text) in enumerate(_cells(row, delimiter)):
            key = header[column] if named and number and column < len(header) else ""
            fields.append(Field(len(raw) + start, len(raw) + end, text, key, "cell"))
        raw += row
        if len(raw) > PIECE // 4:
            yield Piece(raw, tuple(fields))
            raw, fields = "", []
    if raw:
        yield Piece(raw, tuple(fields))


def _rows(first: str, lines: TextIO) -> Iterator[str]:
    row = first
    while row:
        yield row
        row = _row(lines)


def _row(lines: TextIO) -> str:
    """One record with its line end; quotes may hold line ends."""
    row = lines.readline()
    while row.count('"') % 2 and len(row) < LONGEST_ROW and (more := lines.readline()):
        row += more
    return row


def _delimiter(first: str) -> str:
    try:
        return csv.Sniffer().sniff(first, ",;\t|").delimiter
    except csv.Error:
        return "\t" if "\t" in first else ";" if ";" in first else ","


def _cells(row: str, delimiter: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and decoded text of each cell; quotes stay outside the offsets."""
    rule = re.compile(rf'"((?:[^"]|"")*)"|([^{re.escape(delimiter)}\r\n]*)')
    place = 0
    while place <= len(row):
        match = rule.match(row, place)
        if match is None:
            return
        group = 1 if match[1] is not None else 2
        text = match[group].replace('""', '"') if group == 1 else match[group]
        yield match.start(group), match.end(group), text
        end = row.find(delimiter, match.end())
        if end < 0:
            return
        place = end + len(delimiter)


def _is_header(cells: Sequence[str]) -> bool:
    """Names of columns: short words, no digits, no @, none twice."""
    words = [cell.strip() for cell in cells]
    named = all(re.fullmatch(r"[^\W\d][\w .-]{0,40}", word) for word in words)
    return bool(words) and named and len(set(words)) == len(words)
