"""The ledger: durable, chained, shared, erasable, and honest when it is damaged."""

import multiprocessing
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import LedgerCorruptError, LedgerWriteError
from gateway.ledger import Ledger
from gateway.ledger_schema import MIGRATIONS, prepare


def filled(path: Path, count: int = 6) -> Ledger:
    ledger = Ledger(path)
    for number in range(count):
        ledger.append("note", {"n": number, "text": "Привет"}, session=f"s{number % 2}", run="r")
    return ledger


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        rows = list(ledger.rows(session="s1", kinds=["note"]))
    assert [(r.id, r.session, r.run, r.kind, r.data) for r in rows] == [
        (n + 1, "s1", "r", "note", {"n": n, "text": "Привет"}) for n in (1, 3, 5)
    ]


def test_a_fresh_ledger_verifies(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        assert ledger.verify().ok
        assert ledger.verify().rows == 6


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("UPDATE events SET data = '{\"n\":9}' WHERE id = 3", 3),
        ("UPDATE events SET kind = 'other' WHERE id = 3", 3),
        ("UPDATE events SET at = at + 1 WHERE id = 3", 3),
        ("UPDATE events SET session = 'x' WHERE id = 3", 3),
        ("DELETE FROM events WHERE id = 3", 3),
        ("DELETE FROM events WHERE id = 6", 6),
        ("DELETE FROM events WHERE id = 1", 1),
        ("UPDATE events SET id = CASE id WHEN 2 THEN -3 ELSE 2 END WHERE id IN (2, 3)", 2),
        ("UPDATE events SET data = NULL, data_hash = 'x' WHERE id = 3", 3),
    ],
)
def test_verify_names_what_was_changed_removed_or_moved(tmp_path: Path, sql: str, row: int) -> None:
    with filled(tmp_path / "l.db") as ledger:
        ledger.connection.execute(sql)
        if "-3" in sql:
            ledger.connection.execute("UPDATE events SET id = 3 WHERE id = -3")
        verdict = ledger.verify()
    assert not verdict.ok
    assert row in {fault.id for fault in verdict.faults}


def test_swapped_contents_are_found(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        a, b = (ledger.connection.execute("SELECT data FROM events WHERE id = ?", (n,)).fetchone()[0] for n in (2, 4))
        ledger.connection.execute("UPDATE events SET data = ? WHERE id = 2", (b,))
        ledger.connection.execute("UPDATE events SET data = ? WHERE id = 4", (a,))
        assert {fault.id for fault in ledger.verify().faults} == {2, 4}


def test_erasure_removes_the_text_and_keeps_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.append("note", {"text": "unforgettable-secret"}, session="a")
        ledger.append("note", {"text": "kept"}, session="b")
        assert ledger.erase("a", reason="the person asked") == 1
        verdict = ledger.verify()
        assert verdict.ok
        assert verdict.erased == 1
        assert [r.data for r in ledger.rows(session="a")] == [None]
    raw = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert b"unforgettable-secret" not in raw
    assert b"kept" in raw


def _write(path: str, name: str, count: int) -> None:
    with Ledger(path) as ledger:
        for number in range(count):
            ledger.append("note", {"n": number}, session=name)


def test_eight_processes_write_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "l.db")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, f"p{n}", 25)) for n in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with Ledger(path) as ledger:
        assert ledger.verify().ok
        for n in range(8):
            assert [r.data for r in ledger.rows(session=f"p{n}")] == [{"n": i} for i in range(25)]


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:

        def fail(connection: sqlite3.Connection, last: int) -> None:
            raise RuntimeError("derived row")

        with pytest.raises(RuntimeError):
            ledger.append_all([("note", {})], also=fail)
        assert ledger.verify().ok
        assert ledger.verify().rows == 6


def test_disk_full_is_an_error_that_loses_nothing(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        pages = ledger.connection.execute("PRAGMA page_count").fetchone()[0]
        ledger.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerWriteError, match="free some disk space"):
            ledger.append("note", {"text": "x" * 100_000})
        assert ledger.verify().ok
        assert ledger.verify().rows == 6


def test_data_that_somebody_emptied_is_no_erasure(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        ledger.connection.execute("UPDATE events SET data = NULL, salt = NULL WHERE id = 2")
        verdict = ledger.verify()
        assert [(fault.id, fault.what) for fault in verdict.faults] == [
            (2, "its data is gone, and no erasure tells why")
        ]
        [session] = ledger.connection.execute("SELECT session FROM events WHERE id = 2").fetchone()
        ledger.erase(session, reason="now it is told")
        assert ledger.verify().ok


def test_a_ledger_without_its_head_takes_no_more_events(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        ledger.connection.execute("DELETE FROM head")
        with pytest.raises(LedgerCorruptError, match="lost its head"):
            ledger.append("note", {})
        assert not ledger.verify().ok


@pytest.mark.parametrize("version", [0, 1, len(MIGRATIONS)])
def test_other_files_are_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(b"hello " * 500)
    with pytest.raises(LedgerCorruptError, match="damaged or no ledger"):
        Ledger(text)
    assert text.read_bytes() == b"hello " * 500
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute(f"PRAGMA user_version = {version}")
    before = other.read_bytes()
    with pytest.raises(LedgerCorruptError, match="something else"):
        Ledger(other)
    assert other.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with filled(tmp_path / "l.db") as ledger:
        ledger.connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(LedgerCorruptError, match="newer version"):
        Ledger(tmp_path / "l.db")


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_older_files_are_migrated_after_a_copy(tmp_path: Path, version: int) -> None:
    path = tmp_path / "l.db"
    with sqlite3.connect(path, isolation_level=None) as connection:
        for number, step in enumerate(MIGRATIONS[:version], start=1):
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    with Ledger(path) as ledger:
        ledger.append("note", {"text": "after"})
        assert ledger.verify().ok
        assert ledger.connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
    assert (tmp_path / f"l.db.v{version}.bak").exists()


def test_a_disk_that_is_full_while_a_file_is_begun_is_named(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "l.db").close()
    full = sqlite3.connect(tmp_path / "l.db", isolation_level=None)
    full.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        prepare(full, tmp_path / "l.db")


def test_a_clock_that_goes_back_does_no_harm(tmp_path: Path) -> None:
    times = iter([100.0, 50.0, 75.0])
    with Ledger(tmp_path / "l.db", clock=lambda: next(times)) as ledger:
        for n in range(3):
            ledger.append("note", {"n": n})
        assert ledger.verify().ok
        assert [r.data for r in ledger.rows()] == [{"n": 0}, {"n": 1}, {"n": 2}]


JSON = st.recursive(
    st.none()
    | st.sampled_from(["\ud800", "a\udfff"])
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dictionaries(st.text(), JSON), max_size=5))
def test_any_json_comes_back(tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, object]]) -> None:
    with Ledger(tmp_path_factory.mktemp("l") / "l.db") as ledger:
        for event in events:
            ledger.append("any", event)
        assert [r.data for r in ledger.rows()] == events
        assert ledger.verify().ok
