"""Every place of a request is masked, a conversation keeps its beginning, replies come back however they are cut."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.values import Values
from localagent.config.models_toml import Entry
from localagent.errors import MissingExtraError
from localagent.messages import Message, ToolCall, ToolResult, ToolSpec, Usage
from localagent.models import anthropic_wire, openai_wire
from localagent.models.masking import Engine, engine_of, require_gateway
from localagent.models.unmask import Unmask
from localagent.ports import CallDelta, Constraint, Delta, Finish, Request, TextDelta, ThoughtDelta

ENTRY = Entry("far", "openai", model="big", base_url="http://127.0.0.1:9/v1", cloud=True, context=32000)
VALUES: tuple[Any, ...] = (
    "Greta Lindqvist",
    "greta.lindqvist@firma.example",
    "4111 1111 1111 1111",
    4111111111111111,
    "+49 151 23456789",
    "Соколова Мария Ивановна",
    "password: 'tr\"ick\\y-9f8a7b6c5d'",
    "IBAN DE89 3704 0044 0532 0130 00",
)
SCHEMA = {"type": "object", "properties": {"who": {"type": "string"}}}
PLAIN = Request(
    (Message("system", "You work."), Message("user", "Begin.")), (ToolSpec("look", "Looks.", SCHEMA),), session="s"
)


def said(message: Message) -> Request:
    return replace(PLAIN, messages=(*PLAIN.messages, message))


def tool(description: str = "Looks.", parameters: dict[str, Any] = SCHEMA) -> Request:
    return replace(PLAIN, tools=(ToolSpec("look", description, parameters),))


def called(arguments: dict[str, Any]) -> Request:
    return said(Message("assistant", calls=(ToolCall("c1", "look", arguments),)))


PLACES: dict[str, Callable[[Any], Request]] = {
    "system": lambda v: replace(PLAIN, messages=(Message("system", f"Serve {v}."), *PLAIN.messages[1:])),
    "user": lambda v: said(Message("user", f"It is {v}, as you know.")),
    "later system": lambda v: said(Message("system", f"Now {v}.")),
    "assistant": lambda v: said(Message("assistant", f"I see {v}.")),
    "thinking": lambda v: said(Message("assistant", "Fine.", thinking=f"So {v}.")),
    "raw": lambda v: said(Message("assistant", "Fine.", raw=f"So {v}.")),
    "argument": lambda v: called({"who": v}),
    "deep argument": lambda v: called({"a": [{"b": {"c": ["x", v]}}]}),
    "argument of type": lambda v: called({"type": "file", "model": v, "role": v}),
    "argument name": lambda v: called({f"for {v}": 1}),
    "result": lambda v: said(Message("tool", results=(ToolResult("c1", "look", f"id;name\n1;{v}\n"),))),
    "failed result": lambda v: said(Message("tool", results=(ToolResult("c1", "look", f"no {v}", ok=False),))),
    "description": lambda v: tool(f"Looks for {v}."),
    "enum": lambda v: tool(parameters={"type": "object", "properties": {"who": {"enum": ["me", v]}}}),
    "default": lambda v: tool(parameters={"type": "object", "properties": {"who": {"default": v}}}),
    "schema": lambda v: replace(PLAIN, constraint=Constraint(schema={"type": "object", "title": f"of {v}"})),
    "constraint": lambda v: replace(
        PLAIN, tools=(), constraint=Constraint((ToolSpec("look", f"For {v}", SCHEMA),), required=True)
    ),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(None)


def body(request: Request) -> str:
    """Both wire formats of a request, one behind the other, with escapes undone."""
    whole = (openai_wire.body_of(request, ENTRY, "cloud"), anthropic_wire.body_of(request, ENTRY))
    return json.dumps(whole, ensure_ascii=False)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_value_leaves_from_no_place(engine: Engine, place: str, value: Any) -> None:
    session = f"{place} {value}"
    masked = engine.conversation(session).mask(PLACES[place](value))
    sent = body(masked.request)
    for part in str(value).replace("password: ", "").replace("IBAN ", "").strip("'").split():
        if len(part) > 3:
            assert part not in sent, sent
    assert masked.counts or place in ("thinking", "raw")


def test_the_house_s_own_words_pass(engine: Engine) -> None:
    from localagent.sizes import system_prompt
    from localagent.tools.jobs import Jobs
    from localagent.tools.registry import builtin_tools

    for profile in ("nano", "minimal", "full"):
        tools = builtin_tools(profile, schema=None, jobs=Jobs(), web=True)  # type: ignore[arg-type]
        specs = tuple(tool.spec for tool in tools)
        for dialect in ("native", "react"):
            request = Request((Message("system", system_prompt(profile, dialect, tools)),), specs)
            masked = engine.conversation(f"{profile} {dialect}").mask(request)
            assert masked.counts == {}
            assert masked.request == request


def test_a_longer_conversation_begins_with_the_shorter_one(engine: Engine) -> None:
    texts = ["Anna Kern wrote", "to Tomasz Nowak", "and Пётр Громов", "about anna@kern.example", "and again Anna Kern"]
    conversation, messages, before = engine.conversation("growing"), list(PLAIN.messages), ""
    for text in texts:
        messages += [Message("user", text), Message("assistant", f"Noted: {text}")]
        sent = json.dumps(
            [m.content for m in conversation.mask(replace(PLAIN, messages=tuple(messages))).request.messages]
        )
        assert sent.startswith(before)
        before = sent[:-1]


def test_another_process_gives_the_same_placeholders(engine: Engine) -> None:
    messages = (*PLAIN.messages, Message("user", "Anna Kern and И. Громов"), Message("assistant", "Пётр Громов, noted"))
    request = replace(PLAIN, messages=messages)
    assert engine.conversation("a").mask(request).request == Engine(None).conversation("a").mask(request).request


def test_what_a_later_text_reveals_is_masked_in_earlier_ones(engine: Engine) -> None:
    conversation = engine.conversation("late")
    first = replace(PLAIN, messages=(*PLAIN.messages, Message("user", "the zorvex unit")))
    conversation.mask(first)
    later = replace(first, messages=(*first.messages, Message("user", "My password: zorvex")))
    masked = conversation.mask(later).request.messages
    assert "zorvex" not in " ".join(message.content for message in masked)


def test_the_shield_shows_the_placeholders_of_the_session(engine: Engine) -> None:
    engine.conversation("shown").mask(said(Message("user", "Anna Kern and Tomasz Nowak are here.")))
    assert engine.mask("Tomasz Nowak is here.", "shown").text == "<PERSON_2> is here."
    assert engine.mask("Tomasz Nowak is here.").text == "<PERSON_1> is here."


def test_a_gateway_toml_of_the_folder_that_is_worked_in_is_not_read(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gateway.toml").write_text('[policy]\ndefault = "allow"\n')
    assert engine_of(None).config().policy.action("PERSON") == "mask"


MAP = Values({"<PERSON_1>": "Anna Kern", "<SECRET_1>": 'a"b\\c\nd', "<PERSON_2>": "Иван Громов"})
FINISH = Finish("stop", Usage(1, 1))
PROSE = "Dear <PERSON_1>, the key is <SECRET_1>; позвоните <PERSON_2>. PERSON_1 and < PERSON_1 > and <PERSON_9>."
ARGUMENTS = '{"who": "<PERSON_1>", "key": "x <SECRET_1> y", "list": ["<PERSON_2>"]}'
REACT = f"Thought: ask <PERSON_1>\nAction: look\nAction Input: {ARGUMENTS}\nObservation: none for <PERSON_1>"


def heard(deltas: list[Delta], *, textual: bool = False) -> dict[str, str]:
    """What the deltas say in all, by kind."""
    unmask = Unmask(MAP, textual=textual)
    found = {"text": "", "thought": "", "arguments": ""}
    for delta in (*deltas, FINISH):
        for restored in unmask.feed(delta):
            match restored:
                case TextDelta(text):
                    found["text"] += text
                case ThoughtDelta(text):
                    found["thought"] += text
                case CallDelta(_, _, arguments):
                    found["arguments"] += arguments
    return found


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % len(text) for place in places} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 500), max_size=60))
def test_any_cutting_gives_the_same_reply(places: list[int]) -> None:
    for make, key, text, textual in (
        (TextDelta, "text", PROSE, False),
        (ThoughtDelta, "thought", PROSE, False),
        (lambda piece: CallDelta(0, arguments=piece), "arguments", ARGUMENTS, False),
        (TextDelta, "text", REACT, True),
    ):
        whole = heard([make(text)], textual=textual)
        assert heard([make(piece) for piece in cut(text, places)], textual=textual) == whole
        assert "Anna Kern" in whole[key]


def test_arguments_are_verbatim_and_prose_is_in_its_case() -> None:
    told = heard([TextDelta(PROSE), CallDelta(0, "look"), CallDelta(0, arguments=ARGUMENTS)])
    assert json.loads(told["arguments"]) == {"who": "Anna Kern", "key": 'x a"b\\c\nd y', "list": ["Иван Громов"]}
    assert "позвоните Ивану Громову" in told["text"]
    assert "<PERSON_9>" in told["text"]


def test_calls_in_the_text_are_json() -> None:
    told = heard([TextDelta(REACT)], textual=True)["text"]
    line = next(line for line in told.splitlines() if line.startswith("Action Input: "))
    assert json.loads(line.removeprefix("Action Input: "))["key"] == 'x a"b\\c\nd y'
    assert told.endswith("Observation: none for Anna Kern")


def test_a_character_that_is_no_placeholder_is_never_held_back() -> None:
    unmask = Unmask(MAP, textual=False)
    text = "Nothing here is personal, 5 < 7 and so on"
    out = "".join(restored.text for char in text for restored in unmask.feed(TextDelta(char)))  # type: ignore[union-attr]
    assert len(out) >= len(text) - 2


def test_a_missing_package_names_its_extra() -> None:
    require_gateway()
    with pytest.raises(MissingExtraError, match=r"pip install 'localagent\[gateway\]'"):
        require_gateway(("no_such_package",))
