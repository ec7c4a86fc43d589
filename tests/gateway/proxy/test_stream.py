"""Any cut of any stream, between any bytes, gives the client what the whole reply would have given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.proxy.reply import Restoring
from gateway.proxy.stream import Relay
from gateway.values import Values
from tests.fakes import accumulate, transcripts
from tests.fakes.transcripts import Cut, call, chat_reply, message_reply, response_reply, said, sse

MAP = Values(
    {
        "<PERSON_1>": "Ада Ветрова",
        "<PERSON_2>": "O'Neill",
        "<EMAIL_ADDRESS_1>": "ada@lab.example",
        "<SECRET_1>": 'a"\\n\n',
    }
)
PROSE = "Писал <PERSON_1>, и потом [PERSON_2] said: <EMAIL_ADDRESS_1> or <PERSON_3>, 5 < 6, _PERSON_1, <SECRET_1>"
ARGUMENTS = json.dumps(
    {"to": ["<EMAIL_ADDRESS_1>"], "key": "<SECRET_1>", "n": {"q": '{"a": "<SECRET_1>"}'}, "x": "é\u2028"}
)
TOOL = {"type": "tool_use", "id": "toolu_1", "name": "send", "input": json.loads(ARGUMENTS)}
THOUGHT = {"type": "thinking", "thinking": "<PERSON_1> wants", "signature": "EqQBCgIYAhIM"}

CHAT = {
    "text": chat_reply({"content": PROSE}),
    "two choices": chat_reply({"content": PROSE}, {"content": PROSE[::-1]}, logprobs=True),
    "tools": chat_reply({"tool_calls": [call("send", ARGUMENTS), call("see", "{}", 1), call("ask", ARGUMENTS, 2)]}),
    "reasoning": chat_reply({"reasoning_content": PROSE, "content": "ends with <PERSON_1"}),
    "refusal": chat_reply({"refusal": f"I cannot tell {PROSE}"}, finish="content_filter"),
}
MESSAGES = {
    "text": message_reply({"type": "text", "text": PROSE}, {"type": "text", "text": "<PERSON_2>"}),
    "tools": message_reply({"type": "text", "text": PROSE}, TOOL, {**TOOL, "id": "toolu_2"}, stop="tool_use"),
    "thinking": message_reply(
        THOUGHT, {"type": "redacted_thinking", "data": "Q<PERSON_1>"}, {"type": "text", "text": PROSE}
    ),
}
RESPONSES = {
    "text": response_reply(said(PROSE), said("<PERSON_1", 1), instructions="for <PERSON_1>", user="<PERSON_1>"),
    "refusal": response_reply(said(PROSE, kind="refusal")),
    "tools": response_reply(
        {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "send", "arguments": ARGUMENTS},
        {"id": "ct_1", "type": "custom_tool_call", "call_id": "call_2", "name": "run", "input": f"print({PROSE})"},
        {"id": "fc_2", "type": "function_call", "call_id": "call_3", "name": "send", "arguments": ARGUMENTS},
    ),
    "reasoning": response_reply(
        {
            "id": "rs_1",
            "type": "reasoning",
            "encrypted_content": "gAAA",
            "summary": [{"type": "summary_text", "text": PROSE}, {"type": "summary_text", "text": "<PERSON_2>"}],
            "content": [{"type": "reasoning_text", "text": PROSE}],
        },
        said(PROSE),
    ),
}
KINDS: dict[str, tuple[dict[str, Any], Callable[..., Any], Callable[[bytes], Any], Callable[[Any], Any], str]] = {
    "chat": (CHAT, transcripts.chat, accumulate.chat, accumulate.chat_whole, "/v1/chat/completions"),
    "messages": (MESSAGES, transcripts.messages, accumulate.messages, lambda reply: reply, "/v1/messages"),
    "responses": (
        RESPONSES,
        transcripts.responses,
        accumulate.responses,
        lambda reply: reply | {"items": reply["output"]},
        "/v1/responses",
    ),
}
EACH = [(kind, name) for kind, (replies, *_) in KINDS.items() for name in replies]


def cutter(sizes: list[int]) -> Cut:
    """Cuts every text into pieces of these sizes, again and again."""

    def cut(text: str) -> list[str]:
        pieces, at, turn = [], 0, 0
        while at < len(text):
            pieces.append(text[at : at + sizes[turn % len(sizes)]])
            at, turn = at + sizes[turn % len(sizes)], turn + 1
        return pieces

    return cut


def through(relay: Relay, raw: bytes, sizes: list[int]) -> bytes:
    out, at, turn = b"", 0, 0
    while at < len(raw):
        size = sizes[turn % len(sizes)]
        out += relay.feed(raw[at : at + size])
        at, turn = at + size, turn + 1
    return out + relay.close()


def stream_of(kind: str, name: str, sizes: list[int], end: str = "\n") -> tuple[bytes, Any, Any, str]:
    replies, build, add_up, whole, path = KINDS[kind]
    raw = sse(build(replies[name], cutter(sizes)), named=kind != "chat", end=end, done=kind == "chat")
    return raw, add_up, whole(Restoring(MAP).whole(replies[name])), path


@pytest.mark.parametrize(("kind", "name"), EACH)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_stream_is_the_whole_reply(kind: str, name: str, data: st.DataObject) -> None:
    sizes = st.lists(st.integers(1, 40), min_size=1, max_size=12)
    raw, add_up, expected, path = stream_of(kind, name, data.draw(sizes), data.draw(st.sampled_from(["\n", "\r\n"])))
    relay = Relay(path, Restoring(MAP))
    out = through(relay, raw, data.draw(st.lists(st.integers(1, 400), min_size=1, max_size=20)))
    assert json.loads(json.dumps(add_up(out))) == json.loads(json.dumps(expected))
    assert relay.ended
    assert b"in the middle" not in out


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_byte_by_byte_is_all_at_once(kind: str, name: str) -> None:
    raw, add_up, expected, path = stream_of(kind, name, [1])
    once, single = Relay(path, Restoring(MAP)), Relay(path, Restoring(MAP))
    assert through(once, raw, [len(raw)]) == through(single, raw, [1])
    assert json.loads(json.dumps(add_up(through(Relay(path, Restoring(MAP)), raw, [7])))) == json.loads(
        json.dumps(expected)
    )


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_without_values_every_byte_passes(kind: str, name: str) -> None:
    raw, _, _, path = stream_of(kind, name, [5], "\r\n")
    relay = Relay(path, Restoring({}))
    assert through(relay, b": ping\n\n" + raw, [3]) == b": ping\n\n" + raw
    assert set(relay.usage) >= {"prompt_tokens" if kind == "chat" else "input_tokens"}


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_events_without_text_pass_byte_for_byte_and_in_order(kind: str, name: str) -> None:
    raw, _, _, path = stream_of(kind, name, [6])
    out = through(Relay(path, Restoring(MAP)), raw, [50])
    before, after = [name for name, _ in accumulate.events_of(raw)], [name for name, _ in accumulate.events_of(out)]
    rest = iter(after)
    assert all(name in rest for name in before)
    assert len(after) <= len(before) + 8
    if kind == "messages":
        assert b'data: {"type": "ping"}' in out


def test_letters_that_begin_no_placeholder_are_not_held() -> None:
    relay = Relay("/v1/messages", Restoring(MAP))
    for text in ("Hello, ", "wörld! ", "x < 5 ", "и да. "):
        event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        assert json.dumps(text)[1:-1].encode() in relay.feed(sse([("content_block_delta", event)]))


@pytest.mark.parametrize(("kind", "name"), EACH)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_stream_that_stops_in_the_middle_ends_with_an_error(kind: str, name: str, share: float) -> None:
    raw, _, _, path = stream_of(kind, name, [4])
    cut = raw[: int(len(raw) * share)]
    if kind == "chat" and b'"finish_reason": "' in cut:
        cut = cut[: cut.index(b'"finish_reason": "')]
    out = through(Relay(path, Restoring(MAP)), cut, [64])
    last_name, last = accumulate.events_of(out)[-1]
    assert "error" in last
    assert (last_name == "error") == (kind != "chat")
    held = Relay(path, Restoring(MAP))
    told = held.feed(cut) + held.broken("the upstream broke off")
    assert accumulate.events_of(told)[-1][1]["error"]["message"] == "the upstream broke off"


def test_answers_in_json_are_restored_as_json() -> None:
    text = '{"key": "<SECRET_1>", "who": "<PERSON_1>"}'
    for sizes in ([1], [3], [100]):
        for kind, reply, path in (
            ("chat", chat_reply({"content": text}), "/v1/chat/completions"),
            ("messages", message_reply({"type": "text", "text": text}), "/v1/messages"),
            ("responses", response_reply(said(text)), "/v1/responses"),
        ):
            _, build, add_up, _, _ = KINDS[kind]
            raw = sse(build(reply, cutter(sizes)), named=kind != "chat", done=kind == "chat")
            found = json.dumps(add_up(through(Relay(path, Restoring(MAP, structured=True)), raw, [11])))
            assert json.dumps(json.dumps({"key": 'a"\\n\n', "who": "Ада Ветрова"}, ensure_ascii=False)) in found
            assert "SECRET_1" not in found


def test_code_and_arguments_are_never_inflected_and_prose_is() -> None:
    text = "Письмо для <PERSON_1>, и дальше."
    custom = {"id": "ct_1", "type": "custom_tool_call", "call_id": "c", "name": "run", "input": text}
    reply = response_reply(custom, said(text))
    restored = Restoring(MAP).whole(reply)
    assert restored["output"][0]["input"] == "Письмо для Ада Ветрова, и дальше."
    assert restored["output"][1]["content"][0]["text"] == "Письмо для Ады Ветровой, и дальше."
    raw = sse(transcripts.responses(reply, cutter([2])))
    assert (
        accumulate.responses(through(Relay("/v1/responses", Restoring(MAP)), raw, [9]))["output"] == restored["output"]
    )


@pytest.mark.parametrize("size", [1, 3, 7, 200])
def test_texts_that_come_side_by_side_are_kept_apart(size: int) -> None:
    """Commands of one call differ in their index only, and an output is two texts in one event."""
    said = {0: "mail <EMAIL_ADDRESS_1> a", 1: "key='<EMAIL_ADDRESS_1>'", 2: "ends with <EMAIL_ADDRESS_1"}
    relay = Relay("/v1/responses", Restoring(MAP))
    events: list[tuple[str, dict[str, Any]]] = []
    for at in range(0, max(map(len, said.values())), size):
        for index, text in said.items():
            piece = text[at : at + size]
            place = {"output_index": 0, "command_index": index}
            events.append(("", {"type": "response.shell_call_command.delta", "delta": piece, **place}))
            both = {"stdout": piece, "stderr": piece}
            place |= {"item_id": "out"}
            events.append(("", {"type": "response.shell_call_output_content.delta", "delta": both, **place}))
    for index, text in said.items():
        place = {"output_index": 0, "command_index": index}
        events.append(("", {"type": "response.shell_call_command.done", "command": text, **place}))
        place |= {"item_id": "out", "other_id": "x"}
        events.append(("", {"type": "response.shell_call_output_content.done", "output": [], **place}))
    joined: dict[tuple[int, str], str] = {}
    for _, data in accumulate.events_of(relay.feed(sse(events))):
        delta, index = data.get("delta"), data["command_index"]
        for name, text in (delta if isinstance(delta, dict) else {"": delta or ""}).items():
            joined[index, name] = joined.get((index, name), "") + text
    for index, text in said.items():
        whole = text.replace("<EMAIL_ADDRESS_1>", "ada@lab.example")
        assert [joined[index, name] for name in ("", "stdout", "stderr")] == [whole] * 3


def test_half_a_character_stays_an_escape() -> None:
    """Servers cut between the halves; as bytes of their own they would be no UTF-8, and the client would lose both."""
    relay = Relay("/v1/chat/completions", Restoring(MAP))
    halves = [
        '{"choices":[{"index":0,"delta":{"content":"<EMAIL_ADDRESS_1> \\ud83d"}}]}',
        '{"choices":[{"index":0,"delta":{"content":"\\ude00"}}]}',
    ]
    out = b"".join(relay.feed(f"data: {half}\n\n".encode()) for half in halves).decode("utf-8")
    text = "".join(data["choices"][0]["delta"]["content"] for _, data in accumulate.events_of(out.encode()))
    assert text.encode("utf-16", "surrogatepass").decode("utf-16") == "ada@lab.example \U0001f600"


def test_an_event_that_cannot_be_read_ends_the_stream_with_an_error() -> None:
    relay = Relay("/v1/messages", Restoring(MAP))
    with pytest.raises(RecursionError):
        relay.feed(b'event: x\ndata: {"a": ' + b'{"a": ' * 900 + b'"<PERSON_1>"' + b"}" * 901 + b"\n\n")


def test_a_picture_is_not_searched() -> None:
    picture = "A1b2" * 2000
    assert Restoring(MAP).text(picture) is picture


def test_tokens_with_probabilities_are_left_out_where_they_spell_placeholders() -> None:
    raw, _, _, path = stream_of("chat", "two choices", [3])
    assert b'"token"' in raw
    assert b'"token"' not in through(Relay(path, Restoring(MAP)), raw, [99])


def test_a_thought_passes_as_it_is_signed() -> None:
    raw, add_up, _, path = stream_of("messages", "thinking", [2])
    assert add_up(through(Relay(path, Restoring(MAP)), raw, [13]))["content"][0] == THOUGHT


def test_an_error_of_the_upstream_in_the_stream_is_restored_and_is_an_end() -> None:
    said_ = {"type": "error", "error": {"type": "overloaded_error", "message": "no <EMAIL_ADDRESS_1>"}}
    relay = Relay("/v1/messages", Restoring(MAP))
    out = relay.feed(sse([("error", said_)])) + relay.close()
    assert [data["error"]["message"] for _, data in accumulate.events_of(out)] == ["no ada@lab.example"]
    relay = Relay("/v1/chat/completions", Restoring(MAP))
    out = relay.feed(sse([("", {"error": {"message": "no <EMAIL_ADDRESS_1>"}})])) + relay.close()
    assert [data["error"]["message"] for _, data in accumulate.events_of(out)] == ["no ada@lab.example"]


def test_no_piece_of_a_placeholder_reaches_the_client() -> None:
    for kind, name in EACH:
        raw, _, _, path = stream_of(kind, name, [1])
        out = through(Relay(path, Restoring(MAP)), raw, [17]).decode()
        out = out.replace("Q<PERSON_1>", "").replace("<PERSON_3", "")
        visible = "".join(re.findall(r'"(?:delta|text|arguments|input)": ?"((?:[^"\\]|\\.)*)"', out))
        assert "<EMAIL" not in visible
