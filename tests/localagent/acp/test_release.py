"""An editor is asked before masked text leaves: what it is and what would leave, as a diff."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("acp")

from tests.fakes.cloud import bodies, openai_cloud
from tests.localagent.acp.editor import editor

NAME = "Greta Lindqvist"


async def test_the_editor_sees_a_diff_and_its_yes_lets_it_leave(tmp_path: Path) -> None:
    async with openai_cloud([{"text": "Hello <PERSON_1>"}]) as server:
        entry = f'backend = "openai"\nbase_url = "{server.url}/v1"\nmodel = "big"\ncloud = true\ncontext = 32000\n'
        (tmp_path / "models.toml").write_text(f"[cloud]\nenabled = true\n[models.far]\n{entry}", encoding="utf-8")
        async with editor(tmp_path, "yes") as one:
            await one.say(f"Say hello to {NAME}.")
            assert one.said() == f"Hello {NAME}"
        [card] = one.asked
        diff = card.content[1]
        assert (diff.old_text, diff.new_text) == (f"Say hello to {NAME}.", "Say hello to <PERSON_1>.")
        assert not any(NAME in body for body in bodies(server))


async def test_a_no_at_the_editor_sends_nothing(tmp_path: Path) -> None:
    async with openai_cloud([{"text": "never"}]) as server:
        entry = f'backend = "openai"\nbase_url = "{server.url}/v1"\nmodel = "big"\ncloud = true\ncontext = 32000\n'
        (tmp_path / "models.toml").write_text(f"[cloud]\nenabled = true\n[models.far]\n{entry}", encoding="utf-8")
        async with editor(tmp_path, "no") as one:
            with pytest.raises(Exception, match="kept this text in the house"):
                await one.say(f"Say hello to {NAME}.")
        assert server.asked == []
