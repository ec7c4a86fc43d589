"""What masking does to the texts of a conversation."""

import pytest

from gateway.detect.entity import Entity
from gateway.errors import BlockedError, DetectionError
from gateway.known import KnownForms
from gateway.mask import Masker
from gateway.policy import Policy
from gateway.restore import restore
from gateway.vault import Vault
from tests.fakes.detector import FakeDetector

NAMES = (
    "Ada Vance",
    "Hal Brandt",
    "Иван Петров",
    "Ивану Петрову",
    "Анна Петрова",
    "Петров И. И.",
    "Nimbus",
    "Will",
    "Li",
)


def mask(*texts: str, policy: Policy | None = None) -> list[str]:
    masker = Masker(FakeDetector(*NAMES), policy)
    return [masked.text for masked in masker.mask_many(texts, masker.new_vault())]


def test_numbers_follow_the_first_appearance() -> None:
    assert mask("Hal Brandt, Ada Vance", "Ada Vance, Hal Brandt, a@b.example") == [
        "<PERSON_1>, <PERSON_2>",
        "<PERSON_2>, <PERSON_1>, <EMAIL_ADDRESS_1>",
    ]


def test_offsets_are_those_of_the_original_text() -> None:
    text = "😀 Ada Vance\u200b <a@b.example>"
    masker = Masker(FakeDetector(*NAMES))
    masked = masker.mask(text, masker.new_vault())
    assert masked.text == "😀 <PERSON_1>\u200b <<EMAIL_ADDRESS_1>>"
    assert [text[e.start : e.end] for e in masked.entities] == ["Ada Vance", "a@b.example"]
    assert masked.counts == {"PERSON": 1, "EMAIL_ADDRESS": 1}


def test_spellings_of_one_value_share_a_placeholder() -> None:
    assert mask("Nimbus called", "Nimbus's file", "NIMBUS replied") == [
        "<PERSON_1> called",
        "<PERSON_1>'s file",
        "<PERSON_1> replied",
    ]
    assert mask("4111 0000 6543 2104", '{"card":"4111000065432104"}')[1] == '{"card":"<CREDIT_CARD_1>"}'


def test_cases_of_one_russian_share_and_people_of_another_gender_do_not() -> None:
    assert mask("Ивану Петрову", "Иван Петров", "Анна Петрова") == ["<PERSON_1>", "<PERSON_1>", "<PERSON_2>"]


def test_initials_join_the_only_person_that_fits() -> None:
    assert mask("Иван Петров", "Петров И. И.")[1] in ("<PERSON_1>", "<PERSON_2>")  # only as certain as the key
    masker = Masker(FakeDetector(*NAMES))
    vault = masker.new_vault()
    for key in ("masc/иван/иванович/петров", "masc/илья//петров"):
        vault.placeholder(Entity("PERSON", 0, 1, key, 1.0, "t", key=key))
    assert vault.placeholder(Entity("PERSON", 0, 1, "Петров И.", 1.0, "t", key="masc/и.//петров")) == "<PERSON_3>"


def test_a_value_found_once_is_masked_everywhere_and_in_other_cases() -> None:
    first, second = mask("ada vance wrote; передайте Иваном Петровым", "From: Ada Vance, Иван Петров")
    assert first == "<PERSON_1> wrote; передайте <PERSON_2>"
    assert second == "From: <PERSON_1>, <PERSON_2>"


def test_the_beginning_stays_byte_for_byte() -> None:
    turns = ["Ada Vance <PERSON_9>", "Hal Brandt: person_3", "a@b.example Ada Vance", "Иван Петров <PERSON_1>"]
    whole = mask(*turns)
    for size in range(1, len(turns)):
        assert mask(*turns[:size]) == whole[:size]


def test_placeholders_of_the_user_are_never_issued() -> None:
    assert mask("<PERSON_1> PERSON_2 [person_3] <ИМЯ_4> Ada Vance")[0].endswith("Ada Vance") is False
    masked = mask("<PERSON_1> PERSON_2 [person_3] <ИМЯ_4> Ada Vance")[0]
    assert masked == "<PERSON_1> PERSON_2 [person_3] <ИМЯ_4> <PERSON_5>"


@pytest.mark.parametrize("own", ["PERSON&#95;1", "<PERSON%5F1>", "PERSON\\u005f1", "<PERSON №1>", "[PERSON #1]"])
def test_escaped_placeholders_of_the_user_are_never_issued(own: str) -> None:
    masker = Masker(FakeDetector(*NAMES))
    vault = masker.new_vault()
    masked = masker.mask(f"{own} and Ada Vance", vault)
    assert masked.text == f"{own} and <PERSON_2>"
    assert restore(f"{own}: <PERSON_2>", vault.map) == f"{own}: Ada Vance"


def test_a_later_text_that_holds_an_issued_placeholder_comes_back_as_typed() -> None:
    masker = Masker(FakeDetector(*NAMES))
    vault = masker.new_vault()
    first, second = masker.mask_many(["Ada Vance", "what is <PERSON_1> or [PERSON_1]?"], vault)
    assert first.text == "<PERSON_1>"
    assert second.text == "what is <PLACEHOLDER_1> or <PLACEHOLDER_2>?"
    assert restore(second.text, vault.map) == "what is <PERSON_1> or [PERSON_1]?"


def test_everyday_and_short_names_do_not_eat_the_words() -> None:
    masked = mask("Will and Li", "I will do; li is a particle; Will and Li, WILL")[1]
    assert masked == "I will do; li is a particle; <PERSON_1> and <PERSON_2>, <PERSON_1>"


def test_a_surname_alone_is_masked_once_the_full_name_is_known() -> None:
    masker = Masker(FakeDetector("Margaret Thornbury", "Рыбаков Артём", "Mark Stone"))
    texts = [
        "Thornbury",
        "Margaret Thornbury",
        '{"q": "thornbury"}',
        "Рыбаков Артём",
        '{"q": "Рыбаков"}',
        "рыбаков нет",
    ]
    vault = masker.new_vault()
    masked = [one.text for one in masker.mask_many([*texts, "Mark Stone", "a Stone, Margaret"], vault)]
    said = ["<PERSON_2>", "<PERSON_1>", '{"q": "<PERSON_2>"}', "<PERSON_3>", '{"q": "<PERSON_4>"}', "рыбаков нет"]
    assert masked == [*said, "<PERSON_5>", "a Stone, Margaret"]
    assert restore(masked[0], vault.map) == "Thornbury"


def test_two_conversations_know_nothing_of_each_other() -> None:
    masker = Masker(FakeDetector(*NAMES))
    one, other = masker.new_vault(), masker.new_vault()
    masker.mask("Ada Vance", one)
    masker.mask("Hal Brandt", other)
    assert restore("<PERSON_1>", one.map) == "Ada Vance"
    assert restore("<PERSON_1>", other.map) == "Hal Brandt"
    assert restore("<PERSON_1>", masker.new_vault().map) == "<PERSON_1>"


def test_allowed_strings_pass_whole_and_open_no_hole() -> None:
    allow = {"*": ["Ada Vance Foundation", "support@ridge.example"]}
    policy = Policy.from_table({"allow": allow})
    text = "Ada Vance of the ADA VANCE FOUNDATION, mail support@ridge.example or ada@ridge.example"
    assert mask(text, policy=policy) == [
        "<PERSON_1> of the ADA VANCE FOUNDATION, mail support@ridge.example or <EMAIL_ADDRESS_1>"
    ]
    per_type = Policy.from_table({"allow": {"EMAIL_ADDRESS": ["a@b.example"]}})
    assert mask("a@b.example xa@b.example", policy=per_type) == ["a@b.example <EMAIL_ADDRESS_1>"]


def test_denied_words_are_always_masked() -> None:
    policy = Policy.from_table({"deny": ["Project Kestrel", "k-7"]})
    assert mask("project kestrel, K-7 and k-77", policy=policy) == ["<CUSTOM_1>, <CUSTOM_2> and k-77"]


def test_blocked_types_refuse_without_the_value() -> None:
    policy = Policy.from_table({"CREDIT_CARD": "block"})
    with pytest.raises(BlockedError, match=r"CREDIT_CARD \(2\)") as caught:
        mask("4111 0000 6543 2104 and 4111 0000 6543 2105", policy=policy)
    assert "4111" not in str(caught.value)


def test_local_types_are_masked_and_said() -> None:
    masker = Masker(FakeDetector(*NAMES), Policy.from_table({"EMAIL_ADDRESS": "local"}))
    masked = masker.mask("a@b.example", masker.new_vault())
    assert (masked.text, masked.local) == ("<EMAIL_ADDRESS_1>", frozenset({"EMAIL_ADDRESS"}))


def test_russian_labels() -> None:
    policy = Policy.from_table({"labels": "ru"})
    assert mask("Иван Петров a@b.example", policy=policy) == ["<ИМЯ_1> <ПОЧТА_1>"]


def test_a_detector_that_fails_stops_the_masking() -> None:
    masker = Masker(FakeDetector(fail=True))
    with pytest.raises(DetectionError):
        masker.mask("Ada Vance", masker.new_vault())


def test_overlapping_finds_leave_nothing_in_clear() -> None:
    masker = Masker(FakeDetector(("Ada Van", "ORGANIZATION"), ("Vance Ltd", "PERSON")), Policy(default="mask"))
    vault = masker.new_vault()
    masker.mask("Vance Ltd", vault)
    masked = masker.mask("from Ada Vance Ltd today", vault)
    assert masked.text.startswith("from <")
    assert masked.text.endswith("> today")
    assert restore(masked.text, vault.map) == "from Ada Vance Ltd today"


def test_forms_are_remembered() -> None:
    masker = Masker(FakeDetector(*NAMES))
    vault = masker.new_vault()
    masker.mask_many(["Ивану Петрову", "Иван Петров"], vault)
    assert vault.forms("<PERSON_1>") == ("Ивану Петрову", "Иван Петров")
    assert vault.map == {"<PERSON_1>": "Иван Петров"}
    assert Vault().forms("<PERSON_1>") == ()


def test_a_number_whose_tabs_are_written_as_escapes_is_masked_too() -> None:
    vault = (masker := Masker(FakeDetector())).new_vault()
    texts = ["+44 20 7946 0958", r"print('44\t20\t7946\t0958'.expandtabs())"]
    masked = masker.mask_many(texts, vault)
    assert "7946" not in masked[1].text
    assert [restore(one.text, vault.map) for one in masked] == texts


def test_many_values_are_found_where_few_are() -> None:
    names = [f"Na{'abcdefghij'[n // 10]}{'klmnopqrst'[n % 10]}ov" for n in range(90)]
    text = "\n".join(f"{name}, {name.lower()} x{name} {name}_y?q=%20{name}&{name}20 %20%20{name}" for name in names)
    together, alone = KnownForms(), []
    for name in names:
        together.add(name, f"<PERSON_{name}>")
        one = KnownForms()
        one.add(name, f"<PERSON_{name}>")
        alone += [(hit.start, hit.end, hit.form.text) for hit in one.find(text)]
    assert [(hit.start, hit.end, hit.form.text) for hit in together.find(text)] == sorted(alone)
    assert len(alone) == 5 * len(names)
