"""What a reply is held to: how many calls it may hold follows the model that writes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from localagent.ports import Capabilities
from tests.fakes.agent import Recording, World, toy


@pytest.mark.parametrize(("billions", "several"), [(0.135, False), (0.63, False), (1.54, True), (None, True)])
def test_only_models_that_are_large_enough_may_write_several_calls(
    tmp_path: Path, billions: float | None, several: bool
) -> None:
    world = World(tmp_path, [{"content": "Four."}], [toy("look")], constrain=True)
    agent = world.agent()
    agent.seat = replace(agent.seat, capabilities=Capabilities(parameters=billions))
    world.run("2 + 2?", agent)
    assert isinstance(agent.seat.model, Recording)
    constraint = agent.seat.model.requests[0].constraint
    assert constraint is not None
    assert constraint.several is several
