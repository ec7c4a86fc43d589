"""Normalising, merging, checksums, languages and the pattern scanner on their own."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.detect import scan
from gateway.detect.cache import SegmentCache, digest
from gateway.detect.checks import base58check, card_brand, ip_address, luhn
from gateway.detect.entity import Entity
from gateway.detect.fields import fold
from gateway.detect.languages import language, sentences
from gateway.detect.merge import merge
from gateway.detect.names.finder import cue
from gateway.detect.normalise import _ODD, _odd, normalise
from gateway.detect.numbers import cards, ibans
from gateway.detect.phones import phones


@given(st.text(alphabet=st.sampled_from("aЖ1１\u200b\u00a0‑&#@;%42\\nuо0 é\u0301.,"), max_size=80))
@settings(max_examples=200, deadline=None)
def test_every_character_of_a_view_leads_back_in_order(text: str) -> None:
    view = normalise(text)
    spans = [view.span(i, i + 1) for i in range(len(view.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(left[0] <= right[0] for left, right in itertools.pairwise(spans))


@given(st.text(alphabet=st.sampled_from("aЖ1１\u200b\u00a0\u00ad‑&#@;%42\\nu0 é\u0301.,·²。[(dot)]’٣𝐀x"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_nothing_odd_begins_where_it_is_not_looked_for(text: str) -> None:
    assert [m.span() for m in _odd(text)] == [m.span() for m in _ODD.finditer(text)]


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("k\u200bira", "kira"),
        ("４１１１", "4111"),
        ("212‑555", "212-555"),
        ("a&#64;b &commat; &amp;", "a@b @ &"),
        ("a%40b%20c", "a@b c"),
        ('\\u0410\\n\\"x', 'А\n"x'),
        ("Аda", "Ada"),
        ("пaроль", "пароль"),
        ("C:\\new\\table", "C:\\new\\table"),
        ("e\u0301t\u00e9", "été"),
        ("a&nbsp;b&shy;c", "a bc"),
        ("a%C2%A0b", "a b"),
        ("a\\\\u0040b\\u00a0c", "a@b c"),
        ("passport4510 123456", "passport 4510 123456"),
        ("4111111111111111exp12/27", "4111111111111111 exp12/27"),
        ("tel2 card12 phone_number1", "tel2 card12 phone_number1"),
        ("100%", "100%"),
        ("𝐀𝐝𝐚", "Ada"),
        ("٠١٢", "012"),
    ],
)
def test_plain_forms(odd: str, plain: str) -> None:
    assert normalise(odd).text == plain


def entity(kind: str, start: int, end: int, score: float = 0.8, checked: bool = False) -> Entity:
    return Entity(kind, start, end, "x" * (end - start), score, "test", checked)


def test_checksum_beats_shape_and_containers_beat_parts() -> None:
    assert [e.type for e in merge([entity("PHONE_NUMBER", 0, 11, 0.9), entity("PL_PESEL", 0, 11, 0.9, True)])] == [
        "PL_PESEL"
    ]
    assert [e.type for e in merge([entity("SECRET", 0, 40), entity("EMAIL_ADDRESS", 10, 20)])] == ["SECRET"]
    assert [e.type for e in merge([entity("ADDRESS", 0, 30), entity("PERSON", 3, 9, 0.9)])] == ["ADDRESS"]


def test_an_overlap_opens_no_gap() -> None:
    merged = merge([entity("PERSON", 0, 12), entity("PHONE_NUMBER", 8, 20, 0.9)])
    assert {i for e in merged for i in range(e.start, e.end)} == set(range(20))


def test_the_whole_name_beats_its_better_scored_half() -> None:
    assert [(e.start, e.end) for e in merge([entity("PERSON", 0, 9, 0.7), entity("PERSON", 4, 9, 0.9)])] == [(0, 9)]


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 12), st.sampled_from(["PERSON", "SECRET", "US_SSN"])), max_size=12
    )
)
@settings(max_examples=150, deadline=None)
def test_merging_never_overlaps_and_covers_all_that_is_sure(spans: list[tuple[int, int, str]]) -> None:
    candidates = [entity(kind, start, start + length) for start, length, kind in spans]
    merged = merge(candidates)
    assert all(left.end <= right.start for left, right in itertools.pairwise(merged))
    covered = {i for e in merged for i in range(e.start, e.end)}
    wanted = {i for e in candidates for i in range(e.start, e.end)}
    assert len(wanted - covered) <= 2 * len(candidates)


def test_checks() -> None:
    assert luhn("4111 1111 1111 1111")
    assert not luhn("4111 1111 1111 1112")
    assert card_brand("2200000000000004") == "mir"
    assert card_brand("1748503543004") == ""
    assert base58check("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")
    assert not base58check("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb")
    assert ip_address("127.0.0.1") is False
    assert ip_address("10.0.0.5") is None


def test_the_word_after_an_iban_stays_outside() -> None:
    assert [e.text for e in ibans("to DE44500105175407324931 failed")] == ["DE44500105175407324931"]
    assert not list(ibans("DE44500105175407324932 failed"))


def test_timestamps_are_no_cards_and_ranges_no_phones() -> None:
    assert not list(cards("event_id 1748503543004"))
    assert not list(phones("from 2019-2023 and 2024-05-06, 12.05.2024"))


def test_languages() -> None:
    assert language("Die Mandantin wohnt in München und ist nicht da.") == "de"
    assert language("Je suis à la maison avec ma femme.") == "fr"
    assert language("Rosalind", "pl") == "pl"
    text = "Dr. Vance and K. Farraday left. The end.\nNext"
    assert [text[a:b] for a, b in sentences(text)] == ["Dr. Vance and K. Farraday left.", "The end.", "Next"]


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("Mrs. ", "title"),
        ("my wife ", "cue"),
        ("My name is ", "cue"),
        ("Regards,\n", "cue"),
        ("the 200 ms ", ""),
        ("public ", ""),
    ],
)
def test_cues(left: str, said: str) -> None:
    assert cue(left + "Vance", len(left)) == said


def test_labels_fold() -> None:
    assert fold("firstName") == fold("first_name") == fold("First-Name") == "first name"


def test_without_re2_the_patterns_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from gateway.detect.secrets import Secrets

    text = "AKIAIOSFODNN7EXAMPLE and postgres://u:pw9x@h/d, Bearer abcdefghijklmnop1234"
    fast = {(e.start, e.end) for e in Secrets()(text)}
    monkeypatch.setitem(__import__("sys").modules, "re2", None)
    slow = Secrets()
    assert not slow._shaped._sets
    assert {(e.start, e.end) for e in slow(text)} == fast
    assert scan.clear_of_words("a 1 b", 2, 3)


def test_cache_is_bounded_and_forgets() -> None:
    cache: SegmentCache[int] = SegmentCache(2, 60.0)
    for number, text in enumerate("abc"):
        cache.put(digest(text), number)
    assert len(cache) == 2
    assert cache.get(digest("a")) is None
    assert cache.get(digest("c")) == 2
    gone: SegmentCache[int] = SegmentCache(2, -1.0)
    gone.put(digest("a"), 1)
    assert gone.get(digest("a")) is None
