"""What cannot be read is refused before anything leaves; everything else is a leaf that is looked at."""

import base64
import json
import re

import pytest

from gateway.body import mask_body
from gateway.errors import BlockedError, PayloadError
from gateway.mask import Masker
from gateway.payload import Leaf, read, rewrite
from gateway.policy import Policy
from tests.fakes.detector import FakeDetector

MAIL = "ada@lab.example"


def leaves(table: dict[str, object], images: str = "block") -> list[Leaf]:
    found: list[Leaf] = []

    def visit(leaf: Leaf) -> str:
        found.append(leaf)
        return leaf.text

    assert rewrite(table, visit, images=images) == table
    return found


def masked(table: dict[str, object], *names: str, **actions: str) -> dict[str, object]:
    masker = Masker(FakeDetector(*names), Policy.from_table(actions))
    return mask_body(table, masker, masker.new_vault()).table


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "document", "source": {"type": "base64", "data": "AAAA"}},
        {"type": "document", "source": {"type": "url", "url": "https://x.example/a.pdf"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA"},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": {"data": "AAAA"}}]},
    ],
)
def test_pictures_documents_and_sounds_are_refused_unless_they_may_pass(part: dict[str, object]) -> None:
    body = {"messages": [{"role": "user", "content": [part]}]}
    with pytest.raises(PayloadError, match="cannot be masked"):
        leaves(body)
    assert "AAAA" not in [leaf.text for leaf in leaves(body, "pass")]


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(200))).decode()


@pytest.mark.parametrize(
    "holder",
    [
        {"type": "image_generation_call", "id": "ig_1", "result": PNG},
        {"type": "image_generation", "input_image_mask": {"image_url": f"data:image/png;base64,{PNG}"}},
        {"type": "something_new", "picture": base64.b64encode(b"%PDF-1.7" + bytes(range(200))).decode()},
    ],
)
def test_files_are_refused_whatever_holds_them(holder: dict[str, object]) -> None:
    body = {"input": [holder], "tools": [holder]}
    with pytest.raises(PayloadError, match="cannot be masked"):
        leaves(body)
    assert not [leaf for leaf in leaves(body, "pass") if len(leaf.text) > 100]
    assert leaves({"input": [{"role": "user", "content": f"what is {PNG}"}, {"type": "x", "input": {"v": PNG}}]})


def test_of_a_picture_that_passes_all_but_its_bytes_is_text() -> None:
    part = {"type": "document", "title": MAIL, "source": {"type": "base64", "media_type": MAIL, "data": "AAAA"}}
    urls = (f"https://x.example/{MAIL}", f"gs://{MAIL}", f"data:text/plain,{MAIL}", f"for {MAIL}")
    links = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    assert MAIL not in json.dumps(masked({"messages": [{"content": [part, *links]}]}, images="pass"))


@pytest.mark.parametrize(
    "data", ["AAAA", "data:image/png;base64,A-_A+/==", "data:image/x;charset=utf-8;base64,AA\r\nAA\n"]
)
def test_the_bytes_of_a_picture_that_passes_are_not_read(data: str) -> None:
    part = {"type": "image", "source": {"type": "base64", "data": data}}
    assert data not in [leaf.text for leaf in leaves({"messages": [{"content": [part]}]}, "pass")]


@pytest.mark.parametrize("text", [f"by {MAIL}", f"name;mail\nAda;{MAIL}\n" * 99, f"<svg><text>{MAIL}</text></svg>"])
def test_a_text_that_passes_for_a_picture_is_read(text: str) -> None:
    packed = base64.b64encode(text.encode()).decode()
    for part in (
        {"type": "image_url", "image_url": {"url": f"data:text/plain;base64,{packed}"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": packed}},
        {"type": "something_new", "picture": f"data:image/svg+xml;base64,{packed}"},
    ):
        seen = [leaf.text for leaf in leaves({"messages": [{"content": [part]}]}, "pass")]
        assert any(text.endswith(packed) for text in seen)


def test_a_document_that_is_text_is_masked() -> None:
    part = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": f"by {MAIL}"}}
    assert masked({"messages": [part]}) == {
        "messages": [part | {"source": part["source"] | {"data": "by <EMAIL_ADDRESS_1>"}}]  # type: ignore[operator]
    }


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "\\u0062": 2}}',
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b"\xff\xfe",
        b'\xef\xbb\xbf{"a": 1}',
        '{"a": 1}'.encode("utf-16"),
        b'{"a": ' + b"9" * 5000 + b"}",
        b"{",
        b'{"a":' * 200_000,
    ],
)
def test_what_has_no_single_reading_is_refused(body: bytes) -> None:
    with pytest.raises(PayloadError):
        read(body)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(PayloadError, match="surrogate"):
        read(b'{"a": "\\ud800"}')


def test_depth_is_bounded() -> None:
    deep: dict[str, object] = {}
    for _ in range(150):
        deep = {"a": [deep]}
    with pytest.raises(PayloadError, match="deeper"):
        leaves(deep)


def test_every_string_is_a_leaf_but_for_closed_words() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "name": "ann", "content": "hi", "x": ["y", {"z": "w"}]}],
        "user": "bob",
        "n": 79123405517,
        "unknown": {"deep": [["far"]]},
    }
    texts = {leaf.text for leaf in leaves(body)}
    assert texts == {"ann", "hi", "x", "y", "z", "w", "bob", "79123405517", "unknown", "deep", "far"}
    assert "Ann Smith" in {leaf.text for leaf in leaves({"messages": [{"role": "Ann Smith"}]})}
    assert "user" in {leaf.text for leaf in leaves({"metadata": {"role": "user"}})}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"to": "Ада"}),
        json.dumps({"to": "Ада"}, ensure_ascii=False),
        json.dumps([["Ада"]], indent=2),
        json.dumps(json.dumps(json.dumps({"a": {"Ада": 1}}))),
        json.dumps({"a": json.dumps({"b": json.dumps(["Ада"])})}),
        '{"a": 1, "a": "\\u0410\\u0434\\u0430"}',
        '{"a": "\\u0410\\u0434\\u0430"',
        "see {'a': '\\u0410\\u0434\\u0430'}",
    ],
)
def test_values_in_json_in_strings_are_found(text: str) -> None:
    from gateway.detect.normalise import normalise

    class Normal(FakeDetector):
        """As the real detector: escapes are undone before anything is looked for."""

        def find(self, text: str, *, language: str = "auto"):  # type: ignore[no-untyped-def]
            from dataclasses import replace

            view = normalise(text)
            found = super().find(view.text, language=language)
            spans = [(entity, view.span(entity.start, entity.end)) for entity in found]
            return tuple(replace(e, start=s, end=end, text=text[s:end]) for e, (s, end) in spans)

    masker = Masker(Normal("Ада"))
    body = {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": text}}]}]}
    new = mask_body(body, masker, masker.new_vault()).table
    out = new["messages"][0]["tool_calls"][0]["function"]["arguments"]
    assert "Ада" not in out
    assert "\\u0410" not in out
    assert "PERSON_1" in out
    try:
        json.loads(text)
    except ValueError:
        return
    json.loads(out)


def test_what_holds_nothing_stays_byte_for_byte() -> None:
    text = '{ "a" : [1.50, "\\u0041", 1e5],\n\t"b":"x" }'
    assert masked({"messages": [{"content": text}]}) == {"messages": [{"content": text}]}


def test_numbers_of_json_in_strings_become_strings() -> None:
    class Card(FakeDetector):
        pass

    out = masked({"messages": [{"arguments": '{"card": 4111000065432104, "n": 5}'}]})
    assert out == {"messages": [{"arguments": '{"card": "<CREDIT_CARD_1>", "n": 5}'}]}


def test_names_of_tools_and_ids_stay_words_that_a_provider_takes() -> None:
    body = {
        "tools": [{"type": "function", "function": {"name": "ask_Ada", "parameters": {"properties": {"Ada": {}}}}}],
        "messages": [{"role": "tool", "tool_call_id": "id-Ada", "content": "Ada"}],
    }
    new = masked(body, "Ada")
    assert new["tools"][0]["function"]["name"] == "PERSON_1"  # type: ignore[index]
    assert new["tools"][0]["function"]["parameters"]["properties"] == {"<PERSON_2>": {}}  # type: ignore[index]
    assert new["messages"][0]["content"] == "<PERSON_2>"  # type: ignore[index]
    assert "Ada" not in json.dumps(new)


def test_numbers_follow_the_conversation_whatever_the_order_of_keys() -> None:
    first = {"messages": [{"content": "Ada"}], "tools": [{"name": "t", "description": "Bob"}]}
    longer = {"messages": [{"content": "Ada"}, {"content": "Carl"}], "tools": first["tools"]}
    one, two = masked(first, "Ada", "Bob", "Carl"), masked(longer, "Ada", "Bob", "Carl")
    assert one["tools"] == two["tools"] == [{"name": "t", "description": "<PERSON_1>"}]
    assert two["messages"] == [{"content": "<PERSON_2>"}, {"content": "<PERSON_3>"}]
    assert one["messages"] == two["messages"][:1]  # type: ignore[index]


def test_a_signed_thought_leaves_unchanged_or_not_at_all() -> None:
    thought = {"type": "thinking", "thinking": "<PERSON_1> asks", "signature": "c2ln"}
    held = {"type": "thinking", "thinking": "Ada asks", "signature": "c2ln"}
    text = {"type": "text", "text": "Hello Ada"}
    turn = {"role": "assistant", "content": [thought, held, text, {"type": "redacted_thinking", "data": MAIL}]}
    new = masked({"messages": [{"role": "user", "content": "I am Ada"}, turn]}, "Ada")
    assert new["messages"][1]["content"] == [thought, {"type": "text", "text": "Hello <PERSON_1>"}]  # type: ignore[index]


def test_a_value_over_two_fields_is_no_value_and_a_head_is_no_field() -> None:
    new = masked({"metadata": {"Ada": "Vance", "a": ["Ada\nb"]}}, "Ada: Vance", "Ada")
    assert "Ada" not in json.dumps(new)
    assert len(new["metadata"]) == 2  # type: ignore[arg-type]


def test_keys_that_would_become_one_are_refused() -> None:
    with pytest.raises(PayloadError, match="two keys"):
        masked({"metadata": {"Ada": "1", "<PERSON_1>": "2", "ADA": "3"}}, "Ada", "ADA")


def test_a_blocked_type_names_itself_only() -> None:
    with pytest.raises(BlockedError, match="EMAIL_ADDRESS") as error:
        masked({"metadata": {"a": MAIL}}, EMAIL_ADDRESS="block")
    assert MAIL not in str(error.value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (f"mail {MAIL[:5]}", f"{MAIL[5:]} now"),
        ("I am Ada ", "Vance, hello"),
        ("x " * 100 + "card 4111 1111", " 1111 1111" + " y" * 99),
    ],
)
def test_a_value_over_two_blocks_is_masked_in_both(left: str, right: str) -> None:
    blocks = [{"type": "text", "text": text} for text in (left, right)]
    for body in ({"messages": [{"role": "user", "content": blocks}]}, {"system": blocks}):
        said = json.dumps(masked(body, "Ada Vance"))
        assert not any(part in said for part in (MAIL[:5], MAIL[5:], "Ada", "Vance", "1111"))
        assert said.count("_1>") == said.count("_2>") == 1


@pytest.mark.parametrize(
    "texts", [["ada", "@", "lab.example"], ["a", "", "da@la", "b.exa", "mple ok"], list(f"to {MAIL} ok")]
)
def test_a_value_over_many_blocks_is_masked_in_all(texts: list[str]) -> None:
    blocks = [{"type": "text", "text": text} for text in texts]
    sent = masked({"messages": [{"role": "user", "content": blocks}]})["messages"][0]["content"]
    left = re.findall(r"\w", re.sub("<[A-Z_0-9]+>", "", "".join(block["text"] for block in sent)))
    assert set(left) <= set("took")


def test_blocks_of_two_messages_are_two_texts() -> None:
    said = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in ("I am Ada ", "Vance")]
    assert masked({"messages": said}, "Ada Vance") == {"messages": said}


def test_a_card_that_became_a_float_is_masked() -> None:
    assert "411111" not in json.dumps(masked({"messages": [], "seed": 4111111111111111.0}))
