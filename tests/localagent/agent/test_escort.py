"""Who is asked before text leaves, how often, and what an answer holds for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.ledger import Ledger
from localagent.agent.escort import Release, SessionEscort, by_flag
from localagent.errors import CloudRefusedError
from localagent.events import CloudConsent, CloudRequest, Event
from localagent.journal.store import RunJournal
from localagent.ports import Decision, Outgoing


class Person:
    """Answers what it is told to, and counts the questions."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def release(self, outgoing: Outgoing) -> Decision:
        self.asked.append(outgoing.host)
        await asyncio.sleep(0)
        return Decision(self.answers.pop(0), "session")


class Trip:
    """An escort over a real ledger; `run` is the run that goes on."""

    def __init__(self, folder: Path, release: Release | None) -> None:
        self.ledger = Ledger(folder / "ledger.db")
        self.run = "r1"
        self.events: list[Event] = []
        self.escort = SessionEscort(self.ledger, "s1", release=release, record=self._record, run=lambda: self.run)

    def _record(self, event: Event) -> None:
        RunJournal(self.ledger, "s1", self.run).record(event)
        self.events.append(event)

    async def go(self, host: str = "api.example.org") -> None:
        await self.escort.consent(Outgoing(host, "big", (), {"PERSON": 1}))


async def test_a_yes_holds_for_the_session_and_its_host(tmp_path: Path) -> None:
    person = Person(True, True)
    trip = Trip(tmp_path, person.release)
    await trip.go()
    trip.run = "r2"
    await trip.go()
    await trip.go("other.example.org")
    assert person.asked == ["api.example.org", "other.example.org"]
    later = Person()
    await Trip(tmp_path, later.release).go()
    assert later.asked == []


async def test_a_no_holds_for_the_run(tmp_path: Path) -> None:
    person = Person(False, True)
    trip = Trip(tmp_path, person.release)
    for _ in range(2):
        with pytest.raises(CloudRefusedError, match="kept this text in the house"):
            await trip.go()
    assert len(person.asked) == 1
    trip.run = "r2"
    await trip.go()
    answers = [(e.allowed, e.by) for e in trip.events if isinstance(e, CloudConsent)]
    assert answers == [(False, "person"), (True, "person")]


async def test_requests_side_by_side_ask_once(tmp_path: Path) -> None:
    person = Person(True)
    trip = Trip(tmp_path, person.release)
    await asyncio.gather(*(trip.go() for _ in range(5)))
    assert len(person.asked) == 1


async def test_a_flag_holds_for_its_process_only(tmp_path: Path) -> None:
    await Trip(tmp_path, by_flag).go()
    with pytest.raises(CloudRefusedError, match="--allow-cloud"):
        await Trip(tmp_path, None).go()
    person = Person(True)
    await Trip(tmp_path, person.release).go()
    assert person.asked == ["api.example.org"]


async def test_a_request_is_durable_when_leaves_returns(tmp_path: Path) -> None:
    trip = Trip(tmp_path, None)
    trip.escort.leaves(CloudRequest("api.example.org", "big", 812, 3, {"PERSON": 2}))
    [row] = Ledger(tmp_path / "ledger.db").rows(kinds=["cloud_request"])
    assert row.data is not None
    assert (row.session, row.data["bytes"], row.data["masked"]) == ("s1", 812, {"PERSON": 2})
