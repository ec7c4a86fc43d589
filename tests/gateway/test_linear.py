"""Twice the text is twice the work, counted in calls and not in seconds."""

import sys
from collections.abc import Callable

import pytest

from gateway.detect.entity import Entity
from gateway.detect.merge import merge
from gateway.known import KnownForms


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def _one_name_repeated(size: int) -> Callable[[], object]:
    """The whole text is one value, and each of its words could begin it again."""
    text, known = "Иванов " * size, KnownForms()
    known.add(text.strip(), "<PERSON_1>")
    return lambda: known.find(text)


def _half_of_it_known(size: int) -> Callable[[], object]:
    text, known = "Иванов " * size + "и " + "Иванов " * size, KnownForms()
    known.add(("Иванов " * size).strip(), "<PERSON_1>")
    return lambda: known.find(text)


def _chain(size: int) -> Callable[[], object]:
    """Every candidate overlaps the next one, as in `password=password=…`."""
    found = [Entity("SECRET", at * 9, at * 9 + 13, "word=password", 0.7 + at % 3 / 10, "x") for at in range(size)]
    return lambda: merge(found)


def _nested(size: int) -> Callable[[], object]:
    inner = [Entity("PERSON", at * 5, at * 5 + 4, "Anna", 0.8, "x") for at in range(size)]
    return lambda: merge([Entity("ADDRESS", 0, size * 5, "Anna " * size, 0.7, "x"), *inner])


@pytest.mark.parametrize("build", [_one_name_repeated, _half_of_it_known, _chain, _nested])
def test_work_grows_with_the_text(build: Callable[[int], Callable[[], object]]) -> None:
    assert _calls(build(1600)) < 2.3 * _calls(build(800))


def test_a_page_that_is_one_value_is_found_again() -> None:
    page, known = "Иванов Пётр " * 300, KnownForms()
    known.add(page.strip(), "<PERSON_1>")
    text = "См. " + page.strip() + ", далее " + page.strip() + "."
    assert [text[hit.start : hit.end] for hit in known.find(text)] == [page.strip()] * 2


def test_what_is_covered_goes_unless_it_is_checked() -> None:
    long, half, checked = (
        Entity("ID_NUMBER", 0, 20, "1" * 20, 0.7, "x"),
        Entity("ID_NUMBER", 0, 8, "1" * 8, 0.9, "x"),
        Entity("ID_NUMBER", 9, 20, "1" * 11, 0.9, "x", checked=True),
    )
    assert merge([half, long]) == [long]
    assert checked in merge([long, checked])
