"""Who a form is that two people could share: the sentence or the rest of the text decides, or it stays its own."""

import pytest

from gateway.detect.russian.identity import keyed


def _keys(text: str, *names: str) -> list[str]:
    """The keys of these names, each found behind the one before."""
    spans: list[tuple[int, int, float]] = []
    for name in names:
        start = text.index(name, spans[-1][1] if spans else 0)
        spans.append((start, start + len(name), 0.9))
    return [entity.key for entity in keyed(text, spans)]


def test_a_name_joined_to_another_stands_in_its_case() -> None:
    he, she = _keys("Пришли Александр Иванов и Александра Иванова.", "Александр Иванов", "Александра Иванова")
    assert (he, she) == ("masc/александр//иванов", "femn/александра//иванова")


def test_a_form_alone_is_read_as_the_one_person_of_the_text() -> None:
    first, again = _keys("Марина Ветрова пришла. Где Ветровой место?", "Марина Ветрова", "Ветровой")
    assert again.endswith("/ветрова")
    assert first != again
    assert len(set(_keys("Петровой отказано. Ищут Петрову.", "Петровой", "Петрову"))) == 1


@pytest.mark.parametrize("names", [("Петрову", "Петровой"), ("Петровой", "Петрову")])
def test_namesakes_of_both_genders_never_share_a_key(names: tuple[str, str]) -> None:
    text = f"Иван Петров и Мария Петрова. {names[0]} вручили, {names[1]} отказали."
    assert len(set(_keys(text, "Иван Петров", "Мария Петрова", *names))) == 4
