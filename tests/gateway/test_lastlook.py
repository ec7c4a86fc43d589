"""The last look finds a value in every form, and does not cry over what is none."""

import base64
import html
import json
import urllib.parse

import pytest

from gateway.errors import LeakError
from gateway.lastlook import Pieces, last_look
from gateway.mask import Masker
from gateway.policy import Policy
from gateway.vault import Vault
from tests.fakes.detector import FakeDetector

SECRET = 'P@ss"w\\rd9'
NAMES = (
    "Ada Vance",
    "Марина Ветрова",
    "Li",
    "Ann",
    "王伟",
    ("user", "SECRET"),
    (SECRET, "SECRET"),
    ("DE44 5001 0517", "IBAN_CODE"),
)
TEXT = f"Ada Vance, Марина Ветрова, Li, Ann, 王伟, user, {SECRET}, 4111 0000 6543 2104, DE44 5001 0517, x@lab.example"


@pytest.fixture(scope="module")
def vault() -> Vault:
    masker = Masker(FakeDetector(*NAMES))
    vault = masker.new_vault()
    last_look(body(masker.mask(TEXT, vault).text), vault)
    return vault


def body(content: str) -> bytes:
    return json.dumps({"model": "gpt-4", "messages": [{"role": "user", "content": content}]}).encode()


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


LEAKS = [
    "Ada Vance",
    "ada vance",
    "ADA  VANCE",
    "Ada_Vance",
    "ada-vance",
    "Ada%20Vance",
    "Ada+Vance",
    "Ada&nbsp;Vance",
    "Ann",
    "王伟",
    "Марина Ветрова",
    "марине ветровой",
    "Мариной Ветровой",
    "МАРИНЫ ВЕТРОВОЙ",
    json.dumps("Марине Ветровой"),
    json.dumps(json.dumps("Марина Ветрова")),
    urllib.parse.quote("Марина Ветрова"),
    urllib.parse.quote(json.dumps("Марина Ветрова")),
    "&#1052;арина Ветрова",
    html.escape(SECRET),
    json.dumps(SECRET),
    urllib.parse.quote_plus(SECRET),
    SECRET,
    *(base64_of("x" * pad + "Ada Vance" + "y" * pad) for pad in range(4)),
    "key=" + base64_of("Ada Vance"),
    "abc" + base64_of("--Ada Vance--"),
    base64_of("Марине Ветровой"),
    base64.urlsafe_b64encode("??>Марина Ветрова".encode()).decode(),
    b"Ada Vance".hex(),
    "0x" + b"call Ada Vance".hex().upper(),
    base64.b32encode(b"from Ada Vance").decode(),
    "=41=64=61=20=56=61=6E=63=65",
    "".join(f"\\x{byte:02x}" for byte in b"Ada Vance"),
    ", ".join(str(byte) for byte in b"Ada Vance"),
    "4111000065432104",
    "4111-0000-6543-2104",
    "4111.0000 65432104",
    "de44 50010517",
    "DE4450010517",
    "X@LAB.EXAMPLE",
    "x%40lab.example",
    "xAda Vance"[1:] + "'s",
]


def test_an_escape_of_the_body_is_no_first_letter_of_a_name() -> None:
    vault = Masker(FakeDetector("nour"), Policy()).new_vault()
    masked = Masker(FakeDetector("nour"), Policy()).mask("nour came", vault)
    last_look(body(f"{masked.text}\nour wallet"), vault)
    with pytest.raises(LeakError):
        last_look(body(f"{masked.text}\nnour"), vault)


def test_a_word_of_a_placeholder_is_no_name() -> None:
    masker = Masker(FakeDetector("Date", ("04.05.1961", "DATE_OF_BIRTH")), Policy())
    vault = masker.new_vault()
    masked = masker.mask("Date, born 04.05.1961", vault)
    assert "<DATE_OF_BIRTH_1>" in masked.text
    last_look(body(masked.text), vault)
    with pytest.raises(LeakError):
        last_look(body(f"{masked.text} <DATE_OF_BIRTH_2>"), vault)


@pytest.mark.parametrize("leak", LEAKS)
def test_a_value_in_any_form_refuses(vault: Vault, leak: str) -> None:
    for raw in (body(f"see {leak} now"), json.dumps({"metadata": {"k": leak}}, ensure_ascii=False).encode()):
        with pytest.raises(LeakError) as caught:
            last_look(raw, vault)
        assert "nothing was sent" in str(caught.value)
        assert not any(part in str(caught.value) for part in ("Ada", "Vance", "4111", "Марин", "P@ss"))


@pytest.mark.parametrize(
    "text",
    [
        "Annual plan, annotate",
        "li and LI",
        "the user of users",
        "Ada Lovelace, Vance",
        "4111 0000",
        "Марина",
        "1234 4111 0000 6543 21045",
        "commit 9f2b1c7d4e5a6b8c0d1e2f3a4b5c6d7e8f901234",
        b"made by Ann today".hex(),
    ],
)
def test_what_is_no_value_passes(vault: Vault, text: str) -> None:
    last_look(body(text), vault)


def test_an_empty_vault_and_an_image_pass(vault: Vault) -> None:
    last_look(body("Ada Vance"), Vault())
    image = base64.b64encode(bytes((n * 7919 + n // 3) % 256 for n in range(50_000))).decode()
    last_look(body(f"data:image/png;base64,{image}"), vault)


def test_strings_of_the_allow_list_are_no_leak() -> None:
    masker = Masker(FakeDetector("Ada Vance"), Policy.from_table({"allow": ["Ada Vance Foundation"]}))
    vault = masker.new_vault()
    masked = masker.mask("Ada Vance of the Ada Vance Foundation", vault)
    last_look(body(masked.text), vault)
    with pytest.raises(LeakError):
        last_look(body(masked.text + " Ada Vance"), vault)


@pytest.mark.parametrize("leak", LEAKS)
def test_a_piece_that_was_seen_in_another_conversation_is_looked_at_with_the_new_values(
    leak: str, vault: Vault
) -> None:
    masker, pieces = Masker(FakeDetector("Hal Brandt")), Pieces()
    other = masker.new_vault()
    masker.mask("Hal Brandt", other)
    said = [{"role": "user", "content": text} for text in ("one", f"see {leak} there", "two")]
    raw = json.dumps({"messages": said}).encode()
    last_look(raw, other, pieces)
    with pytest.raises(LeakError):
        last_look(raw, vault, pieces)


def test_a_value_that_holds_the_seam_of_two_pieces_is_found() -> None:
    masker = Masker(FakeDetector(("pass}, {word", "SECRET")))
    vault = masker.new_vault()
    masker.mask("pass}, {word", vault)
    with pytest.raises(LeakError):
        last_look(body("my pass}, {word is"), vault)
