"""The prompt: lines, history, pastes, completion, the shell, the editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual import events

from localagent.messages import Message
from localagent.tui.blocks import Said
from localagent.tui.editor import edit
from localagent.tui.files import named
from localagent.tui.recall import Recall
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until


async def test_several_lines_are_one_message(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (_, pilot):
        await pilot.press(*"one", "shift+enter", *"two", "ctrl+j", *"three", "enter")
        await until(pilot, lambda: driver.tasks == [("one\ntwo\nthree", ())])


async def test_the_arrows_walk_through_what_was_said_and_back_to_the_draft(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        for word in ("first", "second"):
            await pilot.press(*word, "enter")
        await pilot.press(*"draft", "up")
        assert app.prompt.text == "second"
        await pilot.press("up", "up")
        assert app.prompt.text == "first"
        await pilot.press("down", "down")
        assert app.prompt.text == "draft"


async def test_earlier_prompts_are_searched(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        for word in ("red apples", "green pears"):
            await pilot.press(*word, "enter")
        await pilot.press(*"apl", "ctrl+r")
        await until(pilot, lambda: app.prompt.completing)
        await pilot.press("enter")
        await until(pilot, lambda: app.prompt.text == "red apples")


async def test_a_large_paste_becomes_an_attachment(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    body = "\n".join(f"line {n}" for n in range(50))
    async with open_app(driver) as (app, pilot):
        app.post_message(events.Paste(body))
        await until(pilot, lambda: app.prompt.text == "[paste 1: 50 lines]")
        await pilot.press("enter")
        await until(pilot, lambda: bool(driver.tasks))
        (path,) = driver.tasks[0][1]
        assert path.read_text(encoding="utf-8") == body
        path.unlink()


async def test_a_small_paste_is_text(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        app.post_message(events.Paste("two\nlines"))
        await until(pilot, lambda: app.prompt.text == "two\nlines")


async def test_a_file_is_completed_and_attached(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "billing.py").write_text("x = 1\n")
    (tmp_path / "readme.md").write_text("hi\n")
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"see @bil")
        await until(pilot, lambda: "src/billing.py" in screen_text(app))
        await pilot.press("tab")
        await until(pilot, lambda: app.prompt.text == "see @src/billing.py ")
        await pilot.press("enter")
        await until(pilot, lambda: bool(driver.tasks))
        assert driver.tasks[0][1] == (tmp_path / "src" / "billing.py",)


async def test_a_file_that_is_named_whole_is_sent_at_once(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hi\n")
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"see @notes.tx")
        await until(pilot, lambda: app.prompt.completing)
        await pilot.press("t")
        await until(pilot, lambda: not app.prompt.completing)
        await pilot.press("enter")
        await until(pilot, lambda: driver.tasks == [("see @notes.txt", (tmp_path / "notes.txt",))])


async def test_enter_that_comes_before_the_list_knows_the_whole_name_sends_it(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hi\n")
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"see @notes.tx")
        await until(pilot, lambda: app.prompt.completing)
        for key in ("t", "enter"):  # as fast as a paste: nothing is done between them
            app.post_message(events.Key(key, key if len(key) == 1 else "\r"))
        await until(pilot, lambda: driver.tasks == [("see @notes.txt", (tmp_path / "notes.txt",))])


async def test_a_name_with_spaces_is_completed_in_quotes(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "my notes.txt").write_text("hi\n")
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*'(see @"my no')
        await until(pilot, lambda: app.prompt.completing)
        await pilot.press("tab")
        await until(pilot, lambda: app.prompt.text == '(see @"my notes.txt" ')
        await pilot.press("enter")
        await until(pilot, lambda: bool(driver.tasks))
        assert driver.tasks[0][1] == (tmp_path / "my notes.txt",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see @a.txt, please", ["a.txt"]),
        ("(@a.txt) and @b.md.", ["a.txt", "b.md"]),
        ('@"c d.txt" twice @"c d.txt"', ["c d.txt"]),
        ("write to me@a.txt", []),
        ("@gone.txt @", []),
    ],
)
def test_which_files_a_message_names(tmp_path: Path, text: str, found: list[str]) -> None:
    for name in ("a.txt", "b.md", "c d.txt"):
        (tmp_path / name).touch()
    assert named(text, tmp_path) == [tmp_path / name for name in found]


async def test_a_command_is_completed_and_run(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("/", *"und")
        await until(pilot, lambda: "take back the newest change" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: driver.calls == [("undo",)])
        await until(pilot, lambda: "Taken back: notes.txt" in screen_text(app))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/theme nope", "There is no theme nope: dark, light, contrast, terminal"),
        ("/mode nope", "There is no mode nope"),
        ("/new fix it", "/new takes no word behind it."),
        ("/undo [all]", "/undo takes no word behind it."),
    ],
)
async def test_a_command_says_what_it_does_not_take(open_app: Open, line: str, said: str) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        worn = app.theme
        await pilot.press(*line, "enter")
        await until(pilot, lambda: said in " ".join(screen_text(app).replace("▌", " ").split()))
        assert (app.theme, driver.session, driver.calls) == (worn, "s1", [])
        assert app.prompt.text == ("" if "nope" in line else line)


async def test_all_commands_are_reached_from_the_list(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press("/")
        await until(pilot, lambda: app.prompt.completing)
        assert "quit  leave" not in screen_text(app)
        await pilot.press("up")
        await until(pilot, lambda: "quit  leave" in screen_text(app))


async def test_a_prompt_of_a_server_is_read_before_it_is_sent(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("/prompt fake:greet Anna")
        await pilot.press("enter")
        await until(pilot, lambda: app.prompt.text == "Please greet Anna.")
        assert driver.calls == [("prompt", "fake:greet Anna")]
        assert driver.tasks == []


async def test_what_others_wrote_is_taken_for_looked_at(open_app: Open) -> None:
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        await pilot.press("/", *"trust", "enter")
        await until(pilot, lambda: driver.calls == [("trust",)])
        await until(pilot, lambda: "Taken for looked at: mail.eml" in screen_text(app))


async def test_escape_closes_the_completion_only(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press("/")
        await until(pilot, lambda: app.prompt.completing)
        await pilot.press("escape")
        await until(pilot, lambda: not app.prompt.completing)
        assert app.prompt.text == "/"


async def test_a_shell_command_is_shown_and_told(open_app: Open) -> None:
    driver = FakeDriver([reply("ok")])
    async with open_app(driver) as (app, pilot):
        await pilot.press(*"!echo to", "enter")
        await until(pilot, lambda: "✓ !  echo to" in screen_text(app))
        await pilot.press(*"!!echo mine", "enter")
        await until(pilot, lambda: "✓ !  echo mine" in screen_text(app))
        await pilot.press(*"see?", "enter")
        await until(pilot, lambda: bool(driver.tasks))
        assert driver.tasks[0][0] == "see?\n\n```\n$ echo to\nto\n```"
        said = [block.text for block in app.conversation.blocks if isinstance(block, Said)]
        assert said == ["see?"]


async def test_a_shell_command_shows_what_it_says_and_escape_ends_it(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"!echo so far; sleep 60", "enter")
        await until(pilot, lambda: "so far" in map(str.strip, screen_text(app).splitlines()))
        await pilot.press("escape")
        await until(pilot, lambda: "✗ !" in screen_text(app))


async def test_keys_of_the_app_work_while_writing(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = [
        Message("user", "first words"),
        Message("assistant", "\n\n".join(f"line {n}" for n in range(60))),
    ]
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "line 59" in screen_text(app))
        await pilot.press("x", "pageup")
        await until(pilot, lambda: "line 59" not in screen_text(app))
        await pilot.press("f6")
        await until(pilot, lambda: "Background jobs" in screen_text(app))
        await pilot.press("escape", "left", "ctrl+d")
        assert app.prompt.text == ""
        await pilot.press("ctrl+d")
        await until(pilot, lambda: not app.is_running)


async def test_ctrl_c_empties_the_prompt_then_says_how_one_leaves(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        await pilot.press(*"half", "ctrl+c")
        await until(pilot, lambda: app.prompt.text == "")
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "Ctrl-Q leaves." in screen_text(app))
        assert "Ctrl-Q" not in "\n".join(screen_text(app).splitlines()[-5:]), "a notice hides neither prompt nor status"
        await pilot.press("up")
        await until(pilot, lambda: app.prompt.text == "half")


def test_the_editor_gives_back_what_was_saved(tmp_path: Path) -> None:
    script = tmp_path / "editor.py"
    script.write_text("import sys, pathlib\np = pathlib.Path(sys.argv[1])\np.write_text(p.read_text() + ' more\\n')\n")
    assert edit("some", f"{sys.executable} {script}") == "some more"
    assert edit("kept", "/no/such/editor") == "kept"


def test_recall_survives_a_cut_off_line(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    Recall(path).add("été\ntwo")
    with path.open("a") as file:
        file.write('"cut of')
    assert Recall(path).lines == ["été\ntwo"]
