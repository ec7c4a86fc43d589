"""Keyed hashes: the same value in any spelling, nothing without the key, a key that is only the owner's."""

import os
from pathlib import Path

import pytest

from gateway.errors import LedgerError
from gateway.hashes import fold, key_file, load_key, of_issued, of_question

KEY = b"k" * 32


@pytest.mark.parametrize(
    ("seen", "asked"),
    [
        ("jane.doe@lab.example", " JANE.DOE@LAB.EXAMPLE\n"),
        ("4111 1111 1111 1111", "4111-1111-1111-1111"),
        ("+7 912 340-55-17", "8 (912) 3405517"),
        ("Семён", "семен"),
        ("ＤＥ89 3704", "de893704"),
    ],
)
def test_spelling_does_not_matter(seen: str, asked: str) -> None:
    assert set(of_issued(KEY, [seen], seen)) & set(of_question(KEY, asked))


def test_a_russian_person_is_found_in_every_case() -> None:
    from gateway.detect.russian.morph import person_key

    recorded = of_issued(KEY, ["Ивана Петрова"], person_key("Ивана Петрова")[0])
    assert set(recorded) & set(of_question(KEY, "Иван Петров"))
    assert not set(recorded) & set(of_question(KEY, "Анна Петрова"))


def test_another_value_or_another_key_says_nothing() -> None:
    assert not set(of_issued(KEY, ["a@b.example"], "a@b.example")) & set(of_question(KEY, "a@c.example"))
    assert not set(of_issued(KEY, ["a@b.example"], "a@b.example")) & set(of_question(b"x" * 32, "a@b.example"))


def test_what_has_no_letter_and_no_digit_is_hashed_as_it_is() -> None:
    assert fold("***") == "***"


def test_the_key_is_made_once_and_is_the_owners(tmp_path: Path) -> None:
    ledger = tmp_path / "new" / "l.db"
    with pytest.raises(LedgerError, match="there is no key"):
        load_key(ledger, create=False)
    key = load_key(ledger)
    assert len(key) == 32
    assert load_key(ledger) == load_key(ledger, create=False) == key
    assert [path.name for path in ledger.parent.iterdir()] == ["l.db.key"]
    assert os.name != "posix" or key_file(ledger).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    load_key(tmp_path / "l.db")
    key_file(tmp_path / "l.db").chmod(0o640)
    with pytest.raises(LedgerError, match="chmod 600"):
        load_key(tmp_path / "l.db")


@pytest.mark.parametrize("text", ["", "ab", "not hexadecimal"])
def test_a_damaged_key_is_told(tmp_path: Path, text: str) -> None:
    key_file(tmp_path / "l.db").write_text(text)
    key_file(tmp_path / "l.db").chmod(0o600)
    with pytest.raises(LedgerError, match="put the right one back"):
        load_key(tmp_path / "l.db")
