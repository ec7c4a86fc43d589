"""A reply ends where the model begins to speak for somebody else, whatever tokens it is written in."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from localagent.models.llama_cpp.voice import Voice


def _said(pieces: list[bytes], ends: str) -> tuple[str, bool]:
    said: list[str] = []
    voice = Voice(said.append, ends)
    ended = any(voice.add(piece) for piece in pieces)
    voice.close()
    return "".join(said), ended


@settings(deadline=None)
@given(st.text("\nUser: é\U0001f600", max_size=30), st.integers(1, 5))
@example("Oslo.\n\nUser: and", 3)
@example("a\nUse", 1)
def test_any_cut_of_a_reply_says_the_same(text: str, size: int) -> None:
    data = text.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    before, marker, _ = text.partition("\nUser:")
    assert _said(pieces, "\nUser:") == (before, bool(marker))
    assert _said(pieces, "") == (text, False)


def test_a_reply_that_breaks_off_in_a_character_says_so() -> None:
    assert _said(["Ж".encode()[:1]], "") == ("\ufffd", False)
