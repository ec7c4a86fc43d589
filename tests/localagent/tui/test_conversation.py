"""The conversation: windowed, searchable, copied, opened, forked."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import Markdown

from localagent.messages import Message, ToolCall, ToolResult
from localagent.tui.blocks import Answer, Card, Said
from localagent.tui.facts import Opened
from localagent.tui.widgets.conversation import WINDOW
from tests.fakes.driver import FakeDriver
from tests.localagent.tui.conftest import Open, screen_text, until

CALL = ToolCall("c1", "read_file", {"path": "a.txt"})


def talk(count: int) -> list[Message]:
    return [
        message
        for n in range(count)
        for message in (Message("user", f"question {n}"), Message("assistant", f"answer **{n}**"))
    ]


async def test_only_a_window_has_widgets_and_scrolling_moves_it(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = talk(200)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "answer 199" in screen_text(app))
        conversation = app.conversation
        assert len(conversation.views) <= WINDOW

        def first() -> int:
            return conversation.blocks.index(conversation.views[0].block)

        def above(place: int) -> bool:
            conversation.scroll_to(y=0, animate=False)
            return first() < place

        def below(place: int) -> bool:
            conversation.scroll_end(animate=False)
            return first() > place

        await until(pilot, lambda: above(len(conversation.blocks) // 4))
        await until(pilot, lambda: len(conversation.views) <= WINDOW)
        top = first()
        await until(pilot, lambda: below(top))
        await pilot.press("ctrl+end")
        await until(pilot, lambda: "answer 199" in screen_text(app))
        assert conversation.at_end


async def test_new_blocks_do_not_disturb_who_reads_above(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = talk(100)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "answer 99" in screen_text(app))
        end = app.conversation.scroll_y
        app.conversation.scroll_relative(y=-12, animate=False)
        await until(pilot, lambda: app.conversation.scroll_y == end - 12)
        before = [line[:70].rstrip() for line in screen_text(app).splitlines()[:10]]
        app.tell(Opened(Answer("news", final=True)))
        await until(pilot, lambda: app.conversation.max_scroll_y > end)
        assert [line[:70].rstrip() for line in screen_text(app).splitlines()[:10]] == before


async def test_search_finds_what_has_no_widget(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = talk(150)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "answer 149" in screen_text(app))
        await pilot.press("ctrl+f", *"question 7")
        await until(pilot, lambda: "question 79" in screen_text(app))
        assert "11 of 11" in screen_text(app)
        for _ in range(10):
            await pilot.press("enter")
        await until(pilot, lambda: "1 of 11" in screen_text(app))
        await until(pilot, lambda: "question 7\n" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: "of 11" not in screen_text(app))


async def test_search_scrolls_to_the_paragraph_of_a_long_answer(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = [Message("assistant", "\n\n".join(f"paragraph {n} here" for n in range(90)))]
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "paragraph 89" in screen_text(app))
        await pilot.press("ctrl+f", *"graph 45 he")
        await until(pilot, lambda: "paragraph 45 here" in screen_text(app))
        await pilot.press("escape", *"typed")
        assert app.prompt.text == "typed"


async def test_a_card_opens_and_its_whole_output_is_read_in_the_pager(open_app: Open) -> None:
    driver = FakeDriver([])
    output = "\n".join(f"row {n}" for n in range(300))
    driver.messages = [
        Message("assistant", calls=(CALL,)), Message("tool", results=(ToolResult("c1", "read_file", output),)),
    ]  # fmt: skip
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "✓ read_file  a.txt" in screen_text(app))
        await pilot.press("ctrl+up", "enter")
        await until(pilot, lambda: "280 more lines" in screen_text(app) or "row 10" in screen_text(app))
        await pilot.press("o")
        await until(pilot, lambda: "row 15" in screen_text(app))
        await pilot.press("end")
        await until(pilot, lambda: "row 299" in screen_text(app))
        await pilot.press("escape")
        await pilot.press("escape")
        assert app.prompt.has_focus


async def test_a_block_is_copied(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = talk(1)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "answer 0" in screen_text(app))
        await pilot.press("ctrl+up", "c")
        assert app.clipboard == "answer **0**"
        await pilot.press("escape", *"/copy", "enter")
        await until(pilot, lambda: app.clipboard == "answer **0**")


async def test_inside_tmux_a_copy_goes_to_tmux(open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmux = tmp_path / "tmux"
    tmux.write_text(f'#!/bin/sh\ncat > "{tmp_path}/$1"\n')
    tmux.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("TMUX", "/tmp/socket,1,0")
    async with open_app(FakeDriver([])) as (app, pilot):
        app.copy_to_clipboard("été")
        await until(pilot, lambda: (tmp_path / "load-buffer").exists())
        await until(pilot, lambda: (tmp_path / "load-buffer").read_text() == "été")


async def test_an_earlier_message_is_edited_in_a_fork(open_app: Open) -> None:
    driver = FakeDriver([])
    driver.messages = talk(3)
    async with open_app(driver) as (app, pilot):
        await until(pilot, lambda: "answer 2" in screen_text(app))
        await pilot.press("ctrl+up", "up", "up", "up", "e")
        await until(pilot, lambda: app.prompt.text == "question 1")
        assert driver.calls == [("fork", 2)]
        assert [b.text for b in app.conversation.blocks if isinstance(b, Said)] == ["question 0"]


async def test_a_fence_looks_the_same_streamed_and_read_whole(open_app: Open) -> None:
    text = "Before\n\n```python\ndef f():\n\n    return 1\n```\n\nAfter **all**\n\n- a\n- b\n"
    driver = FakeDriver([])
    async with open_app(driver) as (app, pilot):
        answer = Answer()
        app.tell(Opened(answer))
        await until(pilot, lambda: any(view.query(Markdown) for view in app.conversation.views))
        (view,) = app.conversation.views
        for letter in text:
            answer.text += letter
            await view.pulse()
        answer.final = True
        await view.sync()
        whole = Answer(text, final=True)
        app.tell(Opened(whole))

        def parts() -> list[list[Widget]]:
            return [list(markdown.children) for view in app.conversation.views for markdown in view.query(Markdown)]

        await until(pilot, lambda: len(parts()) == 2 and all(part.size for part in chain(*parts())))
        streamed, read = parts()
        assert len(read) > 3
        assert [type(child) for child in streamed] == [type(child) for child in read]
        assert streamed[1].size == read[1].size


async def test_a_running_card_shows_its_newest_lines(open_app: Open) -> None:
    async with open_app(FakeDriver([])) as (app, pilot):
        card = Card("run_command", "c1", {"command": "make"}, state="running")
        app.tell(Opened(card))
        app.conversation.live(True)
        card.output = "\n".join(f"step {n}" for n in range(20))
        await until(pilot, lambda: "step 19" in screen_text(app))
        assert "step 10" not in screen_text(app)
