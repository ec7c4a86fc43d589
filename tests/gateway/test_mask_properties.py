"""Masking and restoring hold for any text, any conversation and any way of cutting a stream."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.mask import Masker
from gateway.restore import StreamRestorer, restore
from tests.fakes.detector import FakeDetector

NAMES = ("Ada Vance", "ada vance", "ADA VANCE", "Иван Петров", "Ивану Петрову", "Ann", "o'Neil", "王伟")
WORDS = """
a@b.example|A@B.example|4111 0000 6543 2104|4111000065432104|sk-abcdefgh12|Ada_Vance|Ada|Vance|PERSON_1|<PERSON_1>
<person_2>|[PERSON_1]|&lt;PERSON_1&gt;|\\u003cPERSON_2\\u003e|MY_|PERSON_|1|12|<EMAIL_ADDRESS_1>|<ИМЯ_1>
ПЕРСОНА_1|<PLACEHOLDER_1>|%3C|'s|'ом|ом|у|и|ё|, |**| |\u200b|\ud83d|İ|ß
"""
PIECES = (*NAMES, *WORDS.strip().replace("\n", "|").split("|"), "\n", *"<>[]{}()`\\_-&/")
TEXT = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=40))
FAST = settings(max_examples=250, deadline=None)


def masker() -> Masker:
    return Masker(FakeDetector(*NAMES), settle=True)


@FAST
@given(TEXT)
def test_what_was_masked_is_restored_exactly(text: str) -> None:
    vault = masker().new_vault()
    masked = masker().mask(text, vault)
    assert restore(masked.text, vault.map) == text


@FAST
@given(st.lists(TEXT, min_size=2, max_size=4))
def test_a_text_of_a_conversation_is_restored_exactly_right_after_it_was_masked(texts: list[str]) -> None:
    """A form may have stood in the same place in another spelling: then its case may differ, no more."""
    vault = masker().new_vault()
    for text, masked in zip(texts, masker().mask_many(texts, vault), strict=True):
        assert _folded(restore(masked.text, vault.map)) == _folded(text)


def _folded(text: str) -> str:
    for form, value in (("Ивану Петрову", "Иван Петров"), ("4111 0000 6543 2104", "4111000065432104")):
        text = text.replace(form, value)
    return text.casefold()


@FAST
@given(TEXT)
def test_masking_is_a_fixed_point(text: str) -> None:
    once = masker().mask(text, masker().new_vault()).text
    assert masker().mask(once, masker().new_vault()).text == once


@FAST
@given(st.lists(TEXT, min_size=1, max_size=3), TEXT)
def test_a_longer_conversation_keeps_its_beginning(texts: list[str], more: str) -> None:
    short, long = masker().new_vault(), masker().new_vault()
    before = masker().mask_many(texts, short)
    after = masker().mask_many([*texts, more], long)
    late = any(long.find_known(text, since=short.known.order) for text in texts)
    late = late or any(entity.type == "PLACEHOLDER" for entity in after[-1].entities)
    if not late:  # what only the newest text shows, a value or a reserved word, counts in the older ones too
        assert after[:-1] == before


@FAST
@given(TEXT, st.lists(st.integers(1, 9), max_size=30), st.booleans())
def test_any_chunking_gives_the_same_text(text: str, sizes: list[int], json: bool) -> None:
    vault = masker().new_vault()
    masked = masker().mask(text, vault).text
    stream, out, place = StreamRestorer(vault.map, json=json), [], 0
    for size in sizes:
        out.append(stream.feed(masked[place : place + size]))
        place += size
    out += (stream.feed(masked[place:]), stream.close())
    assert "".join(out) == restore(masked, vault.map, json=json)


@FAST
@given(TEXT, st.integers(1, 4))
def test_no_piece_of_a_stream_holds_part_of_a_placeholder(text: str, size: int) -> None:
    vault = masker().new_vault()
    masked = masker().mask(text, vault).text
    reserved = [p for p in vault.map if p in text]
    stream, whole, out = StreamRestorer(vault.map), restore(masked, vault.map), ""
    for place in range(0, len(masked), size):
        out += stream.feed(masked[place : place + size])
        assert whole.startswith(out)  # whatever was given out is final: no placeholder was begun that a value replaced
    out += stream.close()
    for placeholder in vault.map:
        if placeholder not in reserved:
            assert placeholder not in out or any(placeholder in value for value in vault.map.values())
