"""Names: one key for all cases of a person, never one for two people; inflection; what the sentence asks for."""

import pytest

from gateway.detect.russian.morph import compatible, expected_case, identify, inflect_person, person_key

_CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")
_PARADIGMS = (
    ("Марина Ветрова", "Марины Ветровой", "Марине Ветровой", "Марину Ветрову", "Мариной Ветровой", "Марине Ветровой"),
    (
        "Сергей Бой-Жуковский",
        "Сергея Бой-Жуковского",
        "Сергею Бой-Жуковскому",
        "Сергея Бой-Жуковского",
        "Сергеем Бой-Жуковским",
        "Сергее Бой-Жуковском",
    ),
    ("Ольга Дюма", "Ольги Дюма", "Ольге Дюма", "Ольгу Дюма", "Ольгой Дюма", "Ольге Дюма"),
    ("Пётр Заяц", "Петра Зайца", "Петру Зайцу", "Петра Зайца", "Петром Зайцем", "Петре Зайце"),
    ("Лев Толстой", "Льва Толстого", "Льву Толстому", "Льва Толстого", "Львом Толстым", "Льве Толстом"),
    ("ИЛЬЯ КУЗЬМИЧ", "ИЛЬИ КУЗЬМИЧА", "ИЛЬЕ КУЗЬМИЧУ", "ИЛЬЮ КУЗЬМИЧА", "ИЛЬЁЙ КУЗЬМИЧОМ", "ИЛЬЕ КУЗЬМИЧЕ"),
    ("Шевченко Т. Г.",) * 6,
    ("Гремитских",) * 6,
    (
        "Регина Игоревна",
        "Регины Игоревны",
        "Регине Игоревне",
        "Регину Игоревну",
        "Региной Игоревной",
        "Регине Игоревне",
    ),
    ("Наталья Ким", "Натальи Ким", "Наталье Ким", "Наталью Ким", "Натальей Ким", "Наталье Ким"),
    ("Ольга Шмидт", "Ольги Шмидт", "Ольге Шмидт", "Ольгу Шмидт", "Ольгой Шмидт", "Ольге Шмидт"),
    (
        "Алиев Вагиф Мамед оглы",
        "Алиева Вагифа Мамед оглы",
        "Алиеву Вагифу Мамед оглы",
        "Алиева Вагифа Мамед оглы",
        "Алиевым Вагифом Мамед оглы",
        "Алиеве Вагифе Мамед оглы",
    ),
    (
        "Римский-Корсаков Николай",
        "Римского-Корсакова Николая",
        "Римскому-Корсакову Николаю",
        "Римского-Корсакова Николая",
        "Римским-Корсаковым Николаем",
        "Римском-Корсакове Николае",
    ),
)


@pytest.mark.parametrize("forms", _PARADIGMS, ids=[forms[0] for forms in _PARADIGMS])
def test_a_name_inflects_and_all_its_cases_have_one_key(forms: tuple[str, ...]) -> None:
    assert tuple(inflect_person(forms[0], case) for case in _CASES) == forms
    assert len({person_key(form)[0] for form in forms}) == 1


@pytest.mark.parametrize(
    "pair", [("Александр", "Александра"), ("Валентин", "Валентина"), ("Евгений", "Евгения"), ("Ян", "Яна")]
)
def test_twins_of_the_other_gender_never_share_a_key(pair: tuple[str, str]) -> None:
    he, she = f"{pair[0]} Иванов", f"{pair[1]} Иванова"
    of_him = {person_key(form)[0] for case in _CASES if (form := inflect_person(he, case))}
    of_her = {person_key(form)[0] for case in _CASES if (form := inflect_person(she, case))}
    assert {key for key in of_him & of_her if not key.startswith("?")} == set()
    assert not any(compatible(a, b) for a in of_him for b in of_her if a != b)


def test_a_form_of_two_people_stays_open_until_the_sentence_decides() -> None:
    assert person_key("Александра Иванова") == ("?александра иванова", "", "")
    assert identify("Александра Иванова", ("gent",))[0] == "masc/александр//иванов"
    assert identify("Александра Иванова", ("nomn",), ("femn",))[0] == "femn/александра//иванова"


def test_initials_are_compatible_but_brothers_are_not() -> None:
    full, short, brother = (
        person_key(name)[0] for name in ("Петров Иван Ильич", "Петровым И. И.", "Петров Олег Ильич")
    )
    assert compatible(full, short)
    assert not compatible(full, brother)
    assert not compatible(short, brother)
    assert not compatible(full, person_key("Петровым")[0])


def test_what_is_not_certain_is_not_inflected() -> None:
    assert inflect_person("Шмидт И. И.", "gent") is None
    assert inflect_person("qwerty", "gent") is None


@pytest.mark.parametrize(
    ("left", "right", "case"),
    [
        ("Отправьте письмо ", ".", "datv"),
        ("Отправьте письмо <PERSON_1> и позвоните ", ".", "datv"),
        ("Документы подписаны ", ", ответ ждём", "ablt"),
        ("Паспорт выдан ", " 12 мая", "datv"),
        ("Нет подписи <PERSON_1> и ", ".", "gent"),
        ("Нет подписи Гремитских и ", ".", "gent"),
        ("Взыскать с ", " долг", "gent"),
        ("Согласие получено, с ", " подписан договор", "ablt"),
        ("Встреча с ", " в пятницу", "ablt"),
        ("Я встретил ", " вчера", "accs"),
        ("Менеджер позвонил ", ".", "datv"),
        ("", " подписала договор", "nomn"),
        ("", " необходимо явиться", "datv"),
        ("О ", " ничего не известно", "loct"),
        ("Напомните клиенту ", " о платеже", "datv"),
        ("Напишите, пожалуйста, ", " о переносе", "datv"),
        ("Направить ", " на обследование", "accs"),
        ("Позвоните <PERSON_1>, а не ", ".", "datv"),
        ("Встреча с <PERSON_1>-ом и ", ".", "ablt"),
        ("Мы довольны работой, директор доволен ", ".", "ablt"),
        ("Она благодарна ", " за помощь", "datv"),
        ("По словам ", ", вопрос закрыт", "gent"),
        ("Нет ", " в списке", "gent"),
        ("встречу ведёт ", "; ответ", None),
        ("Пришла <PERSON_1>, а не ", ".", None),
        ("Позвонил ", ".", None),
        ("Клиент: ", "", None),
        ("ответ и «", "»", None),
        ("жена ", " придёт", None),
        ("Спасибо, ", "!", None),
        ("Спасибо ", "!", "datv"),
        ("Заказ для **", "** готов", "gent"),
        ("* ", " придёт", "nomn"),
        ("Приказ о премировании ", ".", "gent"),
        ("Звонок клиентке ", " запланирован", "datv"),
        ("Не забудьте поздравить ", "!", "accs"),
        ("Взамен ", " назначена другая", "gent"),
        ("Назначить ", " ответственной", "accs"),
        ("Решение ", " принял сам", None),
        ("Нет сомнений в ", ".", "loct"),
        ("Мы верим в ", ".", "accs"),
        ("Отдел ", " подготовил отчёт", "gent"),
    ],
)
def test_the_sentence_names_the_case_or_nothing_does(left: str, right: str, case: str | None) -> None:
    assert expected_case(left, right) == case


def test_a_glued_ending_overrules_but_never_decides() -> None:
    assert expected_case("Позвоните ", ",", "у") == "datv"
    assert expected_case("встречу ведёт ", ";", "'ом") is None
    assert expected_case("Для ", "", "ом") is None
