"""Tools are found by what people would say, in names and descriptions of any style."""

from __future__ import annotations

import pytest

from localagent.messages import ToolSpec
from localagent.tools.find import rank, unpacked

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PLACE = {"type": "object", "properties": {"timezone": {"type": "string", "description": "an IANA zone"}}}
SPECS = [
    ToolSpec("mcp__time__get_current_time", "Get current time in a specific timezone", PLACE),
    ToolSpec("mcp__time__convert_time", "Convert time between timezones", PLACE),
    ToolSpec("mcp__git__git_log", "Shows the commit logs", TEXT),
    ToolSpec("mcp__git__git_status", "Shows the working tree status", TEXT),
    ToolSpec("mcp__crm__createInvoice", "Create an invoice for a customer and send it", TEXT),
    ToolSpec("mcp__crm__listInvoices", "List invoices, newest first", TEXT),
    ToolSpec("mcp__crm__deleteCustomer", "Remove a customer for good", TEXT),
    ToolSpec("mcp__files__read_text_file", "Read the complete contents of a file from the file system as text.", TEXT),
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("the current time", "mcp__time__get_current_time"),
        ("converting timezones", "mcp__time__convert_time"),
        ("commit history log", "mcp__git__git_log"),
        ("create invoice", "mcp__crm__createInvoice"),
        ("creating invoices", "mcp__crm__createInvoice"),
        ("newest invoices", "mcp__crm__listInvoices"),
        ("remove customers", "mcp__crm__deleteCustomer"),
        ("read file", "mcp__files__read_text_file"),
        ("IANA", "mcp__time__convert_time"),
    ],
)
def test_the_best_is_first(query: str, best: str) -> None:
    assert rank(query, SPECS)[0].name == best


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("текущее время", "mcp__time__get_current_time"),
        ("который час", "mcp__time__convert_time"),
        ("история коммитов", "mcp__git__git_log"),
        ("выставить и создать счёт", "mcp__crm__createInvoice"),
        ("список счетов", "mcp__crm__listInvoices"),
        ("удали клиента", "mcp__crm__deleteCustomer"),
        ("прочитать файл", "mcp__files__read_text_file"),
        ("склады", "mcp__erp__остатки"),
        ("остаток на складе", "mcp__erp__остатки"),
    ],
)
def test_russian_words_find_tools_in_either_language(query: str, best: str) -> None:
    own = ToolSpec("mcp__erp__остатки", "Сколько товара лежит на складах", TEXT)
    assert rank(query, [*SPECS, own])[0].name == best


@pytest.mark.parametrize("query", ["", "   ", "zebra", "?!"])
def test_nothing_fits_nothing(query: str) -> None:
    assert rank(query, SPECS) == []
    assert rank("time", []) == []


def test_the_order_never_depends_on_the_order_of_servers() -> None:
    assert rank("customer invoice time", SPECS) == rank("customer invoice time", SPECS[::-1])


NAMED = {spec.name: spec for spec in SPECS}


@pytest.mark.parametrize("name", ["mcp__git__git_log", "git_log", " git_log ", "functions.mcp__git__git_log"])
@pytest.mark.parametrize("arguments", [{"text": "x"}, '{"text": "x"}', '{"text": "x",}'])
def test_a_call_is_read_and_repaired(name: str, arguments: object) -> None:
    assert unpacked({"name": name, "arguments": arguments}, NAMED) == ("mcp__git__git_log", {"text": "x"})


def test_what_cannot_be_read_is_told() -> None:
    wrong = unpacked({"name": "git_log", "arguments": {"words": "x"}}, NAMED)
    assert isinstance(wrong, str)
    assert "text" in wrong
    unknown = unpacked({"name": "git_logs_of_customers", "arguments": {}}, NAMED)
    assert isinstance(unknown, str)
    assert "mcp__git__git_log" in unknown
    assert isinstance(unpacked({}, NAMED), str)
