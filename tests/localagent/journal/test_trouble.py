"""Disks that are full, files that are read-only, cut or damaged, clocks that go back: a clear error, nothing lost."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.errors import LedgerCorruptError, LedgerWriteError
from gateway.ledger import Ledger
from localagent.agent.loop import run
from localagent.journal.listing import sessions
from localagent.journal.search import search
from localagent.journal.sessions import load
from localagent.ports import Outcome
from tests.fakes.agent import ToyTool, World, call
from tests.localagent.test_headless import Desk

STEPS = 12


def world(folder: Path) -> World:
    """A run whose every step writes some kilobytes, and a tool that counts its effects in a file."""

    async def put(arguments: dict[str, Any]) -> Outcome:
        with (folder / "effects").open("ab") as file:
            file.write(b"x")
        return Outcome(f"put {arguments['a']} " + "word " * 2000)

    replies = [call("put", a=n) for n in range(STEPS)] + [{"content": "all is put"}]
    return World(folder, replies, [ToyTool("put", put, "write")])


def drive(folder: Path, task: str | None) -> list[str]:
    """Runs to the end; returns the kinds of the acknowledged events, also when it breaks off."""
    made = world(folder)
    agent = made.agent()
    kinds: list[str] = []

    async def go() -> None:
        agent.outbox = asyncio.Queue()
        async for event in run(agent, task):
            kinds.append(type(event).__name__)

    asyncio.run(go())
    return kinds


def in_child(work: Callable[[], object], *, largest_file: int) -> int:
    """Does the work in a process that can write no file larger than this; its exit status, 9 for a ledger's error."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    try:
        work()
        os._exit(0)
    except LedgerWriteError as error:
        os._exit(9 if "cannot be written" in str(error) else 8)
    except BaseException:
        os._exit(1)


@pytest.mark.parametrize("room", [20_000, 60_000, 110_000, 160_000])
def test_a_run_on_a_full_disk_says_so_and_goes_on_when_there_is_room(tmp_path: Path, room: int) -> None:
    with Ledger(tmp_path / "ledger.db"):
        pass
    full = (tmp_path / "ledger.db").stat().st_size + room
    assert in_child(lambda: drive(tmp_path, "put all"), largest_file=full) == 9
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.verify().ok
        held = [row.kind for row in ledger.rows()]
    effects = len((tmp_path / "effects").read_bytes()) if (tmp_path / "effects").exists() else 0
    assert held.count("tool_finished") <= effects <= held.count("replied") <= STEPS
    drive(tmp_path, None if held else "put all")
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.verify().ok
        assert [row.kind for row in ledger.rows()][: len(held)] == held
        assert load(ledger, "s1").messages[-1].content == "all is put"
        assert load(ledger, "s1").outcome == "answered"


def test_eight_runs_write_one_ledger_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.fakes.agent import World, call, toy\n"
        "folder, name = Path(sys.argv[1]), sys.argv[2]\n"
        "world = World(folder, [*(call('look', a=n) for n in range(5)), {'content': name}], [toy('look', 'x' * 500)])\n"
        "world.script(name, world.others['script'])\n"
        "from localagent.agent.limits import Limits\n"
        "agent = world.agent(session=name, limits=Limits(max_same_answers=99))\n"
        "object.__setattr__(agent.journal, 'run', 'r' + name)\n"
        "assert world.run('go', agent)[0].outcome == 'answered'\n"
    )
    (tmp_path / "script.jsonl").write_text('{"content": "x"}\n')
    names = [f"s{n}" for n in range(8)]
    folders = []
    for name in names:
        folders.append(tmp_path / name)
        folders[-1].mkdir()
        (folders[-1] / "ledger.db").symlink_to(tmp_path / "ledger.db")
    with Ledger(tmp_path / "ledger.db"):
        pass
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(folder), name])
        for folder, name in zip(folders, names, strict=True)
    ]
    assert [process.wait(timeout=60) for process in started] == [0] * 8
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert ledger.verify().ok
        assert sorted((row.session, row.outcome, row.steps) for row in sessions(ledger)) == [
            (name, "answered", 6) for name in names
        ]
        for name in names:
            assert load(ledger, name).messages[-1].content == name


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut in half": lambda data: data[: len(data) // 2],
    "cut in its first page": lambda data: data[:100],
    "another header": lambda data: b"garbage!" * 512 + data[4096:],
    "noise in the middle": lambda data: data[: len(data) // 2] + os.urandom(20_480) + data[len(data) // 2 + 20_480 :],
    "noise at the end": lambda data: data[:-20_480] + os.urandom(20_480),
    "zeros in the middle": lambda data: data[: len(data) // 2] + bytes(20_480) + data[len(data) // 2 + 20_480 :],
}


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("healthy")
    drive(folder, "put all")
    with Ledger(folder / "ledger.db") as ledger:
        ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / "ledger.db").read_bytes()


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_ledger_is_never_taken_for_whole(tmp_path: Path, healthy: bytes, kind: str) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(DAMAGE[kind](healthy))
    assert not whole(path)


def whole(path: Path) -> bool:
    """Whether the ledger opens and verifies; a file that is none says so, without what stands in it."""
    try:
        with Ledger(path) as ledger:
            return ledger.verify().ok
    except LedgerCorruptError as error:
        return "word" in str(error)


def test_a_row_that_is_no_text_is_named_without_its_words(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.append("note", {"text": "secret"})
        ledger.append("note", {"text": "other"})
        ledger.connection.execute("UPDATE events SET data = CAST(X'7B22736563726574FF' AS TEXT) WHERE id = 1")
        assert [fault.id for fault in ledger.verify().faults] == [1]
        with pytest.raises(LedgerCorruptError) as caught:
            list(ledger.rows())
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", DAMAGE)
def test_the_command_line_says_it_in_one_line(tmp_path: Path, healthy: bytes, kind: str) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "ledger.db").write_bytes(DAMAGE[kind](healthy))
    done = desk("journal", "verify")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    for words in (("sessions", "list"), ("sessions", "search", "put"), ("journal", "stats")):
        done = desk(*words)
        assert done.returncode in (0, 4)
        assert "defect" not in done.stderr
        assert len(done.stderr.splitlines()) <= 1


def test_a_write_ahead_log_that_was_cut_loses_only_what_was_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ledger = Ledger(path)
    for number in range(20):
        ledger.append("note", {"n": number, "text": "x" * 3000}, session="s")
    log = (tmp_path / "ledger.db-wal").read_bytes()
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    (tmp_path / "copy.db-wal").write_bytes(log[: len(log) * 2 // 3] + os.urandom(2000))
    with Ledger(copy) as other:
        assert other.verify().ok
        kept = [row.data["n"] for row in other.rows() if row.data]
    assert kept == list(range(len(kept)))
    assert 3 < len(kept) < 20
    ledger.close()


def test_a_folder_that_may_not_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LedgerWriteError, match="check the folder's rights"):
        Ledger(tmp_path / "file" / "ledger.db")


def test_a_file_that_may_only_be_read_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.append("note", {"n": 1})
        ledger.connection.execute("PRAGMA query_only = ON")  # what SQLite says of such a file, also to root
        with pytest.raises(LedgerWriteError, match="make the file and its folder writable"):
            ledger.append("note", {"n": 2})
        ledger.connection.execute("PRAGMA query_only = OFF")
        assert [row.data for row in ledger.rows()] == [{"n": 1}]


def test_a_clock_that_goes_back_confuses_neither_lists_nor_resume(tmp_path: Path) -> None:
    times = iter(range(10_000, 0, -1))
    made = world(tmp_path)
    made.ledger._clock = lambda: float(next(times))
    made.run("put all")
    assert made.ledger.verify().ok
    assert load(made.ledger, "s1").outcome == "answered"
    assert made.ledger.connection.execute("SELECT steps FROM runs").fetchone() == (load(made.ledger, "s1").steps,)


@pytest.mark.parametrize("data", ["{no json", "[1]", "{}", '{"message": 3}'])
def test_a_row_that_makes_no_sense_does_not_hide_the_others_from_search(tmp_path: Path, data: str) -> None:
    drive(tmp_path, "find the zebra")
    with Ledger(tmp_path / "ledger.db") as ledger:
        damaged = "(SELECT max(id) FROM events WHERE kind = 'replied')"
        ledger.connection.execute(f"UPDATE events SET data = ? WHERE id = {damaged}", (data,))
        assert [hit.session for hit in search(ledger, "zebra")] == ["s1"]
        assert not ledger.verify().ok
