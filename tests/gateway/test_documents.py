"""Files as fields: everything but the values stays byte for byte."""

import io
import json
from pathlib import Path

import pytest

from gateway.detect.entity import Entity
from gateway.documents import Piece, json_fields, pieces
from gateway.errors import PayloadError


def of(name: str, text: str) -> list[Piece]:
    return list(pieces(Path(name), io.StringIO(text, newline="")))


FILES = [
    ("a.txt", "one\r\ntwo\n\n" * 9000 + "end"),
    ("a.md", "x" * 200_000),
    ("a.csv", 'name;mail\r\n"A ""B"", C";a@b.example\r\nD;\r\n"two\nlines";x'),
    ("a.tsv", "a\tb\n1\t2\n\n3\n"),
    ("a.csv", 'one "stray quote,x\n' * 20),
    ("a.jsonl", '{"a": 1}\n\n{"b": ["\\u0410", {"c": 2.50e3}]}\n'),
    ("a.json", '{\n  "a" : [1, "x\\n\\"", null, true],\n "b":{}}\n'),
    ("a.csv", ""),
]


@pytest.mark.parametrize(("name", "text"), FILES)
def test_unchanged_fields_give_the_file_back(name: str, text: str) -> None:
    read = of(name, text)
    assert "".join(piece.raw for piece in read) == text
    assert "".join(piece.with_texts([field.text for field in piece.fields]) for piece in read) == text


def test_fields_know_their_key_or_column() -> None:
    (piece,) = of("a.csv", 'name,mail\n"Vance, Ada",a@b.example\n')
    assert [(field.key, field.text) for field in piece.fields][2:4] == [("name", "Vance, Ada"), ("mail", "a@b.example")]
    fields = list(json_fields('{"who": {"name": "Ada", "tags": ["x", {"y": 1}], "z": 2}}'))
    assert [(f.key, f.text) for f in fields if f.key] == [("name", "Ada"), ("tags", "x"), ("y", "1"), ("z", "2")]


def test_the_view_shows_keys_and_where_fields_start() -> None:
    (piece,) = of("a.jsonl", '{"name": "Ada", "n": 5}')
    view, starts = piece.view()
    assert view == "name\nname: Ada\nn\nn: 5"
    assert [view[start : start + len(field.text)] for start, field in zip(starts, piece.fields, strict=True)] == [
        field.text for field in piece.fields
    ]


def test_new_texts_are_escaped_as_the_file_is() -> None:
    (piece,) = of("a.json", '{"a": "\\u0410 x", "b": "y", "n": 12}')
    new = [
        {"a": "a", "А x": 'Ё "q"', "b": "b", "y": 'Ж\\"', "n": "n", "12": "<CARD_1>"}[field.text]
        for field in piece.fields
    ]
    written = piece.with_texts(new)
    assert json.loads(written) == {"a": 'Ё "q"', "b": 'Ж\\"', "n": "<CARD_1>"}
    assert "\\u0401" in written
    assert "Ж" in written
    (row,) = of("a.csv", '"x ""y""",z\n')
    assert row.with_texts(['say "hi"', "w"]) == '"say ""hi""",w\n'


def test_a_line_that_is_no_json_is_plain_text_with_its_number() -> None:
    whole, broken = of("a.jsonl", '{"a": 1}\n{"a": \n')
    assert not whole.fault
    assert broken.fault.startswith("line 2: no JSON")
    assert [field.text for field in broken.fields] == ['{"a": \n']


def test_a_document_that_is_no_json_is_refused() -> None:
    with pytest.raises(PayloadError, match="no JSON"):
        of("a.json", '{"a": ')


def test_an_entity_over_two_fields_is_cut_at_the_border() -> None:
    from gateway.batch import _by_field

    (piece,) = of("a.csv", "Ada,Vance\n")
    view, _ = piece.view()
    found = _by_field(piece, [Entity("PERSON", 0, len(view), view, 1.0, "t")])
    assert [[entity.text for entity in field] for field in found] == [["Ada"], ["Vance"]]
