"""The other screens: help, sessions, shield, replay, figures, settings, themes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from localagent import errors
from localagent.errors import ModelUnavailableError
from localagent.guard.approve import REASONS
from localagent.i18n import catalogue, use
from localagent.journal.series import Series
from localagent.messages import Message, ToolCall, ToolResult
from localagent.ports import MODES, ApprovalRequest, Change, Outgoing, OutgoingText
from localagent.tools.jobs import JobRow
from localagent.tui.app import LocalAgentApp
from localagent.tui.charts import bar, chart
from localagent.tui.lines import error_line, explained, outcome_line, reason_line
from localagent.tui.settings import CHOICES, Settings, load, save
from tests.fakes.driver import FakeDriver, reply, result
from tests.localagent.tui.conftest import Open, screen_text, until


async def test_help_shows_what_works_here(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver, (100, 50)) as (app, pilot):
        await pilot.press("f1")
        await until(pilot, lambda: "/condense" in screen_text(app))
        assert "new line" in screen_text(app)
        assert "edit & fork" not in screen_text(app)
        await pilot.press("escape", *"hi", "enter")
        await until(pilot, lambda: "ok" in screen_text(app))
        await pilot.press("ctrl+up", "up", "f1")
        await until(pilot, lambda: "edit & fork" in screen_text(app))


async def test_a_session_is_found_and_resumed(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        assert "Done." in screen_text(app)
        await pilot.press(*"parser")
        await until(pilot, lambda: "… parser …" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: driver.session == "s0" and "Fixed." in screen_text(app))


@pytest.mark.parametrize("typed", [("enter",), (*"/retry", "enter")])
async def test_a_run_that_was_cut_off_goes_on_by_a_key(open_app: Open, typed: tuple[str, ...]) -> None:
    driver = FakeDriver([reply("I was not done, now I am.")])
    driver.messages, driver.cut_off = [Message("user", "Rename the files")], True
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "Enter goes on with it" in screen_text(app))
        await pilot.press(*typed)
        await until(pilot, lambda: "now I am" in screen_text(app) and not app.runner.running)
        assert "Enter goes on" not in screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert driver.tasks == [(None, ())]


async def test_what_was_said_in_one_session_is_not_repeated_in_another(open_app: Open) -> None:
    driver = FakeDriver([reply("Yes.")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"first", "enter")
        await until(pilot, lambda: driver.tasks != [] and not app.runner.running)
        await app.resume_session("s0")
        await pilot.press(*"/retry", "enter")
        await pilot.press(*"second", "enter")
        await until(pilot, lambda: len(driver.tasks) > 1 and not app.runner.running)
        assert [task for task, _ in driver.tasks] == ["first", "second"]


async def test_what_was_taken_back_stands_so_on_its_card_now_and_later(open_app: Open) -> None:
    driver = FakeDriver([])
    calls = [ToolCall(f"c{n}", "edit_file", {"path": f"{n}.txt"}) for n in (1, 2)]
    for call in calls:
        done = ToolResult(call.id, call.name, "changed")
        driver.messages += [Message("assistant", calls=(call,)), Message("tool", results=(done,))]
    driver.taken_back = {"c1"}
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "edit_file" in screen_text(app))
        assert "↶ edit_file  1.txt  taken back" in screen_text(app)
        assert "✓ edit_file  2.txt" in screen_text(app)
        await pilot.press(*"/undo", "space", "enter")
        await until(pilot, lambda: "↶ edit_file  2.txt  taken back" in screen_text(app))


async def test_a_session_is_renamed_exported_and_deleted(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        await pilot.press("f6", "end", *" now", "enter")
        await until(pilot, lambda: ("rename", "s0", "Fix the parser now") in driver.calls)
        await pilot.press("f6", *"Anew", "enter")
        await until(pilot, lambda: ("rename", "s0", "Anew") in driver.calls)
        await pilot.press("f7")
        await until(pilot, lambda: "Written to s0.md" in screen_text(app))
        await pilot.press("f8")
        await until(pilot, lambda: "for good?" in screen_text(app))
        assert driver.past
        await pilot.press("f8")
        await until(pilot, lambda: not driver.past and "The session is deleted." in screen_text(app))


async def test_escape_while_a_session_is_renamed_leaves_its_name_and_the_list(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        await pilot.press("f6", *"other", "escape")
        await until(pilot, lambda: "search in all sessions" in screen_text(app))
        assert driver.calls == []
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)


async def test_the_shield_shows_both_sides_and_what_has_left(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver, (120, 40)) as (app, pilot):
        app.prompt.fill("Write to Anna Kern today")
        await pilot.press("f4")
        await until(pilot, lambda: "Write to <PERSON_1> today" in screen_text(app))
        text = screen_text(app)
        assert "Write to Anna Kern today" in text
        assert "1 PERSON" in text
        assert "api.example.org" in text
        assert "nothing leaves" in text


async def test_a_replay_goes_step_by_step(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"/replay", "enter")
        await until(pilot, lambda: "Step 1 of 2" in screen_text(app))
        assert "You work." in screen_text(app)
        await pilot.press("right")
        await until(pilot, lambda: "Step 2 of 2" in screen_text(app))
        assert "You work." not in screen_text(app)


async def test_figures_are_bars(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"/stats", "enter")
        await until(pilot, lambda: "tok/s" in screen_text(app) and "█" in screen_text(app))


def test_a_bar_is_exact_to_an_eighth() -> None:
    assert bar(1.0) == "█" * 40
    assert bar(0.5) == "█" * 20
    assert bar(0.0) == ""
    assert bar(1 / 320) == "▏"
    assert "3 runs" in chart(Series("tools", ("a",), (3.0,), "runs")).plain


def test_days_are_columns_and_the_newest_stay_where_it_is_narrow() -> None:
    week = Series("runs", tuple(f"2026-01-0{n}" for n in range(1, 8)), (0, 1, 2, 4, 8, 0, 8), "runs", daily=True)
    wide, narrow = chart(week, 80).plain.splitlines(), chart(week, 12).plain.splitlines()
    assert wide[0] == "Runs a day  at most 8 runs"
    assert wide[-1].split() == ["01", "02", "03", "04", "05", "06", "07"]
    assert wide[1].count("███") == 2
    assert wide[-2].count("█") == 15 - 3  # 4 columns reach the lowest row whole: 2, 4, 8, 8
    assert narrow[-1].split() == ["05", "06", "07"]
    assert max(map(len, narrow[1:])) <= 12


async def test_settings_are_a_form_and_a_file(open_app: Open, tmp_path: Path) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"/settings", "enter")
        await until(pilot, lambda: "Mode at the start" in screen_text(app))
        await pilot.press("down", "right", "right", "escape")
        await until(pilot, lambda: app.theme == "localagent-light")
        assert load(tmp_path / "home" / "settings.toml") == Settings(theme="light")


def test_the_modes_of_the_settings_are_those_of_the_agent() -> None:
    assert CHOICES["approve"] == MODES


def test_settings_that_are_wrong_keep_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('theme = "light"\nnotify = "yes"\nlanguage = "xx"\nother = 1\n')
    assert load(path) == Settings(theme="light")
    path.write_text("theme = [broken")
    assert load(path) == Settings()
    save(path, Settings(language="ru", notify=False))
    assert path.read_text() == 'language = "ru"\nnotify = false\n'
    assert load(path) == Settings(language="ru", notify=False)


async def test_the_language_changes_at_once(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"/settings", "enter")
        await until(pilot, lambda: "Mode at the start" in screen_text(app))
        await pilot.press("down", "down", "right", "right", "escape")
        await until(pilot, lambda: "отправить" in screen_text(app))
        await pilot.press("f1")
        await until(pilot, lambda: "Клавиши" in screen_text(app))


async def test_every_theme_can_be_worn(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        for name, worn in (("contrast", "localagent-contrast"), ("terminal", "ansi-dark"), ("nord", "nord")):
            await pilot.press(*f"/theme {name}", "enter")
            await until(pilot, lambda worn=worn: app.theme == worn)  # type: ignore[misc]


async def test_a_full_context_is_said_once_and_condensed_by_a_key(open_app: Open) -> None:
    from localagent.events import RunFinished
    from tests.fakes.driver import result

    driver = FakeDriver([reply("ok"), RunFinished(result())])
    driver.window = 2400
    async with open_app(driver) as (app, pilot):
        for _ in range(2):
            await pilot.press(*"hi", "enter")
            await until(pilot, lambda: app.runner is not None and not app.runner.running)
        await until(pilot, lambda: "88% full" in screen_text(app))
        assert screen_text(app).count("% full") == 1
        await pilot.press("f9")
        await until(pilot, lambda: ("condense",) in driver.calls)


async def test_the_palette_opens(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Models" in screen_text(app) or "choose another model" in screen_text(app))


async def test_background_jobs_are_shown_as_they_run_and_can_be_ended(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.job_rows = (
        JobRow("1", "npm run dev", None, 75.0, "ready on 3000\n"),
        JobRow("2", "make", 0, 3.0, "built\n"),
    )
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "jobs: 1" in screen_text(app))
        await pilot.press(*"/jobs", "enter")
        await until(pilot, lambda: "npm run dev" in screen_text(app) and "built" in screen_text(app))
        assert "runs  1 min 15 s" in screen_text(app)
        await pilot.press("up")
        await until(pilot, lambda: "ready on 3000" in screen_text(app))
        await pilot.press("f8")
        await until(pilot, lambda: "ended with -15" in screen_text(app))
        assert ("stop_job", "1") in driver.calls


async def test_a_job_that_ends_says_so(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.job_rows = (JobRow("1", "make test", None, 1.0),)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "jobs: 1" in screen_text(app))
        driver.job_rows = (JobRow("1", "make test", 2, 2.0),)
        await until(pilot, lambda: "Ended with 2: make test" in screen_text(app))
        assert "jobs: 1" not in screen_text(app)


async def test_a_session_brings_its_plan_and_a_new_one_has_none(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.plans["s0"] = (("look", True), ("write", False))
    async with open_app(driver) as (app, pilot):
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: "Plan 1 of 2" in screen_text(app))
        await pilot.press("ctrl+n")
        await until(pilot, lambda: "Plan" not in screen_text(app))


async def test_a_newcomer_whose_model_cannot_answer_is_offered_others(open_app: Open) -> None:
    driver = FakeDriver([], model="gone")
    driver.past = []
    driver.rows = [replace(row, current=row.name == "gone") for row in driver.rows]
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "Choose a model and press Enter" in screen_text(app))
        await until(pilot, lambda: "GGUF files in" in screen_text(app))
        await pilot.press(*"small", "enter")
        await until(pilot, lambda: driver.model == "small")


async def test_a_mistake_in_models_toml_stands_under_the_list_that_was_there(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.mistake = "models.toml, line 3: models.mine.backend is missing"
    async with open_app(driver) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: "models.toml, line 3" in screen_text(app) and "other" in screen_text(app))


async def test_a_list_that_the_word_empties_says_so_and_ctrl_q_leaves_from_it(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press("f2")
        await until(pilot, lambda: "qwen3:4b" in screen_text(app))
        await pilot.press(*"zz")
        await until(pilot, lambda: "No model matches “zz”. Backspace" in screen_text(app))
        await pilot.press("backspace", "backspace")
        await until(pilot, lambda: "qwen3:4b" in screen_text(app) and "No model" not in screen_text(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)


async def test_who_writes_already_is_not_interrupted_by_the_choice(tmp_path: Path) -> None:
    driver, gate = FakeDriver([], model="gone"), asyncio.Event()
    driver.past = []
    driver.rows = [replace(row, current=row.name == "gone") for row in driver.rows]

    async def factory() -> FakeDriver:
        await gate.wait()
        return driver

    app = LocalAgentApp(factory, None, tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"hello")
        gate.set()
        await until(pilot, lambda: "gone" in screen_text(app))
        await pilot.press(*" there")
        assert app.prompt.text == "hello there"


@pytest.mark.parametrize("size", [(40, 16), (40, 20), (200, 60)])
async def test_the_choices_stay_in_sight_on_any_terminal(open_app: Open, size: tuple[int, int]) -> None:
    change = Change(Path("some/path/notes.txt"), b"a\n" * 90, b"b\n" * 90)
    ask = ApprovalRequest(
        ToolCall("c1", "edit_file", {}), "write", f"Edit {change.path}", "it changes a file", (change,)
    )
    async with open_app(FakeDriver([ask, reply("ok")]), size) as (app, pilot):
        await pilot.press(*"go", "enter")
        words = ("y once", "s this session", "a always", "e edit", "n no", "+90", "│\n")
        await until(pilot, lambda: all(word in screen_text(app).partition("May this run?")[2] for word in words))


@pytest.mark.parametrize("size", [(20, 5), (30, 8), (60, 10)])
async def test_on_the_lowest_terminal_the_conversation_gives_way_to_a_question(
    open_app: Open, size: tuple[int, int]
) -> None:
    change = Change(Path("some/path/notes.txt"), b"a\n" * 9, b"b\n" * 9)
    ask = ApprovalRequest(ToolCall("c1", "edit_file", {}), "write", f"Edit {change.path}", "it changes", (change,))
    colour: tuple[str, tuple[str, ...]] = ("Which colour do you want for the new door?", ("red", "green", "blue"))
    leaving = Outgoing("api.example.org", "claude", (OutgoingText("user", "Hi", "Hi"),), {})
    async with open_app(FakeDriver([ask, colour, leaving, reply("ok")]), size) as (app, pilot):

        def shows(words: str) -> bool:
            return words in " ".join(screen_text(app).split())

        await pilot.press(*"go", "enter")
        await until(pilot, lambda: shows("May this run?") and shows("y once s this session a always e edit n no"))
        for _ in range(30):
            await pilot.press("down")
        await until(pilot, lambda: shows("+ b") and shows("y once s this session a always e edit n no"))
        await pilot.press("n")
        await until(pilot, lambda: shows("Why not?"))
        await pilot.press("enter")
        await until(pilot, lambda: shows("Which colour do you"))
        await pilot.press("down")
        await until(pilot, lambda: shows("green"))
        await pilot.press("enter")
        await until(pilot, lambda: shows("y send") and shows("n keep"))
        await pilot.press("y")
        await until(pilot, lambda: shows("ok"))


async def test_a_new_session_begins_with_the_welcome_and_without_figures(open_app: Open) -> None:
    async with open_app(FakeDriver([reply("one")]), (110, 30)) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "one" in screen_text(app) and "tok/s" in screen_text(app))
        await until(pilot, lambda: app.runner is not None and not app.runner.running)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: "name a file" in screen_text(app))
        assert "tok/s" not in screen_text(app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "one" in screen_text(app) and "name a file" not in screen_text(app))


async def test_a_newcomer_whose_model_answers_is_not_asked(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.past = []
    async with open_app(driver) as (app, pilot):
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "Choose a model and press Enter" not in screen_text(app)


def test_why_the_guard_asks_is_said_in_the_persons_language() -> None:
    english = {key: text for key, text in catalogue("en").items() if key.startswith("reason.")}
    assert english == {f"reason.{why}": text for why, text in REASONS.items()}, "English is what the guard says"
    own = ApprovalRequest(ToolCall("c", "read_file", {}), "read", "", "a reason of its own")
    known = [replace(own, reason=text, why=why, outside=(Path("/etc/hosts"),)) for why, text in REASONS.items()]
    use("ru")
    lines = {request.why: reason_line(request) for request in known}
    assert not any(line.isascii() for line in lines.values())
    assert lines["outside"] == "выходит за пределы рабочей папки: /etc/hosts"
    assert reason_line(own) == "a reason of its own"


async def test_deleting_the_open_session_shows_an_empty_one(open_app: Open) -> None:
    driver = FakeDriver([reply("an old answer")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "an old answer" in screen_text(app) and not app.runner.running)  # type: ignore[union-attr]
        driver.past = [replace(driver.past[0], session=driver.session)]
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        await pilot.press("f8", "f8")
        await until(pilot, lambda: driver.past == [])
        await pilot.press("escape")
        await until(pilot, lambda: "Say what you want done" in screen_text(app))
        assert "an old answer" not in screen_text(app)


async def test_the_open_session_is_not_deleted_under_a_run(open_app: Open) -> None:
    driver = FakeDriver([asyncio.Event()])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        driver.past = [replace(driver.past[0], session=driver.session)]
        await pilot.press("f3")
        await until(pilot, lambda: "Fix the parser" in screen_text(app))
        await pilot.press("f8", "f8")
        await until(pilot, lambda: "Not while the agent works" in screen_text(app))
        assert driver.past != []
        await pilot.press("escape", "escape")


def test_an_error_is_told_in_the_persons_language_first() -> None:
    error = ModelUnavailableError("small: nobody listens at 127.0.0.1:11434; start it with ollama serve")
    assert error_line(error) == str(error)
    failed = result("failed", error={"type": "ModelUnavailable", "message": str(error)})
    use("ru")
    lead = catalogue("ru")["error.ModelUnavailable"]
    assert error_line(error) == f"{lead}\n{error}"
    assert outcome_line(failed) == f"Не удалось. {lead}\n{error}"
    assert explained("nothing the catalogue knows", "raw") == "raw"


def test_every_error_that_a_person_meets_has_words_in_russian() -> None:
    kinds = {name.removesuffix("Error") for name, one in vars(errors).items() if _is_error(one)}
    assert {f"error.{kind}" for kind in kinds - {"LocalAgent"}} <= set(catalogue("ru"))


def _is_error(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, errors.LocalAgentError)
