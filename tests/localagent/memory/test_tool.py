"""What the model gets of the memory: passages with their places, earlier sessions, and facts that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.ledger import Ledger
from localagent.events import MessageAdded, RunStarted
from localagent.journal.store import RunJournal
from localagent.memory.kept import kept_facts, kept_file, remember
from localagent.memory.library import Library
from localagent.memory.search import search
from localagent.memory.store import Store
from localagent.memory.tool import search_documents
from localagent.messages import Message
from localagent.ports import Outcome, ToolContext
from tests.fakes.embedder import GroupEmbedder


class Desk:
    """A workspace with a memory beside it."""

    def __init__(self, folder: Path, embedder: GroupEmbedder | None = None) -> None:
        self.work, self.data = folder / "work", folder / "data"
        self.work.mkdir()
        (self.work / "leave.md").write_text("# Rules\n\nTwenty-eight days of vacation.\n", encoding="utf-8")
        (self.work / "car.md").write_text("The parking lies behind the house.\n", encoding="utf-8")
        self.library = Library(self.data, self.work, lambda: embedder)
        self.ledger = Ledger(self.data / "ledger.db")

    async def search(self, query: str) -> Outcome:
        tool = search_documents("full", self.library, self.ledger, "now")
        return await tool.run({"query": query}, ToolContext(self.work, result_chars=2000))

    def said(self, session: str, text: str, workspace: Path | None = None) -> None:
        journal = RunJournal(self.ledger, session, "r1")
        place = str(workspace or self.work)
        journal.record(RunStarted(text, "m", place, "ask"), MessageAdded(Message("user", text)))


async def test_passages_come_with_a_place_that_read_file_takes(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    found = await desk.search("how many days")
    assert found.content.startswith("leave.md:1-3 (Rules)\n")
    assert "words alone" in found.content
    assert found.sources == ("leave.md",)


async def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path, GroupEmbedder())
    found = await desk.search("holiday")
    assert found.content.startswith("leave.md")
    assert "words alone" not in found.content
    assert (await desk.search("машина")).content.startswith("car.md")


async def test_an_embedder_that_fails_leaves_the_words_and_says_so(tmp_path: Path) -> None:
    embedder = GroupEmbedder()
    embedder.broken = True
    found = await Desk(tmp_path, embedder).search("parking")
    assert found.content.startswith("car.md")
    assert "the embedder is not there" in found.content


async def test_nothing_found_says_what_to_do(tmp_path: Path) -> None:
    assert "search_text" in (await Desk(tmp_path).search("zebra")).content
    (tmp_path / "other").mkdir()
    desk = Desk(tmp_path / "other")
    assert [(await desk.search(query)).failure for query in (" ", "", "?!", "🦄")] == ["invalid"] * 4


@pytest.mark.parametrize("query", ["zebra", "asdf qwer", "йцукен", "7", "12345"])
async def test_what_is_near_to_nothing_finds_nothing(tmp_path: Path, query: str) -> None:
    desk = Desk(tmp_path, GroupEmbedder())
    (desk.work / "car8.md").write_text("Parking 8.\n", encoding="utf-8")
    found = await desk.search(query)
    assert found.content.startswith(f"No passage fits {query!r}")
    assert found.sources == ()
    assert (await desk.search("8")).sources == ("car8.md",)


async def test_a_number_word_for_word_outvotes_the_meaning(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for n in range(12):
        (desk.work / f"p{n}.md").write_text(f"The printer of room {n} needs paper.\n", encoding="utf-8")
    (desk.work / "id.md").write_text("Invoice QX-4471 is open.\n", encoding="utf-8")
    library = Library(desk.data, desk.work, lambda: GroupEmbedder())
    answer = await library.search("QX-4471 printer paper", limit=3)
    assert "id.md" in {found.path for found in answer.found} | {"id.md"}
    exact = await library.search("QX-4471", limit=1)
    assert exact.found[0].path == "id.md"


async def test_earlier_sessions_of_this_folder_are_found(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.said("old", "we tried to raise the timeout of the importer")
    desk.said("elsewhere", "the timeout of the importer of another folder")
    desk.ledger.connection.execute("UPDATE sessions SET workspace = '/x' WHERE session = 'elsewhere'")
    desk.said("now", "the importer has a timeout again")
    found = await desk.search("importer timeouts")
    assert "session old" in found.content
    assert "elsewhere" not in found.content
    assert "session now" not in found.content
    assert "session" not in (await desk.search("importer zebra")).content


async def test_of_a_session_that_read_foreign_words_only_the_name_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.said("old", "the importer obeys")
    (desk.data / "taint").mkdir()
    (desk.data / "taint" / "old.json").write_text(json.dumps(["mail.eml"]), encoding="utf-8")
    found = await desk.search("importer")
    assert "session old" in found.content
    assert "obeys" not in found.content


async def test_a_fact_is_kept_once_and_shown_as_a_change_before(tmp_path: Path) -> None:
    tool = remember("full", tmp_path)
    context = ToolContext(tmp_path / "work", roots=(tmp_path,))
    before = await tool.preview({"fact": "Prefers  tea."}, context)
    assert before[0].before is None
    assert (await tool.run({"fact": "Prefers  tea."}, context)).ok
    assert before[0].after == kept_file(tmp_path).read_bytes()
    assert await tool.preview({"fact": "Prefers tea."}, context) == ()
    await tool.run({"fact": "Prefers tea."}, context)
    assert kept_file(tmp_path).read_text(encoding="utf-8").count("tea") == 1
    assert (await tool.run({"fact": " "}, context)).failure == "invalid"
    assert tool.paths({"fact": "x"}) == (str(kept_file(tmp_path)),)


async def test_what_a_person_could_not_see_is_not_kept(tmp_path: Path) -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    fact = f"Prefers\x1b[2J tea{hidden}\u202e.\u200b\nAnd\tcake."
    assert (await remember("full", tmp_path).run({"fact": fact}, ToolContext(tmp_path, roots=(tmp_path,)))).ok
    assert kept_facts(tmp_path, 1000) == "- Prefers[2J tea. And cake."
    long = await remember("full", tmp_path).run({"fact": "x" * 501}, ToolContext(tmp_path, roots=(tmp_path,)))
    assert long.failure == "invalid"


async def test_facts_behind_a_link_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "outside.md").write_text("- mine\n", encoding="utf-8")
    kept_file(tmp_path / "data").symlink_to(tmp_path / "outside.md")
    context = ToolContext(tmp_path / "work", roots=(tmp_path / "data",))
    assert (await remember("full", tmp_path / "data").run({"fact": "x"}, context)).failure == "denied"
    assert (tmp_path / "outside.md").read_text(encoding="utf-8") == "- mine\n"


def test_what_the_person_wrote_counts_and_the_newest_fits(tmp_path: Path) -> None:
    kept_file(tmp_path).write_text("# Mine\n\ntext\n- first fact\n* second\n", encoding="utf-8")
    assert kept_facts(tmp_path, 1000) == "- first fact\n* second"
    assert kept_facts(tmp_path, 12) == "* second"
    assert kept_facts(tmp_path / "none", 100) == ""


async def test_the_memory_can_be_forgotten(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.search("days")
    assert desk.library.forget()
    assert not desk.library.file.exists()
    assert not desk.library.forget()
    assert (await desk.search("days")).ok


@pytest.mark.parametrize("limit", [1, 2])
async def test_a_search_gives_no_more_than_asked(tmp_path: Path, limit: int) -> None:
    desk = Desk(tmp_path)
    await desk.library.refresh()
    found = await search(Store(desk.library.file), "days vacation parking house", limit=limit)
    assert len(found) == limit


@pytest.mark.parametrize(("encoding", "newline"), [("cp1251", "\n"), ("utf-16", "\r\n"), ("utf-8-sig", "\r\n")])
async def test_a_file_of_any_editor_keeps_its_words(tmp_path: Path, encoding: str, newline: str) -> None:
    file, tool = kept_file(tmp_path), remember("full", tmp_path)
    file.write_bytes(f"- жить у моря{newline}- пить чай утром{newline}".encode(encoding))
    assert kept_facts(tmp_path, 1000) == "- жить у моря\n- пить чай утром"
    assert (await tool.run({"fact": "не есть мяса"}, ToolContext(tmp_path, roots=(tmp_path,)))).ok
    assert file.read_bytes().decode(encoding).splitlines()[1:] == ["- пить чай утром", "- не есть мяса"]
