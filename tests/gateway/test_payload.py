"""What cannot be read is refused before anything leaves."""

import pytest

from gateway.errors import PayloadError
from gateway.payload import read, texts


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "document", "source": {"type": "text", "data": "x"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    ],
)
def test_pictures_documents_and_sounds_are_refused(part: dict[str, object]) -> None:
    with pytest.raises(PayloadError, match="cannot be masked"):
        list(texts({"messages": [{"role": "user", "content": [part]}]}))


@pytest.mark.parametrize("body", [b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"\xff\xfe", b"{", b'{"a":' * 200_000])
def test_what_has_no_single_reading_is_refused(body: bytes) -> None:
    with pytest.raises(PayloadError):
        read(body)


def test_every_string_is_a_text_but_for_closed_words() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "name": "ann", "content": "hi"}],
        "user": "bob",
        "n": 79123405517,
    }
    assert {"ann", "hi", "bob", "79123405517"} <= set(texts(body))
    assert not {"m"} & set(texts({"model": "m"}))
    assert "Ann Smith" in set(texts({"role": "Ann Smith"}))
