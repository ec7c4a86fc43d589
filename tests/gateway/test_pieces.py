"""Card numbers whose digits are siblings in JSON: they are masked, each comes back, and nothing else is touched."""

import json
from typing import Any

import pytest

from gateway.body import mask_body
from gateway.detect.encoded import encoded_finder
from gateway.detect.entity import Entity
from gateway.mask import Masker
from gateway.pieces import rows
from gateway.restore import restore
from tests.fakes.detector import FakeDetector

CARD = "4532015112830366"
ONES = [int(digit) for digit in CARD]
FOURS = [CARD[at : at + 4] for at in range(0, 16, 4)]
WITH_MORE = {"x": 9, "a": FOURS[0], "b": FOURS[1], "c": FOURS[2], "d": FOURS[3], "n": 12}
FIELDS = dict(zip("abcd", FOURS, strict=True))


def masked(body: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    masker = Masker(FakeDetector())
    vault = masker.new_vault()
    return mask_body(body, masker, vault).table, dict(vault.map)


@pytest.mark.parametrize(
    "held", [ONES, list(CARD), FOURS, FIELDS, [45320151, "12830366"], {"a": CARD[:8], "b": CARD[8:]}]
)
@pytest.mark.parametrize("around", [{}, {"n": 3, "x": 7}])
@pytest.mark.parametrize("in_text", [False, True])
def test_a_card_in_pieces_is_masked_and_comes_back(held: Any, around: dict[str, int], in_text: bool) -> None:
    given = {**around, "held": held, "y": 5, **around}
    body = {"messages": [{"role": "user", "content": json.dumps(given) if in_text else [given]}]}
    table, mapping = masked(body)
    (message,) = table["messages"]
    sent = json.loads(message["content"]) if in_text else message["content"][0]
    values = [*(sent["held"].values() if isinstance(held, dict) else sent["held"])]
    assert len(set(values)) == len(held)
    assert all(value.startswith("<CREDIT_CARD_") for value in values)
    assert {name: value for name, value in sent.items() if name != "held"} == {**around, "y": 5}
    back = json.loads(restore(json.dumps(values), mapping, json=True))
    assert "".join(back) == CARD


class Decoding(FakeDetector):
    """The fake with the real reader of other writings."""

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        return (*super().find(text), *encoded_finder([super().find])(text))


@pytest.mark.parametrize("key", ["data", "v"])
@pytest.mark.parametrize("in_text", [False, True])
@pytest.mark.parametrize("said", ["ada@lab.example", "an ada@lab.example für Адá", f"to {'x' * 200} ada@lab.example"])
def test_a_text_as_a_list_of_its_bytes_is_masked_and_comes_back(key: str, in_text: bool, said: str) -> None:
    given = {"type": "Buffer", key: list(said.encode())}
    content = json.dumps(given) if in_text else [given]
    masker = Masker(Decoding())
    vault = masker.new_vault()
    sent = mask_body({"messages": [{"role": "user", "content": content}]}, masker, vault).table["messages"][0][
        "content"
    ]
    values = (json.loads(sent) if in_text else sent[0])[key]
    assert all(str(value).startswith("<EMAIL_ADDRESS_") for value in values)
    assert len(set(values)) == len(values)
    back = json.loads(restore(json.dumps(values), dict(vault.map), json=True))
    assert bytes(map(int, back)).decode() == said


@pytest.mark.parametrize(
    "held",
    [
        [*range(200)],
        [-1, *range(200)],
        [18, 24, 36, 48, 60, 72, 84, 96, 108],
        list(b"nothing to be seen here"),
        ONES[:-1],
        [*ONES[:-1], 7],
        {"vector": ONES},
        {"years": [4000, 4100, 4200, 4300]},
        [1, 2, 3],
        [4.5, 3.2, 0.1],
        [True] * 16,
        {"temperature": 1, "n": 3, "seed": 42, "top_k": 5},
        [[4, 5, 3, 2], [0, 1, 5, 1], [1, 2, 8, 3], [0, 3, 6, 7]],
    ],
)
def test_other_numbers_stay(held: Any) -> None:
    body = {"messages": [{"role": "user", "content": [{"input": held}]}], "n": 4, "temperature": 0.5}
    assert masked(body)[0] == body


def test_a_card_among_other_numbers_of_one_object() -> None:
    body = {"messages": [{"role": "user", "content": [WITH_MORE]}]}
    ((sent,),) = (message["content"] for message in masked(body)[0]["messages"])
    assert (sent["x"], sent["n"]) == (9, 12)
    assert all(sent[name].startswith("<CREDIT_CARD_") for name in "abcd")


def test_numbers_beside_a_card_are_no_part_of_it() -> None:
    fields = [(0, "a", "7"), (0, "", "key"), *((1, "card", digit) for digit in CARD), (0, "n", "3")]
    assert list(rows(fields)) == [(list(range(2, 18)), "")]
