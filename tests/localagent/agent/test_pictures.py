"""Pictures that tools bring: shown to a model that sees them, behind the answers, and again after a resume."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

from localagent.config.models_toml import Entry
from localagent.journal.sessions import load
from localagent.ports import Outcome
from localagent.tools.pictures import is_picture
from tests.fakes.agent import Recording, World, toy
from tests.fakes.mcp_server import PIXEL


class Seeing(Recording):
    def __init__(self, entry: Entry) -> None:
        super().__init__(Entry(entry.name, entry.backend, file=entry.file, context=entry.context, images=True))


def drawing(folder: Path, kind: type[Recording]) -> World:
    tools = [toy("draw", Outcome("kept as a.png", images=("/x/a.png",))), toy("say")]
    replies = [{"tool_calls": [{"name": n, "arguments": {}} for n in ("draw", "say")]}, {"content": "A cat."}]
    world = World(folder, replies, tools)
    world.kind = kind
    return world


def test_a_model_that_sees_is_shown_them_behind_the_answers(tmp_path: Path) -> None:
    world = drawing(tmp_path, Seeing)
    agent = world.agent()
    assert world.run("draw", agent)[0].outcome == "answered"
    assert isinstance(agent.seat.model, Recording)
    answers, shown = agent.seat.model.requests[1].messages[-2:]
    assert (answers.role, shown.role, shown.images) == ("tool", "user", ("/x/a.png",))
    assert tuple(load(world.ledger, "s1").messages) == agent.history.snapshot()


def test_another_model_is_not(tmp_path: Path) -> None:
    world = drawing(tmp_path, Recording)
    agent = world.agent()
    world.run("draw", agent)
    assert not any(message.images for message in agent.history)


def test_only_whole_pictures_are() -> None:
    content = b64decode(PIXEL)
    assert is_picture(content)
    assert not is_picture(content[:-4])
    assert not is_picture(b"<svg/>")
