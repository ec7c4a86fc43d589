"""What models do to a placeholder: each form is restored, or left as it is, never half and never another's."""

import json
import random
from pathlib import Path

import pytest

from gateway.restore import StreamRestorer, restore
from gateway.values import Prefix, Values

MAP = {
    "<PERSON_1>": "Greta Solheim",
    "<PERSON_2>": "Hal Brandt",
    "<EMAIL_ADDRESS_1>": "q@ex.example",
    "<RU_INN_1>": "502490773170",
    "<SECRET_1>": 'p"w\\d',
}
G, H, Q = "Greta Solheim", "Hal Brandt", "q@ex.example"

_FILE = Path(__file__).parents[1] / "cases" / "restore_forms.jsonl"
_FORMS = [(case["text"], case["expect"]) for case in map(json.loads, _FILE.read_text("utf-8").splitlines())]
RESTORED = [(text, expected) for text, expected in _FORMS if text != expected]
LEFT_ALONE = [text for text, expected in _FORMS if text == expected]


@pytest.mark.parametrize(("text", "expected"), RESTORED)
def test_what_models_make_of_a_placeholder_is_restored(text: str, expected: str) -> None:
    assert restore(text, MAP) == expected
    framed = f"Hi: {text} (end)"
    assert restore(framed, MAP) == f"Hi: {expected} (end)"
    assert_chunks_agree(framed)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_is_no_placeholder_of_this_conversation_stays(text: str) -> None:
    assert restore(text, MAP) == text
    assert_chunks_agree(text)


def assert_chunks_agree(text: str, *, as_json: bool = False, mapping: dict[str, str] = MAP) -> None:
    whole = restore(text, mapping, json=as_json)
    for size in (1, 2, 3, 7):
        stream = StreamRestorer(mapping, json=as_json)
        pieces = [stream.feed(text[place : place + size]) for place in range(0, len(text), size)]
        assert "".join(pieces) + stream.close() == whole, size


def test_any_two_forms_beside_each_other_do_not_disturb() -> None:
    chooser = random.Random(4)
    for _ in range(300):
        parts = [chooser.choice(RESTORED) for _ in range(3)]
        text = ", and ".join(part for part, _ in parts)
        assert_chunks_agree(text)
        assert restore(text, MAP).count("PERSON") == 0


def test_numbers_with_a_shared_beginning_are_kept_apart() -> None:
    mapping = {"<PERSON_1>": "Lee", "<PERSON_10>": "Maya Ortega", "<PERSON_100>": "Zoe"}
    assert restore("PERSON_10, PERSON_1, <PERSON_100> and PERSON_100.", mapping) == "Maya Ortega, Lee, Zoe and Zoe."
    assert restore("ask PERSON_1", mapping) == "ask Lee"  # bare, at the very end
    assert restore("ask <PERSON_1", mapping) == "ask <PERSON_1"  # the end cut what the bracket opened
    assert restore("ask PERSON_100", mapping) == "ask Zoe"


def test_a_sign_before_the_number_is_no_placeholder() -> None:
    mapping = {"<PERSON_1>": "Lee"}
    for text in ("<PERSON_-1>", "say <PERSON_–1>.", "PERSON_-1", "[PERSON_--1]", "<PERSON_ -1>"):
        assert restore(text, mapping) == text
    assert restore("<PERSON-1>", mapping) == "Lee"


def test_a_value_is_never_restored_again() -> None:
    mapping = {"<PERSON_1>": "<PERSON_2>", "<PERSON_2>": r"\1 $& {0} %s"}
    assert restore("<PERSON_1> <PERSON_2>", mapping) == r"<PERSON_2> \1 $& {0} %s"


def test_an_empty_map_changes_nothing() -> None:
    assert restore("<EMAIL_1> [PERSON_1]", {}) == "<EMAIL_1> [PERSON_1]"


def test_keys_of_another_form_are_found_literally() -> None:
    assert restore("[[NAME]] and {p-7}", {"[[NAME]]": "Ann", "{p-7}": "Bo"}) == "Ann and Bo"
    assert_chunks_agree("x [[NAME]] and {p-7} [[NAM", mapping={"[[NAME]]": "Ann", "{p-7}": "Bo"})


def test_a_stream_gives_out_at_once_what_cannot_be_a_placeholder() -> None:
    stream = StreamRestorer(MAP)
    assert stream.feed("a <") == "a "
    assert stream.feed("b and 3 < 4, <") == "<b and 3 < 4, "
    assert stream.feed("/div>") == "</div>"
    assert stream.feed("Hi <PER") == "Hi "
    assert stream.feed("SON_1> and") == f"{G} and"
    assert stream.feed(" <PERSON_2>") == " "
    assert stream.close() == H


def test_a_long_stream_keeps_little() -> None:
    stream = StreamRestorer(MAP)
    sizes = {len(stream._inner._buffer) for _ in range(2000) if stream.feed("some words and <PERSON_1> again, ")}
    assert max(sizes) < 2000


JSON_CASES = [
    ('{"to": "<SECRET_1>", "n": 2}', {"to": 'p"w\\d', "n": 2}),
    ('{"<SECRET_1>": 1}', {'p"w\\d': 1}),
    ('{"a": "x <PERSON_1> y", "b": ["PERSON_2"]}', {"a": f"x {G} y", "b": [H]}),
    ('{"a": "\\u003cSECRET_1\\u003e"}', {"a": 'p"w\\d'}),
    ('{"a": "\\u003cPERSON\\u005f1\\u003E", "é": "\\ud83d\\ude00 <PERSON_1>"}', {"a": G, "é": f"😀 {G}"}),
    ('{"a": "&lt;SECRET_1&gt;"}', {"a": 'p"w\\d'}),
    ('{"a": <RU_INN_1>, "b": 3}', {"a": 502490773170, "b": 3}),
    ('{"a": <SECRET_1>}', {"a": 'p"w\\d'}),
    ('[PERSON_1, "PERSON_2"]', [G, H]),
    ('{"person_1": "PERSON_1"}', {"person_1": G}),
    ('{"a": "<PERSON_1>у"}', {"a": G}),
    ('{"a": "<PERSON_1"}', {"a": G}),
    ('{"a": "<PERSON_"}', {"a": "<PERSON_"}),
    ('{"a": "tab\\t<SECRET_1>\\n\\"<PERSON_1>\\"", "b": "\\\\"}', {"a": f'tab\tp"w\\d\n"{G}"', "b": "\\"}),
    ('{"a": "[PERSON_1]", "b": "{PERSON_2}", "c": "[<SECRET_1>]"}', {"a": G, "b": H, "c": '[p"w\\d]'}),
    ('{"a": "he said \\"<SECRET_1>"}', {"a": 'he said "p"w\\d'}),
    ('{"a": "[note] \\"<SECRET_1>\\""}', {"a": '[note] "p"w\\d"'}),
    ('"<SECRET_1>"', 'p"w\\d'),
    ("[]", []),
    ('{"q": "%3CSECRET_1%3E"}', {"q": "p%22w%5Cd"}),
]


@pytest.mark.parametrize(("document", "expected"), JSON_CASES)
def test_json_stays_valid_and_holds_the_value_verbatim(document: str, expected: object) -> None:
    assert json.loads(restore(document, MAP, json=True)) == expected
    assert_chunks_agree(document, as_json=True)


HARD_VALUES = [
    *('a"b', "a\\b", "line\nbreak\ttab", "\x00\x1f", "Анна «Ёж»", "😀", "</script>", "\\u0041", "\\\\", '"', "{"),
    *('{"k": "v"}', "12", "0012", "1e5", "null"),
]


@pytest.mark.parametrize("value", HARD_VALUES)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_every_value_at_every_depth_of_json_in_json(value: str, depth: int) -> None:
    mapping = {"<CUSTOM_1>": value}
    document, expected = {"k": "<CUSTOM_1>", "t": ["x <CUSTOM_1>", 1, True]}, {"k": value, "t": [f"x {value}", 1, True]}
    text = json.dumps(document)
    for _ in range(depth):
        text = json.dumps({"inner": text, "list": [text]})
    assert_chunks_agree(text, as_json=True, mapping=mapping)
    found = json.loads(restore(text, mapping, json=True))
    for _ in range(depth):
        assert found["list"] == [found["inner"]]
        found = json.loads(found["inner"])
    assert found == expected


def test_a_bare_placeholder_inside_a_nested_document() -> None:
    document = json.dumps({"arguments": '{"card": <RU_INN_1>, "pw": <SECRET_1>}'})
    assert json.loads(json.loads(restore(document, MAP, json=True))["arguments"]) == {
        "card": 502490773170,
        "pw": 'p"w\\d',
    }


def test_a_broken_document_is_given_out_as_far_as_it_came() -> None:
    assert restore('{"to": "<EMAIL_ADDRESS_1>", "x": "abc\\', MAP, json=True) == f'{{"to": "{Q}", "x": "abc\\'
    assert restore('{"to": "<EMAIL_ADDR', MAP, json=True) == '{"to": "<EMAIL_ADDR'


RUSSIAN = [
    ("Отправьте письмо <PERSON_1> сейчас.", "Марина Ветрова", "Отправьте письмо Марине Ветровой сейчас."),
    ("Позвоните <PERSON_1>.", "Марина Ветрова", "Позвоните Марине Ветровой."),
    ("Документы подписаны <PERSON_1>.", "Сергей Бой-Жуковский", "Документы подписаны Сергеем Бой-Жуковским."),
    ("Ответ ждём от <PERSON_1>.", "Сергей Бой-Жуковский", "Ответ ждём от Сергея Бой-Жуковского."),
    ("Нет подписи <PERSON_1>.", "Гремитских", "Нет подписи Гремитских."),
    ("Нет подписи <PERSON_1>.", "Ольга Дюма", "Нет подписи Ольги Дюма."),
    ("Позвоните <PERSON_1>у; ответ «<PERSON_1>»", "Олег Крылов", "Позвоните Олегу Крылову; ответ «Олег Крылов»"),
    (
        "Анализ <PERSON_1> готов, с <PERSON_1> связались.",
        "Рената Гудвин",
        "Анализ Ренаты Гудвин готов, с Ренатой Гудвин связались.",
    ),
    ("Ждём <PERSON_1> у входа.", "Халид ибн Мансур", "Ждём Халида ибн Мансура у входа."),
    ("Подписал от имени <PERSON_1> юрист.", "Яна Тихая", "Подписал от имени Яны Тихой юрист."),
    ("Абонента <PERSON_1> отключили.", "Фома Галка", "Абонента Фому Галку отключили."),
    ("Ключи отданы <PERSON_1>.", "Инна Бойко", "Ключи отданы Инне Бойко."),
    ("Встреча для <ПЕРСОНА_1>.", "Анна Смирнова", "Встреча для Анны Смирновой."),
    ("Dear <PERSON_1>, for <PERSON_1>", "Олег Крылов", "Dear Олег Крылов, for Олег Крылов"),
    ("Письмо для <PERSON_1>.", "John Smith", "Письмо для John Smith."),
    ("Пропуск для <PERSON_1> готов.", "Ильина Полина", "Пропуск для Ильиной Полины готов."),
    ("Пропуск для <PERSON_1> готов.", "Марина Ильина", "Пропуск для Марины Ильиной готов."),
]


@pytest.mark.parametrize(("text", "name", "expected"), RUSSIAN)
def test_russian_prose_gets_the_case_it_asks_for(text: str, name: str, expected: str) -> None:
    mapping = {"<PERSON_1>": name}
    assert restore(text, mapping) == expected
    assert_chunks_agree(text, mapping=mapping)


def test_json_values_are_never_inflected() -> None:
    document = '{"client": "<PERSON_1>", "text": "Для <PERSON_1>"}'
    assert json.loads(restore(document, {"<PERSON_1>": "Марина Ветрова"}, json=True))["client"] == "Марина Ветрова"


def _remembered(text: str, form: str) -> Values:
    """The values of a conversation in whose `text` `form` stands masked; elsewhere it was met as Anna Kern."""
    values, prefix = Values({"<PERSON_1>": "Anna Kern"}), Prefix()
    left = text[: text.index(form)]
    prefix.update(left)
    values.remember("<PERSON_1>", form, left, prefix.digest())
    return values


@pytest.mark.parametrize("left", ["To ", "The account belongs to Mrs ", "x" * 500 + " and to Mrs "])
def test_json_quotes_a_spelling_where_the_conversation_has_it(left: str) -> None:
    values = _remembered(f"{left}ANNA KERN", "ANNA KERN")
    assert restore(json.dumps({"old": f"{left}<PERSON_1>"}), values, json=True) == json.dumps(
        {"old": f"{left}ANNA KERN"}
    )
    assert restore('{"old": "Dear <PERSON_1>"}', values, json=True) == '{"old": "Dear Anna Kern"}'


def test_escapes_of_a_document_inside_a_string_come_back_as_they_stood() -> None:
    values = _remembered('{"name": "Anna\\nKern"}', "Anna\\nKern")
    call = json.dumps({"content": '{"name": "<PERSON_1>"}'})
    assert json.loads(restore(call, values, json=True)) == {"content": '{"name": "Anna\\nKern"}'}


def test_a_name_out_of_a_json_file_is_readable_elsewhere() -> None:
    values = Values({"<PERSON_1>": "\\u0418\\u0432\\u0430\\u043d", "<SECRET_1>": "C:\\users\\new"}).readable()
    assert dict(values) == {"<PERSON_1>": "Иван", "<SECRET_1>": "C:\\users\\new"}
