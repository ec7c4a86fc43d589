"""A disk that is full, read-only or holds what no program wrote: said in a sentence, and nothing is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from errno import ENOSPC
from pathlib import Path

import pytest
from textual import events

from gateway.errors import LedgerWriteError
from localagent.events import Event
from localagent.i18n import use
from localagent.journal.claim import Claims
from localagent.tui.app import LocalAgentApp
from localagent.tui.lines import error_line
from localagent.tui.recall import Recall
from localagent.tui.settings import Settings, load
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until


class Full(FakeDriver):
    """An agent whose ledger takes nothing more, and whose exports find no room."""

    full = True

    async def run(self, task: str, attachments: Sequence[Path] = ()) -> AsyncIterator[Event]:
        async for event in super().run(task, attachments):
            if self.full:
                raise LedgerWriteError("cannot write to the ledger: the disk is full")
            yield event

    async def export(self, session: str) -> Path:
        raise OSError(ENOSPC, "No space left on device", f"{session}.md")


async def test_a_full_disk_is_said_and_gives_the_message_back(open_app: Open) -> None:
    async with open_app(Full([])) as (app, pilot):
        await pilot.press(*"hello", "enter")
        await until(pilot, lambda: "the disk is full" in screen_text(app))
        await until(pilot, lambda: app.prompt.text == "hello")
        app.prompt.fill("/export")
        await pilot.press("enter")
        await until(pilot, lambda: "s1.md: No space left on device" in screen_text(app))
        assert app.is_running


async def test_a_home_that_takes_no_files_keeps_nobody_from_working(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    driver = FakeDriver([reply("Fine.")])

    async def factory() -> FakeDriver:
        return driver

    app = LocalAgentApp(factory, tmp_path / "home", tmp_path)
    async with app.run_test(notifications=True) as pilot:
        await pilot.press(*"hello", "enter")
        await until(pilot, lambda: "Fine." in screen_text(app))
        await pilot.press("up")
        assert app.prompt.text == "hello"
        app._settings_chosen(Settings(language="en", notify=False))
        await until(pilot, lambda: "The disk did not let it happen" in screen_text(app))


async def test_a_paste_that_finds_no_room_stays_in_the_prompt(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        app.post_message(events.Paste("a \udc9f line\n" * 50))
        await until(pilot, lambda: app.prompt.text == "[paste 1: 50 lines]")
        await pilot.press("enter")
        await until(pilot, lambda: "The disk did not let it happen" in screen_text(app))
        assert app.prompt.text == "[paste 1: 50 lines]"
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        await pilot.press("enter")
        await until(pilot, lambda: bool(driver.tasks))
        ((path,),) = [paths for _, paths in driver.tasks]
        assert path.read_text().count("a ? line") == 50


def test_files_of_the_home_that_are_no_text_are_as_if_they_were_not_there(tmp_path: Path) -> None:
    broken = tmp_path / "settings.toml"
    for content in (b'theme = "\xff"', b"theme = ", b'theme = 3\nlanguage = "xx"'):
        broken.write_bytes(content)
        assert load(broken) == Settings()
    assert load(tmp_path) == Settings(), "a folder"
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_bytes(b'"one"\n"\xff"\n{"a": \n"two"\n')
    assert Recall(prompts).lines[::2] == ["one", "two"]
    assert Recall(tmp_path).lines == []


def test_the_ledgers_errors_have_words_in_russian() -> None:
    use("ru")
    assert error_line(LedgerWriteError("full")) != "full"
    assert error_line(OSError(ENOSPC, "No space left", "a.md")).endswith("\na.md: No space left")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_a_claim_on_a_full_disk_is_the_lock(tmp_path: Path) -> None:
    """The number of the process that could not be written left the lock behind, held against its own owner."""
    (tmp_path / "s1").symlink_to("/dev/full")
    claims = Claims(tmp_path)
    claims.take("s1")
    claims.close()
