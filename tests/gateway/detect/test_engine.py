"""Failing closed, windows, allow-lists, offsets and the cache."""

import contextlib
import itertools
import re
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.detect.analyzer import build_analyzer
from gateway.detect.engine import (
    OVERLAP,
    WINDOW,
    CustomPattern,
    Detector,
    DetectorSettings,
    WordList,
    load_detector,
    windows,
)
from gateway.detect.entity import Entity
from gateway.detect.names.finder import Names
from gateway.detect.names.judge import persons
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import words
from gateway.errors import ConfigError, DetectionError

_LIGHT = {"languages": ("en",), "ner": False}


def light(**options: object) -> Detector:
    return load_detector(DetectorSettings(**{**_LIGHT, **options}))  # type: ignore[arg-type]


def test_a_detector_that_raises_stops_the_request_without_the_value() -> None:
    def broken(text: str) -> list[object]:
        raise ValueError(text)

    detector = Detector(DetectorSettings(), build_analyzer([("broken", broken)]))  # type: ignore[list-item]
    with pytest.raises(DetectionError) as caught:
        detector.find("call Ada Vance")
    assert "Ada" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_custom_pattern_out_of_time_is_an_error() -> None:
    detector = light(patterns=(CustomPattern("slow", r"(x+x+)+[yz]"),), regex_timeout=0.05)
    with pytest.raises(DetectionError, match="slow"):
        detector.find("x" * 5000)


def test_a_text_out_of_time_is_an_error() -> None:
    with pytest.raises(DetectionError, match="out of time"):
        light(timeout=0.0).find("hello there")


def test_no_finder_runs_once_the_time_is_over() -> None:
    ran: list[str] = []

    def slow(text: str) -> list[Entity]:
        ran.append("slow")
        time.sleep(0.06)
        return []

    def late(text: str) -> list[Entity]:
        ran.append("late")
        return []

    detector = Detector(DetectorSettings(timeout=0.05), build_analyzer([("slow", slow), ("late", late)]))
    with pytest.raises(DetectionError, match="out of time") as caught:
        detector.find("call Ada Vance")
    assert ran == ["slow"]
    assert "Ada" not in str(caught.value)


def test_the_recogniser_is_not_asked_about_words_that_others_found() -> None:
    asked: list[str] = []

    def recogniser(sentences: list[str]) -> list[tuple[()]]:
        asked.extend(sentences)
        return [()] * len(sentences)

    text = "Ship it to 3016 Thomas Brook, Sandymount. Then Sandymount called."
    address = Entity("LOCATION", 11, 40, text[11:40], 0.9, "test")
    list(Names(recogniser, [address])(text))  # type: ignore[arg-type]
    assert asked == ["Then Sandymount called."]
    list(Names(recogniser, [address])("Nothing stands there, says Sandymount."))  # type: ignore[arg-type]
    assert asked[1:] == ["Nothing stands there, says Sandymount."]


def test_a_text_does_not_wait_for_others_beyond_its_time() -> None:
    entered, leave = threading.Event(), threading.Event()

    def held(text: str) -> list[Entity]:
        entered.set()
        leave.wait(10)
        return []

    detector = Detector(DetectorSettings(timeout=0.05), build_analyzer([("held", held)]))

    def first() -> None:
        with contextlib.suppress(DetectionError):  # it comes too late itself
            detector.find("the first text")

    other = threading.Thread(target=first)
    other.start()
    entered.wait(10)
    try:
        with pytest.raises(DetectionError, match="waited too long"):
            detector.find("the second text")
    finally:
        leave.set()
        other.join()


def test_a_page_of_capitals_does_not_cost_its_square() -> None:
    looked = 0

    def counted(start: int) -> str:
        nonlocal looked
        looked += 1
        return ""

    text = "Abc " * 2000
    run = list(words(text, 0, len(text)))
    assert not list(persons(run, Scene(text, "en", (), 0, len(text)), counted))
    assert looked <= len(run)


def test_a_wrong_custom_pattern_is_named() -> None:
    with pytest.raises(ConfigError, match="order"):
        light(patterns=(CustomPattern("order", "("),))


def test_custom_patterns_and_lists() -> None:
    detector = light(patterns=(CustomPattern("order", r"ORD-\d{4}"),), words=(WordList("code names", ("Blue Heron",)),))
    found = {e.text: e.type for e in detector.find("ORD-1234 belongs to project blue  heron.")}
    assert found == {"ORD-1234": "CUSTOM", "blue  heron": "CUSTOM"}


def test_allow_list_takes_whole_values_only() -> None:
    detector = light(allow=("Ada Vance Foundation", "support@ridge.example", "ridge.example"))
    text = "Ada Vance of the Ada Vance Foundation, mail Support@ridge.example or ada@ridge.example"
    assert [(e.text, e.start) for e in detector.find(text)] == [
        ("Ada Vance", 0),
        ("ada@ridge.example", text.index("ada@")),
    ]


def test_public_persons_pass_until_switched_off() -> None:
    text = "We read about Albert Einstein."
    assert not light().find(text)
    assert light(public_persons=False).find(text)


@pytest.mark.parametrize("before", [WINDOW - 8, WINDOW - OVERLAP - 8, WINDOW - OVERLAP + 3, 2 * WINDOW - OVERLAP - 9])
def test_a_value_on_a_cut_is_masked_whole(before: int) -> None:
    text = ("lorem ipsum " * (before // 12 + 1))[:before] + " 4111 1111 1111 1111 and more words" + " dolor" * 5000
    cards = [e for e in light().find(text) if e.type == "CREDIT_CARD"]
    assert [e.text for e in cards] == ["4111 1111 1111 1111"]


def test_windows_cover_a_text_and_stay_when_it_grows() -> None:
    text = "a line of words\n" * 5000
    spans = list(windows(text))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(left[1] > right[0] for left, right in itertools.pairwise(spans))
    assert list(windows(text + "more\n" * 20))[: len(spans) - 1] == spans[:-1]


def test_offsets_refer_to_the_original(detector: Detector) -> None:
    text = "mail k\u200bira@lab.example and &#65;da Vance, tel ２１２-５５５-０１９９"
    for entity in detector.find(text):
        assert text[entity.start : entity.end] == entity.text
    assert "k\u200bira@lab.example" in [e.text for e in detector.find(text)]


def test_the_cache_keeps_no_text() -> None:
    detector = light(cache_size=16)
    detector.find("write to ada@vance.example")
    assert "ada@vance" not in repr(detector._cache._items)


def test_equal_texts_give_equal_entities(detector: Detector) -> None:
    text = "Rosalind Achebe, rosa@achebe.example"
    assert detector.find(text) == detector.find(text)


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_text_is_sorted_and_without_overlaps(text: str) -> None:
    entities = load_detector().find(text)
    assert all(left.end <= right.start for left, right in itertools.pairwise(entities))
    assert all(text[e.start : e.end] == e.text and e.text for e in entities)


def test_masked_code_is_valid_code(detector: Detector) -> None:
    code = (
        'class Victoria(Base):\n    """Written by Ada Vance."""\n    owner = "Ada Vance"\n'
        "    def carlos(self):\n        return self.grace + Jordan.smith()\n"
    )
    for entity in reversed(detector.find(code)):
        code = f"{code[: entity.start]}<{entity.type}_1>{code[entity.end :]}"
    compile(code, "masked", "exec")
    assert not re.search("Ada|Vance", code)


def test_towns_and_organisations_only_when_asked() -> None:
    text = "Victoria Obi of Northwind Traders Inc moved to Rotterdam."
    quiet = {(e.text, e.type) for e in load_detector().find(text)}
    asked = {(e.text, e.type) for e in load_detector(DetectorSettings(organizations=True, locations=True)).find(text)}
    assert quiet == {("Victoria Obi", "PERSON")}
    assert {("Victoria Obi", "PERSON"), ("Rotterdam", "LOCATION")} <= asked
    assert "ORGANIZATION" in {kind for _, kind in asked}
