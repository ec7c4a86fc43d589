"""Grammars: what they let through, on a real vocabulary; whatever they let through satisfies the schema."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from localagent.calling.grammar import call_schema, gbnf, lark_of
from localagent.calling.schema_sound import why_unsound
from localagent.messages import ToolSpec
from localagent.ports import Constraint
from tests.fakes.vocabulary import Vocabulary, smollm2_vocabulary

if TYPE_CHECKING:
    from localagent.models.llama_cpp.matcher import Flags, Matcher

REFERRING = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}, "minItems": 1, "maxItems": 3}},
    "required": ["steps"],
    "$defs": {
        "Step": {"type": "object", "properties": {"do": {"type": "string", "maxLength": 12}}, "required": ["do"]}
    },
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "strings": {
        "type": "object",
        "properties": {"path": {"type": "string", "minLength": 1, "maxLength": 4000}, "note": {"type": "string"}},
        "required": ["path"],
    },
    "numbers": {
        "type": "object",
        "properties": {
            "line": {"type": "integer", "minimum": 1, "maximum": 500},
            "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "all": {"type": "boolean"},
        },
        "required": ["line", "share"],
    },
    "enum of any characters": {
        "type": "object",
        "properties": {"mode": {"enum": ['say "hi"', "back\\slash", "línea\nnueva", "日本", 3, None, True]}},
        "required": ["mode"],
    },
    "references": REFERRING,
    "recursion": {
        "type": "object",
        "properties": {"tree": {"$ref": "#/definitions/node"}},
        "required": ["tree"],
        "definitions": {
            "node": {
                "type": "object",
                "properties": {
                    "v": {"type": "integer"},
                    "kids": {"type": "array", "items": {"$ref": "#/definitions/node"}},
                },
                "required": ["v"],
            }
        },
    },
    "unions": {
        "type": "object",
        "properties": {
            "target": {"anyOf": [{"type": "string", "maxLength": 8}, {"type": "integer"}, {"type": "null"}]},
            "size": {"type": ["integer", "null"]},
        },
        "required": ["target", "size"],
    },
    "patterns and formats": {
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
            "day": {"type": "string", "format": "date"},
            "id": {"type": "string", "format": "uuid"},
            "other": {"type": "string", "format": "made-up"},
        },
        "required": ["code", "day", "id"],
    },
    "nested arrays": {
        "type": "object",
        "properties": {
            "grid": {
                "type": "array",
                "minItems": 1,
                "maxItems": 2,
                "items": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
            }
        },
        "required": ["grid"],
    },
    "all of": {
        "type": "object",
        "allOf": [
            {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"b": {"type": "boolean"}}, "required": ["b"]},
        ],
    },
    "nothing": {"type": "object", "properties": {}},
    "const": {"type": "object", "properties": {"v": {"const": {"k": [1, "x"]}}}, "required": ["v"]},
}
TOOLS = tuple(ToolSpec(f"tool_{n}", "", schema) for n, schema in enumerate(SCHEMAS.values()))
PLAIN = (
    ToolSpec(
        "calculator",
        "",
        {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
    ),
    ToolSpec("read_file", "", SCHEMAS["numbers"]),
)
REACT_CALL = 'Thought: I must.\nAction: calculator\nAction Input: {"expression": "1+1"}'
HERMES_CALL = 'Sure.\n<tool_call>\n{"name": "calculator", "arguments": {"expression": "1"}}\n</tool_call>'
BARE_CALL = '{"name": "calculator", "arguments": {"expression": "1"}}'


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return smollm2_vocabulary()


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("seed", range(4))
def test_what_a_schema_lets_through_satisfies_it(vocabulary: Vocabulary, name: str, seed: int) -> None:
    lark = lark_of(Constraint(schema=SCHEMAS[name]))
    assert lark
    jsonschema.validate(json.loads(_walk(vocabulary, lark, seed)), SCHEMAS[name])


@pytest.mark.parametrize("seed", range(12))
def test_a_required_bare_call_is_one_of_the_tools_with_its_arguments(vocabulary: Vocabulary, seed: int) -> None:
    lark = lark_of(Constraint(tools=TOOLS, dialect="json", required=True))
    assert lark
    call = json.loads(_walk(vocabulary, lark, seed).strip("`\n").removeprefix("json"))
    by_name = {tool.name: tool.parameters for tool in TOOLS}
    jsonschema.validate(call["arguments"], by_name[call["name"]])


@pytest.mark.parametrize("seed", range(6))
def test_a_required_react_call_may_be_thought_about_and_then_must_come(vocabulary: Vocabulary, seed: int) -> None:
    lark = lark_of(Constraint(tools=TOOLS, dialect="react", required=True))
    assert lark
    text = _walk(vocabulary, lark, seed, begin="Thought: so.\nAction: ")
    name, _, arguments = text.rpartition("Action:")[2].partition("Action Input")
    by_name = {tool.name: tool.parameters for tool in TOOLS}
    jsonschema.validate(json.loads(arguments[arguments.index("{") :]), by_name[name.strip(' \n`"*\t')])


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("react", REACT_CALL),
        ("react", 'Action: read_file\nAction Input: {"line": 500,\n "share": 0.5}'),
        ("react", '**Action:** `calculator`\n**Action Input:** {"expression": ""}'),
        ("react", "Just an answer, over\nsome lines. Action is needed."),
        ("react", "Thought: done.\nFinal Answer: do this:\nAction: stretch"),
        ("hermes", HERMES_CALL),
        ("hermes", HERMES_CALL + HERMES_CALL.removeprefix("Sure.")),
        ("hermes", BARE_CALL),
        ("native", HERMES_CALL),
        ("native", f"```json\n{BARE_CALL}\n```"),
        ("native", "No { tool } is needed."),
        ("hermes", "No tool is needed <b>here</b>."),
        ("json", BARE_CALL),
        ("json", f"```json\n{BARE_CALL}\n```"),
        ("json", "[see this](x) and {that}"),
        ("json", "```python\nprint(1)\n```"),
    ],
)
def test_calls_and_answers_pass_unhindered(vocabulary: Vocabulary, dialect: str, text: str) -> None:
    lark = lark_of(Constraint(tools=PLAIN, dialect=dialect))
    assert lark
    rest, complete = vocabulary.feed(lark, text)
    assert (rest, complete) == ("", True)


@pytest.mark.parametrize(
    ("dialect", "text", "refused"),
    [
        ("react", "Thought: x.\nAction: search", "search"),
        ("react", 'Action: calculator\nAction Input: {"wrong": 1}', "wrong"),
        ("react", 'Action: calculator\nAction Input: {"expression": 1}', "1}"),
        ("react", REACT_CALL + "\nObservation: 2", "Observation"),
        ("react", 'Action: read_file\nAction Input: {"line": 501, "share": 1}', "1, "),
        ("hermes", '<tool_call>\n{"name": "search"', "search"),
        ("native", '{"name": "search"', "search"),
        ("json", '{"name": "search"', "search"),
        ("json", "{'name': ", "'name"),
        ("json", BARE_CALL + "\nand more", "and"),
    ],
)
def test_what_is_no_valid_call_cannot_be_written(vocabulary: Vocabulary, dialect: str, text: str, refused: str) -> None:
    lark = lark_of(Constraint(tools=PLAIN, dialect=dialect))
    assert lark
    rest, _ = vocabulary.feed(lark, text)
    assert rest
    assert text.index(refused) >= len(text) - len(rest) - 2  # a token may begin a little before the offence


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (REACT_CALL, True),
        ("Thought: I can answer.\nFinal Answer: Hello!\nWhat now?", True),
        ("Final Answer: Hello!", True),
        ("Thought: I need a rhyme.\nAction: none\nFinal Answer: Time.", True),
        ("Hello!", False),
        ("Thought: so\nAction: search", False),
    ],
)
def test_the_smallest_models_are_held_to_the_form_and_may_still_answer(
    vocabulary: Vocabulary, text: str, passes: bool
) -> None:
    lark = lark_of(Constraint(PLAIN, "react"), formed=True)
    assert lark
    assert (vocabulary.feed(lark, text) == ("", True)) is passes


SECOND_CALL = '\nAction: read_file\nAction Input: {"line": 1, "share": 0.5}'


@pytest.mark.parametrize("formed", [False, True])
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (REACT_CALL, True),
        (REACT_CALL + "\n", True),
        (REACT_CALL + SECOND_CALL, True),
        (REACT_CALL + 7 * SECOND_CALL, True),
        (REACT_CALL + 8 * SECOND_CALL, False),
        (REACT_CALL + SECOND_CALL.replace("0.5", '"0.5"'), False),
        (REACT_CALL + "\nObservation: 2", False),
        (REACT_CALL + "\nThought: next", False),
    ],
)
def test_calls_may_follow_each_other_where_the_model_can_write_several(
    vocabulary: Vocabulary, text: str, passes: bool, required: bool, formed: bool
) -> None:
    lark = lark_of(Constraint(PLAIN, "react", required=required, several=True), formed=formed)
    assert lark
    assert (vocabulary.feed(lark, text) == ("", True)) is passes


def test_without_several_the_first_call_is_the_last(vocabulary: Vocabulary) -> None:
    lark = lark_of(Constraint(PLAIN, "react"))
    assert lark
    assert vocabulary.feed(lark, REACT_CALL + SECOND_CALL)[0]


def test_what_would_follow_a_whole_call_ends_the_reply_and_is_no_further_call(vocabulary: Vocabulary) -> None:
    matcher = _at(vocabulary, Constraint(PLAIN, "react", several=True), REACT_CALL + "\n")
    observation, action = (vocabulary.tokenizer.tokenize_str(word)[0] for word in ("Observation", "Action"))
    assert not matcher.accepts(observation)
    assert matcher.allowed(observation) is None
    assert matcher.accepts(action)


def test_free_text_goes_on_after_a_refused_token(vocabulary: Vocabulary) -> None:
    matcher = _at(vocabulary, Constraint(PLAIN, "react", several=True), "Some words")
    assert matcher.allowed(vocabulary.tokenizer.eos_token) is not None


def test_a_number_that_the_model_would_leave_gets_no_further_digit(vocabulary: Vocabulary) -> None:
    schema = {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}
    matcher = _at(vocabulary, Constraint(schema=schema), '{"line": 5')
    comma, zero, close = (vocabulary.tokenizer.tokenize_str(text)[0] for text in (",", "0", "}"))
    assert not matcher.accepts(comma)
    narrowed, whole = matcher.allowed(comma), matcher.allowed()
    assert narrowed is not None
    assert whole is not None
    assert whole[zero]
    assert not narrowed[zero]
    assert narrowed[close]


def test_a_number_that_must_go_on_does(vocabulary: Vocabulary) -> None:
    schema = {"type": "object", "properties": {"v": {"type": "string", "pattern": "^[0-9]{4}$"}}, "required": ["v"]}
    matcher = _at(vocabulary, Constraint(schema=schema), '{"v": "12')
    quote, zero = (vocabulary.tokenizer.tokenize_str(text)[0] for text in ('"', "0"))
    assert not matcher.accepts(quote)
    allowed = matcher.allowed(quote)
    assert allowed is not None
    assert allowed[zero]


def test_a_name_that_no_tool_has_is_none_and_not_another_tool(vocabulary: Vocabulary) -> None:
    matcher = _at(vocabulary, Constraint(PLAIN, "react"), "Thought: I integrate.\nAction:")
    integrate, *_ = vocabulary.tokenizer.tokenize_str(" integrate")
    assert not matcher.accepts(integrate)
    assert _texts(vocabulary, matcher.allowed(integrate)) == {"none", " none"}


@pytest.mark.parametrize("drawn", [" Calcul", " READ", " ("])
def test_a_name_written_otherwise_may_still_become_the_tool(vocabulary: Vocabulary, drawn: str) -> None:
    matcher = _at(vocabulary, Constraint(PLAIN, "react"), "Thought: so.\nAction:")
    token, *_ = vocabulary.tokenizer.tokenize_str(drawn)
    assert not matcher.accepts(token)
    assert {" read", " c"} <= _texts(vocabulary, matcher.allowed(token))


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Thought: so.\nAction: none", True),
        ("Action: none.\nFinal Answer: I have no tool for this.\nReally.", True),
        ("Action: none\nAction Input: {}", False),
    ],
)
def test_none_is_an_action_that_needs_no_input_unless_a_call_is_required(
    vocabulary: Vocabulary, text: str, passes: bool
) -> None:
    free, required = lark_of(Constraint(PLAIN, "react")), lark_of(Constraint(PLAIN, "react", required=True))
    assert free
    assert required
    assert (vocabulary.feed(free, text) == ("", True)) is passes
    assert vocabulary.feed(required, text)[0]


def test_white_space_is_bounded(vocabulary: Vocabulary) -> None:
    lark = lark_of(Constraint(tools=PLAIN, dialect="json", required=True))
    assert lark
    rest, _ = vocabulary.feed(lark, '{"name": "calculator",' + " " * 40)
    assert rest


def test_the_same_constraint_gives_the_same_text() -> None:
    assert lark_of(Constraint(TOOLS)) == lark_of(Constraint(TOOLS))
    assert lark_of(Constraint(dialect="native")) is None


def test_without_a_tool_the_react_form_can_only_answer(vocabulary: Vocabulary) -> None:
    lark = lark_of(Constraint())
    assert lark
    assert vocabulary.feed(lark, "Thought: I know.\nFinal Answer: 4") == ("", True)
    assert vocabulary.feed(lark, "Thought: I look.\nAction: calculator")[0]


def test_a_schema_of_calls_follows_references_to_where_they_lie() -> None:
    tools = (PLAIN[0], ToolSpec("plan", "", REFERRING))
    schema = call_schema(tools)
    jsonschema.validate({"name": "plan", "arguments": {"steps": [{"do": "x"}]}}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "plan", "arguments": {"steps": [{"do": 1}]}}, schema)


@pytest.mark.parametrize("dialect", ["react", "hermes", "json"])
@pytest.mark.parametrize("required", [False, True])
def test_llama_cpp_reads_the_gbnf(vocabulary: Vocabulary, dialect: str, required: bool) -> None:
    text = gbnf(Constraint(TOOLS, dialect, required=required))
    assert text
    assert vocabulary.reads_gbnf(text)
    assert not vocabulary.reads_gbnf(text.replace("root ::=", "root ::= undefined-rule"))


def _with(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


HARD: dict[str, dict[str, Any]] = {
    "more than at most": _with(a={"type": "array", "minItems": 3, "maxItems": 1}),
    "longer than the longest": _with(a={"type": "string", "minLength": 2, "maxLength": 1}),
    "many": _with(a={"type": "array", "minItems": 2500}),
    "many of many": _with(a={"type": "array", "minItems": 900, "items": {"type": "array", "minItems": 900}}),
    "nothing to choose": _with(a={"enum": []}),
    "no number": _with(a={"type": "integer", "minimum": None}),
    "itself": {"$ref": "#"},
    "itself in a union": {"anyOf": [{"$ref": "#"}]},
    "each other": {**_with(a={"$ref": "#/$defs/a"}), "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "nowhere": _with(a={"$ref": "#/$defs/gone"}),
    "its parts": {**_with(a={"type": "string"}), "dependentSchemas": {"a": {"$ref": "#"}}},
    "its anchor": {"$dynamicAnchor": "me", "$dynamicRef": "#me"},
    "an old draft": {"$schema": "http://json-schema.org/draft-03/schema#", **_with(a={**_with(), "required": True})},
    "half a character": _with(a={"enum": ["\ud800"]}),
    "doubling": {
        **_with(a={"$ref": "#/$defs/d0"}),
        "$defs": {
            **{f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(30)},
            "d30": {"type": "string"},
        },
    },
}


@pytest.mark.parametrize("name", HARD)
def test_a_schema_that_no_grammar_can_hold_costs_only_its_own_arguments(vocabulary: Vocabulary, name: str) -> None:
    tools = (ToolSpec("odd", "", HARD[name]), PLAIN[0])
    text = gbnf(Constraint(tools, "react", required=True))
    assert text
    assert vocabulary.reads_gbnf(text)
    assert vocabulary.passes_gbnf(text, REACT_CALL)
    assert not vocabulary.passes_gbnf(text, REACT_CALL.replace("expression", "formula"))
    lark = lark_of(Constraint(tools, "react", required=True))
    assert lark
    assert vocabulary.feed(lark, REACT_CALL) == ("", True)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("least", [0, 1])
def test_arrays_of_arrays_hold_their_values_and_no_others(vocabulary: Vocabulary, depth: int, least: int) -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": least}
    tool = ToolSpec("grid", "", {**_with(m=schema), "required": ["m"]})
    text = gbnf(Constraint((tool,), "react", required=True))
    assert text
    call = 'Action: grid\nAction Input: {"m": %s}'
    assert vocabulary.passes_gbnf(text, call % ("[" * depth + "1, 2" + "]" * depth))
    assert not vocabulary.passes_gbnf(text, call % ("[" * (depth + 1) + "1" + "]" * (depth + 1)))


def test_many_arguments_of_which_none_is_needed_make_no_large_grammar(vocabulary: Vocabulary) -> None:
    schema = _with(**{f"p{n}": {"type": "integer"} for n in range(60)})
    text = gbnf(Constraint((ToolSpec("many", "", schema),), "react", required=True))
    assert text
    call = "Action: many\nAction Input: "
    for arguments in ("{}", '{"p0": 1}', '{"p3": 1, "p59": 2}', '{"p59": 2}'):
        assert vocabulary.passes_gbnf(text, call + arguments)
    assert not vocabulary.passes_gbnf(text, call + '{"p60": 1}')
    assert not vocabulary.passes_gbnf(text, call + '{, "p1": 1}')


@pytest.mark.parametrize(
    "schema",
    [
        _with(a={"anyOf": [{"type": "integer"}]}, b={"$ref": "#/properties/a/anyOf/0"}),
        {**_with(b={"$ref": "#/$defs/two%20words"}), "$defs": {"two words": {"type": "integer"}}},
        _with(b={"type": "integer", "default": {"$ref": "gone"}}),
        _with(default={"type": "string"}, b={"type": "integer"}),
    ],
)
def test_references_into_lists_and_data_that_look_like_references_keep_the_schema(
    vocabulary: Vocabulary, schema: dict[str, Any]
) -> None:
    assert why_unsound(schema) == ""
    text = gbnf(Constraint((ToolSpec("t", "", schema),), "react", required=True))
    assert text
    assert vocabulary.passes_gbnf(text, 'Action: t\nAction Input: {"b": 1}')
    assert not vocabulary.passes_gbnf(text, 'Action: t\nAction Input: {"b": "x"}')


def test_each_tool_has_its_own_definitions(vocabulary: Vocabulary) -> None:
    kinds = ("integer", "boolean")
    tools = [ToolSpec(kind, "", {**_with(a={"$ref": "#/$defs/x"}), "$defs": {"x": {"type": kind}}}) for kind in kinds]
    text = gbnf(Constraint(tuple(tools), "react", required=True))
    assert text
    assert vocabulary.passes_gbnf(text, 'Action: boolean\nAction Input: {"a": true}')
    assert not vocabulary.passes_gbnf(text, 'Action: boolean\nAction Input: {"a": 1}')


@pytest.mark.parametrize(
    ("dialect", "text", "passes"),
    [
        ("react", REACT_CALL, True),
        ("react", "There is no need.", True),
        ("react", "Thought: I must.\nFinal Answer: 4", True),
        ("react", "Thought: I must.\nAction: search", False),
        ("hermes", HERMES_CALL.removeprefix("Sure.\n"), True),
        ("hermes", "<b>bold</b> words", True),
        ("react", "Thought: No tool.\nAction: none\nFinal Answer: 4", True),
        ("react", "Action: none", True),
        ("react", f"{REACT_CALL}\n\n{REACT_CALL[REACT_CALL.index('Action:') :]}\n", True),
        ("hermes", HERMES_CALL.removeprefix("Sure.\n") * 2, True),
        ("json", BARE_CALL, True),
        ("json", '{"name": "search"', False),
        ("json", "Words.", True),
    ],
)
def test_the_gbnf_lets_through_calls_and_prose(vocabulary: Vocabulary, dialect: str, text: str, passes: bool) -> None:
    grammar = gbnf(Constraint(PLAIN, dialect, several=True))
    assert grammar
    assert vocabulary.passes_gbnf(grammar, text) is passes


def test_the_gbnf_of_a_call_that_is_required_has_no_way_around_it(vocabulary: Vocabulary) -> None:
    grammar = gbnf(Constraint(PLAIN, "react", required=True))
    assert grammar
    assert vocabulary.passes_gbnf(grammar, REACT_CALL)
    for other in ("Final Answer: 4", "Action: none", "Words.", f"{REACT_CALL}\n\n{REACT_CALL}"):
        assert not vocabulary.passes_gbnf(grammar, other)


def _at(vocabulary: Vocabulary, constraint: Constraint, text: str) -> Matcher:
    """A matcher that has taken `text`."""
    lark = lark_of(constraint)
    assert lark
    matcher = vocabulary.grammars.start(lark)
    assert all(matcher.accepts(token) for token in vocabulary.tokenizer.tokenize_str(text))
    return matcher


def _texts(vocabulary: Vocabulary, allowed: Flags | None) -> set[str]:
    assert allowed is not None
    return {vocabulary.tokenizer.decode_str([int(token)]) for token in allowed.nonzero()[0]}


def _walk(vocabulary: Vocabulary, lark: str, seed: int, begin: str = "") -> str:
    return vocabulary.walk(lark, random.Random(seed), begin)
