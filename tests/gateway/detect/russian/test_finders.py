"""Identifiers by checksum and context; keys and cases of found people; public persons; speed of the worst input."""

import time

from gateway.detect.russian import checks, russian_finders
from gateway.detect.russian.accounts import find_accounts, find_plates
from gateway.detect.russian.ids import find_ids
from gateway.detect.russian.names import find_names
from gateway.detect.russian.phones import find_phones
from gateway.detect.settings import DetectorSettings


def _types(text: str) -> list[tuple[str, str]]:
    return [(entity.type, entity.text) for entity in find_ids(text)]


def test_check_digits_hold_and_one_changed_digit_breaks_them() -> None:
    valid = {
        checks.inn: ("7707083893", "500100732259"),
        checks.snils: ("11223344595",),
        checks.ogrn: ("1027700132195", "304500116000157"),
        checks.luhn: ("4111111111111111",),
    }
    for check, numbers in valid.items():
        for number in numbers:
            assert check(number)
            assert not check(number[:-1] + str((int(number[-1]) + 1) % 10))
    assert checks.account("40817810700000123456", "044525999")
    assert not checks.account("40817810800000123456", "044525999")


def test_ten_digits_are_what_the_word_beside_them_says() -> None:
    assert _types("паспорт 4517000004") == [("RU_PASSPORT", "4517000004")]
    assert _types("ИНН 7707083893, паспорт 4510 123456") == [("RU_PASSPORT", "4510 123456"), ("RU_INN", "7707083893")]
    assert _types("Заказ 7707083893 отгружен") == []


def test_a_column_header_is_context_for_every_row() -> None:
    rows = "ФИО;Паспорт;Сумма\nПетров;4510 123456;100\nСидоров;4511 123457;200\n"
    assert [text for kind, text in _types(rows) if kind == "RU_PASSPORT"] == ["4510 123456", "4511 123457"]


def test_an_account_is_checked_against_the_bik_of_the_text() -> None:
    checked = [entity.checked for entity in find_accounts("р/с 40817810700000123456, БИК 044525999")]
    assert checked == [True]
    assert [entity.checked for entity in find_accounts("р/с 40817810700000123456")] == [False]


def test_one_phone_and_one_plate_have_one_key_in_all_writings() -> None:
    phones = "+7 (912) 340-55-17, 8 912 340 55 17, 89123405517"
    assert len({entity.key for entity in find_phones(phones) if entity.score > 0.8}) == 1
    plates = [entity.key for entity in find_plates("А123ВС77 и A123BC77")]
    assert len(plates) == 2
    assert len(set(plates)) == 1


def test_cases_and_letters_of_one_person_share_a_key() -> None:
    text = "Пришла Марина Ветрова. Договор для Марины Ветровой. Позвоните Марине Ветровой."
    people = list(find_names(text))
    assert {person.key for person in people} == {"femn/марина//ветрова"}
    assert [person.form for person in people] == ["nomn", "gent", "datv"]


def test_a_writer_is_public_unless_the_text_has_a_private_namesake() -> None:
    assert list(find_names("Пушкин родился в Москве.", public=True)) == []
    assert [p.text for p in find_names("Олег Пушкин пришёл. Позвоните Пушкину.", public=True)] == [
        "Олег Пушкин",
        "Пушкину",
    ]


def test_without_the_tagger_the_dictionary_still_finds_people() -> None:
    finders = russian_finders(DetectorSettings(ner=False))
    found = [
        e.text for find in finders for e in find("меня зовут иван петров, я от Ольги Сергеевны") if e.type == "PERSON"
    ]
    assert found == ["иван петров", "Ольги Сергеевны"]


def test_long_runs_of_capitals_and_digits_do_not_explode() -> None:
    finders = russian_finders(DetectorSettings(ner=False))
    for text in ("Иванов Иван " * 800, "1 " * 5000, "ул. Ленина, " * 800, "А. Б. " * 1500, "8" * 9000, "дом " * 3000):
        started = time.process_time()
        for find in finders:
            list(find(text))
        assert time.process_time() - started < 10
