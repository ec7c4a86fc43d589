"""query_table: CSV, XLSX and SQLite by SQL that can only read."""

import io
import sqlite3
from pathlib import Path

import pytest

from localagent.tools.paths import READ_LIMIT
from tests.fakes.tools import Bench

CSV = "City;Sales;Code;Day\nParis;10;007;2024-01-02\nRome;2,5;008;2024-01-03\nParis;30;009;\n"


async def test_columns_first_then_questions(bench: Bench) -> None:
    bench.write("sales.csv", CSV)
    assert (await bench.run("query_table", path="sales.csv")).content == "sales(City, Sales, Code, Day): 3 rows"
    outcome = await bench.run("query_table", path="sales.csv", sql="select City, count(*) n from sales group by 1")
    assert outcome.content == "City | n\nParis | 2\nRome | 1"


async def test_numbers_are_numbers_and_leading_zeros_stay(bench: Bench) -> None:
    bench.write("a.csv", "id,code,price\n1,007,1.5\n2,008,2\n3,,\n")
    sql = "select sum(id), min(code), sum(price), count(code) from a"
    assert (await bench.run("query_table", path="a.csv", sql=sql)).content.split("\n")[1] == "6 | 007 | 3.5 | 2"


async def test_russian_csv_in_its_old_encoding(bench: Bench) -> None:
    text = "Город;Сумма\nМосква;10\nКазань;20\n"
    bench.write("отчёт.csv", text.encode("cp1251"))
    outcome = await bench.run("query_table", path="отчёт.csv", sql='select sum("Сумма") from "отчёт"')
    assert outcome.content.endswith("30")


@pytest.mark.parametrize(
    "sql",
    [
        "delete from t",
        "insert into t values (9)",
        "drop table t",
        "attach database '/etc/passwd' as x",
        "pragma writable_schema = 1",
        "select writefile('x', 'y')",
        "select load_extension('x')",
        "create table u as select * from t",
        "select 1; delete from t",
        "vacuum into 'copy.db'",
    ],
)
async def test_nothing_but_reading(bench: Bench, sql: str) -> None:
    path = bench.workspace / "a.db"
    _database(path)
    before = path.read_bytes()
    outcome = await bench.run("query_table", path="a.db", sql=sql)
    assert outcome.failure == "invalid"
    assert "t(n): 3 rows" in outcome.content
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in bench.workspace.iterdir()) == ["a.db"]


async def test_a_database_is_read_in_place(bench: Bench) -> None:
    _database(bench.workspace / "a.db")
    sql = "with recursive c(x) as (select 1 union all select x+1 from c where x<3) select sum(n*x) from t, c"
    assert (await bench.run("query_table", path="a.db", sql=sql)).content.endswith("36")


async def test_an_endless_query_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("localagent.tools.tables.SECONDS", 2)
    bench.write("a.csv", "n\n1\n2\n")
    sql = "with recursive c(x) as (select 1 union all select x+1 from c) select max(x) from c"
    outcome = await bench.run("query_table", path="a.csv", sql=sql)
    assert outcome.failure == "invalid"
    assert "was stopped" in outcome.content


async def test_sheets_become_tables(bench: Bench) -> None:
    from openpyxl import Workbook

    book = Workbook()
    first = book.active
    first.title = "Q1 sales"
    for row in (["name", "n", "n"], ["a", 1, 5], ["b", 2, 6]):
        first.append(row)
    book.create_sheet("empty")
    buffer = io.BytesIO()
    book.save(buffer)
    bench.write("book.xlsx", buffer.getvalue())
    outcome = await bench.run("query_table", path="book.xlsx", sql="select sum(n), sum(n_2) from Q1_sales")
    assert outcome.content.endswith("3 | 11")


async def test_a_stray_cell_far_out_does_not_fill_the_sheet(bench: Bench) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["n"])
    book.active["XFD1048576"] = "stray"
    buffer = io.BytesIO()
    book.save(buffer)
    bench.write("book.xlsx", buffer.getvalue())
    assert (await bench.run("query_table", path="book.xlsx")).content == "Sheet(n): 1 rows"
    assert "| n |" in (await bench.run("read_file", path="book.xlsx")).content


async def test_a_database_of_any_size_and_cells_of_any_length(bench: Bench) -> None:
    _database(bench.workspace / "a.db")
    with (bench.workspace / "a.db").open("r+b") as file:
        file.truncate(READ_LIMIT + 4096)
    assert (await bench.run("query_table", path="a.db", sql="select sum(n) from t")).content.endswith("6")
    long = await bench.run("query_table", path="a.db", sql="select hex(zeroblob(100000))")
    assert long.content.endswith("…")


@pytest.mark.parametrize("line", [",".join("c" * 1000), "x" * 200_000])
async def test_a_line_without_measure_is_told(bench: Bench, line: str) -> None:
    bench.write("a.csv", f"a,b\n1,2\n{line}\n" if "c" not in line else f"{line}\n{line}\n")
    assert (await bench.run("query_table", path="a.csv")).failure == "invalid"


async def test_what_is_no_table(bench: Bench) -> None:
    bench.write("a.md", "# hello")
    assert (await bench.run("query_table", path="a.md")).failure == "invalid"
    bench.write("broken.xlsx", "PK no zip")
    assert (await bench.run("query_table", path="broken.xlsx")).failure == "invalid"
    assert (await bench.run("query_table", path="none.csv")).failure == "not_found"


def _database(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table t (n)")
        connection.executemany("insert into t values (?)", [(1,), (2,), (3,)])
    connection.close()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251", "koi8-r", "cp866"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_a_table_of_any_program_is_read(bench: Bench, encoding: str, end: str) -> None:
    rows = ("Наименование;Количество", "Гвозди оцинкованные;5", "ЁЛКА искусственная;7")
    bench.write("склад.csv", end.join(rows).encode(encoding))
    outcome = await bench.run("query_table", path="склад.csv", sql="select * from склад where Количество > 6")
    assert outcome.content == "Наименование | Количество\nЁЛКА искусственная | 7"


async def test_a_table_without_rows_is_one(bench: Bench) -> None:
    bench.write("new.csv", "name,sum\n")
    assert (await bench.run("query_table", path="new.csv")).content == "new(name, sum): 0 rows"
    assert (await bench.run("query_table", path="new.csv", sql="select * from new")).content == "[no rows]"


@pytest.mark.parametrize("sql", ["", "select * from t"])
async def test_a_damaged_database_is_said(bench: Bench, sql: str) -> None:
    bench.write("a.sqlite", b"SQLite format 3\0" + b"x" * 5000)
    outcome = await bench.run("query_table", path="a.sqlite", sql=sql)
    assert outcome.failure == "invalid"
    assert "a.sqlite cannot be read" in outcome.content


@pytest.mark.parametrize(
    "sql",
    [
        "attach 'b.sqlite' as b", "select load_extension('x')", "pragma table_info(t)", "pragma journal_mode=delete",
        "select * from pragma_table_info('t')", "vacuum into 'b.sqlite'", "create temp table x as select 1",
        "select 1; delete from t", "with x as (select 1) delete from t", "begin immediate", "analyze", "detach main",
    ],
)  # fmt: skip
async def test_nothing_but_reading_this_database(bench: Bench, sql: str) -> None:
    file = bench.workspace / "a.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table t as select 1 as a")
    connection.close()
    before = file.read_bytes()
    assert (await bench.run("query_table", path="a.sqlite", sql=sql)).failure == "invalid"
    assert file.read_bytes() == before
    assert [path.name for path in bench.workspace.iterdir()] == ["a.sqlite"]
