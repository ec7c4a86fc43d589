"""The main flows in the app: ask, read, approve, answer, stop, steer, swap."""

from __future__ import annotations

import asyncio
from math import inf
from pathlib import Path
from time import monotonic

import pytest
from textual.events import Paste

from localagent.events import (
    Delegated,
    Event,
    FileChanged,
    Notice,
    PlanChanged,
    RequestSent,
    RunFinished,
    RunStarted,
    Text,
    Thought,
    ToolFinished,
    ToolStarted,
    Working,
)
from localagent.messages import ToolCall, ToolResult
from localagent.ports import ApprovalRequest, Change, Decision
from localagent.tui.app import LocalAgentApp
from localagent.tui.blocks import Answer, Card, Note, Said, Thinking
from localagent.tui.widgets.approval import Approval
from localagent.tui.widgets.card import CardView
from localagent.tui.widgets.deaf import QUIET
from localagent.tui.widgets.question import Question
from tests.fakes.driver import FakeDriver, Step, reply, result
from tests.localagent.tui.conftest import Open, press_at, screen_text, until

START: tuple[Event, ...] = (RunStarted("t", "small", "/p", "ask"), RequestSent(1, "small", 2, 100))
EDIT = ToolCall("c1", "edit_file", {"path": "notes.txt", "old": "a", "new": "b"})
ASK = ApprovalRequest(
    EDIT, "write", "Edit notes.txt", "it changes a file", (Change(Path("notes.txt"), b"a\n", b"b\n"),)
)


def editing(*after: Step) -> list[Step]:
    done = ToolFinished(ToolResult("c1", "edit_file", "changed"), 0.2)
    return [*START, reply("", (EDIT,)), ASK, ToolStarted(EDIT, "write"), done, *after, reply("Done.")]


def quiet(app: LocalAgentApp) -> bool:
    return app.runner is not None and not app.runner.running


async def test_an_answer_streams_and_settles(open_app: Open) -> None:
    driver = FakeDriver([*START, Thought("hm"), Text("Hello "), Text("**world**"), 0.1, reply("Hello **world**")])
    async with open_app(driver, (100, 24)) as (app, pilot):
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: "Hello world" in screen_text(app) and quiet(app))
        assert driver.tasks == [("hi", ())]
        text = screen_text(app)
        assert "thought" in text
        assert "2.1k/8.2k" in text
        assert "34 tok/s" in text
        assert "96% reused" in text


async def test_the_screen_is_there_before_the_agent_and_keeps_what_is_typed(tmp_path: Path) -> None:
    import asyncio

    driver, gate = FakeDriver([*START, reply("Yes.")]), asyncio.Event()

    async def factory() -> FakeDriver:
        await gate.wait()
        return driver

    app = LocalAgentApp(factory, None, tmp_path)
    async with app.run_test() as pilot:
        await pilot.press(*"early", "enter")
        assert "kept until the agent has started" in screen_text(app)
        gate.set()
        await until(pilot, lambda: driver.tasks == [("early", ())])


async def test_an_agent_that_cannot_start_says_why(tmp_path: Path) -> None:
    from localagent.errors import ConfigError

    driver, wrong = FakeDriver([*START, reply("Yes.")]), [ConfigError("models.toml, line 3: backend is wrong")]

    async def factory() -> FakeDriver:
        if wrong:
            raise wrong.pop()
        return driver

    app = LocalAgentApp(factory, None, tmp_path)
    async with app.run_test() as pilot:
        await until(pilot, lambda: "line 3: backend is wrong" in screen_text(app))
        await pilot.press(*"again", "enter")
        await until(pilot, lambda: driver.tasks == [("again", ())])


@pytest.mark.parametrize(("key", "scope"), [("y", "once"), ("s", "session"), ("a", "always")])
async def test_an_approval_shows_the_diff_and_takes_one_key(open_app: Open, key: str, scope: str) -> None:
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        text = screen_text(app)
        assert "1 - a" in text
        assert "1 + b" in text
        assert "waiting for you" in text
        await pilot.press(key)
        await until(pilot, lambda: quiet(app) and "Done." in screen_text(app))
        assert driver.answers == [Decision(True, scope)]  # type: ignore[arg-type]
        assert app.prompt.has_focus


async def test_an_approval_names_the_tool_also_where_it_is_about_a_path(open_app: Open) -> None:
    call = ToolCall("c1", "files_shred", {"path": "notes.txt"})
    driver = FakeDriver([ApprovalRequest(call, "write", "notes.txt", "it changes files"), reply("Done.")])
    async with open_app(driver, (30, 8)) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "files_shred · it changes files" in screen_text(app))


@pytest.mark.parametrize(("word", "scope"), [("y once", "once"), ("this session", "session"), ("always", "always")])
async def test_an_approval_takes_a_click_on_a_choice(open_app: Open, word: str, scope: str) -> None:
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "n no" in screen_text(app) and app.query_one(Approval).deaf.until < inf)
        line = next(n for n, text in enumerate(screen_text(app).splitlines()) if "y once" in text)
        await pilot.click(offset=(screen_text(app).splitlines()[line].index(word), line))
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [Decision(True, scope)]  # type: ignore[arg-type]


async def test_what_was_typed_for_the_prompt_approves_nothing(open_app: Open) -> None:
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("go")
        app.prompt.action_submit()
        app.prompt.fill("and")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        deaf = app.query_one(Approval).deaf
        await until(pilot, lambda: deaf.until < inf)
        stood = deaf.until - QUIET
        for key, pressed in (("a", stood - 1), ("a", stood + 0.5), ("s", stood + QUIET), ("escape", stood + 1.3)):
            await press_at(pilot, key, pressed)
        await press_at(pilot, "y", deaf.until)
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [Decision(True, "once")]
        assert app.prompt.text == "and"


async def test_a_key_pressed_before_the_question_stood_answers_nothing(open_app: Open) -> None:
    """A busy machine comes to it late: also where the prompt was empty it was not meant for what nobody had seen."""
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        before = monotonic()
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await press_at(pilot, "a", before)
        await pilot.press("y")
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [Decision(True, "once")]


async def test_a_question_behind_a_screen_is_not_answered_by_the_keys_that_closed_it(open_app: Open) -> None:
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("go")
        await pilot.press("f1")
        await until(pilot, lambda: app.screen is not app.main)
        app.prompt.action_submit()
        await until(pilot, lambda: bool(app.main.query(Approval)))
        await pilot.press("escape", "a")
        deaf = app.main.query_one(Approval).deaf
        await until(pilot, lambda: deaf.until < inf)
        await press_at(pilot, "a", deaf.until - 0.1)
        assert driver.answers == []
        await press_at(pilot, "y", deaf.until)
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [Decision(True, "once")]


@pytest.mark.parametrize("options", [("red", "blue"), ()])
async def test_what_was_typed_for_the_prompt_answers_no_question(open_app: Open, options: tuple[str, ...]) -> None:
    driver = FakeDriver([*START, ("Which colour?", options), reply("ok")])
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("go")
        app.prompt.action_submit()
        app.prompt.fill("and")
        await until(pilot, lambda: "Which colour?" in screen_text(app))
        deaf = app.query_one(Question).deaf
        await until(pilot, lambda: deaf.until < inf)
        for key in ("x", "enter"):
            await press_at(pilot, key, deaf.until - 0.1)
        await press_at(pilot, "escape", deaf.until)
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [""]


async def test_a_change_without_a_question_shows_its_diff_too(open_app: Open) -> None:
    changed = FileChanged("c1", "notes.txt", "k1", "k2")
    driver = FakeDriver([*(step for step in editing(changed) if step is not ASK)])
    driver.changed["c1"] = ASK.changes
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: quiet(app) and "Done." in screen_text(app))
        await pilot.click(CardView)
        await until(pilot, lambda: "1 + b" in screen_text(app))


async def test_a_hint_can_be_clicked(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        at = screen_text(app).splitlines()[-1].index("f2")
        await pilot.click(offset=(at, 23))
        await until(pilot, lambda: "Enter chooses" in screen_text(app))


async def test_a_link_is_copied_and_never_opened(open_app: Open) -> None:
    driver = FakeDriver([reply("See [this](https://example.org/a).")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: quiet(app) and "See this." in screen_text(app))
        line = next(n for n, text in enumerate(screen_text(app).splitlines()) if "See this" in text)
        await pilot.click(offset=(screen_text(app).splitlines()[line].index("this"), line))
        await until(pilot, lambda: app.clipboard == "https://example.org/a")


async def test_a_refusal_tells_the_reason(open_app: Open) -> None:
    driver = FakeDriver(editing())
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await pilot.press("n", *"not that", "enter")
        await until(pilot, lambda: driver.answers != [])
        assert driver.answers == [Decision(False, "once", "not that")]


async def test_a_command_is_shown_by_its_segments(open_app: Open) -> None:
    call = ToolCall("c1", "run_command", {"command": "make && rm -r out"})
    ask = ApprovalRequest(call, "execute", "run a command", "rm deletes", segments=("make", "rm -r out"))
    driver = FakeDriver([*START, reply("", (call,)), ask, reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "$ rm -r out" in screen_text(app))
        assert "$ make" in screen_text(app)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: driver.answers == [Decision(False)])


async def test_a_question_is_answered_by_choice_or_in_words(open_app: Open) -> None:
    driver = FakeDriver([*START, ("Which colour?", ("red", "blue")), ("Why?", ()), reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "Which colour?" in screen_text(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Why?" in screen_text(app))
        await pilot.press(*"calm", "enter")
        await until(pilot, lambda: driver.answers == ["blue", "calm"])


async def test_escape_stops_the_run_and_the_draft_stays(open_app: Open) -> None:
    driver = FakeDriver([*START, Text("Once upon"), asyncio.Event()])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "Once upon" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "Stopped by you." in screen_text(app) and quiet(app))
        assert "Once upon" in screen_text(app)


async def test_what_is_said_meanwhile_is_queued_and_can_steer(open_app: Open) -> None:
    gate = asyncio.Event()
    driver = FakeDriver([*START, gate, reply("one")], [*START, reply("two")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        await pilot.press(*"next", "enter")
        await until(pilot, lambda: "1 queued" in screen_text(app))
        await pilot.press(*"left!", "ctrl+s")
        await until(pilot, lambda: driver.steered == ["left!"])
        gate.set()
        await until(pilot, lambda: len(driver.tasks) == 2 and quiet(app))
        assert [task for task, _ in driver.tasks] == ["go", "next"]
        said = [(block.text, block.queued) for block in app.conversation.blocks if isinstance(block, Said)]
        assert sorted(said) == [("go", False), ("left!", False), ("next", False)]


async def test_phases_are_said(open_app: Open) -> None:
    loaded, read = asyncio.Event(), asyncio.Event()
    driver = FakeDriver(
        [*START, Working("loading", 300_000_000, 1_200_000_000), loaded, Working("reading", 512, 2048), read]
    )
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "loading 300 MB of 1.2 GB" in screen_text(app))
        loaded.set()
        await until(pilot, lambda: "reading 512 of 2.0k" in screen_text(app))


async def test_an_empty_answer_is_said_and_retried(open_app: Open) -> None:
    driver = FakeDriver([*START, reply("")], [*START, reply("now")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "empty answer" in screen_text(app) and quiet(app))
        await pilot.press(*"/retry", "enter")
        await until(pilot, lambda: "now" in screen_text(app))
        assert [task for task, _ in driver.tasks] == ["go", "go"]


async def test_a_retried_run_streams_like_any_other(open_app: Open) -> None:
    driver = FakeDriver([*START, reply("")], [*START, Text("slowly "), 0.2, Text("it comes"), asyncio.Event()])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "empty answer" in screen_text(app) and quiet(app))
        await pilot.press(*"/retry", "enter")
        await until(pilot, lambda: "slowly it comes" in screen_text(app))
        assert "esc stops" in screen_text(app)


async def test_what_a_reader_does_is_seen_as_it_runs(open_app: Open) -> None:
    sent = ToolCall("c1", "delegate", {"task": "find the port"})
    look = ToolCall("r1", "read_file", {"path": "settings.ini"})
    started, finished = asyncio.Event(), asyncio.Event()
    steps: list[Step] = [
        ToolStarted(sent, "read"),
        Delegated("c1", ToolStarted(look, "read")),
        started,
        Delegated("c1", ToolFinished(ToolResult("r1", "read_file", "port=80"), 0.1)),
        finished,
        ToolFinished(ToolResult("c1", "delegate", "It is 80."), 1.0),
    ]
    async with open_app(FakeDriver([*START, reply("", (sent,)), *steps, reply("Done.")])) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "● read_file  settings.ini" in screen_text(app))
        started.set()
        await until(pilot, lambda: "✓ read_file  settings.ini" in screen_text(app))
        finished.set()
        await until(pilot, lambda: quiet(app) and "Done." in screen_text(app))
        await pilot.click(CardView)
        await until(pilot, lambda: "✓ read_file  settings.ini" in screen_text(app) and "It is 80." in screen_text(app))


async def test_a_refused_run_shows_the_sentence(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.error = "Ollama is not there; start it with: ollama serve"
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "start it with: ollama serve" in screen_text(app))
        await until(pilot, lambda: quiet(app) and app.prompt.text == "go")
        assert not any(isinstance(block, Said) for block in app.conversation.blocks), "it stands in the prompt"
        driver.error = ""
        await pilot.press("enter")
        await until(pilot, lambda: len(driver.tasks) == 2 and quiet(app))
        assert app.prompt.text == ""


async def test_the_output_of_a_command_goes_with_the_message_that_arrives(open_app: Open, tmp_path: Path) -> None:
    driver = FakeDriver([], workspace=tmp_path)
    driver.error = "models.toml is wrong"
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"!echo 4711", "enter")
        await until(pilot, lambda: "✓" in screen_text(app))
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: len(driver.tasks) == 1 and quiet(app) and app.prompt.text == "go")
        await pilot.press("enter")
        await until(pilot, lambda: len(driver.tasks) == 2)
        assert driver.tasks[0] == driver.tasks[1]
        assert "$ echo 4711\n4711" in driver.tasks[1][0]


async def test_a_paste_comes_back_with_its_message(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.error = "models.toml is wrong"
    async with open_app(driver) as (app, pilot):
        app.prompt.post_message(Paste("line\n" * 40))
        await until(pilot, lambda: "40" in app.prompt.text)
        await pilot.press("enter")
        await until(pilot, lambda: len(driver.tasks) == 1 and quiet(app) and bool(app.prompt.text))
        await pilot.press("enter")
        await until(pilot, lambda: len(driver.tasks) == 2 and quiet(app))
        assert [paste.read_text() for _, (paste,) in driver.tasks] == ["line\n" * 40] * 2


async def test_what_is_refused_while_a_run_goes_on_is_not_lost(open_app: Open) -> None:
    driver = FakeDriver([*START, asyncio.Event(), reply("one")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        await pilot.press(*"/undo", "space", "enter")
        await until(pilot, lambda: "Not while the agent works" in screen_text(app))
        assert app.prompt.text == "/undo"
        await pilot.press("escape")
        await until(pilot, lambda: quiet(app))
        await pilot.press("enter")
        await until(pilot, lambda: ("undo",) in driver.calls)


async def test_the_model_is_swapped_in_the_middle(open_app: Open) -> None:
    driver = FakeDriver([*START, reply("one")])
    async with open_app(driver, (100, 32)) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: quiet(app) and "one" in screen_text(app))
        await pilot.press("f2")
        await until(pilot, lambda: "qwen3:4b" in screen_text(app))
        text = screen_text(app)
        assert "context ?" in text
        assert "not reachable" in text
        assert "cloud, masked" in text
        await pilot.press(*"other", "enter")
        await until(pilot, lambda: driver.model == "other")
        await until(pilot, lambda: "Now other answers." in screen_text(app))
        assert "local server" in screen_text(app).splitlines()[-2]


async def test_a_swap_while_a_run_goes_on_waits_for_its_end(open_app: Open) -> None:
    gate = asyncio.Event()
    driver = FakeDriver([*START, gate, reply("one")], [*START, reply("two")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        await pilot.press(*"more", "enter")
        app.action_models("other")
        await until(pilot, lambda: "other answers as soon as this run is over." in screen_text(app))
        assert driver.model == "small"
        gate.set()
        await until(pilot, lambda: quiet(app) and "two" in screen_text(app))
        said = [block.text for block in app.conversation.blocks if isinstance(block, Answer | Note)]
        assert said.index("one") < said.index("Now other answers.") < said.index("two")


async def test_the_end_of_a_long_run_is_told(open_app: Open) -> None:
    gate = asyncio.Event()
    driver = FakeDriver([*START, gate, reply("one")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        app._began -= 60
        gate.set()
        await until(pilot, lambda: quiet(app) and "Answered." in screen_text(app))


async def test_a_model_that_is_offered_is_pulled_first(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.model = ""
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "Choose a model and press Enter" in screen_text(app))
        await pilot.press(*"qwen", "enter")
        await until(pilot, lambda: driver.model == "qwen3:4b")


async def test_a_prompt_that_does_not_fit_gets_a_larger_window_on_one_key(open_app: Open) -> None:
    cut = Notice("prompt_cut", "small: Ollama read only 2048 of about 9000 tokens")
    failed = RunFinished(result("failed", error={"type": "PromptCut", "message": "the rest was dropped"}))
    driver = FakeDriver([*START, cut, failed], [*START, reply("It fits.")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "F7 asks the model for a larger one" in screen_text(app) and quiet(app))
        assert "read only 2048 of about 9000" in screen_text(app)
        await pilot.press("f7")
        await until(pilot, lambda: "It fits." in screen_text(app) and quiet(app))
        assert driver.calls == [("widen",)]
        assert [task for task, _ in driver.tasks] == ["go", "go"]
        notes = [block.text for block in app.conversation.blocks if isinstance(block, Note)]
        assert len([text for text in notes if "F7" in text]) == 1


async def test_a_failed_swap_says_why(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"/model gone", "enter")
        await until(pilot, lambda: "gone does not answer" in screen_text(app))
        assert driver.model == "small"


async def test_the_mode_goes_round_and_is_shown(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("shift+tab")
        await until(pilot, lambda: "read" in screen_text(app).splitlines()[-2])
        await pilot.press(*"/mode all", "enter")
        await until(pilot, lambda: driver.mode == "all")


async def test_the_plan_ticks_off(open_app: Open) -> None:
    plan = [PlanChanged((("look", done), ("write", False))) for done in (False, True)]
    gate = asyncio.Event()
    driver = FakeDriver([*START, plan[0], gate, plan[1], reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "Plan 0 of 2  ◐ look" in screen_text(app))
        gate.set()
        await until(pilot, lambda: "Plan 1 of 2  ◐ write" in screen_text(app))
        await pilot.press("ctrl+l")
        await until(pilot, lambda: "● look" in screen_text(app))


async def test_a_finished_run_leaves_nothing_open(open_app: Open) -> None:
    driver = FakeDriver([*START, Thought("t"), Text("partial"), ToolStarted(EDIT, "write")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks) and quiet(app))
        for block in app.conversation.blocks:
            match block:
                case Answer():
                    assert block.final
                case Thinking():
                    assert block.seconds is not None
                case Card():
                    assert block.state == "stopped"
                case Note() | Said():
                    pass


async def test_escape_gives_queued_messages_back_to_the_prompt(open_app: Open) -> None:
    driver = FakeDriver([*START, asyncio.Event(), reply("one")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        await pilot.press(*"next", "enter")
        await until(pilot, lambda: "waits for its turn" in screen_text(app))
        await pilot.press(*"left", "ctrl+s")
        await until(pilot, lambda: driver.steered == ["left"])
        await pilot.press("escape")
        await until(pilot, lambda: quiet(app) and app.prompt.text == "left\n\nnext")
        await until(pilot, lambda: "waits for its turn" not in screen_text(app))
        assert [block.text for block in app.conversation.blocks if isinstance(block, Said)] == ["go"]


async def test_nothing_unknown_is_said_before_the_first_message(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.window = None
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "small" in screen_text(app))
        assert "?" not in screen_text(app).splitlines()[-2]
