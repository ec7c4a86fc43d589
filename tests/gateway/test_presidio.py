"""Presidio's anonymizer with our placeholders."""

from presidio_analyzer import RecognizerResult

from gateway.presidio import anonymize
from gateway.restore import restore
from gateway.vault import Vault


def test_numbers_follow_the_text_and_the_text_comes_back() -> None:
    text = "Ada met Hal; Ada wrote <PERSON_1> a mail"
    results = [RecognizerResult("PERSON", place, place + 3, 0.9) for place in (13, 8, 0)]
    vault = Vault()
    masked = anonymize(text, results, vault)
    assert masked == "<PERSON_2> met <PERSON_3>; <PERSON_2> wrote <PERSON_1> a mail"
    assert restore(masked, vault.map) == text
