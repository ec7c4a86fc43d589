"""Makes the screenshots of the README: `python -m tests.stories.screenshots docs/images`."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from localagent.i18n import use
from localagent.tui.app import LocalAgentApp
from tests.stories.scene import scene

SIZE = (100, 32)
_WEB_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)  # a picture asks no server for anything
TEXT = "Please tell Anna Kern that her invoice is corrected."


async def shoot(folder: Path, theme: str) -> list[Path]:
    """Plays the scene and keeps a picture at every stop; returns their paths."""
    app = LocalAgentApp(scene, None, Path("/home/me/shop"))
    made: list[Path] = []

    def keep(name: str) -> None:
        made.append(folder / f"{name}-{theme}.svg")
        made[-1].write_text(_WEB_FONT.sub("", app.export_screenshot(title="localagent")), encoding="utf-8")

    async with app.run_test(size=SIZE) as pilot:
        app.wear(theme)
        await pilot.pause(0.4)
        app.prompt.fill("Why does test_total fail? Please fix it.")
        await pilot.press("enter")
        await pilot.pause(1.0)
        keep("approval")
        await pilot.press("y")
        await pilot.pause(1.2)
        keep("answer")
        await pilot.press("f2")
        await pilot.pause(0.5)
        keep("models")
        await pilot.press("escape")
        app.prompt.fill(TEXT)
        await pilot.press("f4")
        await pilot.pause(0.5)
        keep("shield")
    return made


async def main(folder: Path) -> None:
    use("en")
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ("dark", "light"):
        for path in await shoot(folder, theme):
            sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")))
