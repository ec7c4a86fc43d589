"""What the journal answers: figures, charts, exports, traces, views, and what it forgets."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from gateway.ledger import Ledger
from gateway.ledger_schema import MIGRATIONS
from localagent.agent.limits import Limits
from localagent.config.models_toml import Price
from localagent.errors import UsageError
from localagent.journal.charts import bars
from localagent.journal.otlp import traces
from localagent.journal.report import html
from localagent.journal.retention import days_of, erase, older_than
from localagent.journal.search import search
from localagent.journal.stats import stats
from localagent.ports import Outcome
from tests.fakes.agent import ToyTool, World, call, toy
from tests.localagent.test_headless import ANSWER, CALL, Desk


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Four runs: one answered after three steps, one at its limit, one stalled, one unfinished."""

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome("not there", failure="not_found") if arguments["a"] == 1 else Outcome(f"page {arguments['a']}")

    usage = {"input_tokens": 1000, "output_tokens": 10, "evaluated_tokens": 250}
    replies = [{**call("look", a=n), "usage": usage} for n in range(2)] + [{"content": "Two <pages>.", "usage": usage}]
    tools = [ToyTool("look", look), toy("never")]
    world = World(tmp_path, replies, tools, price=Price(1.0, 10.0))
    world.run("How many secret pages?", world.agent(session="a"))
    world.run("again", world.agent(session="b", limits=Limits(max_steps=1)))
    world.script("script", [call("look", a=0), {"content": " "}])
    world.run("in circles", world.agent(session="c"))
    world.agent(session="d").record_all([])
    from localagent.events import RunStarted
    from localagent.journal.store import RunJournal

    RunJournal(world.ledger, "d", "r4").record(RunStarted("cut off", "script", "/w", "ask"))
    return world


@pytest.fixture(autouse=True)
def runs_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent of the fake world has the same run; here each session has one of its own."""
    real = World.agent

    def agent(self: World, session: str = "s1", **options: Any) -> Any:
        made = real(self, session, **options)
        made.journal = type(made.journal)(made.journal.ledger, session, f"r-{session}")
        return made

    monkeypatch.setattr(World, "agent", agent)


def test_the_figures_are_those_of_the_runs(world: World) -> None:
    figures = stats(world.ledger)
    assert figures["outcomes"] == {"answered": 1, "limit": 1, "stalled": 1}
    assert (figures["runs"], figures["unfinished"], figures["at_limit"]) == (3, 1, 0.6667)
    assert figures["steps"] == {"p50": 1, "p95": 3, "max": 3}
    assert figures["input_tokens"]["max"] == 3000
    assert figures["prefix_reuse"] == 0.75
    assert figures["cost_usd"] == pytest.approx(0.0044, abs=0.002)
    assert figures["rejected_replies"] == 3
    assert [(t["tool"], t["calls"], t["failed"], t["runs"]) for t in figures["tools"]] == [("look", 4, 1, 3)]
    assert figures["tools_never_called"] == ["never"]
    assert sum(day["runs"] for day in figures["days"]) == 4


def test_an_older_ledger_gets_the_same_figures(world: World, tmp_path: Path) -> None:
    before = stats(world.ledger)
    old = tmp_path / "old.db"
    world.ledger.connection.execute("VACUUM INTO ?", (str(old),))
    number = next(n for n, step in enumerate(MIGRATIONS) if step.__name__.endswith("_figures"))
    with sqlite3.connect(old, isolation_level=None) as connection:
        for name in ("runs", "steps", "tool_calls", "messages", "costs"):
            connection.execute(f"DROP VIEW {name}")
        for name in ("run_figures", "tool_use"):
            connection.execute(f"DROP TABLE {name}")
        for name in ("runs", "replies", "tool_runs"):
            connection.execute(f"CREATE VIEW {name} AS SELECT 1")
        assert not MIGRATIONS[number + 1 :], "a migration that this test does not take back"
        connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    with Ledger(old) as ledger:
        after = stats(ledger)
        assert ledger.verify().ok
    for figures in (before, after):
        del figures["seconds"]
    assert after == before


def test_the_terminal_shows_all_of_them(world: World) -> None:
    text = bars(stats(world.ledger))
    for told in ("3 runs", "1 unfinished", "67% at a limit", "75% of input tokens", "steps: p50 1, p95 3, max 3"):
        assert told in text
    assert re.search(r"answered +█+ 1", text)
    assert "never called: never" in text


def test_one_of_a_thing_is_one(tmp_path: Path) -> None:
    world = World(tmp_path, [{"content": "Yes."}])
    assert bars(stats(world.ledger)) == "no runs yet; begin one with: localagent run TASK"
    world.run()
    assert bars(stats(world.ledger)).startswith("1 run, ")


class Tags(HTMLParser):
    """Collects what a page would load, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "data")]
        self.loads += [tag] if tag in ("script", "link", "iframe", "img") else []
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closes itself."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_file_that_loads_nothing(world: World) -> None:
    page = html(stats(world.ledger), "<journal>")
    tags = Tags()
    tags.feed(page)
    assert (tags.loads, tags.open) == ([], [])
    assert "url(" not in page
    assert "<title>&lt;journal&gt;</title>" in page
    assert page.count("<svg") == 3
    assert "prefers-color-scheme: dark" in page


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}


def spans_of(world: World, **options: Any) -> list[list[dict[str, Any]]]:
    return [one["resourceSpans"][0]["scopeSpans"][0]["spans"] for one in traces(world.ledger, **options)]


def test_a_trace_is_a_run_and_its_spans_are_replies_and_calls(world: World) -> None:
    first, limited, stalled = spans_of(world, providers={"script": "scripted"})
    names = [
        "invoke_agent localagent",
        "chat script",
        "execute_tool look",
        "chat script",
        "execute_tool look",
        "chat script",
    ]
    assert [span["name"] for span in first] == names
    assert len({span["traceId"] for span in first}) == 1
    assert len({span["spanId"] for spans in (first, limited, stalled) for span in spans}) == sum(
        map(len, (first, limited, stalled))
    )
    assert all(re.fullmatch("[0-9a-f]{32}", s["traceId"]) and re.fullmatch("[0-9a-f]{16}", s["spanId"]) for s in first)
    assert {span["parentSpanId"] for span in first[1:]} == {first[0]["spanId"]}
    assert all(int(s["startTimeUnixNano"]) <= int(s["endTimeUnixNano"]) for s in first)
    chat = attributes(first[1])
    assert (chat["gen_ai.operation.name"], chat["gen_ai.request.model"]) == ("chat", "script")
    assert (chat["gen_ai.usage.input_tokens"], chat["gen_ai.usage.output_tokens"]) == ("1000", "10")
    assert chat["gen_ai.provider.name"] == "scripted"
    assert attributes(first[4])["error.type"] == "not_found"
    assert first[4]["status"]["code"] == 2
    assert attributes(limited[0])["localagent.outcome"] == "limit"
    assert [s["name"] for s in stalled].count("chat script") == 4
    assert "status" not in first[0]


def test_texts_go_along_only_when_asked(world: World) -> None:
    assert "secret" not in json.dumps(spans_of(world))
    assert "page 0" not in json.dumps(spans_of(world))
    first = spans_of(world, content=True, session="a")[0]
    asked = json.loads(attributes(first[1])["gen_ai.input.messages"])
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": "How many secret pages?"}]}]
    assert json.loads(attributes(first[2])["gen_ai.tool.call.arguments"]) == {"a": 0}
    assert attributes(first[2])["gen_ai.tool.call.result"] == "page 0"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.script(CALL, ANSWER)
    desk.run("How many <files> are there?")
    return desk


@pytest.fixture
def collector() -> Iterator[tuple[str, list[Any]]]:
    """A server that takes spans."""
    taken: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            taken.append((self.path, self.headers["Content-Type"], body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", taken
    server.shutdown()


def test_spans_go_to_the_collector_that_is_named(desk: Desk, collector: tuple[str, list[Any]]) -> None:
    url, taken = collector
    toml = desk.folder / "models.toml"
    options = ("journal", "export", "--send", "--models", str(toml))
    refused = desk(*options)
    assert (refused.returncode, taken) == (2, [])
    assert "[telemetry] otlp" in refused.stderr
    toml.write_text(toml.read_text() + f'\n[telemetry]\notlp = "{url}"\n')
    done = desk(*options)
    assert (done.returncode, done.stderr) == (0, f"1 run sent to {url}\n")
    path, kind, body = taken[0]
    assert (path, kind) == ("/v1/traces", "application/json")
    assert body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] == "invoke_agent localagent"
    toml.write_text(toml.read_text().replace(url, "http://127.0.0.1:9"))
    gone = desk(*options)
    assert gone.returncode == 4
    assert "nothing is lost" in gone.stderr


def test_each_format_holds_what_happened(desk: Desk) -> None:
    for form in ("jsonl", "markdown", "html", "otlp"):
        done = desk("journal", "export", "--format", form, "--out", f"all.{form}")
        assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (desk.work / "all.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines][:2] == ["run_started", "message_added"]
    assert "## You · 1\n\nHow many <files>" in (desk.work / "all.markdown").read_text()
    page = (desk.work / "all.html").read_text()
    assert "How many &lt;files&gt;" in page
    assert "<files>" not in page
    assert json.loads((desk.work / "all.otlp").read_text())["resourceSpans"]
    assert desk("journal", "export", "--out", "copy.db").returncode == 0
    with Ledger(desk.work / "copy.db") as ledger:
        assert ledger.verify().ok
    assert desk("journal", "export", "--format", "sqlite").returncode == 2
    assert desk("journal", "export", "--content").returncode == 2
    assert desk("journal", "export", "--out", "no/such/folder.jsonl").returncode == 2


def test_stats_on_the_command_line(desk: Desk) -> None:
    assert desk("journal", "stats").stdout.startswith("1 run, ")
    assert json.loads(desk("journal", "stats", "--json").stdout)["outcomes"] == {"answered": 1}
    assert desk("journal", "stats", "--html", "figures.html").returncode == 0
    assert (desk.work / "figures.html").read_text().startswith("<!doctype html>")


VIEWS = {
    "runs": "SELECT outcome, steps, task FROM runs WHERE session = 'a'",
    "steps": "SELECT model, input_tokens, calls FROM steps WHERE session = 'a' ORDER BY id",
    "tool_calls": "SELECT tool, arguments, ok, failure FROM tool_calls WHERE session = 'a' ORDER BY id",
    "messages": "SELECT speaker, text FROM messages WHERE session = 'a' ORDER BY id",
    "costs": "SELECT model, runs, steps FROM costs",
}


def test_the_views_have_plain_names_and_answers(world: World) -> None:
    got = {name: world.ledger.connection.execute(sql).fetchall() for name, sql in VIEWS.items()}
    assert got == {
        "runs": [("answered", 3, "How many secret pages?")],
        "steps": [("script", 1000, 1), ("script", 1000, 1), ("script", 1000, 0)],
        "tool_calls": [("look", '{"a":0}', 1, None), ("look", '{"a":1}', 0, "not_found")],
        "messages": [
            ("person", "How many secret pages?"),
            ("assistant", None),
            ("tool", "page 0"),
            ("assistant", None),
            ("tool", "not there"),
            ("assistant", "Two <pages>."),
        ],
        "costs": [("script", 3, 5)],
    }


@pytest.mark.parametrize(("text", "days"), [("30d", 30), ("12h", 0.5), ("2w", 14), ("7", 7), ("1y", 365)])
def test_an_age_is_read(text: str, days: float) -> None:
    assert days_of(text) == days


@pytest.mark.parametrize("text", ["", "d", "-3d", "3 moons", "nan"])
def test_what_is_no_age_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        days_of(text)


def test_what_is_erased_is_nowhere_and_the_chain_holds(world: World, tmp_path: Path) -> None:
    search(world.ledger, "secret")
    (tmp_path / "outputs" / "a").mkdir(parents=True)
    (tmp_path / "outputs" / "a" / "notes.md").write_text("secret")
    (tmp_path / "ledger.db.v3.bak").write_text("secret")
    rows = len(list(world.ledger.rows(session="a")))
    assert erase(world.ledger, "a", reason="test", data=tmp_path) == rows > 9
    assert search(world.ledger, "secret") == []
    assert stats(world.ledger)["outcomes"] == {"limit": 1, "stalled": 1}
    verdict = world.ledger.verify()
    assert (verdict.ok, verdict.erased) == (True, rows)
    world.ledger.close()
    assert [p.name for p in tmp_path.rglob("*") if p.is_file() and b"secret" in p.read_bytes()] == []


@pytest.mark.parametrize(("answer", "left"), [("", 4), ("n", 4), ("yes please", 4), ("y", 0), ("YES", 0)])
def test_prune_asks_at_a_terminal(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    world.ledger.close()
    leader, follower = pty.openpty()
    argv = [sys.executable, "-m", "localagent.cli", "journal", "prune", "--older-than", "0"]
    env = {**os.environ, "LOCALAGENT_HOME": str(tmp_path)}
    process = subprocess.Popen(argv, stdin=follower, stdout=subprocess.DEVNULL, stderr=follower, env=env, cwd=tmp_path)
    os.close(follower)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(leader, 1000)
    os.write(leader, answer.encode() + b"\n")
    assert process.wait(60) == 0
    os.close(leader)
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert len(older_than(ledger, 0)) == left


def test_prune_takes_only_what_is_old(desk: Desk) -> None:
    path = next((desk.folder / "home").rglob("ledger.db"))
    desk.run("A second question")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sessions SET updated = ? WHERE title LIKE 'How%'", (time.time() - 40 * 86400,))
    connection.close()
    with Ledger(path) as ledger:
        assert [title for _, title in older_than(ledger, 30)] == ["How many <files> are there?"]
    assert desk("journal", "prune", "--models", str(desk.folder / "models.toml")).returncode == 2
    toml = desk.folder / "models.toml"
    toml.write_text(toml.read_text() + "\n[journal]\nkeep_days = 30\n")
    tried = desk("journal", "prune", "--dry-run", "--models", str(toml))
    assert "1 session would be erased" in tried.stderr
    unasked = desk("journal", "prune", "--json", "--models", str(toml))
    assert (unasked.returncode, unasked.stdout) == (2, "")
    assert "1 session would be erased for good" in unasked.stderr
    assert "--yes" in unasked.stderr
    done = json.loads(desk("journal", "prune", "--json", "--yes", "--models", str(toml)).stdout)
    assert len(done["sessions"]) == 1
    assert done["erased_rows"] > 3
    assert "second question" in desk("sessions", "list").stdout
    assert "How many" not in desk("sessions", "list").stdout
    verdict = json.loads(desk("journal", "verify", "--json").stdout)
    assert (verdict["ok"], verdict["erased"]) == (True, done["erased_rows"])
