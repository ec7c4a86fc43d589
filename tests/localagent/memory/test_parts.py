"""Passages know where they stand, and words find their other forms."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.memory.passages import MOST, passages
from localagent.memory.words import match_any, terms

LINES = st.lists(
    st.sampled_from(["", "  ", "# Head", "short line", "x" * 300, "y" * 3000, "word " * 500, "\tтекст", "---"]),
    max_size=40,
)


@given(LINES)
@settings(deadline=None, max_examples=150)
def test_nothing_is_lost_and_every_passage_stands_where_it_says(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = list(passages(text))
    assert "".join("".join(p.text.split()) for p in found) == "".join(text.split())
    for p in found:
        assert len(p.text) <= MOST + 1
        assert p.text.split("\n")[0].strip() in lines[p.line - 1]
        assert p.text.split("\n")[-1].strip() in lines[p.last - 1]
    assert [p.line for p in found] == sorted(p.line for p in found)


def test_a_passage_knows_its_heading() -> None:
    text = "intro\n\n# Leave\n\nTwenty-eight days.\n\n## Sick\n\nCall before nine.\n"
    assert [(p.line, p.heading, p.text.split("\n")[-1]) for p in passages(text)] == [
        (1, "", "intro"), (3, "Leave", "Twenty-eight days."), (7, "Sick", "Call before nine."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("invoices", "the invoice of May"),
        ("paying an invoice", "all invoices"),
        ("договоры аренды", "по договору об аренде"),
        ("сотрудник", "двум сотрудникам"),
        ("ёлка", "купили елку"),
        ("елка", "купили ёлку"),
        ("RG-2291", "contract RG-2291 ends"),
        ("Café", "a cafe nearby"),
    ],
)
def test_a_word_finds_its_other_forms(question: str, text: str) -> None:
    assert holds(question, text)


@pytest.mark.parametrize(("question", "text"), [("кот", "который час"), ("art", "start the party"), ("2291", "22910")])
def test_a_word_finds_no_other_word(question: str, text: str) -> None:
    assert not holds(question, text)


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=100)
def test_no_question_is_an_operator(question: str) -> None:
    holds(question, "some text")


def holds(question: str, text: str) -> bool:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')")
    connection.execute("INSERT INTO t VALUES (?)", (text,))
    wanted = match_any(question)
    return bool(wanted) and bool(connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (wanted,)).fetchone()[0])


def test_a_question_of_small_words_keeps_them() -> None:
    assert terms("Where is the rent?") == ("rent",)
    assert terms("to be or not to be") == ("to", "be", "or", "not")
