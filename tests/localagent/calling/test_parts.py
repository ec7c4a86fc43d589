"""The stages one by one: names, JSON repairs, escapes, schema, messages, rendering, templates."""

from __future__ import annotations

from typing import Any

import pytest

from localagent.calling import NativeCall, StreamInterpreter, dialect_of, interpret, jsonladder, names, schema, strings
from localagent.calling.broken import Broken
from localagent.calling.problem import minimal_call
from localagent.calling.render import render_calls, render_results, render_tools
from localagent.calling.schema_check import check
from localagent.messages import ToolCall, ToolResult, ToolSpec

READ = ToolSpec(
    "read_file",
    "Reads a file.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "where"},
            "mode": {"enum": ["Text", "Raw"]},
            "line": {"type": "integer"},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)
LIST = ToolSpec("list-files", "Lists.", {"type": "object", "properties": {}})
TOOLS = (READ, LIST)


@pytest.mark.parametrize(
    "written",
    [
        "read_file",
        "`read_file`",
        "functions.read_file:3",
        "Read File",
        "READ-FILE",
        "readFile",
        "read_file()",
        "the read_file tool",
    ],
)
def test_a_decorated_name_is_found(written: str) -> None:
    assert names.resolve(written, TOOLS) is READ


@pytest.mark.parametrize(
    "written", ["read_files", "unread_file", "reading", "read_file or list-files", "do not read_file", "read"]
)
def test_a_similar_name_is_never_taken(written: str) -> None:
    with pytest.raises(Broken):
        names.resolve(written, TOOLS)


def test_names_that_fold_to_the_same_are_told_apart_only_exactly() -> None:
    twins = (ToolSpec("read_file", "", {}), ToolSpec("readFile", "", {}))
    assert names.resolve("readFile", twins) is twins[1]
    with pytest.raises(Broken):
        names.resolve("READFILE", twins)


@pytest.mark.parametrize(
    ("text", "value", "repair"),
    [
        ("{'a': 1,}", {"a": 1}, "commas"),
        ('{a: True, "b": None}', {"a": True, "b": None}, "Python constants"),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}, "commas"),
        ('{"a": 1 /* one */}', {"a": 1}, "comments or invisible characters"),
        ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}, "doubled braces"),
        ('{"a": "x"', {"a": "x"}, "a lost closing brace"),
        ('{"a": "say "hi""}', {"a": 'say "hi"'}, "quotes inside a string"),
        ("{“a”: “x”}", {"a": "x"}, "quotes"),
        ('{\\"a\\": \\"x\\"}', {"a": "x"}, "escaped quotes"),
        ("{&quot;a&quot;: 1}", {"a": 1}, "HTML entities"),
        ('[{"a": 1}}]', [{"a": 1}], "a closing brace too many"),
        ('{a": TRUE, "b": NULL}', {"a": True, "b": None}, "keys without quotes"),
        ("{'a': '{\"b\": [1]}'}", {"a": '{"b": [1]}'}, "quotes"),
    ],
)
def test_a_repair_with_one_reading_is_made_and_named(text: str, value: Any, repair: str) -> None:
    reading = jsonladder.read(text)

    assert reading.value == value
    assert repair in reading.repairs


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"a": "x', "cut_off"),
        ('{"a": {"b": "x"', "cut_off"),
        ('{"a": [1, 2', "cut_off"),
        ('{"a": 1', "cut_off"),
        ('{"a": [1, 2}', "mismatch"),
        ('{"a": NaN}', "not_finite"),
        ('{"a": 1e999}', "not_finite"),
        ('{"a": 15 + 4}', "expression"),
        ('{"a": "x" + "y"}', "expression"),
        ('{"a": home}', "unquoted"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": "x "y", "z" w"}', "ambiguous"),
        ('{"a": "\\bword\\d"}', "bad_escape"),
    ],
)
def test_what_has_two_readings_stops(text: str, kind: str) -> None:
    with pytest.raises(Broken) as caught:
        jsonladder.read(text)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (r"C:\temp\new", r"C:\temp\new"),
        (r"C:\\temp", r"C:\temp"),
        (r"src\main\app.py", r"src\main\app.py"),
        (r"LIKE 'a\_%'\n", "LIKE 'a\\_%'\n"),
    ],
)
def test_escapes_are_decoded_whole_or_not_at_all(raw: str, value: str) -> None:
    assert strings.decode(raw) == value


@pytest.mark.parametrize(
    ("value", "part", "fitted"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.0", {"type": "integer"}, 5),
        ("5.5", {"type": "integer"}, "5.5"),
        ("True", {"type": "boolean"}, True),
        (1, {"type": "boolean"}, 1),
        (True, {"type": "integer"}, True),
        (7, {"type": "string"}, "7"),
        ("[1]", {"type": "array", "items": {"type": "integer"}}, [1]),
        ("OFF", {"enum": ["On", "Off"]}, "Off"),
        ("2", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 2),
        ("2", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "2"),
        ("3", {"$ref": "#/$defs/n"}, 3),
        ("3", {"$ref": "#/$defs/either/anyOf/1"}, 3),
        ("3", {"$ref": "#/$defs/whole%20number"}, 3),
        ("3", {"$ref": "#/$defs/a~1b"}, 3),
    ],
)
def test_coercion_is_lossless_and_directed_by_the_schema(value: Any, part: dict[str, Any], fitted: Any) -> None:
    whole = {"type": "integer"}
    defs = {"n": whole, "whole number": whole, "a/b": whole, "either": {"anyOf": [{"type": "null"}, whole]}}
    result = schema.fit(value, part, {"$defs": defs})

    assert result == fitted
    assert type(result) is type(fitted)


def test_a_schema_with_a_remote_reference_is_never_fetched() -> None:
    parameters = {"type": "object", "properties": {"a": {"$ref": "http://localhost:1/x.json"}}, "required": ["a"]}
    check({"a": 1}, parameters)


def test_a_problem_says_where_what_and_how() -> None:
    problem = interpret('{"name": "read_file", "arguments": {"path": "a", "mode": "Binary"}}', TOOLS).problem

    assert problem is not None
    assert (problem.kind, problem.path, problem.got, problem.valid) == ("invalid", "mode", '"Binary"', ("Text", "Raw"))
    assert problem.tool == "read_file"
    assert "one of Text, Raw" in problem.message
    assert minimal_call(READ) in problem.message


def test_a_problem_can_be_told_in_russian() -> None:
    problem = interpret("Action: open\nAction Input: {}", TOOLS, language="ru").problem

    assert problem is not None
    assert "Инструмента open нет" in problem.message


def test_native_calls_pass_the_same_ladder() -> None:
    good = interpret("", TOOLS, native_calls=[NativeCall("Read_File", '{"path": "a", "line": "3"}')])
    bad = interpret("", TOOLS, native_calls=[NativeCall("read_file", {"file": "a"})])
    cut = interpret("", TOOLS, native_calls=[NativeCall("read_file", '{"path": "a')])

    assert [(call.name, call.arguments) for call in good.calls] == [("read_file", {"path": "a", "line": 3})]
    assert (bad.problem and bad.problem.kind, cut.problem and cut.problem.kind) == ("unknown_parameter", "cut_off")


def test_a_call_that_a_text_says_twice_in_a_row_is_made_once() -> None:
    one, other = _hermes("a"), _hermes("b")

    twice = interpret(f"{one}\n{one}\n{one}", TOOLS)
    between = interpret(f"{one}\n{other}\n{one}", TOOLS)

    assert [call.arguments["path"] for call in twice.calls] == ["a"]
    assert twice.repairs == ("a repeated call",)
    assert [call.arguments["path"] for call in between.calls] == ["a", "b", "a"]
    assert between.repairs == ()


def test_a_prefilled_thought_is_split_off() -> None:
    reading = interpret("so I read\n</think>\nDone.", TOOLS, thinking_open=True)

    assert (reading.thinking, reading.text) == ("so I read", "Done.")


def test_rendered_calls_are_read_back() -> None:
    call = ToolCall("1", "read_file", {"path": 'a "b"\n'})
    for dialect in ("react", "hermes"):
        reading = interpret(render_calls("I look.", [call], dialect), TOOLS)
        assert [(found.name, found.arguments) for found in reading.calls] == [(call.name, call.arguments)]


@pytest.mark.parametrize("several", [True, False])
@pytest.mark.parametrize(("dialect", "language"), [("react", "en"), ("react", "ru"), ("hermes", "en")])
def test_the_format_shows_every_tool_and_an_answer_without_one(dialect: str, language: str, several: bool) -> None:
    text = render_tools(TOOLS, dialect, language, several=several)

    assert "read_file: Reads a file." in text
    assert "path (string) where" in text
    assert "list-files" in text
    assert '{"city": ' in text, "an example of another tool: its values cannot be copied into a call"
    assert len(text) < 1200


def test_results_are_observations() -> None:
    results = [ToolResult("1", "read_file", "x"), ToolResult("2", "list-files", "y")]
    assert render_results(results[:1]) == "Observation: x"
    assert render_results(results) == "Observation (read_file): x\nObservation (list-files): y"


@pytest.mark.parametrize(
    ("template", "dialect"),
    [
        (None, "none"),
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "none"),
        ("{% if tools %}<tool_call>{% endif %}", "hermes"),
        ("{% if tools %}<tool_call><function=x>{% endif %}", "qwen_xml"),
        ("{{ if .Tools }}[TOOL_CALLS]{{ end }}", "mistral"),
        ("{% if tools %}{{ tools | tojson }}{% endif %}", "json"),
    ],
)
def test_a_template_tells_its_dialect(template: str | None, dialect: str) -> None:
    assert dialect_of(template) == dialect


@pytest.mark.parametrize("text", ['{"name": "x", "arguments": {}}', "<tool_call>{", "Action: x\nAction Input: {}"])
def test_where_no_tool_was_offered_every_text_is_the_answer(text: str) -> None:
    reading = interpret(f"<think>a</think>\n{text}", ())
    assert (reading.problem, reading.text) == (None, text)


def test_a_call_that_the_server_parsed_is_not_announced_a_second_time() -> None:
    stream = StreamInterpreter(TOOLS)
    stream.close("stop", native_calls=[NativeCall("read_file", {"path": "x"})])
    assert stream.tail == []


def _hermes(path: str) -> str:
    return f'<tool_call>{{"name": "read_file", "arguments": {{"path": "{path}"}}}}</tool_call>'
