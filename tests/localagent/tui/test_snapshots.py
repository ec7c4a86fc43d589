"""What the main screens look like, as text, at three sizes.

    UPDATE_SNAPSHOTS=1 python -m pytest tests/localagent/tui/test_snapshots.py

writes them anew; look at the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from localagent.i18n import use
from localagent.tui.app import LocalAgentApp
from tests.localagent.tui.conftest import screen_text, until
from tests.stories.scene import scene

FOLDER = Path(__file__).parents[2] / "snapshots"
SIZES = ((80, 24), (120, 40), (200, 60))
SCREENS = {"models": "f2", "sessions": "f3", "shield": "f4", "help": "f1"}
_MOVING = re.compile(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|  \d+ s(?=  |$)|\d{4}-\d\d-\d\d \d\d:\d\d|for \d+ s")
_THOUGHT = re.compile(r"thought for \d+ s")  # a machine may take a second over it


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_main_screens(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    use("en")
    app = LocalAgentApp(scene, None, Path("/home/me/shop"))
    seen = {}
    async with app.run_test(size=size) as pilot:

        async def shoot(name: str) -> None:
            file = f"{name}-{size[0]}x{size[1]}.txt"
            seen[file] = await settled(pilot, app, FOLDER / file)

        await until(pilot, lambda: "offline" in screen_text(app))
        await shoot("welcome")
        app.prompt.fill("Why does test_total fail? Please fix it.")
        await pilot.press("enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await shoot("approval")
        await pilot.press("y")
        await until(pilot, lambda: app.runner is not None and not app.runner.running)
        await shoot("answer")
        for name, key in SCREENS.items():
            await pilot.press(key)
            await shoot(name)
            await pilot.press("escape")
            await until(pilot, lambda: len(app.screen_stack) == 1)
    for file, text in seen.items():
        compare(FOLDER / file, text)


def compare(path: Path, text: str) -> None:
    """Holds the screen against the kept one, or keeps it."""
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} looks different"


async def settled(pilot: Pilot[int], app: LocalAgentApp, path: Path) -> str:
    """The screen as text once it looks like the file, however slow the machine is, else as it is after ten seconds.

    What moves by itself is left out."""
    kept = None if os.environ.get("UPDATE_SNAPSHOTS") else path.read_text(encoding="utf-8")
    for _ in range(100 if kept else 10):
        await pilot.pause(0.1)
        shown = _THOUGHT.sub("thoughts", screen_text(app))
        lines = [_MOVING.sub("·", line).rstrip() for line in shown.splitlines()]
        text = "\n".join(lines) + "\n"
        if text == kept:
            break
    return text
