"""What the main screens look like, as text, at three sizes.

    UPDATE_SNAPSHOTS=1 python -m pytest tests/localagent/tui/test_snapshots.py

writes them anew; look at the difference before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from localagent.i18n import use
from localagent.tui.app import LocalAgentApp
from tests.localagent.tui.conftest import screen_text, until
from tests.stories.scene import scene

FOLDER = Path(__file__).parents[2] / "snapshots"
SIZES = ((80, 24), (120, 40), (200, 60))
SCREENS = {"models": "f2", "sessions": "f3", "shield": "f4", "help": "f1"}
_MOVING = re.compile(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|  \d+ s(?=  |$)|\d{4}-\d\d-\d\d \d\d:\d\d|for \d+ s")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_main_screens(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    use("en")
    app = LocalAgentApp(scene, None, Path("/home/me/shop"))
    shots = {}
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "offline" in screen_text(app))
        shots["welcome"] = screen_text(app)
        app.prompt.fill("Why does test_total fail? Please fix it.")
        await pilot.press("enter")
        await until(pilot, lambda: "May this run?" in screen_text(app))
        await pilot.pause(0.3)
        shots["approval"] = screen_text(app)
        await pilot.press("y")
        await until(pilot, lambda: app.runner is not None and not app.runner.running)
        await pilot.pause(0.3)
        shots["answer"] = screen_text(app)
        for name, key in SCREENS.items():
            await pilot.press(key)
            await pilot.pause(0.4)
            shots[name] = screen_text(app)
            await pilot.press("escape")
            await pilot.pause(0.1)
    for name, text in shots.items():
        compare(f"{name}-{size[0]}x{size[1]}.txt", text)


def compare(name: str, text: str) -> None:
    """The text against the one that is kept; what moves by itself is left out."""
    lines = [_MOVING.sub("·", line).rstrip() for line in text.splitlines()]
    seen, path = "\n".join(lines) + "\n", FOLDER / name
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen, encoding="utf-8")
    assert seen == path.read_text(encoding="utf-8"), f"{name} looks different"
