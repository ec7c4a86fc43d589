"""The agent with a cloud model: what arrives there, what the tools get, who is asked, and what the ledger says."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.ledger import Ledger
from localagent.agent.escort import Release, by_flag
from localagent.approvers import Nobody
from localagent.assemble import Settings, drive
from localagent.config.trust import trust
from localagent.events import CloudConsent, CloudRequest, Event, FellBack, RunFinished, RunResult, Text, Thought
from localagent.house import close, open_house
from localagent.ports import Decision, Outgoing
from localagent.session import Session
from localagent.tui.driver import Traffic
from tests.fakes.cloud import Reply, anthropic_cloud, bodies, openai_cloud
from tests.fakes.http_server import Answer, Asked, HttpServer

NAME, MAIL, CARD = "Greta Lindqvist", "greta.lindqvist@firma.example", "4111 1111 1111 1111"
SECRET = 'tr"ick\\y-9f8a7b6c5d'
RUSSIAN = "Соколов Андрей Викторович"
PLANTED = (NAME, MAIL, CARD, SECRET, "Lindqvist", "firma.example", "4111111111111111", 'tr"ick', "Соколов", "Андре")


class World:
    """A home, a workspace and a models.toml around a fake cloud; every run is a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        self.work.mkdir()
        (self.work / "notes.txt").write_text(f"Customer: {NAME}\nMail: {MAIL}\nCard: {CARD}\n", encoding="utf-8")
        self.seen: list[Outgoing] = []

    def models(self, server: HttpServer | None, *more: str, backend: str = "openai", cloud: str = "") -> None:
        suffix = "/v1" if backend == "openai" else ""
        url = f"{server.url}{suffix}" if server else "http://127.0.0.1:9/v1"
        text = f'[cloud]\nenabled = true\n{cloud}\n[models.far]\nbackend = "{backend}"\nbase_url = "{url}"\n'
        text += 'model = "big"\ncloud = true\ncontext = 32000\nprice = { input = 3.0, output = 15.0 }\n'
        (self.folder / "models.toml").write_text("\n".join((text, *more)), encoding="utf-8")

    def script(self, name: str, *replies: dict[str, Any]) -> str:
        lines = "".join(json.dumps(reply) + "\n" for reply in replies)
        (self.folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        return f'[models.{name}]\nbackend = "scripted"\nfile = "{name}.jsonl"\ncontext = 8000\n'

    def gateway(self, text: str) -> None:
        (self.folder / "gateway.toml").write_text(text, encoding="utf-8")

    async def says_yes(self, outgoing: Outgoing) -> Decision:
        self.seen.append(outgoing)
        return Decision(True, "session")

    async def says_no(self, outgoing: Outgoing) -> Decision:
        self.seen.append(outgoing)
        return Decision(False)

    async def run(
        self, task: str, release: Release | None = None, *, session: str = "", model: str = "far", **options: Any
    ) -> tuple[RunResult, list[Event]]:
        house = open_house(self.folder / "models.toml")
        settings = Settings(self.work, Nobody("all"), model=model, mode="all", release=release, **options)
        try:
            events = [event async for event in drive(house, settings, task, session=session)]
        finally:
            await close(house)
        last = events[-1]
        assert isinstance(last, RunFinished)
        return last.result, events

    def rows(self, kind: str) -> list[dict[str, Any]]:
        with Ledger(self.folder / "home" / "ledger.db") as ledger:
            return [row.data for row in ledger.rows(kinds=[kind]) if row.data]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return World(tmp_path)


def of(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


READ_THEN_WRITE: list[Reply] = [
    {"thinking": "<PERSON_1> has a file.", "calls": [("read_file", '{"path": "notes.txt"}')]},
    {
        "text": "I write to <EMAIL_ADDRESS_1>.",
        "calls": [("write_file", '{"path": "out.txt", "content": "<PERSON_1> <<EMAIL_ADDRESS_1>> \\"<SECRET_1>\\""}')],
    },
    {"text": "Done for <PERSON_1>, card <CREDIT_CARD_1>."},
]
TASK = f"Read notes.txt about {NAME} and write out.txt. The password: {SECRET}"


@pytest.mark.parametrize("make", [openai_cloud, anthropic_cloud])
@pytest.mark.parametrize("cut", [1, 7, 1000])
async def test_nothing_planted_arrives_and_tools_work_on_real_values(
    world: World, make: Callable[..., HttpServer], cut: int
) -> None:
    async with make(READ_THEN_WRITE, cut=cut) as server:
        world.models(server, backend="openai" if make is openai_cloud else "anthropic")
        result, events = await world.run(TASK, world.says_yes)
    assert result.outcome == "answered", result.error
    arrived = bodies(server)
    assert len(arrived) == 3
    for value in PLANTED:
        assert not any(value in body for body in arrived), value
    assert "<PERSON_1>" in arrived[0]
    assert "<EMAIL_ADDRESS_1>" in arrived[1]
    assert result.output == f"Done for {NAME}, card {CARD}."
    assert (world.work / "out.txt").read_text("utf-8") == f'{NAME} <{MAIL}> "{SECRET}"'
    assert "".join(e.text for e in of(events, Text)) == f"I write to {MAIL}.Done for {NAME}, card {CARD}."
    assert "".join(e.text for e in of(events, Thought)) == f"{NAME} has a file."
    assert result.cost_usd == pytest.approx(3 * (1000 * 3 + 100 * 15) / 1e6)


async def test_each_request_begins_with_the_one_before(world: World) -> None:
    async with openai_cloud(READ_THEN_WRITE) as server:
        world.models(server)
        await world.run(TASK, world.says_yes)
    sent = [asked.json for asked in server.asked]
    for before, after in itertools.pairwise(sent):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert after["tools"] == before["tools"]
    for first, second in itertools.pairwise(asked.body for asked in server.asked):
        assert second.startswith(first[: first.rindex(b'],"stream"')])


async def test_the_person_is_asked_once_and_sees_both_sides(world: World) -> None:
    async with openai_cloud(READ_THEN_WRITE) as server:
        world.models(server)
        result, _ = await world.run(TASK, world.says_yes)
        assert len(world.seen) == 1
        await world.run("Thank you", world.says_yes, session=result.session)
    assert len(world.seen) == 1
    out = world.seen[0]
    assert (out.host, out.model) == ("127.0.0.1", "big")
    assert out.counts == {"PERSON": 1, "SECRET": 1}
    [task] = [text for text in out.texts if text.place == "user"]
    assert task.original == TASK
    assert NAME not in task.masked
    assert SECRET not in task.masked
    assert set(task.entities) == {("PERSON", NAME, "<PERSON_1>"), ("SECRET", SECRET, "<SECRET_1>")}
    [consent] = world.rows("cloud_consent")
    assert (consent["allowed"], consent["by"], consent["host"]) == (True, "person", "127.0.0.1")


async def test_the_ledger_has_a_row_for_each_request_and_no_value(world: World) -> None:
    async with openai_cloud(READ_THEN_WRITE) as server:
        world.models(server)
        _, events = await world.run(TASK, world.says_yes)
    rows = world.rows("cloud_request")
    assert [row["bytes"] for row in rows] == [len(asked.body) for asked in server.asked]
    assert rows[-1]["masked"]["CREDIT_CARD"] == 1
    assert len(of(events, CloudRequest)) == 3
    told = json.dumps([rows, world.rows("cloud_consent")], ensure_ascii=False)
    assert not any(value in told for value in PLANTED)


async def test_a_no_goes_on_with_the_local_model(world: World) -> None:
    async with openai_cloud([{"text": "never"}]) as server:
        world.models(server, world.script("near", {"content": f"Here, for {NAME}."}))
        (world.folder / "models.toml").write_text(
            'fallback = ["near"]\n' + (world.folder / "models.toml").read_text("utf-8"), encoding="utf-8"
        )
        result, events = await world.run(TASK, world.says_no)
    assert server.asked == []
    assert (result.outcome, result.model, result.output) == ("answered", "near", f"Here, for {NAME}.")
    [moved] = of(events, FellBack)
    assert (moved.failed, moved.to, moved.why) == ("far", "near", "cloud")
    [consent] = of(events, CloudConsent)
    assert not consent.allowed


async def test_a_no_without_a_local_model_is_a_clear_end(world: World) -> None:
    async with openai_cloud([{"text": "never"}]) as server:
        world.models(server)
        result, _ = await world.run(TASK, world.says_no)
    assert server.asked == []
    assert result.outcome == "failed"
    assert result.error is not None
    assert "you kept this text in the house" in result.error["message"]


async def test_where_nobody_looks_the_flag_is_named(world: World) -> None:
    async with openai_cloud([{"text": "Hello <PERSON_1>"}]) as server:
        world.models(server)
        refused, _ = await world.run(f"Say hello to {NAME}.")
        assert server.asked == []
        allowed, _ = await world.run(f"Say hello to {NAME}.", by_flag)
    assert refused.error is not None
    assert "--allow-cloud" in refused.error["message"]
    assert allowed.output == f"Hello {NAME}"
    assert world.rows("cloud_consent")[0]["by"] == "flag"


async def test_a_consent_by_flag_is_not_a_persons(world: World) -> None:
    async with openai_cloud([{"text": "Hello"}]) as server:
        world.models(server)
        result, _ = await world.run("Hi", by_flag)
        again, _ = await world.run("Hi again", None, session=result.session)
    assert again.outcome == "failed"
    assert len(server.asked) == 1


async def test_a_blocked_type_refuses_with_its_type(world: World) -> None:
    world.gateway('[policy]\nCREDIT_CARD = "block"\n')
    async with openai_cloud([{"text": "never"}]) as server:
        world.models(server, cloud='config = "gateway.toml"')
        result, _ = await world.run(f"Charge {CARD}", world.says_yes)
    assert server.asked == []
    assert world.seen == []
    assert result.error is not None
    assert "CREDIT_CARD" in result.error["message"]
    assert "4111" not in result.error["message"]


async def test_what_must_stay_in_the_house_is_answered_there(world: World) -> None:
    world.gateway('[policy]\nCREDIT_CARD = "local"\n')
    async with openai_cloud(READ_THEN_WRITE) as server:
        world.models(server, world.script("near", {"content": "At home."}), cloud='config = "gateway.toml"')
        path = world.folder / "models.toml"
        path.write_text('fallback = ["near"]\n' + path.read_text("utf-8"), encoding="utf-8")
        result, events = await world.run(TASK, world.says_yes)
    assert len(server.asked) == 1  # the card stands in the file, so that only the second request would hold it
    assert (result.model, result.output) == ("near", "At home.")
    [moved] = of(events, FellBack)
    assert "CREDIT_CARD" in moved.reason
    assert moved.why == "cloud"


async def test_russian_names_come_back_in_the_case_of_the_sentence(world: World) -> None:
    replies: list[Reply] = [
        {"calls": [("write_file", '{"path": "out.txt", "content": "<PERSON_1>"}')]},
        {"text": "Письмо отправлено <PERSON_1>."},
    ]
    async with openai_cloud(replies) as server:
        world.models(server)
        task = f"Напиши письмо. Клиент: {RUSSIAN}, паспорт 4509 123456, тел. +7 916 123-45-67."
        result, _ = await world.run(task, world.says_yes)
    for value in ("Соколов", "Андре", "4509", "916 123"):
        assert not any(value in body for body in bodies(server)), value
    assert (world.work / "out.txt").read_text("utf-8") == RUSSIAN
    assert result.output == "Письмо отправлено Соколову Андрею Викторовичу."


@pytest.mark.parametrize("keep", [False, True])
async def test_a_resumed_session_keeps_its_placeholders(world: World, keep: bool) -> None:
    if keep:
        world.gateway('[vault]\nkeep = true\nkey = "file:vault.key"\nfolder = "vaults"\n')
    async with openai_cloud([{"text": "Hello <PERSON_2>"}]) as server:
        world.models(server, cloud='config = "gateway.toml"' if keep else "")
        first, _ = await world.run(f"Say hello to {NAME} and Tomasz Nowak.", world.says_yes)
        second, _ = await world.run("And once more", world.says_yes, session=first.session)
    before, after = (asked.json["messages"] for asked in server.asked)
    assert after[: len(before)] == before
    assert second.output == "Hello Tomasz Nowak"
    assert len(list((world.folder / "vaults").glob("*.vault"))) == keep


async def test_a_vault_is_erased_with_its_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from localagent.journal.sessions_cli import main

    world.gateway('[vault]\nkeep = true\nkey = "file:vault.key"\nfolder = "vaults"\n')
    async with openai_cloud([{"text": "Hello"}]) as server:
        world.models(server, cloud='config = "gateway.toml"')
        result, _ = await world.run(f"Say hello to {NAME}.", world.says_yes)
    [vault] = (world.folder / "vaults").glob("*.vault")
    assert NAME.encode() not in vault.read_bytes()
    monkeypatch.chdir(world.folder)
    assert main(["delete", result.session]) == 0
    assert not vault.exists()


async def test_arguments_of_any_shape_are_masked_in_later_turns(world: World) -> None:
    """A local model wrote the call, a cloud model goes on: the earlier arguments leave masked."""
    arguments = {"path": "out.txt", "content": f'{MAIL}\n"{NAME}"'}
    near = world.script("near", {"tool_calls": [{"name": "write_file", "arguments": arguments}]}, {"error": "crash"})
    async with openai_cloud([{"text": "Went on."}]) as server:
        world.models(server, near)
        path = world.folder / "models.toml"
        path.write_text('fallback = ["far"]\n' + path.read_text("utf-8"), encoding="utf-8")
        result, events = await world.run("Do it", world.says_yes, model="near")
    assert (result.model, result.output) == ("far", "Went on.")
    [body] = bodies(server)
    assert "write_file" in body
    assert not any(value in body for value in (NAME, MAIL, "Lindqvist"))
    assert [moved.why for moved in of(events, FellBack)][-1] == "down"


async def test_a_person_who_asks_for_another_model_is_the_reason(world: World) -> None:
    async with openai_cloud([{"text": "From afar."}]) as server:
        world.models(server, world.script("near", {"content": "From here."}))
        first, _ = await world.run("Hi", model="near")
        _, events = await world.run("Hi there", world.says_yes, session=first.session, model="far")
    [moved] = of(events, FellBack)
    assert (moved.failed, moved.to, moved.why) == ("near", "far", "asked")


async def test_a_provider_that_refuses_is_told_without_values(world: World) -> None:
    async with openai_cloud([{"status": 401, "error": "bad key for <PERSON_1>"}]) as server:
        world.models(server)
        result, _ = await world.run(TASK, world.says_yes)
    assert result.error is not None
    assert "401" in result.error["message"]
    assert not any(value in result.error["message"] for value in PLANTED)


async def test_calls_in_the_text_are_restored_as_json(world: World) -> None:
    written = '{"path": "out.txt", "content": "<SECRET_1>"}'
    replies: list[Reply] = [
        {"text": f"Thought: for <PERSON_1>\nAction: write_file\nAction Input: {written}\n"},
        {"text": "Final Answer: written for <PERSON_1>"},
    ]
    async with openai_cloud(replies, cut=3) as server:
        world.models(server)
        path = world.folder / "models.toml"
        path.write_text(path.read_text("utf-8") + 'tools = "react"\n', encoding="utf-8")
        result, _ = await world.run(TASK, world.says_yes)
    assert (world.work / "out.txt").read_text("utf-8") == SECRET
    assert result.output == f"written for {NAME}"
    assert not any(value in body for body in bodies(server) for value in PLANTED)


async def test_a_missing_key_names_its_variable(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAR_KEY", raising=False)
    async with openai_cloud([{"text": "never"}]) as server:
        world.models(server)
        path = world.folder / "models.toml"
        path.write_text(path.read_text("utf-8") + 'api_key_env = "FAR_KEY"\n', encoding="utf-8")
        result, _ = await world.run("Hi", world.says_yes)
    assert result.error is not None
    assert "export FAR_KEY=" in result.error["message"]


async def test_an_image_goes_to_no_cloud(world: World) -> None:
    from localagent.errors import CloudRefusedError
    from localagent.messages import Message
    from localagent.models.texts import pieces
    from localagent.ports import Request

    with pytest.raises(CloudRefusedError, match="image"):
        pieces(Request((Message("user", "look", images=("a.png",)),)))


async def command(world: World, *arguments: str) -> tuple[int, str, str]:
    """`localagent …` in a process of its own, with the world's home."""
    models = ("--models", str(world.folder / "models.toml"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "localagent.cli", *arguments, *models, stdout=-1, stderr=-1, cwd=world.work
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_the_command_line_refuses_without_its_flag_and_tells_what_leaves_with_it(world: World) -> None:
    async with openai_cloud([{"text": "Hello <PERSON_1>"}]) as server:
        world.models(server)
        status, _, told = await command(world, "run", f"Say hello to {NAME}.")
        assert (status, server.asked) == (4, [])
        assert "localagent run --allow-cloud" in told
        status, out, told = await command(world, "run", f"Say hello to {NAME}.", "--allow-cloud")
    assert (status, out) == (0, f"Hello {NAME}\n")
    assert "▲ masked → 127.0.0.1 (PERSON 1; " in told


async def test_models_check_reaches_a_cloud_with_its_own_words(world: World) -> None:
    replies: list[Reply] = [{"text": "Hello"}, {"calls": [("file_size", '{"path": "a.txt"}')]}]
    async with openai_cloud(replies) as server:
        world.models(server)
        status, out, told = await command(world, "models", "check", "far")
        listed = await command(world, "models")
    assert status == 0, out
    assert "its own two questions, masked, to 127.0.0.1" in told
    assert "file_size" in out
    assert len(server.asked) == 2
    assert "cloud: leaves masked for 127.0.0.1" in listed[1]


@pytest.mark.parametrize("backend", ["ollama", "scripted"])
async def test_other_backends_are_no_clouds(world: World, backend: str) -> None:
    text = (
        f'[cloud]\nenabled = true\n[models.far]\nbackend = "{backend}"\nmodel = "m"\nfile = "x.jsonl"\ncloud = true\n'
    )
    (world.folder / "models.toml").write_text(text, encoding="utf-8")
    status, _, told = await command(world, "models", "check", "far")
    assert status == 2
    assert "cloud = false" in told


async def test_text_that_an_edit_quotes_is_quoted_as_it_is_spelt_there(world: World) -> None:
    """One person in three spellings and cases: `old` must be what stands in the file, not the first spelling."""
    letter = "ДОГОВОР С ПЕТРОВОЙ\nМы благодарим за письмо Анну Петрову.\nОплата поручена Анне Петровой.\n"
    (world.work / "letter.txt").write_text(letter, encoding="utf-8")
    old = "\\nОплата поручена <PERSON_1>."
    new = "\\nОплата поручена <PERSON_1> до пятницы."
    replies: list[Reply] = [
        {"calls": [("read_file", '{"path": "letter.txt"}')]},
        {"calls": [("edit_file", f'{{"path": "letter.txt", "old": "{old}", "new": "{new}"}}')]},
        {"text": "Готово."},
    ]
    async with openai_cloud(replies) as server:
        world.models(server)
        result, _ = await world.run("Анна Петрова ждёт. Исправь letter.txt", world.says_yes)
    assert result.output == "Готово."
    assert [(use.name, use.ok) for use in result.tools] == [("read_file", True), ("edit_file", True)]
    assert "Оплата поручена Анне Петровой до пятницы." in (world.work / "letter.txt").read_text("utf-8")
    assert not any("Петров" in body for body in bodies(server))


async def test_a_local_model_that_is_too_slow_gives_way_and_says_so(world: World) -> None:
    async def silent(asked: Asked, answer: Answer) -> None:
        if asked.path.endswith("/chat/completions"):
            await asyncio.sleep(30)
        await answer.whole({"error": {"message": "not found"}}, 404)

    async with HttpServer(silent) as slow, openai_cloud([{"text": "From afar."}]) as server:
        near = f'[models.near]\nbackend = "openai"\nbase_url = "{slow.url}/v1"\nsilence_timeout = 0.3\n'
        world.models(server, near + 'context = 8000\nfallback = ["far"]\n')
        result, events = await world.run("Hi", world.says_yes, model="near")
    assert (result.model, result.output) == ("far", "From afar.")
    [moved] = of(events, FellBack)
    assert (moved.failed, moved.to, moved.why) == ("near", "far", "slow")
    assert "silence_timeout" in moved.reason


async def test_a_window_that_is_too_small_gives_way_to_a_larger_one(world: World) -> None:
    near = world.script("near", {"error": "overflow"})
    small = world.script("small", {"content": "never"})
    async with openai_cloud([{"text": "It fits."}]) as server:
        world.models(server, near + 'fallback = ["small", "far"]\n', small)
        result, events = await world.run("Hi", world.says_yes, model="near")
    assert (result.model, result.output) == ("far", "It fits.")
    assert [(moved.to, moved.why) for moved in of(events, FellBack)] == [("far", "context")]


async def test_a_cloud_that_is_off_is_passed_over_and_named(world: World) -> None:
    near = world.script("near", {"error": "crash"})
    last = world.script("last", {"content": "The last one."})
    world.models(None, near + 'fallback = ["far", "last"]\n', last)
    path = world.folder / "models.toml"
    path.write_text(path.read_text("utf-8").replace("enabled = true", "enabled = false"), encoding="utf-8")
    result, events = await world.run("Hi", world.says_yes, model="near")
    assert (result.model, result.output) == ("last", "The last one.")
    passed = of(events, FellBack)[-1]
    assert (passed.failed, passed.to) == ("far", "last")
    assert "cloud models are off" in passed.reason


async def test_what_a_folder_adds_to_the_instructions_is_masked_and_placeholders_are_explained(world: World) -> None:
    (world.work / "AGENTS.md").write_text(f"Ask {NAME} ({MAIL}) before you change anything.\n", encoding="utf-8")
    trust(world.work)
    async with openai_cloud([{"text": "Fine, <PERSON_1>."}]) as server:
        world.models(server)
        result, _ = await world.run("Hi", world.says_yes)
    [body] = bodies(server)
    assert "before you change anything" in body
    assert NAME not in body
    assert MAIL not in body
    assert "stand for real values" in body
    assert result.output == f"Fine, {NAME}."


async def test_the_screen_s_session_knows_what_left_also_when_it_is_resumed(world: World) -> None:
    world.gateway('[vault]\nkeep = true\nkey = "file:vault.key"\nfolder = "vaults"\n')
    async with openai_cloud([{"text": "Hello"}]) as server:
        world.models(server, cloud='config = "gateway.toml"')
        result, _ = await world.run(f"Say hello to {NAME}.", world.says_yes)
        session = Session(open_house(world.folder / "models.toml"), Settings(world.work, Nobody("ask")), discover=False)
        try:
            assert (session.where, session.traffic) == ("cloud", Traffic())
            await session.resume(result.session)
            assert session.traffic == Traffic("127.0.0.1", 1)
            [sent] = await session.sent()
            assert (sent.host, sent.model, sent.bytes) == ("127.0.0.1", "big", len(server.asked[0].body))
            assert sent.masked == {"PERSON": 1}
            await session.delete(result.session)
            assert session.traffic == Traffic()
        finally:
            await session.close()
    assert not list((world.folder / "vaults").glob("*.vault"))


async def test_names_of_a_json_file_are_read_as_names_and_written_back_as_they_were(world: World) -> None:
    people = json.dumps([{"name": RUSSIAN, "address": "7360 Richard Loaf\nEast Justin, MI 35019"}, {"name": NAME}])
    (world.work / "people.json").write_text(people, encoding="utf-8")
    read: Reply = {"calls": [("read_file", '{"path": "people.json"}')]}
    copy: list[Reply] = []

    async def echo(asked: Asked, answer: Answer) -> None:
        """Writes the file as it was shown, then names the first person."""
        messages = asked.json["messages"]
        shown = messages[-1]["content"] if messages[-1]["role"] == "tool" else ""
        start = shown.find("[{")
        if start >= 0:
            content = shown[start : shown.rindex("}]") + 2]
            copy.append({"calls": [("write_file", json.dumps({"path": "copy.json", "content": content}))]})
        reply = copy[-1] if start >= 0 else read if len(messages) == 2 else {"text": "The first is <PERSON_1>."}
        await openai_cloud([reply]).handler(asked, answer)

    async with HttpServer(echo) as server:
        world.models(server)
        result, _ = await world.run("Copy people.json to copy.json", world.says_yes)
    assert json.loads((world.work / "copy.json").read_text("utf-8")) == json.loads(people)
    assert result.output == f"The first is {RUSSIAN}."
    assert not any(word in body for body in bodies(server) for word in ("Lindqvist", "041e", "Loaf"))
